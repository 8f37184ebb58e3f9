//! `xtask docs tables`: the pictures of the documentation, drawn from testdata by the program's own `render`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// The folder of the pictures.
const FOLDER: &str = "docs/pictures";

/// Each picture: its name, the fixtures that it shows, and how they are drawn.
const PICTURES: &[(&str, &[&str], &[&str])] = &[
    ("bmd.png", &["bmd/windmill.ok.bmd"], &[]),
    ("crucible.png", &["crucible/lighthouse.ok.cmesh"], &["--overlay", "bones"]),
    ("dpm.png", &["dpm/hopper.ok.dpm"], &["--frame", "0:1", "--overlay", "bones"]),
    ("zym.png", &["dpm/pair.ok.zym"], &["--camera", "35,40", "--overlay", "wireframe"]),
    ("fsomodel.png", &["fsomodel/fighter.ok.fom"], &["--camera", "35,40", "--overlay", "wireframe"]),
    ("gltf.png", &["gltf/arm.ok.glb"], &["--overlay", "bones,names"]),
    ("iqm.png", &["iqm/tube.ok.iqm"], &["--camera", "35,45", "--overlay", "bones,names"]),
    ("tso.png", &["tso/flower.ok.mesh", "tso/flower.ok.skel", "tso/sway.ok.anim"], &["--frame", "0:1"]),
    ("ts1.png", &["tso/flag.ok.skn"], &["--overlay", "bones"]),
    ("view-normals.png", &["bmd/windmill.ok.bmd"], &["--view", "normals"]),
    ("view-uv.png", &["crucible/lighthouse.ok.cmesh"], &["--view", "uv"]),
    ("windmill.png", &["bmd/windmill.ok.bmd"], &["--clip", "turn", "--camera", "30,12", "--size", "200x225"]),
    ("strip.png", &["bmd/windmill.ok.bmd"], &["--turntable", "4", "--strip", "4"]),
];

pub(crate) fn run(root: &Path, check: bool) -> Result<(), String> {
    let folder = root.join(FOLDER);
    let scratch = std::env::temp_dir().join(format!("meshwright-pictures-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(|e| format!("{}: {e}", scratch.display()))?;
    let drawn =
        PICTURES.iter().map(|picture| render_picture(root, &scratch, picture)).collect::<Result<Vec<_>, _>>();
    let _ = fs::remove_dir_all(&scratch);
    let mut stale: Vec<_> = extra(&folder)?.into_iter().collect();
    for ((name, ..), bytes) in PICTURES.iter().zip(drawn?) {
        let path = folder.join(name);
        if fs::read(&path).is_ok_and(|old| old == bytes) {
            continue;
        }
        if check {
            stale.push((*name).to_owned());
        } else {
            fs::write(&path, bytes).map_err(|e| format!("{name}: {e}"))?;
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    let list = stale.join(", ");
    Err(format!("{FOLDER}: {list}: not what `cargo run -p xtask -- docs tables` draws; look at them"))
}

/// Renders one picture.
fn render_picture(
    root: &Path,
    scratch: &Path,
    (name, files, options): &(&str, &[&str], &[&str]),
) -> Result<Vec<u8>, String> {
    let out = scratch.join(name);
    let mut words: Vec<OsString> = ["meshwright", "render", "--quiet", "-o"].map(Into::into).into();
    words.push(out.clone().into());
    words.extend(options.iter().map(Into::into));
    if !options.contains(&"--size") {
        words.extend(["--size", "160"].map(Into::into));
    }
    words.extend(files.iter().map(|file| root.join("testdata").join(file).into()));
    match meshwright_cli::run(words).code() {
        0 => fs::read(&out).map_err(|e| format!("{name}: {e}")),
        code => Err(format!("{name}: `render` ended with exit code {code}")),
    }
}

/// Files that no row draws.
fn extra(folder: &Path) -> Result<BTreeSet<String>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let names = entries.filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned()));
    Ok(names.filter(|name| !PICTURES.iter().any(|p| p.0 == name)).collect())
}
