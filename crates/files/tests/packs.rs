//! Tests packs as folders: their content, their cost, and hostile packs.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a failing test panics"
)]

use meshwright_core::{Budget, Limits};
use meshwright_files::{
    ByteSource, FilesError, Pack, PackBuilder, PackKind, Packed, Tree, TreeOptions, TreePath,
};
use meshwright_testkit::heap::peak_of;
use meshwright_testkit::packs::{Method, Numbered, dat, deflated, far, pak, vp, zip};
use meshwright_testkit::{Builder, proptest};
use proptest::prelude::*;
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn budget() -> Budget {
    Budget::new(Limits::default())
}

const FILES: &[(&str, &[u8])] = &[
    ("models/a.dpm", b"a model"),
    ("models/a.dpm.framegroups", b"0 1"),
    ("Textures/Skin.tga", &[7; 300]),
    ("empty.txt", b""),
];

/// Returns one pack of each kind. The last file of the archives is empty, which a FreeSpace pack cannot
/// store.
fn packs() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("x.pk3", zip(FILES, Method::Stored)),
        ("x.pk4", zip(FILES, Method::Deflated)),
        ("x.pak", pak(FILES)),
        ("x.vp", vp(&FILES[..3])),
    ]
}

fn open(bytes: Vec<u8>, name: &str) -> Result<Pack, FilesError> {
    Pack::open(bytes, name, &budget())
}

fn code(e: FilesError) -> String {
    match e {
        FilesError::Pack { error, .. } => error.code().to_owned(),
        e => e.to_string(),
    }
}

/// Returns the codes of all findings of a pack and its members.
fn codes(pack: &Pack) -> Vec<&'static str> {
    pack.check(&budget()).totals().map(|(code, ..)| code).collect()
}

#[test]
fn a_pack_is_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in packs() {
        let (kept, found) = (&FILES[..if name == "x.vp" { 3 } else { 4 }], PackKind::from_magic(&bytes));
        let path = dir.path().join(name);
        fs::write(&path, &bytes).unwrap();
        let tree = Tree::file(&path).unwrap();
        assert_eq!(tree.scope().unwrap(), "");
        for (file, bytes) in kept {
            assert_eq!(*tree.read(*file, &budget()).unwrap(), **bytes, "{name}: {file}");
            assert_eq!(tree.size(*file), Some(bytes.len() as u64));
            assert_eq!(*tree.read(&*file.to_uppercase(), &budget()).unwrap(), **bytes, "{name}: {file}");
        }
        assert_eq!(tree.walk().files.len(), kept.len());
        let pack = open(bytes, name).unwrap();
        assert_eq!(Some(pack.kind()), found);
        assert!(pack.check(&budget()).is_empty(), "{name}");
        assert_eq!(tree.shown_path("models/a.dpm").unwrap(), path.join("models/a.dpm"));
        let inside = Tree::open(path.join("models/A.dpm")).unwrap();
        assert_eq!(inside.start().unwrap(), "models/a.dpm");
        assert!(inside.exists("textures/skin.tga") && inside.pack_of("models/a.dpm").is_some());
        let folder = Tree::open(path.join("MODELS")).unwrap();
        assert_eq!((folder.scope().unwrap().to_string(), folder.walk().files.len()), ("models".into(), 2));
        assert!(folder.exists("textures/skin.tga"), "companion files of a model are elsewhere in the pack");
        let gone = Tree::open(path.join("models/none")).unwrap_err();
        assert!(matches!(gone, FilesError::NotFound { .. }), "{gone}");
    }
}

