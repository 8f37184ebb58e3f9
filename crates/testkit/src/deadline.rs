//! Limits on time. They are far above what is needed, and catch what grows faster than its input.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// By how much everything may take longer: where a machine is emulated or busy, or a build checks every access,
/// `MESHWRIGHT_PATIENCE` says so.
pub fn patience() -> u32 {
    std::env::var("MESHWRIGHT_PATIENCE").map_or(1, |n| n.parse().expect("MESHWRIGHT_PATIENCE is a number"))
}

/// A moment by which something is done.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    start: Instant,
    most: Duration,
}

impl Deadline {
    /// So many seconds from now, on an idle machine.
    pub fn seconds(n: u64) -> Self {
        Self { start: Instant::now(), most: Duration::from_secs(n) * patience() }
    }

    /// Panics when it has passed.
    #[track_caller]
    pub fn met(self, what: impl Display) {
        let took = self.start.elapsed();
        assert!(took < self.most, "{what} took {took:?}, {:?} allowed", self.most);
    }
}
