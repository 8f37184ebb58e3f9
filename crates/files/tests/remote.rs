//! Tests trees whose content the caller fetches.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright_core::{Budget, Limits};
use meshwright_files::{EntryKind, FilesError, Remote, Tree, TreePath, Want};

const FILES: [&str; 6] = [
    "models/H.dpm",
    "models/h.dpm.framegroups",
    "Textures/a.png",
    "Textures/sub/b.tga",
    "top.bmd",
    "models/sub/x.iqm",
];

fn path(text: &str) -> TreePath {
    TreePath::new(text).unwrap()
}

fn budget() -> Budget {
    Budget::new(Limits::default())
}

/// Answers every request from a tree until there are none. Returns the number of rounds.
fn serve(remote: &Remote, source: &Tree, mut ask: impl FnMut(&Tree)) -> usize {
    for round in 0..20 {
        ask(&Tree::remote(remote));
        let wants = remote.wants();
        if wants.is_empty() {
            return round;
        }
        for want in wants {
            match want {
                Want::Folder(folder) => {
                    let entries = source.list(&folder).map(|e| e.to_vec()).unwrap_or_default();
                    let named = entries.iter().map(|e| (e.path.name().to_vec(), e.kind));
                    remote.folder(folder.clone(), named);
                }
                Want::File(file) => {
                    let there = source.find(&file).unwrap().filter(|found| *found == file);
                    let bytes = there.map(|file| source.read(&file, &budget()).unwrap().into_owned());
                    remote.file(file, bytes);
                }
                other => panic!("{other:?}"),
            }
        }
    }
    panic!("there is no end")
}

#[test]
fn a_listed_tree_becomes_the_one_that_it_is_fetched_from() {
    let source = Tree::memory(FILES.map(|name| (name, name))).unwrap();
    let remote = Remote::listed();
    let names = ["MODELS/h.dpm", "models/h.dpm.framegroups", "textures/A.png", "no/such.file", "models"];
    let asked = |tree: &Tree| -> Vec<_> {
        let read = |name: &str| Ok::<_, FilesError>(tree.read(name, &budget())?.into_owned());
        names.map(|name| (tree.find(name).unwrap(), read(name))).into()
    };
    assert!(asked(&Tree::remote(&remote)).iter().all(|(found, _)| found.is_none()));
    assert_eq!(remote.wants(), [Want::Folder(TreePath::ROOT)], "nothing below is asked for before");
    serve(&remote, &source, |tree| drop(asked(tree)));
    assert_eq!(asked(&Tree::remote(&remote)), asked(&source));
    assert_eq!(remote.fetched().len(), 3, "only files that are read are fetched");
    // A walk requests all folders and no file.
    serve(&remote, &source, |tree| drop(tree.walk()));
    assert_eq!(Tree::remote(&remote).walk(), source.walk());
    assert_eq!(remote.fetched().len(), 3);
}

#[test]
fn an_unlisted_tree_takes_names_as_they_are() {
    let source = Tree::memory(FILES.map(|name| (name, name))).unwrap();
    let remote = Remote::unlisted();
    let search = |tree: &Tree| {
        tree.search(&[b"textures/a"], &path("models"), &["tga", "png"], &budget()).unwrap().map(|m| m.path)
    };
    serve(&remote, &source, |tree| drop((search(tree), tree.find("models/H.dpm"), tree.find("top.BMD"))));
    let tree = Tree::remote(&remote);
    assert_eq!(*tree.read("models/H.dpm", &budget()).unwrap(), *b"models/H.dpm");
    assert_eq!(search(&tree), None, "it is called Textures");
    assert!(matches!(tree.read("models", &budget()), Err(FilesError::NotFound { .. })));
    assert!(matches!(tree.list("models"), Err(FilesError::NotFound { .. })));
    assert_eq!(remote.fetched(), [path("models/H.dpm")]);
}

#[test]
fn what_is_fetched_is_charged() {
    let remote = Remote::listed();
    remote
        .folder(TreePath::ROOT, [("a", EntryKind::File), ("..", EntryKind::File), ("b/c", EntryKind::File)]);
    remote.file(path("a"), Some(vec![7; 100]));
    let tree = Tree::remote(&remote);
    let small = Budget::new(Limits::default().with_memory(99));
    assert!(matches!(tree.read("a", &small), Err(FilesError::TooLarge { size: 100, .. })));
    assert_eq!(tree.read_head("a", 4, &small).unwrap(), [7; 4]);
    assert_eq!(tree.size("a"), Some(100));
    assert_eq!(tree.list("").unwrap().len(), 1, "no file can have the other names");
}
