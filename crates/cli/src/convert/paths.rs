//! The output paths of inputs.

use crate::destination::{Destination, below};
use crate::input::Input;
use meshwright::files::output::{NameSource, OutputName, Place};
use meshwright::scene::obj::ObjOptions;
use meshwright::{Format, Target};
use std::collections::{BTreeMap, BTreeSet};

/// The output path of an input.
#[derive(Debug)]
pub(super) struct OutPath {
    pub(super) place: Place,
    /// The name differs from the plain one, which another input also wants.
    pub(super) renamed: bool,
}

/// Returns the output path of each input. A rewrite keeps the name. Inputs of one folder whose names differ only in
/// the extension keep the extension, so that no output overwrites another. Names of results end with `ending`.
pub(super) fn out_paths(
    inputs: &[Input],
    destination: &Destination,
    to: Target,
    ending: &str,
) -> Vec<OutPath> {
    let folder = match destination {
        Destination::File(path) => return vec![OutPath { place: Place::named(path), renamed: false }],
        Destination::Stdout => return vec![OutPath { place: Place::named("-"), renamed: false }],
        Destination::Folder(folder) => folder,
    };
    // Stem and ending.
    let name = |input: &Input, whole: bool| {
        let name = input.name();
        // An .obj is named like its materials, so that no two of them share those.
        let name = if to == Target::Obj { ObjOptions::with_mtl(&name).mtl_name } else { name };
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, own)) if Format::from_name(&name).is_some_and(|f| to == Target::Native(f)) => {
                (stem, format!(".{own}"))
            }
            Some((stem, _)) if !whole && !stem.is_empty() => (stem, ending.to_owned()),
            _ => (name.as_str(), ending.to_owned()),
        };
        (OutputName::cleaned(stem), extension)
    };
    let place = |input: &Input, whole: bool| {
        let (stem, extension) = name(input, whole);
        below(folder, input, &stem.with_ending(&extension))
    };
    // Some file systems do not distinguish case.
    let key = |place: &Place| place.path().to_string_lossy().to_lowercase();
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for input in inputs {
        *wanted.entry(key(&place(input, false))).or_insert(0) += 1;
    }
    let mut taken = BTreeSet::new();
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    let unique = |input: &Input| {
        let short = place(input, false);
        let alone = wanted.get(&key(&short)) == Some(&1);
        let (stem, extension) = name(input, !alone);
        let mut place = below(folder, input, &stem.with_ending(&extension));
        let n = next.entry(key(&place)).or_insert(2);
        while !taken.insert(key(&place)) {
            place = place.beside(&stem.with_ending(&format!("-{n}{extension}")), NameSource::Derived);
            *n += 1;
        }
        OutPath { renamed: place != short, place }
    };
    inputs.iter().map(unique).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn input(path: &str, below: Option<&str>) -> Input {
        Input { below: below.map(Into::into), ..Input::named(path) }
    }

    fn paths_of(inputs: &[Input], out: &Destination, to: Target) -> Vec<PathBuf> {
        out_paths(inputs, out, to, &format!(".{}", to.extension()))
            .into_iter()
            .map(|out| out.place.path().to_owned())
            .collect()
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
            input("p.pk3/.ssh/\u{202e}x.dpm", Some(".ssh/\u{202e}x.dpm")),
        ];
        let out = Destination::Folder("out".into());
        let renamed =
            out_paths(&inputs, &out, Target::Glb, ".glb").iter().map(|p| p.renamed).collect::<Vec<_>>();
        assert_eq!(renamed, [true, true, false, false, true, true, true, true, false, false]);
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
            "out/_.ssh/_x.glb",
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
}
