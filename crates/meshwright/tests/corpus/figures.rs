//! Applies the checks of `tests/figures.rs` to the files of the corpus.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

use crate::figures::{Files, edited, replaced, written_files};
use meshwright::files::Tree;
use meshwright::{Budget, Limits, Model, Opener};
use meshwright_testkit::corpus;

/// A named skeleton stays, even if later named files found another one; a skin that the suit found is used once if it
/// is named too.
#[test]
fn what_is_named_takes_the_place_of_what_was_found() {
    let root = corpus!();
    let names =
        ["B001FAFit_01.cmx", "adult-skeleton.cmx", "xskin-b001fafit_01-PELVIS-BODY.skn", "adult-idle2.cmx"];
    let open = |name: &&str| Opener::new().open(root.join("ts1").join(name)).unwrap();
    let figure = Model::figure(names.iter().map(open).collect()).unwrap();
    let scene = figure.scene().unwrap().value;
    assert_eq!((scene.meshes.len(), scene.skeletons[0].joints.len(), scene.clips.len()), (1, 29, 1));
    let back = edited(&figure, |json| json);
    let mut made: Vec<_> = back.files().iter().map(|file| file.name.as_str()).collect();
    let mut wanted = [&names[..], &["xskill-A2O-idle2.cfp"]].concat();
    made.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(made, wanted);
}

/// An exported outfit embeds all records up to its meshes, from any folder or archive of the game.
#[test]
fn an_outfit_comes_back_with_the_records_behind_it() {
    let root = corpus!();
    let tree = Tree::open(&root).unwrap();
    for (record, count) in [("made-body.720000010000000d.oft", 14), ("made-head__x.730000020000000f.po", 3)] {
        let path = format!("archives/outfits/{record}");
        let asset = Opener::new().open_in(&tree, &path).unwrap();
        let taken = asset.parts().iter().filter(|part| part.took_part() && !part.name.ends_with(".png"));
        let mut wanted = Files::new();
        for part in taken {
            let path = part.path.as_ref().unwrap();
            let bytes = tree.read(path, &Budget::new(Limits::default())).unwrap().into_owned();
            wanted.insert(part.name.rsplit('/').next().unwrap().to_owned(), bytes);
        }
        assert!(wanted.len() >= count, "{:?}", wanted.keys());
        let back = edited(&asset, |json| json);
        assert!(back.edits().unwrap().is_untouched() && back.losses().is_empty(), "{:?}", back.losses());
        assert_eq!(back.files().main().unwrap().name, record);
        let unlike = |made: &Files| -> Vec<String> {
            assert_eq!(made.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
            made.iter()
                .filter(|(name, bytes)| wanted[*name] != **bytes)
                .map(|(name, _)| name.clone())
                .collect()
        };
        assert!(unlike(&written_files(&back)).is_empty());
        // A bone of the meshes: the records stay.
        let back = edited(&asset, replaced("\"name\":\"HEAD\"", "\"name\":\"SKULL\""));
        let other = unlike(&written_files(&back));
        assert!(!other.is_empty() && back.losses().iter().all(|loss| loss.code != "original-dropped"));
        let edited = |name: &String| name.ends_with(".mesh") || name.contains("skeleton");
        assert!(other.iter().all(edited), "{other:?} {:?}", back.losses());
    }
}
