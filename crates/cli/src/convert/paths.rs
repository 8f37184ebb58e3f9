//! The output paths of inputs.

use crate::destination::{Destination, UniquePlaces, below, case_key};
use crate::input::Input;
use meshwright::files::output::{OutputName, Place};
use meshwright::scene::obj::ObjOptions;
use meshwright::{Format, Target};
use std::collections::BTreeMap;

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
    let Some(folder) = destination.folder() else {
        return vec![OutPath { place: destination.place(), renamed: false }];
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
    let mut wanted: BTreeMap<String, u64> = BTreeMap::new();
    for input in inputs {
        let count = wanted.entry(case_key(&place(input, false))).or_insert(0);
        *count = count.saturating_add(1);
    }
    let mut places = UniquePlaces::default();
    let unique = |input: &Input| {
        let short = place(input, false);
        let is_alone = wanted.get(&case_key(&short)) == Some(&1);
        let (stem, extension) = name(input, !is_alone);
        let place = places.add(folder, input, &stem, &extension);
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
        let cases = [
            ("a/x.dpm", None, "out/x.dpm.glb", true),
            ("b/x.zym", None, "out/x.zym.glb", true),
            ("y.dpm", None, "out/y.glb", false),
            ("d/s/y.dpm", Some("s/y.dpm"), "out/s/y.glb", false),
            ("c/x.dpm", None, "out/x.dpm-2.glb", true),
            ("c/x.dpm-2", None, "out/x.dpm-2-2.glb", true),
            ("c/Z.dpm", None, "out/Z.dpm.glb", true),
            ("c/z.zym", None, "out/z.zym.glb", true),
            ("d/t/data", Some("t/data"), "out/t/data.glb", false),
            ("p.pk3/.ssh/\u{202e}x.dpm", Some(".ssh/\u{202e}x.dpm"), "out/_.ssh/_x.glb", false),
        ];
        let out = Destination::Folder("out".into());
        let places = out_paths(&cases.map(|case| input(case.0, case.1)), &out, Target::Glb, ".glb");
        let places: Vec<_> = places.iter().map(|out| (out.place.path().to_owned(), out.renamed)).collect();
        assert_eq!(places, cases.map(|(_, _, path, renamed)| (PathBuf::from(path), renamed)));
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
