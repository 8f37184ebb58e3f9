//! `xtask docs tables`: the pictures of the documentation, drawn from testdata by the program's own `render`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use xtask::fixtures::Files;
use xtask::sh;

/// The folder of the pictures.
const FOLDER: &str = "docs/pictures";

/// A picture: its name, the fixtures that it shows, and how they are drawn.
type Picture = (&'static str, &'static [&'static str], &'static [&'static str]);

const PICTURES: &[Picture] = &[
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

/// Returns the folder of the pictures, and their files.
pub(super) fn all(root: &Path) -> Result<(PathBuf, Files), String> {
    let folder = root.join(FOLDER);
    let scratch = std::env::temp_dir().join(format!("meshwright-pictures-{}", std::process::id()));
    sh::empty(&scratch)?;
    let draw = |picture: &Picture| Ok((folder.join(picture.0), render_picture(root, &scratch, picture)?));
    let drawn: Result<_, String> = PICTURES.iter().map(draw).collect();
    let _ = fs::remove_dir_all(&scratch);
    Ok((folder.clone(), drawn?))
}

/// Renders one picture.
fn render_picture(root: &Path, scratch: &Path, (name, files, options): &Picture) -> Result<Vec<u8>, String> {
    let out = scratch.join(name);
    let mut words: Vec<OsString> = ["meshwright", "render", "--quiet", "-o"].map(Into::into).into();
    words.push(out.clone().into());
    words.extend(options.iter().map(Into::into));
    if !options.contains(&"--size") {
        words.extend(["--size", "160"].map(Into::into));
    }
    words.extend(files.iter().map(|file| root.join("testdata").join(file).into()));
    match meshwright_cli::run(words).code() {
        0 => sh::read(&out),
        code => Err(format!("{name}: `render` ended with exit code {code}")),
    }
}
