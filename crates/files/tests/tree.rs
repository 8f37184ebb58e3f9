//! Tests trees of folders, of memory, and of both.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright_core::{Budget, Limits};
use meshwright_files::{EntryKind, FilesError, Tree, TreePath};
use meshwright_testkit::{Deadline, proptest};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn budget() -> Budget {
    Budget::new(Limits::default())
}

fn make(files: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        write(dir.path(), file, file.as_bytes()).unwrap();
    }
    dir
}

fn write(top: &Path, file: &str, bytes: &[u8]) -> std::io::Result<()> {
    let path = top.join(file);
    fs::create_dir_all(path.parent().unwrap())?;
    fs::write(path, bytes)
}

fn texts<'a>(paths: impl IntoIterator<Item = &'a TreePath>) -> Vec<String> {
    paths.into_iter().map(TreePath::to_string).collect()
}

fn walked(tree: &Tree) -> Vec<String> {
    tree.walk().files.iter().map(|f| f.as_ref().unwrap().to_string()).collect()
}

fn find_path(tree: &Tree, path: &str) -> Option<String> {
    tree.find(path).unwrap().map(|p| p.to_string())
}

fn read(tree: &Tree, path: &str) -> Result<String, FilesError> {
    tree.read(path, &budget()).map(|b| String::from_utf8(b.into_owned()).unwrap())
}

#[test]
fn a_tree_can_be_shared_by_threads() {
    fn assert_bounds<T: Send + Sync + 'static>() {}
    assert_bounds::<Tree>();
    assert_bounds::<FilesError>();
}

#[test]
fn a_walk_is_sorted() {
    let dir = make(&["c.dpm", "b/x.dpm", "a.dpm", "b.dpm", "b/a/y"]);
    let tree = Tree::open(dir.path()).unwrap();
    let sorted = ["a.dpm", "b.dpm", "c.dpm", "b/x.dpm", "b/a/y"];
    assert_eq!(walked(&tree), sorted);
    assert_eq!(tree.start(), None);
    let kept = tree.walk_where(|path, kind| kind == EntryKind::File || *path != "b/a");
    assert_eq!(kept.files.len(), 4);
    let layers = Tree::layered([tree, Tree::memory([("aa", ""), ("b/b/z", "")]).unwrap()]);
    assert_eq!(walked(&layers), ["a.dpm", "aa", "b.dpm", "c.dpm", "b/x.dpm", "b/a/y", "b/b/z"]);
}

#[test]
fn files_are_found_whatever_their_case() {
    let tree =
        Tree::memory(["Models/H.DPM.FrameGroups", "models/h.dpm", "Models/H.dpm"].map(|n| (n, n))).unwrap();
    assert_eq!(find_path(&tree, "models/h.dpm.framegroups").unwrap(), "Models/H.DPM.FrameGroups");
    assert_eq!(find_path(&tree, "models/h.dpm").unwrap(), "models/h.dpm");
    assert_eq!(find_path(&tree, "MODELS/H.DPM").unwrap(), "Models/H.dpm", "capitals come first");
    assert_eq!(read(&tree, "MODELS/h.dpm").unwrap(), "Models/H.dpm");
    assert_eq!(find_path(&tree, "models"), None);
    assert!(!tree.exists("models/../models/h.dpm"));
    let listed = tree.list("MODELS").unwrap();
    let listed = texts(listed.iter().map(|e| &e.path));
    assert_eq!(listed, ["Models/H.DPM.FrameGroups", "Models/H.dpm", "models/h.dpm"]);
}

