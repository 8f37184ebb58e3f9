//! The keys of an animation as stored: tags, skips and payloads.

use alloc::vec::Vec;
use core::fmt;
use meshwright_core::num::{QuatF8, Se32};

/// The payload that the original tool writes by mistake and its engine reads as "no key".
pub const NO_KEY: u32 = u32::MAX;

const ROTATION: u8 = 0x80;
const TRANSLATION: u8 = 0x40;
const SCALE: u8 = 0x20;
const SKIP: u8 = 0x1f;

/// One tag with its payload. It skips some frames, sets up to three keys at the frame reached, and moves on
/// one frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Step {
    tag: u8,
    /// Payload words; zero for channels without a key.
    words: [u32; 3],
}

impl Step {
    /// The maximum number of frames that one step skips.
    pub const MAX_SKIP: u8 = SKIP;

    /// Returns a step of raw payload words. `None` if `skip` exceeds 31, or if there is neither skip nor
    /// payload, because that would end the bone.
    pub fn new(
        skip: u8,
        rotation: Option<u32>,
        translation: Option<u32>,
        scale: Option<u32>,
    ) -> Option<Self> {
        let bit = |word: Option<u32>, bit: u8| if word.is_some() { bit } else { 0 };
        let tag = skip | bit(rotation, ROTATION) | bit(translation, TRANSLATION) | bit(scale, SCALE);
        let words = [rotation, translation, scale].map(Option::unwrap_or_default);
        (skip <= SKIP && tag != 0).then_some(Self { tag, words })
    }

    pub(crate) const fn from_parts(tag: u8, words: [u32; 3]) -> Self {
        Self { tag, words }
    }

    /// Returns the tag byte.
    pub const fn tag(self) -> u8 {
        self.tag
    }

    /// Returns the number of frames skipped before the payload.
    pub const fn skip(self) -> u8 {
        self.tag & SKIP
    }

    /// Returns the raw rotation, translation and scale words that are stored.
    pub const fn words(self) -> [Option<u32>; 3] {
        let [r, t, s] = self.words;
        [
            if self.tag & ROTATION != 0 { Some(r) } else { None },
            if self.tag & TRANSLATION != 0 { Some(t) } else { None },
            if self.tag & SCALE != 0 { Some(s) } else { None },
        ]
    }

    /// Returns the number of payload words after a tag.
    pub const fn payload(tag: u8) -> u32 {
        (tag & (ROTATION | TRANSLATION | SCALE)).count_ones()
    }

    /// Returns the number of bytes in the file.
    pub const fn size(self) -> usize {
        (Self::payload(self.tag) as usize).saturating_mul(4).saturating_add(1)
    }

    /// Returns true if some payload word is a key.
    pub fn has_key(self) -> bool {
        self.words().into_iter().flatten().any(|w| w != NO_KEY)
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02x}", self.tag)?;
        self.words().into_iter().flatten().try_for_each(|w| write!(f, ":{w:08x}"))
    }
}

/// The steps of every bone, one after the other.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Stream {
    steps: Vec<Step>,
    /// The index after the last step of each bone.
    ends: Vec<u32>,
}

impl Stream {
    /// Returns a stream without bones.
    pub const fn new() -> Self {
        Self { steps: Vec::new(), ends: Vec::new() }
    }

    /// Returns a stream of the given steps per bone.
    pub fn from_bones<S: AsRef<[Step]>>(bones: impl IntoIterator<Item = S>) -> Self {
        let mut stream = Self::new();
        for steps in bones {
            stream.push_bone(steps.as_ref());
        }
        stream
    }

    /// Adds the steps of the next bone.
    pub fn push_bone(&mut self, steps: &[Step]) {
        self.steps.extend_from_slice(steps);
        self.end_bone();
    }

    fn end_bone(&mut self) {
        self.ends.push(u32::try_from(self.steps.len()).unwrap_or(u32::MAX));
    }

    pub(crate) const fn from_raw(steps: Vec<Step>, ends: Vec<u32>) -> Self {
        Self { steps, ends }
    }

    /// Returns the number of bones with keys.
    pub fn bone_count(&self) -> usize {
        self.ends.len()
    }

    /// Returns the steps of one bone; empty if the bone does not exist.
    pub fn bone(&self, bone: usize) -> &[Step] {
        let end = self.ends.get(bone).copied().unwrap_or(0) as usize;
        let start = bone.checked_sub(1).and_then(|b| self.ends.get(b)).copied().unwrap_or(0) as usize;
        self.steps.get(start..end).unwrap_or_default()
    }

    /// Returns the steps of each bone.
    pub fn bones(&self) -> impl ExactSizeIterator<Item = &[Step]> {
        (0..self.ends.len()).map(|b| self.bone(b))
    }

