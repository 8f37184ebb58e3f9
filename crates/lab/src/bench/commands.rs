//! Whole commands over sizes: processor time, peak memory, and how both grow.

use super::report::{Growth, Report};
use crate::measured_program;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use xtask::sh;
use xtask::sheet::Sheet;

/// Vertices along a side: 10,000 to 2 million vertices.
const SIDES: [u16; 5] = [100, 224, 447, 1000, 1414];
/// Numbers of archives in a folder.
const ARCHIVES: [usize; 4] = [250, 500, 1000, 2000];
/// A command that takes longer is stopped.
const MOST: Duration = Duration::from_secs(300);
/// The unit of the times of children in `/proc/self/stat`.
const TICKS_PER_SECOND: f64 = 100.0;
/// Linux counts the time of children in ticks: short commands run until they took this many.
const LEAST_TICKS: u64 = 40;

/// Each command by its name: the words of the program. Later ones read what earlier ones wrote.
const COMMANDS: &[(&str, &str)] = &[
    ("check GLB", "check sheet.glb"),
    ("info GLB", "info sheet.glb"),
    ("GLB to IQM", "convert sheet.glb -o sheet.iqm"),
    ("GLB to DPM", "convert sheet.glb -o sheet.dpm"),
    ("GLB to ZYM", "convert sheet.glb -o sheet.zym"),
    ("GLB to OBJ", "convert sheet.glb -o sheet.obj"),
    ("check DPM", "check sheet.dpm"),
    ("info DPM", "info sheet.dpm"),
    ("DPM to GLB", "convert sheet.dpm -o of_dpm.glb"),
    ("DPM to GLB, keep-native", "convert sheet.dpm --keep-native -o kept.glb"),
    ("restore DPM, unedited", "convert kept.glb -o back.dpm"),
    ("IQM to GLB", "convert sheet.iqm -o of_iqm.glb"),
    ("diff, other order", "diff sheet.glb reversed.glb"),
    ("diff, points that coincide", "diff coincident.glb other.glb"),
];
const OF_ARCHIVES: &[(&str, &str)] =
    &[("check archives", "check packs"), ("info archives", "info packs"), ("list archives", "list packs")];

/// Runs every command over every size. `program` is the program to be measured.
pub(crate) fn measure_all(report: &mut Report, program: &Path, is_quick: bool) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("meshwright-commands-{}", std::process::id()));
    sh::empty(&folder)?;
    let measured = measure_in(&folder, report, program, is_quick);
    let _ = fs::remove_dir_all(&folder);
    measured
}

fn measure_in(folder: &Path, report: &mut Report, program: &Path, is_quick: bool) -> Result<(), String> {
    let sides = if is_quick { &SIDES[..3] } else { &SIDES[..] };
    let mut growths: Vec<Growth> = COMMANDS.iter().map(|(name, _)| Growth::new(name, "vertices")).collect();
    for side in sides {
        let sheet = Sheet { side: *side, ..Sheet::default() };
        let (reversed, coincident) =
            (Sheet { is_reversed: true, ..sheet }, Sheet { is_coincident: true, ..sheet });
        let other = Sheet { is_reversed: true, ..coincident };
        for (name, sheet) in
            [("sheet", sheet), ("reversed", reversed), ("coincident", coincident), ("other", other)]
        {
            sh::write(&folder.join(name).with_extension("glb"), sheet.glb())?;
        }
        for ((_, words), growth) in COMMANDS.iter().zip(&mut growths) {
            let size = usize::from(*side) * usize::from(*side);
            growth.add(size, measure(program, folder, words)?);
        }
    }
    growths.into_iter().for_each(|growth| report.growth(growth));
    let packs = folder.join("packs");
    sh::write(&folder.join("in/models/sheet.glb"), Sheet { side: 16, ..Sheet::default() }.glb())?;
    measure(program, folder, "convert in/models/sheet.glb -o in/models/sheet.dpm")?;
    fs::remove_file(folder.join("in/models/sheet.glb")).map_err(|e| e.to_string())?;
    measure(program, folder, "pack in -o pack.pk3")?;
    let pack = sh::read(&folder.join("pack.pk3"))?;
    let mut growths: Vec<Growth> =
        OF_ARCHIVES.iter().map(|(name, _)| Growth::new(name, "archives")).collect();
    let counts = if is_quick { &ARCHIVES[..2] } else { &ARCHIVES[..] };
    let mut written = 0;
    for count in counts {
        for number in written..*count {
            sh::write(&packs.join(format!("{number:04}.pk3")), &pack)?;
        }
        written = *count;
        for ((_, words), growth) in OF_ARCHIVES.iter().zip(&mut growths) {
            growth.add(*count, measure(program, folder, words)?);
        }
    }
    growths.into_iter().for_each(|growth| report.growth(growth));
    Ok(())
}