#[test]
fn a_folder_is_what_its_packs_and_files_make() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("pak0.pak"), pak(&[("models/a.dpm", b"pak"), ("models/b.dpm", b"pak")])).unwrap();
    fs::write(at("A.pk3"), zip(&[("MODELS/A.dpm", b"A")], Method::Stored)).unwrap();
    fs::write(at("b.pk3"), zip(&[("models/c.dpm", b"b")], Method::Stored)).unwrap();
    fs::write(at("broken.pk3"), b"PK\x03\x04 cut").unwrap();
    fs::create_dir_all(at("z.pk3dir/models")).unwrap();
    fs::write(at("z.pk3dir/models/c.dpm"), b"z").unwrap();
    fs::create_dir_all(at("models")).unwrap();
    fs::write(at("models/d.dpm"), b"loose").unwrap();
    fs::create_dir_all(at("mod")).unwrap();
    fs::write(at("mod/m.pk3"), zip(&[], Method::Stored)).unwrap();
    let tree = Tree::open(dir.path()).unwrap();
    let read = |path: &str| String::from_utf8(tree.read(path, &budget()).unwrap().into_owned()).unwrap();
    let whole = ["a", "b", "c", "d"].map(|name| read(&format!("models/{name}.dpm")));
    assert_eq!(whole, ["A", "pak", "z", "loose"]);
    let walk = tree.walk();
    assert_eq!((walk.files.iter().filter(|f| f.is_ok()).count(), walk.hidden), (5, 2));
    let (broken, e) = walk.files.iter().find_map(|f| f.as_ref().err()).unwrap();
    assert_eq!((broken.to_string(), code(e.clone())), ("broken.pk3".into(), "truncated".into()));
    assert_eq!(tree.shown_path(broken).unwrap(), at("broken.pk3"));
    assert_eq!(tree.packs().filter(|(_, pack)| pack.is_ok()).count(), 3);
    // The named pack is used, even if another one hides it.
    let named = Tree::open(at("pak0.pak")).unwrap();
    assert_eq!(*named.read("models/a.dpm", &budget()).unwrap(), *b"pak");
    assert!(named.exists("models/d.dpm") && named.walk().files.len() == 2);
    // A folder below the top that has packs is a separate data folder.
    assert!(tree.has_packs("mod") && !tree.has_packs("models") && !tree.has_packs(""));
}

/// A pack of some hundred MB that counts the bytes that are read.
#[derive(Debug)]
struct Large {
    head: Vec<u8>,
    size: u64,
    tail: Vec<u8>,
    read: Arc<AtomicU64>,
}

impl ByteSource for Large {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.read.fetch_add(into.len() as u64, Ordering::Relaxed);
        let tail = self.size - self.tail.len() as u64;
        for (i, byte) in into.iter_mut().enumerate() {
            let at = offset + i as u64;
            *byte = if at >= tail {
                self.tail[(at - tail) as usize]
            } else {
                self.head.get(at as usize).copied().unwrap_or(0)
            };
        }
        Ok(())
    }
}

/// Returns a pack with a model, and `zeros` zero bytes before its directory.
fn large(zeros: u32, read: &Arc<AtomicU64>) -> Large {
    let small = zip(&[("models/a.dpm", &[7; 5000])], Method::Deflated);
    let end = small.len() - 22;
    let directory = end - 46 - "models/a.dpm".len();
    let start = directory as u32;
    let name = b"zeros.bin";
    let fields =
        |b: Builder| b.le_u16(&[20, 0, 0, 0, 0]).le_u32(&[0, zeros, zeros]).le_u16(&[name.len() as u16]);
    let head =
        fields(Builder::new().bytes(&small[..directory]).bytes(b"PK\x03\x04")).le_u16(&[0]).bytes(name);
    let head = head.build();
    let at = head.len() as u32 + zeros;
    let entry = fields(Builder::new().bytes(b"PK\x01\x02").le_u16(&[20])).le_u16(&[0, 0, 0, 0]);
    let tail = Builder::new()
        .bytes(&small[directory..end])
        .bytes(&entry.le_u32(&[0, start]).bytes(name).build())
        .build();
    let tail = Builder::new()
        .bytes(&tail)
        .bytes(b"PK\x05\x06")
        .le_u16(&[0, 0, 2, 2])
        .le_u32(&[tail.len() as u32, at])
        .le_u16(&[0])
        .build();
    Large { size: u64::from(at) + tail.len() as u64, head, tail, read: Arc::clone(read) }
}

