//! Frames and seconds.

/// How the frames of a clip follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timing {
    pub(crate) frames: usize,
    /// Frames per second.
    pub(crate) rate: f32,
    pub(crate) looping: bool,
}

impl Timing {
    /// Where a frame lies in the clip: from 0 up to, and not including, the number of frames where it loops,
    /// else up to the last frame. A frame that is not a number is the first, and so are one infinitely far into a
    /// loop and all of a clip without frames.
    pub(crate) fn place(self, frame: f64) -> f64 {
        let period = self.period();
        if self.frames == 0 || frame.is_nan() || self.looping && frame.is_infinite() {
            return 0.0;
        }
        if !self.looping {
            return frame.max(0.0).min(period - 1.0);
        }
        let rest = frame % period;
        let rest = if rest < 0.0 { rest + period } else { rest };
        // A tiny negative remainder rounds up to the period itself.
        if rest < period { rest } else { 0.0 }
    }

    /// The number of frames, after which a loop begins again.
    #[expect(clippy::cast_precision_loss, reason = "a count of frames is below 2^32")]
    pub(crate) const fn period(self) -> f64 {
        self.frames as f64
    }

    /// The frame at a time in seconds.
    pub(crate) fn frame_at(self, seconds: f64) -> f64 {
        seconds * f64::from(self.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_seconds() {
        let clip = Timing { frames: 31, rate: 30.0, looping: false };
        assert_eq!([-1.0, 0.5, 7.0].map(|s| clip.place(clip.frame_at(s))), [0.0, 15.0, 30.0]);
        let looping = Timing { frames: 30, looping: true, ..clip };
        assert_eq!([-0.5, 0.5, 1.5].map(|s| looping.place(looping.frame_at(s))), [15.0; 3]);
        for rate in [0.0, f32::NAN, f32::INFINITY] {
            let still = Timing { rate, ..looping };
            assert_eq!(still.place(still.frame_at(1.5)), 0.0);
        }
        assert_eq!(Timing { frames: 0, ..looping }.place(3.0), 0.0);
    }
}