/// Returns the seconds of processor time and the bytes of peak memory of a command.
fn measure(program: &Path, folder: &Path, words: &str) -> Result<(f64, u64), String> {
    let (mut runs, mut peak, start) = (0_u32, 0, ticks_of_children()?);
    loop {
        let mut command = Command::new(program);
        command.args(words.split(' ')).args(["--max-memory", "4G"]).current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let ended = measured_program::run(&mut command, MOST).map_err(|e| format!("{words}: {e}"))?;
        // Different models and findings are results too.
        if !matches!(ended.status.code(), Some(0 | 1)) {
            return Err(format!("{words}: {}", ended.status));
        }
        runs += 1;
        peak = peak.max(ended.peak.unwrap_or(0));
        let ticks = ticks_of_children()? - start;
        if ticks >= LEAST_TICKS || runs == 100 {
            return Ok((ticks as f64 / TICKS_PER_SECOND / f64::from(runs), peak));
        }
    }
}

/// Returns the processor time of all programs that ended, in user and system mode.
fn ticks_of_children() -> Result<u64, String> {
    let stat = sh::read_text(Path::new("/proc/self/stat"))?;
    // The name of the program is in brackets and may have any character.
    let (_, fields) = stat.rsplit_once(") ").ok_or("/proc/self/stat has no name")?;
    let times = fields.split(' ').skip(13).take(2).map(|field| field.parse::<u64>().ok());
    times.sum::<Option<u64>>().ok_or_else(|| "/proc/self/stat has no times of children".into())
}

/// The pack of Debian's package `nexuiz-data`, version 2.5.2-12, and its SHA-256.
const PACK: &str = "/usr/share/games/nexuiz/data/data.pk3";
const HASH: &str = "43d4657965fc732131abe5b335a956ac48e878afe7e58c44efcf9d6cb13c3c89";
const OF_PACK: [(&str, &str); 3] = [
    ("to GLB", "convert --to glb --no-textures --quiet -o glb/"),
    ("to IQM", "convert --to iqm --no-textures --quiet -o iqm/"),
    ("check", "check --quiet"),
];

/// Measures models per second of processor time on public data. Nothing is fetched: `apt-get install nexuiz-data` does that,
/// or `apt-get download nexuiz-data` and `dpkg-deb -x`.
pub(crate) fn measure_nexuiz(program: &Path, pack: Option<PathBuf>) -> Result<(), String> {
    let pack = pack.unwrap_or_else(|| PACK.into());
    let Ok(bytes) = fs::read(&pack) else {
        return sh::skipped(&format!("{} is not here (apt-get install nexuiz-data)", pack.display()));
    };
    let hash = sh::sha256(&bytes);
    if hash != HASH {
        return Err(format!("{} is another pack: SHA-256 {hash}, not {HASH}", pack.display()));
    }
    let pack = pack.canonicalize().map_err(sh::error_at(&pack))?;
    let list = sh::output(Command::new(program).args(["list", "--format", "json"]).arg(&pack))?;
    let list: Value = serde_json::from_slice(&list).map_err(|e| e.to_string())?;
    let is_model = |file: &&Value| [".dpm", ".zym"].iter().any(|e| sh::text(&file["file"]).ends_with(e));
    let models = list["files"].as_array().into_iter().flatten().filter(is_model);
    let sizes: Vec<f64> = models.filter_map(|file| file["bytes"].as_f64()).collect();
    let (count, bytes) = (sizes.len() as f64, sizes.iter().sum::<f64>());
    println!("{count} models, {:.1} MB", bytes / 1e6);
    let folder = std::env::temp_dir().join(format!("meshwright-nexuiz-{}", std::process::id()));
    sh::empty(&folder)?;
    let run = |words: &str| measure(program, &folder, &format!("{words} {}", pack.display()));
    let timed = OF_PACK.map(|(name, words)| (name, run(words)));
    let _ = fs::remove_dir_all(&folder);
    let mut mean = 1.0;
    for (name, measured) in timed {
        let (seconds, peak) = measured?;
        mean *= (count / seconds).cbrt();
        let (models, megabytes) = (count / seconds, bytes / seconds / 1e6);
        println!(
            "{name:<8} {seconds:.3} s  {models:6.0} models/s  {megabytes:6.1} MB/s  {:>5} MiB",
            peak >> 20
        );
    }
    println!("geometric mean {mean:.0} models per second of processor time");
    Ok(())
}