#[test]
fn of_a_large_pack_the_directory_and_the_member_are_read() {
    let read = Arc::new(AtomicU64::new(0));
    let source = large(900 << 20, &read);
    let (pack, peak) = peak_of(|| {
        let pack = Pack::open(source, "large.pk3", &budget()).unwrap();
        let member = pack.member(&"models/a.dpm".parse().unwrap()).unwrap();
        assert_eq!(pack.read(member, &budget()).unwrap(), [7; 5000]);
        pack
    });
    assert!(pack.size() > 900 << 20);
    assert!(read.load(Ordering::Relaxed) < 160 << 10, "{} bytes were read", read.load(Ordering::Relaxed));
    assert!(peak < 1 << 20, "{peak} bytes were taken");
    let zeros = pack.member(&"zeros.bin".parse().unwrap()).unwrap();
    assert_eq!(zeros.refusal().unwrap().code(), "too-large");
}

#[test]
fn what_comes_out_is_bounded_whatever_is_said() {
    // The directory states one byte of output, or a thousand times the actual output.
    for (said, rule) in [(1_u32, "lying-size"), (5_000_000, "lying-size")] {
        let mut bytes = zip(&[("a", &[1; 5000])], Method::Deflated);
        let directory = bytes.len() - 22 - 47;
        bytes[directory + 24..directory + 28].copy_from_slice(&said.to_le_bytes());
        let pack = open(bytes, "x.pk3").unwrap();
        let member = &pack.members()[0];
        let (e, peak) = peak_of(|| pack.read(member, &budget()).unwrap_err());
        assert_eq!((code(e), peak < 300 << 10), (rule.into(), true), "{peak}");
    }
    // Reading a head returns and charges only its bytes.
    let pack = open(zip(&[("a", &[1; 500_000])], Method::Deflated), "x.pk3").unwrap();
    let small = Budget::new(Limits::default().with_memory(64 << 10));
    assert_eq!(pack.read_head(&pack.members()[0], 16, &small).unwrap(), [1; 16]);
    assert!(matches!(pack.read(&pack.members()[0], &small), Err(FilesError::TooLarge { .. })));
}

#[test]
fn entries_that_share_bytes_are_refused() {
    let mut bytes = zip(&[("a", b"one"), ("b", b"two"), ("c", b"three")], Method::Stored);
    let directory = bytes.len() - 22 - 3 * 47;
    // The second file begins within the first.
    bytes[directory + 47 + 42..directory + 47 + 46].copy_from_slice(&8_u32.to_le_bytes());
    let pack = open(bytes, "x.pk3").unwrap();
    let read: Vec<_> = pack.members().iter().map(|m| pack.read(m, &budget()).map_err(code)).collect();
    assert_eq!(read, [Err("overlap".into()), Err("overlap".into()), Ok(b"three".to_vec())]);
    // Members of a Quake pack may share bytes.
    let mut bytes = pak(&[("a", b"one"), ("b", b"two")]);
    let directory = bytes.len() - 128;
    bytes[directory + 64 + 56..directory + 64 + 60].copy_from_slice(&12_u32.to_le_bytes());
    let pack = open(bytes, "x.pak").unwrap();
    assert_eq!(pack.read(&pack.members()[1], &budget()).unwrap(), b"one");
    assert!(codes(&pack).is_empty());
}

