//! Clips: ranges of frames with a rate.

use crate::bone::Name;
use alloc::vec::Vec;

/// The default rate of clips, in frames per second.
pub(crate) const DEFAULT_RATE: f32 = 10.0;

/// A clip of a DPM or ZYM model: a range of its frames.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameClip {
    /// The name, as bytes.
    pub name: Vec<u8>,
    /// First frame.
    pub start: u32,
    /// Number of frames, at least 1.
    pub length: u32,
    /// Frames per second.
    pub fps: f32,
    /// True if the last frame blends into the first.
    pub looping: bool,
}

impl FrameClip {
    /// Creates a looping clip with 10 frames per second.
    pub fn new(name: impl Into<Vec<u8>>, start: u32, length: u32) -> Self {
        Self { name: name.into(), start, length, fps: DEFAULT_RATE, looping: true }
    }

    /// Returns the frames of the clip.
    pub fn frames(&self) -> core::ops::Range<u32> {
        self.start..self.start.saturating_add(self.length)
    }

    /// Returns the duration in seconds, including the blend from the last frame to the first for a looping clip.
    pub fn seconds(&self) -> f32 {
        let steps = if self.looping { self.length } else { self.length.saturating_sub(1) };
        #[expect(clippy::cast_precision_loss, reason = "a count of frames")]
        let steps = steps as f32;
        steps / self.fps
    }
}

/// Derives clips from frame names. Consecutive frames whose names differ only in an increasing number form a
/// clip.
pub(crate) fn from_names(frames: &[&Name]) -> Vec<FrameClip> {
    let names: Vec<_> = frames.iter().map(|name| split(name.bytes())).collect();
    let mut clips = Vec::new();
    let mut start = 0;
    while start < names.len() {
        let joined = names.get(start..).unwrap_or_default();
        let pairs = joined.iter().zip(joined.iter().skip(1));
        let length = pairs.take_while(|(a, b)| follows(**a, **b)).count().saturating_add(1);
        let full = frames.get(start).map(|name| name.bytes()).unwrap_or_default();
        let name = match names.get(start) {
            Some((base, _)) if length > 1 && !base.is_empty() => base,
            _ => full,
        };
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        clips.push(FrameClip::new(name, number(start), number(length)));
        start = start.saturating_add(length);
    }
    clips
}

/// Returns the clip name in a frame's name: the name without its number, or the whole name if it is only a number.
pub(crate) fn clip_name(name: &Name) -> &[u8] {
    match split(name.bytes()) {
        ([], _) => name.bytes(),
        (base, _) => base,
    }
}

/// Splits a frame's name into the part before its trailing digits, without one `_`, and the digits.
fn split(name: &[u8]) -> (&[u8], &[u8]) {
    let start = name.iter().rposition(|b| !b.is_ascii_digit()).map_or(0, |last| last.saturating_add(1));
    let (base, number) = name.split_at_checked(start).unwrap_or((name, &[]));
    (base.strip_suffix(b"_").unwrap_or(base), number)
}

fn follows((base, number): (&[u8], &[u8]), (next_base, next_number): (&[u8], &[u8])) -> bool {
    // Compares numbers of any length: without leading zeros, the longer one is greater; numbers of equal
    // length are compared as text.
    let value = |digits: &[u8]| {
        let digits: Vec<u8> = digits.iter().copied().skip_while(|b| *b == b'0').collect();
        (digits.len(), digits)
    };
    base == next_base && !number.is_empty() && !next_number.is_empty() && value(number) < value(next_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clips(names: &[&str]) -> Vec<(alloc::string::String, u32, u32)> {
        let names: Vec<_> = names.iter().map(|n| Name::truncated(n.as_bytes())).collect();
        let text = |c: FrameClip| (meshwright_core::text::latin1(&c.name), c.start, c.length);
        from_names(&names.iter().collect::<Vec<_>>()).into_iter().map(text).collect()
    }

    #[test]
    fn rising_numbers_join() {
        let names = ["mesh_0", "run_0", "run_1", "run_10", "run_2", "run", "run", "die9", "die10"];
        let expected =
            [("mesh_0", 0, 1), ("run", 1, 3), ("run_2", 4, 1), ("run", 5, 1), ("run", 6, 1), ("die", 7, 2)];
        assert_eq!(clips(&names), expected.map(|(n, s, l)| (n.into(), s, l)));
    }

    #[test]
    fn a_frame_names_its_clip() {
        for (frame, clip) in
            [("fire_0", "fire"), ("fire2_11", "fire2"), ("12", "12"), ("_3", "_3"), ("run", "run")]
        {
            assert_eq!(clip_name(&Name::truncated(frame.as_bytes())), clip.as_bytes());
        }
    }

    #[test]
    fn names_of_digits_alone_keep_one() {
        assert_eq!(clips(&["1", "2"]), [("1".into(), 0, 2)]);
        assert_eq!(clips(&["99999999999999999999999", "100000000000000000000000"])[0].2, 2);
        assert_eq!(clips(&[]), []);
    }
}
