//! Limits on time. They are generous, and detect code whose time grows faster than its input.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// Returns the factor by which everything may take longer. `MESHWRIGHT_PATIENCE` sets it for an emulated or
/// busy machine, or for a build that checks every access.
pub fn patience() -> u32 {
    std::env::var("MESHWRIGHT_PATIENCE").map_or(1, |n| n.parse().expect("MESHWRIGHT_PATIENCE is a number"))
}

/// Measures the time that a thread works. If the system does not measure it (Linux and Apple's do), waiting counts
/// too.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    start: Instant,
    worked: Option<Duration>,
}

impl Stopwatch {
    /// Starts measuring.
    pub fn start() -> Self {
        Self { start: Instant::now(), worked: worked() }
    }

    /// Returns the working time of the thread since the start; must be called by the same thread.
    pub fn elapsed(self) -> Duration {
        let worked = worked().zip(self.worked).and_then(|(now, then)| now.checked_sub(then));
        worked.unwrap_or_else(|| self.start.elapsed())
    }
}

/// A limit on the time that a thread works.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    watch: Stopwatch,
    most: Duration,
}

impl Deadline {
    /// Returns a limit of `n` seconds from now.
    pub fn seconds(n: u64) -> Self {
        Self { watch: Stopwatch::start(), most: Duration::from_secs(n) * patience() }
    }

    /// Panics if the limit has passed. The thread that created the limit must call it.
    #[track_caller]
    pub fn met(self, what: impl Display) {
        let took = self.watch.elapsed();
        assert!(took < self.most, "{what} took {took:?}, {:?} allowed", self.most);
    }
}

/// Returns the processor time of this thread, without other work of the machine. It does not allocate.
#[cfg(all(any(target_os = "linux", target_vendor = "apple"), not(miri)))]
fn worked() -> Option<Duration> {
    rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime).try_into().ok()
}

#[cfg(any(miri, not(any(target_os = "linux", target_vendor = "apple"))))]
fn worked() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "0ns allowed")]
    fn no_time_is_not_enough() {
        let deadline = Deadline::seconds(0);
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(20) {}
        deadline.met("nothing");
    }

    #[test]
    fn sleep_is_no_work() {
        let watch = Stopwatch::start();
        if worked().is_some() {
            std::thread::sleep(Duration::from_millis(50));
            assert!(watch.elapsed() < Duration::from_millis(40));
            let start = Instant::now();
            while start.elapsed() < Duration::from_secs(20) && watch.elapsed() < Duration::from_millis(20) {}
            assert!(watch.elapsed() >= Duration::from_millis(20), "work is work");
        }
    }
}