/// In every kind of pack, files may have exactly the same bytes, because some tools store equal files once.
/// They may not share only a part.
#[test]
fn a_part_of_the_bytes_of_another_file_is_refused() {
    let files: &[(&str, &[u8])] = &[("a", b"one one"), ("b", b"two two"), ("c", b"three")];
    // The offset field of the second entry.
    for (name, mut bytes, field) in
        [("x.pak", pak(files), 12 + 19 + 64 + 56), ("x.vp", vp(files), 16 + 19 + 44)]
    {
        let start = u32::from_le_bytes(bytes[field..field + 4].try_into().unwrap());
        for (back, overlaps) in [(7, false), (3, true), (8, true), (0, false)] {
            bytes[field..field + 4].copy_from_slice(&(start - back).to_le_bytes());
            let pack = open(bytes.clone(), name).unwrap();
            let read = pack.members().iter().map(|m| pack.read(m, &budget()).map_err(code));
            let refused: Vec<bool> = read.map(|read| read == Err("overlap".into())).collect();
            assert_eq!(refused, [overlaps, overlaps, false], "{name}: {back} bytes before");
            assert_eq!(codes(&pack).contains(&"overlap"), overlaps, "{name}");
        }
    }
}

/// Shared bytes in an archive of The Sims are a warning, unless the members together are larger than the
/// archive.
#[test]
fn members_that_multiply_the_bytes_of_an_archive_are_refused() {
    let file = vec![7; 4000];
    let whole = far(&[("a", &file), ("b", &file), ("c", &file)]);
    let with_starts = |starts: [u32; 3], length: usize| {
        let (data, manifest) = (&whole[..16 + length], &whole[16 + 12_000..]);
        let mut bytes = [data, manifest].concat();
        bytes[12..16].copy_from_slice(&u32::try_from(data.len()).unwrap().to_le_bytes());
        for (member, start) in starts.into_iter().enumerate() {
            let field = data.len() + 4 + 17 * member + 8;
            bytes[field..field + 4].copy_from_slice(&start.to_le_bytes());
        }
        open(bytes, "x.far").unwrap()
    };
    for (starts, length, refused) in [([16, 17, 8016], 12_000, false), ([16, 17, 18], 4002, true)] {
        let pack = with_starts(starts, length);
        let found = codes(&pack);
        assert!(found.contains(&"entry-overlap"), "{found:?}");
        assert_eq!(found.contains(&"overlap"), refused, "{found:?}");
        assert_eq!(pack.read(&pack.members()[0], &budget()).is_err(), refused);
    }
}

/// Tests 100,000 files with the same bytes, each 64 KiB from a few stored bytes.
#[test]
fn what_all_files_are_together_is_bounded_and_equal_bytes_are_read_once() {
    let bomb = dat(&[Numbered { name: "a.bmp", kind: 1, file: 1, bytes: vec![7; 1 << 16] }]);
    let manifest = u32::from_le_bytes(bomb[12..16].try_into().unwrap()) as usize;
    let entry = &bomb[manifest + 4..];
    let many = |count: u32| {
        let mut bytes = bomb[..manifest].to_vec();
        bytes.extend(count.to_le_bytes());
        for file in 0..count {
            bytes.extend_from_slice(&entry[..20]);
            bytes.extend(file.to_le_bytes());
            bytes.extend_from_slice(&entry[24..]);
        }
        bytes
    };
    let bytes = many(100_000);
    let start = Instant::now();
    let e = open(bytes.clone(), "x.dat").unwrap_err();
    assert!(e.to_string().contains("100000 files"), "{e}");
    assert_eq!(code(e), "unpacked-limit");
    let dir = tempfile::TempDir::new().unwrap();
    let path = dir.path().join("x.dat");
    fs::write(&path, bytes).unwrap();
    assert!(Tree::open(&path).is_err());
    // All of them can be read, and a check reads them once.
    let tree = Tree::open_with(&path, TreeOptions::default().with_unpacked(u64::MAX)).unwrap();
    let pack = tree.named_pack().unwrap().1.unwrap();
    assert_eq!(pack.members().len(), 100_000);
    pack.check(&Budget::new(Limits::UNLIMITED));
    assert!(start.elapsed() < Duration::from_secs(5) * meshwright_testkit::patience());
    // The files of real games are far below the limit.
    let pack = open(many(200), "x.dat").unwrap();
    assert_eq!(pack.read(&pack.members()[199], &budget()).unwrap(), vec![7; 1 << 16]);
    // A deflated pack, and a FreeSpace pack, which does not state the size of its files.
    let files: &[(&str, &[u8])] = &[("a", &[0; 5000]), ("b", &[0; 5000])];
    fs::write(dir.path().join("x.pk3"), zip(files, Method::Deflated)).unwrap();
    for (most, opens) in [(10_000, true), (9_999, false)] {
        let options = TreeOptions::default().with_unpacked(most);
        assert_eq!(Tree::open_with(dir.path().join("x.pk3"), options).is_ok(), opens);
    }
    // A literal, copies of it, and five literals at the end.
    let block = [&[0x1f, b'x', 1, 0][..], &[255; 20], &[0, 0x50], b"xxxxx"].concat();
    let (end, size) = (4 + block.len() as u32, 1 + 19 + 255 * 20 + 5);
    let tail = Builder::new().le_u32(&[4, end, 2, size, 8192]).build();
    let stored = [&b"LZ41"[..], &block, &tail].concat();
    let names: Vec<String> = (0..10).map(|i| i.to_string()).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &*stored)).collect();
    fs::write(dir.path().join("x.vp"), vp(&files)).unwrap();
    for (most, all) in [(u64::from(size) * 10, true), (u64::from(size) * 10 - 1, false)] {
        let options = TreeOptions::default().with_unpacked(most);
        let tree = Tree::open_with(dir.path().join("x.vp"), options).unwrap();
        let pack = tree.named_pack().unwrap().1.unwrap();
        let read: Vec<_> = pack.members().iter().map(|m| pack.read(m, &budget()).map_err(code)).collect();
        assert_eq!(read.iter().all(Result::is_ok), all, "{most}: {:?}", read.last());
    }
}

