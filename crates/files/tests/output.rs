//! Checks that outputs appear complete or not at all, and never replace protected files.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use meshwright_files::output::{
    Clash, Content, Failed, NameSource, Output, OutputName, OutputRole, Place, Plan, Replace, Writer,
};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn file<'a>(place: &Place, role: OutputRole, bytes: &'a [u8]) -> Output<Content<'a>> {
    Output { place: place.clone(), role, content: Box::new(move |out| out.write_all(bytes)) }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    Writer::default().stage([file(&Place::named(path), OutputRole::Main, bytes)])?.appear()
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    // Ignore the files of a writer that still exists.
    let mut names: Vec<_> = names.filter(|name| !name.starts_with(".meshwright-")).collect();
    names.sort();
    names
}

fn name(text: &str) -> OutputName {
    OutputName::new(text, &[]).unwrap()
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let dir = TempDir::new().unwrap();
    let folder = dir.path().join("out.glb");
    fs::create_dir(&folder).unwrap();
    assert!(write(&folder, b"new").is_err());
    for (path, why) in [("no/such/out.glb", "does not exist"), ("file/out.glb", "is a file")] {
        fs::write(dir.path().join("file"), b"old").unwrap();
        let e = write(&dir.path().join(path), b"new").unwrap_err().1;
        assert!(e.to_string().contains(why), "{e}");
    }
    let below = Place::below(&dir.path().join("file"), &[name("out.glb")]);
    let e = Writer::default().stage([file(&below, OutputRole::Main, b"new")]).unwrap_err().1;
    assert!(e.to_string().contains("is a file"), "{e}");
    fs::remove_file(dir.path().join("file")).unwrap();
    assert_eq!(names(dir.path()), ["out.glb"]);
}

#[test]
fn a_file_whose_companion_cannot_take_its_name_is_removed() {
    let dir = TempDir::new().unwrap();
    let main = Place::named(dir.path().join("a.gltf"));
    let buffer = main.beside(&name("a.bin"), NameSource::Derived);
    let writer = Writer::default();
    let files = [file(&buffer, OutputRole::Companion, b"new"), file(&main, OutputRole::Main, b"new")];
    let staged = writer.stage(files).unwrap();
    fs::create_dir(main.path()).unwrap();
    assert_eq!(staged.appear().unwrap_err().0, main.path());
    drop(writer);
    assert_eq!(names(dir.path()), ["a.gltf"]);
}

#[test]
fn more_files_wait_than_there_are_descriptors() {
    let dir = TempDir::new().unwrap();
    let writer = Writer::default();
    let places: Vec<Place> = (0..3000)
        .map(|i| Place::below(dir.path(), [&name(&format!("{}", i % 7)), &name(&format!("{i}"))]))
        .collect();
    let staged = writer.stage(places.iter().map(|place| file(place, OutputRole::Main, b"x"))).unwrap();
    staged.appear().unwrap();
    drop(writer);
    assert!(places.iter().all(|place| fs::read(place.path()).unwrap() == b"x"));
    assert!((0..7).all(|i| names(&dir.path().join(i.to_string())).iter().all(|n| !n.starts_with('.'))));
}

/// Tests that inputs, outputs of another model of the run and existing files are protected, by every name.
#[test]
fn a_plan_spares_what_must_stay() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    for name in ["in.dpm", "p.pk3", "skin.png", "mine.png"] {
        fs::write(at(name), name).unwrap();
    }
    let (writer, plan) = (Writer::default(), Plan::default());
    plan.reads(&at("in.dpm"));
    plan.reads(&at("p.pk3").join("models/a.dpm"));
    plan.reads(&at("gone/a.dpm"));
    let main = |text: &str| Place::below(dir.path(), [&name(text)]);
    plan.reserve(&main("b.dpm")).unwrap();
    assert_eq!(plan.reserve(&main("B.dpm")), Err(Clash::Output(at("B.dpm"))));
    let enter = |plan: &Plan, model: &str, companion: &str, role, bytes: &[u8]| {
        let (main, companion) = (main(model), main(companion).with_source(NameSource::Content));
        let files = [file(&companion, role, bytes), file(&main, OutputRole::Main, b"model")];
        let mut staged = writer.stage(files).unwrap();
        let left = plan.enter(&mut staged, None)?;
        staged.appear().unwrap();
        Ok::<_, Clash>(left.into_iter().map(|left| left.is_same).collect::<Vec<_>>())
    };
    let companion = |plan, name: &str, bytes: &[u8]| enter(plan, "a.dpm", name, OutputRole::Companion, bytes);
    assert_eq!(companion(&plan, "in.dpm", b"new"), Err(Clash::Input(at("in.dpm"))));
    assert_eq!(companion(&plan, "p.pk3", b"new"), Err(Clash::Input(at("p.pk3"))));
    assert_eq!(companion(&plan, "b.dpm", b"new"), Err(Clash::Output(at("b.dpm"))));
    assert_eq!(companion(&plan, "a.dpm", b"new"), Err(Clash::Output(at("a.dpm"))));
    assert_eq!(companion(&plan, "mine.png", b"new"), Err(Clash::Exists(at("mine.png"))));
    assert_eq!(names(dir.path()), ["in.dpm", "mine.png", "p.pk3", "skin.png"]);
    // Equal content is not written again, and unedited files are omitted.
    assert_eq!(companion(&plan, "mine.png", b"mine.png"), Ok(vec![true]));
    assert_eq!(enter(&plan, "b.dpm", "skin.png", OutputRole::Unedited, b"new"), Ok(vec![false]));
    assert_eq!(enter(&plan, "c.dpm", "new.png", OutputRole::Companion, b"new"), Ok(vec![]));
    assert_eq!(enter(&plan, "d.dpm", "new.png", OutputRole::Companion, b"new"), Ok(vec![true]));
    assert_eq!(
        enter(&plan, "e.dpm", "NEW.png", OutputRole::Companion, b"other"),
        Err(Clash::Output(at("NEW.png")))
    );
    // Outputs of an earlier run, and files that the user wants to replace, are replaced.
    let skin = at("skin.png");
    let again = Plan::default().with_earlier(move |path| path == skin);
    assert_eq!(companion(&again, "skin.png", b"new"), Ok(vec![]));
    assert_eq!(companion(&again, "mine.png", b"new"), Err(Clash::Exists(at("mine.png"))));
    let forced = Plan::default().with_replace(Replace::All);
    forced.reads(&at("in.dpm"));
    assert_eq!(companion(&forced, "mine.png", b"forced"), Ok(vec![]));
    assert_eq!(companion(&forced, "in.dpm", b"new"), Err(Clash::Input(at("in.dpm"))));
    let kept = Plan::default().with_replace(Replace::Nothing);
    assert_eq!(companion(&kept, "x.png", b"new"), Err(Clash::Exists(at("a.dpm"))));
    for (name, bytes) in
        [("in.dpm", "in.dpm"), ("skin.png", "new"), ("mine.png", "forced"), ("new.png", "new")]
    {
        assert_eq!(fs::read_to_string(at(name)).unwrap(), bytes);
    }
    assert!(!at("x.png").exists());
}

