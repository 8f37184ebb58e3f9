//! Limits on time. They are far above what is needed, and catch what grows faster than its input.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// By how much everything may take longer: where a machine is emulated or busy, or a build checks every access,
/// `MESHWRIGHT_PATIENCE` says so.
pub fn patience() -> u32 {
    std::env::var("MESHWRIGHT_PATIENCE").map_or(1, |n| n.parse().expect("MESHWRIGHT_PATIENCE is a number"))
}

/// A limit on the time that a thread works. Where the system does not measure that (Linux does), waiting counts too.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    start: Instant,
    worked: Option<Duration>,
    most: Duration,
}

impl Deadline {
    /// So many seconds from now.
    pub fn seconds(n: u64) -> Self {
        Self { start: Instant::now(), worked: worked(), most: Duration::from_secs(n) * patience() }
    }

    /// Panics when it has passed; called by the thread that made it.
    #[track_caller]
    pub fn met(self, what: impl Display) {
        let took = worked().zip(self.worked).and_then(|(now, then)| now.checked_sub(then));
        let took = took.unwrap_or_else(|| self.start.elapsed());
        assert!(took < self.most, "{what} took {took:?}, {:?} allowed", self.most);
    }
}

/// How long this thread was on a processor: other work of the machine is none of its.
fn worked() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
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
        if let Some(before) = worked() {
            std::thread::sleep(Duration::from_millis(50));
            assert!(worked().unwrap() - before < Duration::from_millis(40));
        }
    }
}