#[test]
fn names_that_leave_the_pack_are_never_found() {
    let names = ["../a", "/a", "C:\\a", "a/../../b", "..\\a", "a\u{1}b", ""];
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, &b"x"[..])).collect();
    for (name, bytes) in [("x.pk3", zip(&files, Method::Stored)), ("x.pak", pak(&files))] {
        let pack = open(bytes, name).unwrap();
        assert_eq!((pack.files().count(), pack.members().len()), (0, names.len()), "{name}");
        assert_eq!(codes(&pack), ["unsafe-name"]);
        assert!(
            pack.members().iter().all(|m| pack.read(m, &budget()).map_err(code) == Err("unsafe-name".into()))
        );
    }
}

/// Returns LZ4 blocks of literals, as in FreeSpace packs.
fn lz41(bytes: &[u8], block: usize) -> Vec<u8> {
    let (mut file, mut offsets) = (b"LZ41".to_vec(), Vec::new());
    for chunk in bytes.chunks(block) {
        offsets.push(file.len() as u32);
        assert!((15..255 + 15).contains(&chunk.len()));
        file.extend([0xf0, (chunk.len() - 15) as u8]);
        file.extend_from_slice(chunk);
    }
    offsets.push(file.len() as u32);
    let words = [offsets.len() as u32, bytes.len() as u32, block as u32];
    Builder::new().bytes(&file).le_u32(&offsets).le_u32(&words).build()
}

#[test]
fn compressed_files_of_freespace_are_read() {
    let content: Vec<u8> = (0..250_u8).cycle().take(600).collect();
    let stored = lz41(&content, 200);
    let pack = open(vp(&[("data/maps/a.tga", &stored)]), "x.vp").unwrap();
    let member = &pack.members()[0];
    assert_eq!(pack.read(member, &budget()).unwrap(), content);
    assert_eq!(pack.read_head(member, 250, &budget()).unwrap(), content[..250]);
    for broken in 4..stored.len() {
        let mut bytes = stored.clone();
        bytes[broken] ^= 0x55;
        let pack = open(vp(&[("a", &bytes)]), "x.vp").unwrap();
        let read = pack.read(&pack.members()[0], &budget()).map_err(code);
        assert!(
            matches!(read.as_ref().map_err(String::as_str), Ok(_) | Err("bad-lz41" | "too-large")),
            "{broken}: {read:?}"
        );
    }
}