#[test]
fn a_later_layer_hides_an_earlier_one() {
    let tree = |files: &[(&str, &str)]| Tree::memory(files.iter().map(|(n, b)| (*n, *b))).unwrap();
    let base = tree(&[("models/a.dpm", "base a"), ("models/b.dpm", "base b"), ("Textures/t.png", "base t")]);
    let game = tree(&[("Models/A.dpm", "game a"), ("textures/u.png", "game u")]);
    let whole = Tree::layered([base, game]);
    assert_eq!(read(&whole, "models/a.dpm").unwrap(), "game a");
    assert_eq!(read(&whole, "models/b.dpm").unwrap(), "base b");
    let walk = whole.walk();
    assert_eq!(walk.hidden, 1);
    let paths = texts(walk.files.iter().map(|f| f.as_ref().unwrap()));
    assert_eq!(paths, ["Models/A.dpm", "Textures/t.png", "models/b.dpm", "textures/u.png"]);
    let listed = |folder: &str| texts(whole.list(folder).unwrap().iter().map(|e| &e.path));
    assert_eq!(listed("models"), ["Models/A.dpm", "models/b.dpm"]);
    assert_eq!(listed(""), ["Models", "textures"]);
    let dir = make(&["models/b.dpm"]);
    let whole = whole.with_root(dir.path()).unwrap();
    assert_eq!(read(&whole, "models/B.DPM").unwrap(), "models/b.dpm");
    assert!(whole.with_root(dir.path().join("models/b.dpm")).is_err());
}

#[test]
fn a_file_opens_the_tree_around_it() {
    let dir =
        make(&["d/models/p/x.dpm", "d/models/p/X.dpm.framegroups", "d/textures/t.png", "secret", "d/y.dpm"]);
    let at = |p: &str| dir.path().join(p);
    let tree = Tree::open(at("d/models/p/x.dpm")).unwrap();
    let start = tree.start().unwrap().clone();
    assert_eq!(start, "models/p/x.dpm");
    assert_eq!(*tree.read(&start, &budget()).unwrap(), b"d/models/p/x.dpm"[..]);
    assert!(tree.exists(start.beside("x.dpm.framegroups").unwrap()));
    assert!(tree.exists("textures/t.png") && !tree.exists("secret"));
    assert_eq!(tree.os_path(&start).unwrap(), at("d/models/p/x.dpm"));
    assert_eq!(tree.os_path("textures").unwrap(), at("d/textures"));
    assert_eq!(tree.os_path("missing"), None);
    let tree = Tree::open(at("d/y.dpm")).unwrap();
    assert_eq!(tree.start().unwrap(), &TreePath::new("y.dpm").unwrap());
    // The named file is read, even if another one hides it.
    let over = Tree::memory([("y.dpm", "other"), ("z", "")]).unwrap();
    let whole = Tree::layered([tree, over]);
    assert_eq!(read(&whole, "y.dpm").unwrap(), "d/y.dpm");
    assert!(matches!(Tree::open(at("none")), Err(FilesError::NotFound { .. })));
}

#[test]
fn files_of_a_root_are_located() {
    let dir = make(&["base/models/a.dpm", "mod/models/a.dpm", "mod/b.dpm", "c.dpm"]);
    let at = |p: &str| dir.path().join(p);
    let tree = Tree::open(at("base")).unwrap().with_root(at("mod")).unwrap();
    assert_eq!(tree.locate(at("mod/../mod/models/a.dpm")).unwrap(), "models/a.dpm");
    assert_eq!(tree.locate(at("base/models/a.dpm")), None, "it is hidden");
    assert_eq!(tree.locate(at("c.dpm")), None);
    assert_eq!(tree.locate(at("mod/none")), None);
}

#[test]
fn what_cannot_be_read_says_why() {
    let dir = make(&["a/b"]);
    for tree in [Tree::open(dir.path()).unwrap(), Tree::memory([("a/b", "a/b")]).unwrap()] {
        let why = |path: &str| read(&tree, path).unwrap_err().to_string();
        assert_eq!(why("a"), "a: is a folder");
        assert_eq!(why("a/c"), "a/c: there is no such file");
        assert_eq!(why("a/../b"), "a/../b: leaves the tree");
        assert_eq!(tree.list("a/b").unwrap_err().to_string(), "a/b: is no folder");
        assert_eq!(tree.list("x").unwrap_err().reason(), "there is no such file");
        let budget = Budget::new(Limits::default().with_memory(4));
        let e = tree.read("a/b", &Budget::new(Limits::default().with_memory(2))).unwrap_err();
        assert_eq!(e, FilesError::TooLarge { path: "a/b".into(), size: 3, left: 2 });
        assert!(tree.read("a/b", &budget).is_ok() && tree.read("a/b", &budget).is_err());
        assert_eq!(budget.remaining(), 1);
    }
    assert!(Tree::memory([("..", "")]).is_err() && Tree::memory([("", "")]).is_err());
}

