//! Tests archives of The Sims: valid ones open as folders and are written again byte for byte, broken ones
//! are rejected with the right location.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a failing test panics")]

use crate::common::budget;
use meshwright_core::{Budget, Limits};
use meshwright_files::{Pack, PackBuilder, PackKind, Tree, TreeOptions};
use meshwright_testkit::proptest;
use proptest::prelude::*;
use std::fs;

#[test]
fn new_archives_are_of_the_version_that_their_names_ask_for() {
    for (name, version) in [("xskin-a.skn", 1), ("pride-cape.c02bdebf00000009.mesh", 3)] {
        let mut builder = PackBuilder::new(PackKind::Far).unwrap();
        builder.add(name.parse().unwrap(), Box::new(|| Ok(b"bytes".to_vec()))).unwrap();
        let mut bytes = Vec::new();
        builder.write(&mut bytes).unwrap();
        assert_eq!(bytes[8], version);
        let pack = Pack::open(bytes, "x", &budget()).unwrap();
        let (path, member) = pack.files().next().unwrap();
        assert_eq!(
            (path.to_string().as_str(), pack.read(member, &budget()).unwrap()),
            (name, b"bytes".to_vec())
        );
        assert!(pack.check(&budget()).is_empty());
    }
}

/// Returns a valid archive of version 3 with one compressed and one stored member.
fn sample() -> Vec<u8> {
    let commands = [2, 0, b'a', b'b', 0x80, 0, 2, 0xe0, b'w', b'x', b'y', b'z', 0xfd, b'!'];
    let size = 14_u32;
    let stream = u32::try_from(commands.len() + 9).unwrap().to_le_bytes();
    let mut member = vec![1];
    member.extend(size.to_le_bytes());
    member.extend([stream, stream].concat());
    member.extend([0x10, 0xfb, 0, 0, 14]);
    member.extend(commands);
    let mut file = b"FAR!byAZ\x03\0\0\0".to_vec();
    let manifest = u32::try_from(16 + member.len() + 3).unwrap();
    file.extend(manifest.to_le_bytes());
    file.extend(&member);
    file.extend(b"raw");
    file.extend(2_u32.to_le_bytes());
    let stored = u32::try_from(member.len()).unwrap();
    for (size, stored, kind, offset, id) in [(size, stored, 0x80_u32, 16, 1_u32), (3, 3, 0, 16 + stored, 2)] {
        file.extend(size.to_le_bytes());
        file.extend((stored | kind << 24).to_le_bytes());
        file.extend(offset.to_le_bytes());
        file.extend([1, 0, 5, 0]);
        file.extend([9, 0, 0, 0]);
        file.extend(id.to_le_bytes());
        file.extend(b"a.msh");
    }
    file
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever is changed in an archive, it opens or is rejected, and all returned bytes are charged.
    #[test]
    fn spoiled_archives_get_an_answer(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = sample();
        for (at, value) in &changes {
            let at = at.index(bytes.len());
            bytes[at] = *value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        let small = Budget::new(Limits::default().with_memory(64 << 10));
        if let Ok(pack) = Pack::open(bytes, "x.dat", &small) {
            let _ = pack.check(&small);
            for member in pack.members() {
                if let Ok(read) = pack.read(member, &small) {
                    prop_assert_eq!(read.len() as u64, member.size());
                }
            }
        }
    }
}

#[test]
fn the_sample_is_sound() {
    let pack = Pack::open(sample(), "x.dat", &budget()).unwrap();
    assert!(pack.check(&budget()).is_empty(), "{:?}", pack.check(&budget()).findings());
    let read: Vec<_> = pack.members().iter().map(|m| pack.read(m, &budget()).unwrap()).collect();
    assert_eq!(read, [b"abbbbbbbbwxyz!".to_vec(), b"raw".to_vec()]);
}

fn archive(kind: PackKind, files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = PackBuilder::new(kind).unwrap();
    for (name, bytes) in files {
        let bytes = bytes.to_vec();
        builder.add(name.parse().unwrap(), Box::new(move || Ok(bytes.clone()))).unwrap();
    }
    let mut out = Vec::new();
    builder.write(&mut out).unwrap();
    out
}

/// Returns the archive of [`sample`] with other bytes in its first member, as valid RefPack that only has
/// literals.
fn refpacked(name: &[u8], bytes: &[u8]) -> Vec<u8> {
    let (mut commands, mut rest) = (Vec::new(), bytes);
    while rest.len() > 3 {
        let count = (rest.len() / 4 * 4).min(112);
        let (literal, behind) = rest.split_at(count);
        commands.push(0xe0 | u8::try_from(count / 4 - 1).unwrap());
        commands.extend(literal);
        rest = behind;
    }
    commands.push(0xfc | u8::try_from(rest.len()).unwrap());
    commands.extend(rest);
    let size = u32::try_from(bytes.len()).unwrap();
    let stream = u32::try_from(commands.len() + 9).unwrap().to_le_bytes();
    let mut file = b"FAR!byAZ\x03\0\0\0\0\0\0\0\x01".to_vec();
    file.extend(size.to_le_bytes());
    file.extend([stream, stream].concat());
    file.extend([0x10, 0xfb]);
    file.extend(&size.to_be_bytes()[1..]);
    file.extend(&commands);
    let manifest = u32::try_from(file.len()).unwrap();
    file[12..16].copy_from_slice(&manifest.to_le_bytes());
    file.extend([1, 0, 0, 0]);
    file.extend(size.to_le_bytes());
    file.extend(((manifest - 16) | 0x8000_0000).to_le_bytes());
    file.extend([16, 0, 0, 0, 1, 0]);
    file.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
    file.extend([9, 0, 0, 0, 1, 0, 0, 0]);
    file.extend(name);
    file
}

/// Tests that an archive in an archive, in a zip and in a folder below the top is a folder.
#[test]
fn archives_in_packs_and_folders_are_folders() {
    let deep = archive(PackKind::Far, &[("z.skn", b"deepest")]);
    let inner = archive(PackKind::Far, &[("Skins/a.skn", b"mesh"), ("deep.far", &deep)]);
    let no_archive = b"FAR?byAZ".to_vec();
    let content: [(&str, &[u8]); 3] = [("b.txt", b"beside"), ("in.far", &inner), ("no.far", &no_archive)];
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("o.far"), archive(PackKind::Far, &content)).unwrap();
    fs::write(at("o.zip"), archive(PackKind::Zip, &content)).unwrap();
    fs::write(at("o.dat"), refpacked(b"in.far", &inner)).unwrap();
    fs::create_dir_all(at("game/sub")).unwrap();
    for (name, bytes) in content {
        fs::write(at("game/sub").join(name), bytes).unwrap();
    }
    for (named, within, others) in [
        ("o.far", "in.far", 2),
        ("o.zip", "in.far", 2),
        ("o.dat", "in.0000000100000009.far", 0),
        ("game", "sub/in.far", 2),
    ] {
        let tree = Tree::open(at(named)).unwrap();
        let mesh = format!("{within}/Skins/a.skn");
        assert_eq!(*tree.read(&*mesh, &budget()).unwrap(), *b"mesh", "{named}");
        assert_eq!(tree.read_head(&*mesh, 2, &budget()).unwrap(), b"me");
        assert_eq!(tree.size(&*mesh), Some(4));
        assert_eq!(tree.find(mesh.to_uppercase().as_str()).unwrap().unwrap().to_string(), mesh);
        assert_eq!(tree.pack_of(&*mesh).unwrap().members().len(), 2);
        assert!(tree.inner_pack(within).unwrap().is_ok() && tree.inner_pack(&*mesh).is_none());
        assert_eq!(tree.os_path(&*mesh), None);
        let container = if named == "game" { at("game/sub/in.far") } else { at(named) };
        assert_eq!(tree.container(&*mesh), Some(container));
        assert_eq!(tree.shown_path(&*mesh), Some(at(named).join(&mesh)));
        // Only one level deep: deeper archives are files. So are files that only have the name of an
        // archive.
        let files: Vec<_> = tree.walk().files.into_iter().map(|f| f.unwrap().to_string()).collect();
        assert_eq!(files.len(), 2 + others, "{named}: {files:?}");
        assert!(files.contains(&mesh) && files.contains(&format!("{within}/deep.far")), "{files:?}");
        assert!(!tree.exists(format!("{within}/deep.far/z.skn").as_str()));
        // The bytes of the archive itself can still be read.
        assert!(*tree.read(within, &budget()).unwrap() == *inner);
        let inside = Tree::open(at(named).join(within)).unwrap();
        assert_eq!(inside.walk().files.len(), 2, "{named}");
        let (_, pack, folder) = inside.named_pack().unwrap();
        assert!(folder.is_root() && pack.unwrap().members().len() == 2);
        let one = Tree::open(at(named).join(&mesh)).unwrap();
        assert_eq!(*one.read(one.start().unwrap(), &budget()).unwrap(), *b"mesh");
    }
    // If packs are files, the archives in them are files too.
    let flat = Tree::open_with(at("o.far"), TreeOptions::default().with_packs_as_files()).unwrap();
    let files: Vec<_> = flat.walk().files.into_iter().map(|f| f.unwrap().to_string()).collect();
    assert_eq!(files, ["b.txt", "in.far", "no.far"]);
    assert!(Tree::open(at("o.far")).unwrap().unscoped().walk().files.len() > 4, "siblings too");
    assert!(!Tree::open(dir.path()).unwrap().has_packs("game/sub"));
}

/// Tests that many archives with the same bytes share one limit.
#[test]
fn archives_in_archives_share_what_they_may_take() {
    let names: Vec<String> = (0..1000).map(|i| format!("{i}.skn")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|n| (n.as_str(), &b"x"[..])).collect();
    let inner = archive(PackKind::Far, &files);
    let outer: Vec<String> = (0..64).map(|i| format!("{i}.far")).collect();
    let files: Vec<(&str, &[u8])> = outer.iter().map(|n| (n.as_str(), &*inner)).collect();
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("o.far"), archive(PackKind::Far, &files)).unwrap();
    let small = TreeOptions::default().with_directories(Limits::default().with_memory(1 << 20));
    let tree = Tree::open_with(dir.path().join("o.far"), small).unwrap();
    let (read, refused): (Vec<_>, Vec<_>) = tree.walk().files.into_iter().partition(Result::is_ok);
    assert!(!read.is_empty() && refused.len() > 32, "{} {}", read.len(), refused.len());
}
