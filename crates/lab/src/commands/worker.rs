//! A worker: runs the program's commands in this process, whose standard output and standard error are files that it looks
//! into.

use super::drive::{self, Case, Ran};
use super::{Options, patience};
use crate::watched;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::time::{Duration, Instant};

thread_local! {
    static LAST: std::cell::RefCell<String> = const { std::cell::RefCell::new(String::new()) };
}

pub(super) fn run(cases: &[Case], options: &Options, worker: u64, folder: &Path) -> Result<(), String> {
    let named = |e: std::io::Error| format!("{}: {e}", folder.display());
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let message = text.or_else(|| payload.downcast_ref().copied()).unwrap_or("no message");
        LAST.set(format!("{}: {message}", info.location().map(ToString::to_string).unwrap_or_default()));
    }));
    let mut results =
        OpenOptions::new().create(true).append(true).open(folder.join("results")).map_err(named)?;
    let place = folder.join("case");
    for number in options.from..options.from.saturating_add(options.count) {
        if number % options.jobs != worker {
            continue;
        }
        let (case, mut rng) = drive::numbered(cases, number);
        let name = format!("{number} of {}", case.name());
        fs::write(folder.join("now"), &name).map_err(named)?;
        let mut program = |words: &[OsString]| program(words, folder);
        let tried = drive::attempt(&case, &mut rng, &place, &mut program).map_err(named)?;
        let mut text = String::from("mutant\n");
        let plain = |text: &str| text.replace(['\n', '\t'], " ");
        for broken in &tried.broken {
            text.push_str(&format!("broken\t{name}\t{}\n", plain(broken)));
        }
        for cost in &tried.costs {
            let (millis, kib) = (cost.time.as_millis(), cost.peak >> 10);
            text.push_str(&format!("ran\t{name}\t{}\t{millis}\t{kib}\t{}\n", cost.code, plain(&cost.words)));
        }
        results.write_all(text.as_bytes()).map_err(named)?;
        let over = tried.costs.iter().any(|c| c.time > super::TIME * patience() || c.peak > super::PEAK);
        if let Some(keep) = options.keep.as_ref().filter(|_| over || !tried.broken.is_empty()) {
            kept(&case, &keep.join(number.to_string())).map_err(named)?;
        }
    }
    Ok(())
}

/// Keeps the files of a case.
fn kept(case: &Case, folder: &Path) -> std::io::Result<()> {
    for (name, bytes) in &case.files {
        let path = folder.join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

/// Runs a command line.
fn program(words: &[OsString], folder: &Path) -> Ran {
    // What was resident until now is forgotten, where the system can.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let (start, worked) = (Instant::now(), worked());
    let code = panic::catch_unwind(AssertUnwindSafe(|| meshwright_cli::run(words.iter().cloned())));
    let time =
        worked.zip(self::worked()).map_or_else(|| start.elapsed(), |(then, now)| now.saturating_sub(then));
    let code = code.ok().map(|status| i32::from(status.code()));
    Ran {
        said: if code.is_none() { LAST.take() } else { String::new() },
        code,
        out: printed(&folder.join("stdout")),
        err: printed(&folder.join("stderr")),
        time,
        peak: watched::high_water("/proc/self/status").unwrap_or(0),
    }
}

/// What was printed since the last time.
fn printed(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap_or_default();
    let _ = File::create(path);
    bytes
}

/// How long all threads of this process were on a processor: hundredths of a second.
fn worked() -> Option<Duration> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<_> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}
