//! `xtask headline [--program FILE] [PACK]`: models per second on public data, the pack of Nexuiz as Debian has it.
//!
//! Nothing is fetched: `apt-get install nexuiz-data` does that, or `apt-get download nexuiz-data` and `dpkg-deb -x`.

use crate::sh::{self, Given};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The pack of Debian's package `nexuiz-data`, version 2.5.2-12, and its SHA-256.
const PACK: &str = "/usr/share/games/nexuiz/data/data.pk3";
const HASH: &str = "43d4657965fc732131abe5b335a956ac48e878afe7e58c44efcf9d6cb13c3c89";
/// The work that is timed, each as often as this; the best counts.
const WORK: [(&str, &[&str]); 3] = [
    ("to GLB", &["convert", "--to", "glb", "--no-textures", "--quiet", "-o", "glb/"]),
    ("to IQM", &["convert", "--to", "iqm", "--no-textures", "--quiet", "-o", "iqm/"]),
    ("check", &["check", "--quiet"]),
];
const ROUNDS: usize = 5;

pub(crate) fn run(root: &Path, given: &Given) -> Result<(), String> {
    let pack = given.files.first().map_or(Path::new(PACK), PathBuf::as_path);
    let Ok(bytes) = fs::read(pack) else {
        return sh::skipped(&format!("{} is not here (apt-get install nexuiz-data)", pack.display()));
    };
    let hash = sh::sha256(&bytes);
    if hash != HASH {
        return Err(format!("{} is another pack: SHA-256 {hash}, not {HASH}", pack.display()));
    }
    drop(bytes);
    let program = crate::released(root, given)?;
    // Models that the program knows, and their bytes in the pack.
    let mut list = Command::new(&program);
    let json: Value = serde_json::from_slice(&sh::output(list.args(["list", "--format", "json"]).arg(pack))?)
        .map_err(|e| e.to_string())?;
    let is_model = |file: &&Value| [".dpm", ".zym"].iter().any(|e| sh::text(&file["file"]).ends_with(e));
    let sizes: Vec<u64> = json["files"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(is_model)
        .filter_map(|f| f["bytes"].as_u64())
        .collect();
    let folder = std::env::temp_dir().join(format!("meshwright-headline-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let pack = pack.canonicalize().map_err(|e| e.to_string())?;
    let timed = WORK.map(|(name, words)| (name, best(&program, &pack, &folder, words)));
    let _ = fs::remove_dir_all(&folder);
    #[expect(clippy::cast_precision_loss, reason = "shown with two decimals")]
    let (models, bytes) = (sizes.len() as f64, sizes.iter().sum::<u64>() as f64);
    println!(
        "{models} models, {:.1} MB, {} threads",
        bytes / 1e6,
        std::thread::available_parallelism().map_or(1, usize::from)
    );
    let mut rates = [1.0; 2];
    for (name, times) in timed {
        let times = times?;
        let units = [("clock", times.clock), ("processor", times.processor)];
        for ((unit, seconds), rate) in units.into_iter().zip(&mut rates) {
            // Not known on this system.
            if seconds <= 0.0 {
                continue;
            }
            *rate *= models / seconds;
            println!(
                "{name:<8} {unit:<9} {seconds:.3} s  {:8.0} models/s  {:6.1} MB/s",
                models / seconds,
                bytes / seconds / 1e6
            );
        }
    }
    println!(
        "geometric mean {:.0} models/s by the clock, {:.0} by processor time",
        rates[0].cbrt(),
        rates[1].cbrt()
    );
    Ok(())
}

/// Seconds of a command.
#[derive(Clone, Copy)]
struct Times {
    clock: f64,
    /// The time of all threads; 0 if the system does not say.
    processor: f64,
}

/// Processor time of children that ended: two fields of `/proc/self/stat`, in hundredths of a second.
fn spent() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    fields.skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Returns the shortest of several runs, by the clock and by processor time.
fn best(program: &Path, pack: &Path, folder: &Path, words: &[&str]) -> Result<Times, String> {
    let mut best = Times { clock: f64::INFINITY, processor: f64::INFINITY };
    for _ in 0..ROUNDS {
        let before = spent();
        let mut command = Command::new(program);
        command.args(words).arg(pack).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        let status = command.status().map_err(|e| e.to_string())?;
        best.clock = best.clock.min(start.elapsed().as_secs_f64());
        best.processor = best.processor.min(spent() - before);
        // Files of a game have errors.
        if !matches!(status.code(), Some(0 | 1)) {
            return Err(format!("{}: {status}", words.join(" ")));
        }
    }
    Ok(best)
}
