//! Checks that bytes in memory give the same data folders as the same files on a disk.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright_core::{Budget, Limits};
use meshwright_files::{FilesError, PackBuilder, PackKind, Tree, TreeOptions, TreePath};
use std::fs;

fn pack(kind: PackKind, files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = PackBuilder::new(kind).unwrap();
    for (name, text) in files {
        builder.add(name.parse().unwrap(), Box::new(|| Ok(text.as_bytes().to_vec()))).unwrap();
    }
    let mut bytes = Vec::new();
    builder.write(&mut bytes).unwrap();
    bytes
}

/// Returns every file of a tree with its content, or the reason why it cannot be read.
fn content(tree: &Tree) -> Vec<(String, Result<Vec<u8>, String>)> {
    let read = |path: Result<TreePath, (TreePath, FilesError)>| match path {
        Ok(path) => {
            let bytes = tree.read(&path, &Budget::new(Limits::default()));
            (path.to_string(), bytes.map(std::borrow::Cow::into_owned).map_err(|e| e.to_string()))
        }
        Err((path, e)) => {
            let code =
                if let FilesError::Pack { error, .. } = e { error.code().to_owned() } else { e.to_string() };
            (path.to_string(), Err(code))
        }
    };
    tree.walk().files.into_iter().map(read).collect()
}

#[test]
fn memory_is_searched_as_a_disk_is() {
    let inner = pack(PackKind::Far, &[("mesh.txt", "in an archive")]);
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("pak0.pak", pack(PackKind::Pak, &[("a.txt", "pak"), ("b.txt", "pak"), ("c.txt", "pak")])),
        ("z.pk3", pack(PackKind::Zip, &[("A.txt", "zip"), ("b.txt", "zip")])),
        ("y.pk3dir/b.txt", b"folder".to_vec()),
        ("y.pk3dir/deep/e.txt", b"folder".to_vec()),
        ("broken.pk3", b"no pack".to_vec()),
        ("b.txt", b"loose".to_vec()),
        ("other.dat", b"no archive".to_vec()),
        ("top.far", pack(PackKind::Far, &[("t.txt", "at the top")])),
        ("game/deep.far", inner.clone()),
        ("game/none.far", b"no archive".to_vec()),
        ("mod/m.pk3", pack(PackKind::Zip, &[("a.txt", "mod")])),
        ("mod/loose/l.txt", b"mod".to_vec()),
        ("mod/more/n.pak", pack(PackKind::Pak, &[("n.txt", "more")])),
    ];
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in &files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let trees = Tree::data_folders(files, TreeOptions::default()).unwrap();
    let folders: Vec<_> = trees.iter().map(|(folder, _)| folder.to_string()).collect();
    assert_eq!(folders, ["", "mod", "mod/more"]);
    for (folder, tree) in &trees {
        let disk = Tree::open(dir.path().join(folder.to_string())).unwrap();
        // In a tree on disk, a folder with packs is a separate data folder, which a walk of this tree skips.
        let apart = |name: &str| ["mod/", "more/"].iter().any(|own| name.starts_with(own));
        let mut expected = content(&disk);
        expected.retain(|(name, _)| !apart(name));
        assert_eq!(content(tree), expected, "{folder}");
    }
    let (_, top) = &trees[0];
    assert!(top.pack_of("game/deep.far/mesh.txt").is_some() && top.pack_of("b.txt").is_none());
    let shown = |path: &str| top.shown_path(path).map(|at| at.to_string_lossy().replace('\\', "/"));
    assert_eq!(shown("a.txt").as_deref(), Some("z.pk3/A.txt"));
    assert_eq!(shown("b.txt"), None);
    let found = |path: &str| top.find(path).unwrap().map(|p| p.to_string());
    assert_eq!(found("DEEP/e.TXT").as_deref(), Some("deep/e.txt"));
    let flat = TreeOptions::default().with_packs_as_files();
    let flat = Tree::data_folders([("mod/m.pk3", b"x".to_vec())], flat).unwrap();
    assert_eq!((flat.len(), flat[0].1.walk().files.len()), (1, 1));
    for name in ["", "../x", "/x"] {
        assert!(Tree::data_folders([(name, b"x".to_vec())], TreeOptions::default()).is_err(), "{name:?}");
    }
}