#[test]
fn no_pack_is_cut_short_unseen() {
    for (name, bytes) in packs() {
        for end in 0..bytes.len() {
            let e = open(bytes[..end].to_vec(), name).map(|pack| codes(&pack)).map_err(code);
            assert!(
                e.is_err() || e.as_ref().is_ok_and(|codes| !codes.is_empty()),
                "{name} cut at {end}: {e:?}"
            );
        }
    }
    assert_eq!(code(open(Vec::new(), "x.bin").unwrap_err()), "bad-magic");
    let cut = zip(&[("a", &deflated(b""))], Method::Deflated);
    assert!(open(cut[4..].to_vec(), "x.bin").is_err());
}

proptest! {
    #[test]
    fn broken_packs_give_answers(
        which in 0_usize..4,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), prop_oneof![
            any::<u8>(), Just(0), Just(0xff), Just(0x80), Just(b'/'), Just(b'.')
        ]), 1..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let (name, mut bytes) = packs().swap_remove(which);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let small = Budget::new(Limits::default().with_memory(1 << 20));
        let Ok(pack) = Pack::open(bytes, name, &small) else { return Ok(()) };
        pack.check(&small);
        for (path, member) in pack.files() {
            prop_assert!(path.names().all(|n| !matches!(n, b"" | b"." | b"..")) && !path.is_root());
            prop_assert!(member.path() == Some(path));
            let head = pack.read_head(member, 3, &small);
            if let Ok(bytes) = pack.read(member, &small) {
                prop_assert_eq!(head.unwrap(), &bytes[..bytes.len().min(3)]);
            }
        }
        let tree = Tree::pack(pack);
        for file in tree.walk().files {
            prop_assert!(tree.exists(file.unwrap()));
        }
    }
}

/// Returns a pack of some files.
fn packed(kind: PackKind, files: &[(&str, &[u8])], onto: Option<&Pack>) -> (Vec<u8>, Packed) {
    let mut builder = PackBuilder::new(kind).unwrap();
    if let Some(pack) = onto {
        builder = builder.based_on(pack).unwrap();
    }
    for (name, bytes) in files {
        builder.add(name.parse().unwrap(), Box::new(|| Ok(bytes.to_vec()))).unwrap();
    }
    let mut out = Vec::new();
    let done = builder.write(&mut out).unwrap();
    (out, done)
}

/// Returns the content of a pack, by name.
fn contents(pack: &Pack) -> Vec<(String, Vec<u8>)> {
    pack.files().map(|(path, m)| (path.to_string(), pack.read(m, &budget()).unwrap())).collect()
}

#[test]
fn what_is_packed_is_unpacked() {
    let large = [b"compresses well ".repeat(5000), vec![1; 300]].concat();
    let files = [FILES, &[("z/large.txt", &large)]].concat();
    for (kind, name) in [(PackKind::Zip, "x.pk3"), (PackKind::Pak, "x.pak")] {
        let (bytes, done) = packed(kind, &files, None);
        assert_eq!((done.files, done.untouched, done.replaced), (5, 0, 0));
        assert_eq!(bytes.len() < large.len(), kind == PackKind::Zip);
        let mut backwards = files.clone();
        backwards.reverse();
        assert!(packed(kind, &backwards, None).0 == bytes, "the same whatever the order");
        let pack = open(bytes, name).unwrap();
        assert!(codes(&pack).is_empty() && pack.kind() == kind);
        let mut expected: Vec<_> = files.iter().map(|(n, b)| ((*n).to_owned(), b.to_vec())).collect();
        expected.sort();
        assert_eq!(contents(&pack), expected);
    }
    assert!(PackBuilder::new(PackKind::Vp).is_err());
    let add = |kind, name: &str| {
        let mut builder = PackBuilder::new(kind).unwrap();
        builder.add("A".parse().unwrap(), Box::new(|| Ok(Vec::new()))).unwrap();
        builder.add(name.parse().unwrap(), Box::new(|| Ok(Vec::new()))).is_ok()
    };
    assert!(add(PackKind::Pak, &"n".repeat(55)) && !add(PackKind::Pak, &"n".repeat(56)));
    assert!(add(PackKind::Zip, "b") && !add(PackKind::Zip, "a") && !add(PackKind::Zip, "x/a:b"));
    // A zip archive has no way to hold a name of no encoding: it would be read as another name.
    let latin = |kind| {
        let path = TreePath::new(b"\xfcber.dpm").unwrap();
        PackBuilder::new(kind).unwrap().add(path, Box::new(|| Ok(Vec::new()))).is_ok()
    };
    assert!(latin(PackKind::Pak) && !latin(PackKind::Zip));
}