#[test]
fn a_large_folder_is_listed_once() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..10_000 {
        fs::write(dir.path().join(format!("F{i}.bnd")), b"").unwrap();
    }
    let tree = Tree::open(dir.path()).unwrap();
    let deadline = Deadline::seconds(5);
    for i in 0..10_000 {
        assert!(tree.exists(&*format!("f{i}.bnd")));
    }
    assert_eq!(tree.walk().files.len(), 10_000);
    assert!((0..10_000).all(|_| tree.clone().list("").unwrap().len() == 10_000));
    deadline.met("looking for every file");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_within_the_tree() {
        let dir = make(&["d/a/x", "secret/s"]);
        let at = |p: &str| dir.path().join(p);
        for (to, from) in [
            ("a", "d/inside"),
            ("a/x", "d/file"),
            ("../secret", "d/outside"),
            ("../secret/s", "d/leak"),
            ("none", "d/broken"),
            (".", "d/loop"),
            ("/", "d/top"),
        ] {
            symlink(to, at(from)).unwrap();
        }
        let tree = Tree::open(at("d")).unwrap();
        assert_eq!(walked(&tree), ["a/x"]);
        // With the option, links are followed: each folder once, and never into a parent.
        symlink("a", at("d/second")).unwrap();
        let names = |walk: meshwright_files::Walk| {
            walk.files.iter().map(|f| f.as_ref().unwrap().to_string()).collect::<Vec<_>>()
        };
        let fresh = Tree::open(at("d")).unwrap();
        assert_eq!(names(fresh.walk_where(|_, _| true)), ["file", "a/x", "inside/x"]);
        assert_eq!(names(fresh.walk_where(|path, _| *path != "inside")), ["file", "a/x", "second/x"]);
        fs::remove_file(at("d/second")).unwrap();
        assert_eq!(read(&tree, "INSIDE/X").unwrap(), "d/a/x");
        assert_eq!(read(&tree, "file").unwrap(), "d/a/x");
        assert_eq!(read(&tree, "loop/loop/loop/file").unwrap(), "d/a/x");
        for path in
            ["outside/s", "leak", "broken", "top/etc/passwd", "loop/outside/s", "inside/../../secret/s"]
        {
            assert!(read(&tree, path).is_err(), "{path}");
        }
        assert!(tree.list("outside").is_err());
        let kinds: Vec<_> = tree.list("").unwrap().iter().map(|e| (e.path.to_string(), e.kind)).collect();
        let (file, folder, other) = (EntryKind::File, EntryKind::Folder, EntryKind::Other);
        let expected = [
            ("a", folder),
            ("broken", other),
            ("file", file),
            ("inside", folder),
            ("leak", other),
            ("loop", folder),
            ("outside", other),
            ("top", other),
        ];
        assert_eq!(kinds, expected.map(|(n, k)| (n.to_owned(), k)));
        // A named link is read.
        let tree = Tree::open(at("d/leak")).unwrap();
        assert_eq!(read(&tree, "leak").unwrap(), "secret/s");
        // So is a tree whose root is a link.
        assert_eq!(read(&Tree::open(at("d/inside")).unwrap(), "x").unwrap(), "d/a/x");
    }

    #[test]
    fn names_keep_bytes_that_are_no_text() {
        let dir = tempfile::tempdir().unwrap();
        let names: [&[u8]; 4] = [b"a\xff.dpm", b"a\xff.dpm.FrameGroups", b"b\\c:d", b"e\x1b"];
        for name in names {
            fs::write(dir.path().join(OsStr::from_bytes(name)), name).unwrap();
        }
        let tree = Tree::open(dir.path()).unwrap();
        let walk = tree.walk();
        let files: Vec<_> = walk.files.iter().map(|f| f.as_ref().unwrap()).collect();
        assert_eq!(files.iter().map(|f| f.as_bytes()).collect::<Vec<_>>(), names);
        for file in files {
            assert_eq!(*tree.read(file, &budget()).unwrap(), *file.as_bytes());
        }
        let beside = TreePath::new(names[0]).unwrap().beside(b"a\xff.dpm.framegroups").unwrap();
        assert_eq!(tree.find(&beside).unwrap().unwrap().as_bytes(), names[1]);
        let named = Tree::open(dir.path().join(OsStr::from_bytes(names[2]))).unwrap();
        assert_eq!(named.start().unwrap().as_bytes(), names[2]);
        assert!(named.read(named.start().unwrap(), &budget()).is_ok());
    }

    #[test]
    fn a_pipe_is_read_only_when_it_is_named() {
        let dir = make(&["X.PNG"]);
        let pipe = dir.path().join("x.png");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let tree = Tree::open(dir.path()).unwrap();
        assert_eq!(find_path(&tree, "x.png").unwrap(), "X.PNG");
        assert_eq!(walked(&tree), ["X.PNG"]);
        fs::remove_file(dir.path().join("X.PNG")).unwrap();
        let tree = Tree::open(dir.path()).unwrap();
        assert_eq!(read(&tree, "x.png").unwrap_err().reason(), "is no regular file");
        let tree = Tree::open(&pipe).unwrap();
        let writer = std::thread::spawn(move || fs::write(pipe, b"piped"));
        assert_eq!(read(&tree, "x.png").unwrap(), "piped");
        writer.join().unwrap().unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_listed_still_has_its_files() {
        use std::os::unix::fs::PermissionsExt;
        let dir = make(&["shut/x.dpm", "y"]);
        let shut = dir.path().join("shut");
        let allow = |mode| fs::set_permissions(&shut, fs::Permissions::from_mode(mode)).unwrap();
        allow(0o111);
        let tree = Tree::open(dir.path()).unwrap();
        assert_eq!(read(&tree, "shut/x.dpm").unwrap(), "shut/x.dpm");
        // The user `root` can list it anyway.
        if fs::read_dir(&shut).is_err() {
            let walk = tree.walk();
            assert_eq!(walk.files[0].as_ref().unwrap(), &"y");
            assert_eq!(walk.files[1].as_ref().unwrap_err().0, "shut");
            assert!(matches!(tree.list("shut"), Err(FilesError::System { .. })));
        }
        allow(0o755);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn folders_and_memory_agree(
        names in proptest::collection::vec(
            if cfg!(target_os = "linux") { "[aAb]{1,2}(/[aAb]{1,2}){0,2}" } else { "[ab]{1,2}(/[ab]{1,2}){0,2}" },
            0..8,
        ),
        asked in proptest::collection::vec("[aAb./]{0,6}", 0..16),
        over in proptest::collection::vec("[aAb]{1,2}(/[aAb]{1,2}){0,2}", 0..4),
    ) {
        let dir = tempfile::tempdir().unwrap();
        // No folder has a file and a folder with the same name.
        let names: Vec<_> =
            names.into_iter().filter(|name| write(dir.path(), name, name.as_bytes()).is_ok()).collect();
        let memory = |names: &[String]| Tree::memory(names.iter().map(|n| (n.clone(), n.as_bytes()))).unwrap();
        let over = memory(&over);
        // Only the operating system knows empty folders.
        let folder = Tree::open(dir.path()).unwrap();
        let memory = memory(&names);
        for (a, b) in [
            (folder.clone(), memory.clone()),
            (Tree::layered([folder.clone(), over.clone()]), Tree::layered([memory.clone(), over.clone()])),
            (Tree::layered([over.clone(), folder]), Tree::layered([over, memory])),
        ] {
            let walk = a.walk();
            prop_assert_eq!(&walk, &b.walk());
            for path in names.iter().chain(&asked) {
                prop_assert_eq!(a.find(path), b.find(path));
                prop_assert_eq!(a.read(path, &budget()), b.read(path, &budget()));
                prop_assert_eq!(a.list(path), b.list(path));
                if let Ok(Some(found)) = a.find(path) {
                    prop_assert_eq!(a.find(&found), Ok(Some(found.clone())), "what was found is found again");
                    let clean = TreePath::new(path).unwrap();
                    prop_assert!(found.as_bytes().eq_ignore_ascii_case(clean.as_bytes()));
                }
            }
            for file in walk.files {
                let file = file.unwrap();
                prop_assert_eq!(a.find(&file), Ok(Some(file.clone())), "what is walked is seen");
                prop_assert_eq!(a.read(&file, &budget()), b.read(&file, &budget()));
            }
        }
    }
}
