//! Runs the program.
#![allow(unreachable_pub, reason = "used by every test file")]

use meshwright_testkit::testdata;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_meshwright"))
}

/// Runs the program in a folder.
pub fn run_in(dir: &Path, words: &[&str]) -> Output {
    program().current_dir(dir).args(words).output().unwrap()
}

/// Runs the program in a folder, checks that it succeeds, and returns its output.
pub fn ok(dir: &Path, words: &[&str]) -> String {
    let output = run_in(dir, words);
    assert_eq!(code(&output), 0, "{words:?}: {}", stderr(&output));
    String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output)
}

/// A run of the program, with what it took.
pub struct Watched {
    pub output: Output,
    /// The most memory that it had, in KiB, where `/proc` tells.
    pub peak: Option<u64>,
    /// Its processor time, where `/proc` tells; otherwise the time until it ended.
    pub worked: Duration,
}

impl Watched {
    /// Runs the program in a folder.
    pub fn run(dir: &Path, words: &[&str]) -> Self {
        let start = Instant::now();
        let mut program = program();
        program.current_dir(dir).args(words).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = program.spawn().unwrap();
        let id = child.id();
        let about = |name: &str| fs::read_to_string(format!("/proc/{id}/{name}")).unwrap_or_default();
        let (mut peak, mut worked) = (None, None);
        while child.try_wait().unwrap().is_none() {
            let status = about("status");
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            peak = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).or(peak);
            // Hundredths of a second for itself and for it in the system, the 14th and 15th words.
            let stat = about("stat");
            let ticks = stat.split_whitespace().skip(13).take(2).map(str::parse::<u64>);
            let ticks = ticks.sum::<Result<u64, _>>().ok().filter(|_| !stat.is_empty());
            worked = ticks.map(|ticks| Duration::from_millis(ticks * 10)).or(worked);
        }
        let worked = worked.unwrap_or_else(|| start.elapsed());
        Self { output: child.wait_with_output().unwrap(), peak, worked }
    }
}

/// Reads all files of a folder and its subfolders, by path.
pub fn tree(top: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut all, mut folders) = (BTreeMap::new(), vec![top.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let below = path.strip_prefix(top).unwrap().to_string_lossy().replace('\\', "/");
                all.insert(below, fs::read(path).unwrap());
            }
        }
    }
    all
}

pub fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    program().args(args).output().unwrap()
}

/// Returns words of a command line, to which more can be added.
pub fn args(words: &[&str]) -> Vec<OsString> {
    words.iter().map(Into::into).collect()
}

pub fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Returns the path of a model with all features.
pub fn demo() -> PathBuf {
    testdata().join("dpm/hopper.ok.dpm")
}

/// Lists the names in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Makes files of equal content: links of one file where the system has them. On some file systems, thousands of new files
/// make every later file slow.
pub fn write_alike(paths: impl IntoIterator<Item = PathBuf>, content: &[u8]) {
    let mut first: Option<PathBuf> = None;
    for path in paths {
        if first.as_ref().is_none_or(|first| fs::hard_link(first, &path).is_err()) {
            fs::write(&path, content).unwrap();
            first = Some(path);
        }
    }
}

/// Writes a quad as `name` in a folder, with two skins: the first red, the second blue.
pub fn skinned_quad(folder: &Path, name: &str) {
    let quad = testdata().join("dpm/quad.ok.dpm");
    fs::copy(quad, folder.join(name)).unwrap();
    for (number, picture, color) in [(0, "red", [0, 0, 255]), (1, "blue", [255, 0, 0])] {
        fs::write(folder.join(format!("{name}_{number}.skin")), format!("textures/quad,{picture}\n"))
            .unwrap();
        let head = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 24, 0];
        fs::write(folder.join(format!("{picture}.tga")), [&head[..], &color.repeat(16)].concat()).unwrap();
    }
}

/// Returns a command that runs the program as an ordinary user, and the folder of the program. That is the user of
/// the test, unless it is root. Returns `None` if root cannot become another user.
#[cfg(unix)]
pub fn ordinary() -> Option<(tempfile::TempDir, Vec<OsString>)> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let own = tempfile::TempDir::new().unwrap();
    // A new folder belongs to the user of the test.
    if own.path().metadata().unwrap().uid() != 0 {
        return Some((own, vec![env!("CARGO_BIN_EXE_meshwright").into()]));
    }
    fs::set_permissions(own.path(), fs::Permissions::from_mode(0o755)).unwrap();
    // Other users may not have access to the program's folder, so it is copied.
    let program = own.path().join("meshwright");
    fs::copy(env!("CARGO_BIN_EXE_meshwright"), &program).unwrap();
    let mut words: Vec<OsString> =
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"].map(Into::into).to_vec();
    words.push(program.into());
    // A process that another test starts may hold the copy open for writing until it becomes its own program.
    for _ in 0..100 {
        let output = Command::new(&words[0]).args(&words[1..]).arg("--version").output().ok()?;
        if output.status.success() {
            return Some((own, words));
        }
        if !stderr(&output).contains("busy") {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    None
}