#[test]
fn what_is_not_touched_stays_byte_for_byte() {
    let before = b"#!/bin/sh some program that unpacks itself";
    for (kind, name, original) in [
        (PackKind::Zip, "x.pk3", zip(FILES, Method::Deflated)),
        (PackKind::Zip, "x.pk3", [before, &*zip(FILES, Method::Stored)].concat()),
        (PackKind::Pak, "x.pak", pak(FILES)),
    ] {
        let pack = open(original.clone(), name).unwrap();
        let same = packed(kind, &FILES[..2], Some(&pack));
        assert!(same.0 == original && same.1.untouched == 4, "nothing was touched");
        let changes: &[(&str, &[u8])] =
            &[("Models/A.dpm", b"an edited model, longer than before"), ("models/b.dpm", b"new"), FILES[1]];
        let (bytes, done) = packed(kind, changes, Some(&pack));
        assert_eq!((done.files, done.untouched, done.replaced), (5, 3, 1));
        let edited = open(bytes.clone(), name).unwrap();
        let odd: &[&str] = if original.starts_with(before) { &["prepended-bytes"] } else { &[] };
        assert_eq!(codes(&edited), odd);
        let held = contents(&edited);
        let find = |name: &str| &*held.iter().find(|(n, _)| n == name).unwrap().1;
        assert_eq!((find("models/a.dpm"), find("models/b.dpm")), (changes[0].1, changes[1].1));
        assert_eq!(find("Textures/Skin.tga"), FILES[2].1);
        let names =
            |pack: &Pack| -> Vec<Vec<u8>> { pack.members().iter().map(|m| m.stored_name().into()).collect() };
        assert_eq!(names(&edited)[..4], names(&pack)[..], "in their order, spelled as before");
        if kind == PackKind::Zip {
            // Finds the header before a file, and its bytes.
            let at = |bytes: &[u8]| bytes.windows(17).position(|w| w == b"Textures/Skin.tga").unwrap() - 30;
            let (old, new) = (at(&original), at(&bytes));
            assert_eq!(bytes[new..new + 347], original[old..old + 347]);
        }
    }
}

#[test]
fn a_folder_that_a_pack_spells_in_several_ways_is_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.pak");
    let names = ["maps/other.dpm", "models/a.dpm", "models/b/c.dpm", "MODELS/d.dpm", "Models/B/e.dpm"];
    fs::write(&path, pak(&names.map(|name| (name, name.as_bytes())))).unwrap();
    for (folder, mut below) in [
        ("models", vec!["a.dpm", "b/c.dpm", "d.dpm", "B/e.dpm"]),
        ("Models", vec!["a.dpm", "b/c.dpm", "d.dpm", "B/e.dpm"]),
        ("models/b", vec!["c.dpm", "e.dpm"]),
    ] {
        for tree in [Tree::file(path.join(folder)).unwrap(), Tree::open(path.join(folder)).unwrap()] {
            let scope = tree.scope().unwrap();
            let walked = tree.walk().files.into_iter().map(|file| file.unwrap());
            let mut walked: Vec<_> =
                walked.map(|file| file.below_any_case(scope).unwrap().to_string()).collect();
            walked.sort();
            below.sort_unstable();
            assert_eq!(walked, below, "{folder}");
        }
    }
}
