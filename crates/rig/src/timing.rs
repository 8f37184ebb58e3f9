//! Converts between frames and seconds.

/// The number of frames of a clip, its rate, and whether it loops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timing {
    pub(crate) frames: usize,
    /// Frames per second.
    pub(crate) rate: f32,
    pub(crate) looping: bool,
}

impl Timing {
    /// Wraps a frame of a looping clip to 0..frames, and clamps a frame of another clip to its first and last frame.
    /// NaN, infinity in a loop, and any frame of an empty clip give 0.
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
        // A tiny negative remainder can round up to the period.
        if rest < period { rest } else { 0.0 }
    }

    /// Returns the number of frames, the period of a loop.
    #[expect(clippy::cast_precision_loss, reason = "a count of frames is below 2^32")]
    pub(crate) const fn period(self) -> f64 {
        self.frames as f64
    }

    /// Returns the frame at a time in seconds.
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
