//! Packs: read, and packed again.

use super::LIMITS;
use meshwright::Budget;
use meshwright::files::{FilesError, Pack, PackBuilder, PackKind, Tree};

/// Whatever the bytes are, the pack opens or says why not; what can be found of it leads nowhere else, its members give
/// bytes or say why not, and what they give goes into a pack and comes back.
///
/// # Panics
/// When one of these is not so.
pub(crate) fn read_and_write(kind: PackKind, bytes: &[u8]) {
    let budget = || Budget::new(LIMITS);
    let name = format!("x.{}", kind.extensions()[0]);
    let Ok(pack) = Pack::open(bytes.to_vec(), &name, &budget()) else { return };
    pack.check(&budget());
    let mut held = Vec::new();
    for (path, member) in pack.files() {
        assert!(
            path.names().all(|part| !matches!(part, b"" | b"." | b"..")) && !path.as_bytes().contains(&0)
        );
        let head = pack.read_head(member, 16, &budget());
        if let Ok(bytes) = pack.read(member, &budget()) {
            assert_eq!(head.ok().as_deref(), Some(&bytes[..bytes.len().min(16)]), "{path}");
            held.push((path.clone(), bytes));
        }
    }
    for kind in [PackKind::Zip, PackKind::Pak] {
        let mut builder = PackBuilder::new(kind).unwrap();
        let fits: Vec<_> = held
            .iter()
            .filter(|(path, bytes)| {
                builder.add(path.clone(), Box::new(|| Ok::<_, FilesError>((*bytes).clone()))).is_ok()
            })
            .collect();
        let mut out = Vec::new();
        builder.write(&mut out).unwrap();
        let again = Pack::open(out, "again", &budget()).unwrap();
        let report = again.check(&budget());
        assert!(report.is_empty(), "{:?}", report.findings());
        assert_eq!(again.files().count(), fits.len());
        let tree = Tree::pack(again);
        for (path, bytes) in fits {
            assert_eq!(*tree.read(path, &budget()).unwrap(), **bytes, "{path}");
        }
    }
    // Rebuilding a pack without changes gives the same bytes.
    if pack.kind() != PackKind::Vp {
        let mut out = Vec::new();
        let same = PackBuilder::new(pack.kind()).and_then(|builder| builder.based_on(&pack));
        if same.unwrap().write(&mut out).is_ok() {
            assert_eq!(out, bytes);
        }
    }
}
