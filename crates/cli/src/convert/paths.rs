//! Where results go.

use crate::destination::Destination;
use crate::input::Input;
use crate::names::safe_file_name;
use crate::refusal::Refusal;
use crate::render;
use meshwright::scene::obj::ObjOptions;
use meshwright::{Format, Target};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Where an input goes.
#[derive(Debug)]
pub(super) struct OutPath {
    pub(super) path: PathBuf,
    /// Another input would have had the plain name.
    pub(super) renamed: bool,
}

/// Where each input goes. A rewrite keeps the name. Inputs of one folder whose names differ in their extension
/// only keep it, so that none overwrites another.
pub(super) fn out_paths(inputs: &[Input], destination: &Destination, to: Target) -> Vec<OutPath> {
    let folder = match destination {
        Destination::File(path) => return vec![OutPath { path: path.clone(), renamed: false }],
        Destination::Stdout => return vec![OutPath { path: PathBuf::from("-"), renamed: false }],
        Destination::Folder(folder) => folder,
    };
    let place = |input: &Input, whole: bool| {
        let below = input.below.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let name = input.name();
        // An .obj is named like its materials, so that no two of them share those.
        let name = if to == Target::Obj { ObjOptions::with_mtl(&name).mtl_name } else { name };
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, own)) if Format::from_name(&name).is_some_and(|f| to == Target::Native(f)) => {
                (stem, own)
            }
            Some((stem, _)) if !whole && !stem.is_empty() => (stem, to.extension()),
            _ => (name.as_str(), to.extension()),
        };
        folder.join(below).join(format!("{}.{extension}", safe_file_name(stem)))
    };
    // Some file systems do not distinguish case.
    let key = |path: &Path| path.to_string_lossy().to_lowercase();
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for input in inputs {
        *wanted.entry(key(&place(input, false))).or_insert(0) += 1;
    }
    let mut taken = BTreeSet::new();
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    let unique = |input: &Input| {
        let short = place(input, false);
        let alone = wanted.get(&key(&short)) == Some(&1);
        let first = if alone { short.clone() } else { place(input, true) };
        let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let (stem, extension) = (part(first.file_stem()), part(first.extension()));
        let n = next.entry(key(&first)).or_insert(2);
        let mut path = first;
        while !taken.insert(key(&path)) {
            path.set_file_name(format!("{stem}-{n}.{extension}"));
            *n += 1;
        }
        OutPath { renamed: path != short, path }
    };
    inputs.iter().map(unique).collect()
}

/// Files with their places: the main one at `path`, its companions beside it. The main one comes last, since it names
/// the others.
pub(super) fn placed<F>(
    files: impl IntoIterator<Item = F>,
    name: impl Fn(&F) -> &String,
    path: &Path,
) -> Result<Vec<(PathBuf, F)>, Refusal> {
    let mut placed: Vec<(PathBuf, F)> = Vec::new();
    for file in files {
        let name = name(&file);
        let place = if placed.is_empty() { path.to_owned() } else { path.with_file_name(name) };
        let is_plain = Path::new(name).components().all(|c| matches!(c, Component::Normal(_)));
        if !placed.is_empty() && (!is_plain || placed.iter().any(|(other, _)| *other == place)) {
            let why = format!("{}: another file of the result has the same name", render::path(&place));
            return Err(Refusal::Argument(why));
        }
        placed.push((place, file));
    }
    let main = placed.len().min(1);
    placed.rotate_left(main);
    Ok(placed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright::scene::OutputFile;

    fn input(path: &str, below: Option<&str>) -> Input {
        Input { below: below.map(Into::into), ..Input::named(path) }
    }

    fn paths_of(inputs: &[Input], out: &Destination, to: Target) -> Vec<PathBuf> {
        out_paths(inputs, out, to).into_iter().map(|out| out.path).collect()
    }

    #[test]
    fn no_two_inputs_share_an_output() {
        let inputs = [
            input("a/x.dpm", None),
            input("b/x.zym", None),
            input("y.dpm", None),
            input("d/s/y.dpm", Some("s/y.dpm")),
            input("c/x.dpm", None),
            input("c/x.dpm-2", None),
            input("c/Z.dpm", None),
            input("c/z.zym", None),
            input("d/t/data", Some("t/data")),
        ];
        let out = Destination::Folder("out".into());
        let renamed = out_paths(&inputs, &out, Target::Glb).iter().map(|p| p.renamed).collect::<Vec<_>>();
        assert_eq!(renamed, [true, true, false, false, true, true, true, true, false]);
        let paths = paths_of(&inputs, &out, Target::Glb);
        let expected = [
            "out/x.dpm.glb",
            "out/x.zym.glb",
            "out/y.glb",
            "out/s/y.glb",
            "out/x.dpm-2.glb",
            "out/x.dpm-2-2.glb",
            "out/Z.dpm.glb",
            "out/z.zym.glb",
            "out/t/data.glb",
        ];
        assert_eq!(paths, expected.map(PathBuf::from));
        let inputs = [
            input("a/m.FSO", Some("m.FSO")),
            input("a/m.fom", Some("m.fom")),
            input("a/m.dat", Some("m.dat")),
            input("b/m.fom", Some("m.fom")),
        ];
        let paths = paths_of(&inputs, &out, Target::Native(Format::Fso));
        assert_eq!(paths, ["out/m.FSO", "out/m.fom", "out/m.dat.fom", "out/m-2.fom"].map(PathBuf::from));
        // Their materials have names of their own too.
        let inputs = [input("a/x.dpm", None), input("a/ x.dpm", None), input("a/y\u{a0}z.dpm", None)];
        let paths = paths_of(&inputs, &out, Target::Obj);
        assert_eq!(paths, ["out/x.dpm.obj", "out/x.dpm-2.obj", "out/y_z.obj"].map(PathBuf::from));
    }

    #[test]
    fn files_of_a_result_lie_beside_each_other() {
        let files = |names: [&str; 2]| names.map(|name| OutputFile { name: name.into(), bytes: Vec::new() });
        let paths = |names| {
            placed(files(names), |f| &f.name, Path::new("d/x.bin"))
                .map(|f| f.into_iter().map(|f| f.0).collect::<Vec<_>>())
        };
        assert_eq!(paths(["a.obj", "a.mtl"]).unwrap(), ["d/a.mtl", "d/x.bin"].map(PathBuf::from));
        for name in ["x.bin", "../a", "/a", ".."] {
            assert!(paths(["a.obj", name]).is_err(), "{name}");
        }
    }
}