/// Tests a file that another program creates between the plan and the renaming.
#[test]
fn a_file_that_appears_meanwhile_is_not_replaced() {
    let dir = TempDir::new().unwrap();
    let writer = Writer::default();
    for (source, replaced) in [(NameSource::Content, false), (NameSource::Derived, true)] {
        let place = Place::below(dir.path(), [&name("a.png")]).with_source(source);
        let mut staged = writer.stage([file(&place, OutputRole::Main, b"new")]).unwrap();
        Plan::default().enter(&mut staged, None).unwrap();
        fs::write(place.path(), b"theirs").unwrap();
        assert_eq!(staged.appear().is_ok(), replaced, "{source:?}");
        assert_eq!(fs::read(place.path()).unwrap() == b"new", replaced, "{source:?}");
        fs::remove_file(place.path()).unwrap();
    }
}

/// Content that is only measured is entered like written content, and nothing is written.
#[test]
fn what_would_be_written_is_planned_too() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("skin.png"), b"mine").unwrap();
    let writer = Writer::measuring();
    for bytes in [&b"mine"[..], b"min", b"mine2", b"mint"] {
        let same = bytes == b"mine";
        let place = Place::below(dir.path(), [&name("skin.png")]).with_source(NameSource::Content);
        let mut staged = writer.stage([file(&place, OutputRole::Companion, bytes)]).unwrap();
        let sizes: Vec<_> = staged.measured().map(|(place, size)| (place.clone(), size)).collect();
        assert_eq!(sizes, [(place, bytes.len() as u64)]);
        let entered = Plan::default().enter(&mut staged, None);
        assert_eq!((entered.is_ok(), staged.places().next().is_none()), (same, same));
    }
    let place = Place::below(&at("new"), [&name("a.dpm")]);
    let mut staged = writer.stage([file(&place, OutputRole::Main, b"model")]).unwrap();
    assert_eq!(Plan::default().enter(&mut staged, None), Ok(Vec::new()));
    staged.appear().unwrap();
    assert!(!at("new").exists() && fs::read_dir(dir.path()).unwrap().count() == 1);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_link_that_was_named_stays_a_link_and_others_are_refused() {
        let dir = TempDir::new().unwrap();
        let (target, link) = (dir.path().join("file"), dir.path().join("link"));
        fs::write(&target, b"old").unwrap();
        symlink("file", &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"new");
        let derived = Place::below(dir.path(), [&name("link")]);
        assert!(Writer::default().stage([file(&derived, OutputRole::Main, b"x")]).is_err());
        symlink("/", dir.path().join("folder")).unwrap();
        let outside = Place::below(dir.path(), [&name("folder"), &name("x")]);
        assert!(Writer::default().stage([file(&outside, OutputRole::Main, b"x")]).is_err());
        assert_eq!(fs::read(&target).unwrap(), b"new");
        // The target of a linked input is an input.
        let plan = Plan::default();
        plan.reads(&link);
        assert_eq!(plan.spare_inputs(&Place::named(&target), None), Err(Clash::Input(target.clone())));
        assert_eq!(plan.spare_inputs(&Place::named(&target), Some(&link)), Ok(()));
    }

    #[test]
    fn modes_are_kept_and_new_files_follow_the_mask() {
        let dir = TempDir::new().unwrap();
        let (path, plain) = (dir.path().join("file"), dir.path().join("plain"));
        fs::write(&plain, b"").unwrap();
        write(&path, b"1").unwrap();
        let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&path), mode(&plain));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o4600)).unwrap();
        write(&path, b"2").unwrap();
        assert_eq!(mode(&path), 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
        assert!(write(&path, b"3").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"2");
    }
}
