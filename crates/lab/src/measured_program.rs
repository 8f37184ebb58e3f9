//! Other programs, and what they cost: time, and the most memory that was resident.

use std::fs;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// The end of a program.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// It was killed, since it took longer than it may.
    pub(crate) killed: bool,
    pub(crate) time: Duration,
    /// The most resident bytes, where the system says so.
    pub(crate) peak: Option<u64>,
}

/// Runs a program until it ends, or kills it after `most`.
pub(crate) fn run(command: &mut Command, most: Duration) -> io::Result<Ended> {
    let start = Instant::now();
    let mut child = command.spawn()?;
    let mut peak = None;
    loop {
        peak = peak.max(resident(&child));
        let killed = start.elapsed() > most;
        if killed {
            child.kill()?;
        }
        let ended = if killed { Some(child.wait()?) } else { child.try_wait()? };
        if let Some(status) = ended {
            return Ok(Ended { status, killed, time: start.elapsed(), peak });
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the most memory that a living program had.
fn resident(child: &Child) -> Option<u64> {
    high_water(&format!("/proc/{}/status", child.id()))
}

/// Returns the most memory that was resident, by a file of the proc file system.
pub(crate) fn high_water(status: &str) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}