    /// Returns the number of bytes in the file: all steps, and the zero that ends each bone.
    pub fn size(&self) -> usize {
        self.ends.len().saturating_add(self.steps.iter().map(|s| s.size()).sum())
    }

    /// Returns the keys of one bone, without the payloads [`NO_KEY`].
    pub fn keys(&self, bone: usize) -> Keys {
        Keys::from_steps(self.bone(bone))
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({} bones, {} steps, {} bytes)", self.ends.len(), self.steps.len(), self.size())
    }
}

/// The keys of one bone by channel. Each key has its frame, in ascending order.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Keys {
    /// Rotations, applied before the bone's base rotation.
    pub rotation: Vec<(u32, QuatF8)>,
    /// Translations, added to the bone's base origin.
    pub translation: Vec<(u32, Se32)>,
    /// Scales per axis of the bone.
    pub scale: Vec<(u32, Se32)>,
}

impl Keys {
    /// Returns the keys that steps set.
    pub fn from_steps(steps: &[Step]) -> Self {
        let mut keys = Self::default();
        for (frame, step) in frames(steps) {
            let [r, t, s] = step.words().map(|w| w.filter(|w| *w != NO_KEY));
            keys.rotation.extend(r.map(|w| (frame, QuatF8::from_bits(w))));
            keys.translation.extend(t.map(|w| (frame, Se32::from_bits(w))));
            keys.scale.extend(s.map(|w| (frame, Se32::from_bits(w))));
        }
        keys
    }

    /// Returns true if there are no keys.
    pub fn is_empty(&self) -> bool {
        self.rotation.is_empty() && self.translation.is_empty() && self.scale.is_empty()
    }

    /// Returns the steps that set these keys in the fewest bytes: one step for the keys of a frame, and a
    /// step without payload for every 32 frames beyond the maximum skip.
    ///
    /// The frames of each channel must be ascending. Keys of different channels at the same frame share a
    /// step.
    pub fn to_steps(&self) -> Vec<Step> {
        let (mut r, mut t, mut s) = (
            self.rotation.iter().peekable(),
            self.translation.iter().peekable(),
            self.scale.iter().peekable(),
        );
        let (mut steps, mut at) = (Vec::new(), 0_u32);
        loop {
            let heads = [r.peek().map(|k| k.0), t.peek().map(|k| k.0), s.peek().map(|k| k.0)];
            let Some(frame) = heads.into_iter().flatten().min() else { return steps };
            let mut skip = frame.saturating_sub(at);
            while skip > u32::from(SKIP) {
                steps.push(Step { tag: SKIP, words: [0; 3] });
                skip = skip.saturating_sub(u32::from(SKIP) + 1);
            }
            let rotation = r.next_if(|k| k.0 == frame).map(|k| k.1.to_bits());
            let translation = t.next_if(|k| k.0 == frame).map(|k| k.1.to_bits());
            let scale = s.next_if(|k| k.0 == frame).map(|k| k.1.to_bits());
            let skip = u8::try_from(skip).unwrap_or(SKIP);
            steps.extend(Step::new(skip, rotation, translation, scale));
            at = frame.saturating_add(1);
        }
    }
}

/// Returns each step with the frame of its payload.
pub(crate) fn frames(steps: &[Step]) -> impl Iterator<Item = (u32, Step)> {
    steps.iter().scan(0_u32, |frame, step| {
        let at = frame.saturating_add(u32::from(step.skip()));
        *frame = at.saturating_add(1);
        Some((at, *step))
    })
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tests use small numbers")]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_would_end_the_bone_is_refused() {
        assert_eq!(Step::new(0, None, None, None), None);
        assert_eq!(Step::new(32, Some(1), None, None), None);
        assert_eq!(Step::new(31, None, None, None).unwrap().size(), 1);
        assert_eq!(Step::new(0, Some(0), None, Some(0)).unwrap().tag(), 0xa0);
    }

    #[test]
    fn long_gaps_take_a_byte_per_32_frames() {
        for frame in [0, 31, 32, 63, 64, 95, 254] {
            let keys = Keys { rotation: std::vec![(frame, QuatF8::IDENTITY)], ..Keys::default() };
            let steps = keys.to_steps();
            assert_eq!(steps.len() as u32, 1 + frame / 32, "{frame}");
            assert_eq!(Keys::from_steps(&steps), keys);
        }
    }

    #[test]
    fn payloads_that_mean_no_key_are_left_out() {
        let steps = [Step::new(0, Some(NO_KEY), Some(1), Some(NO_KEY)).unwrap()];
        let keys = Keys::from_steps(&steps);
        assert!(keys.rotation.is_empty() && keys.scale.is_empty());
        assert_eq!(keys.translation.len(), 1);
    }
}
