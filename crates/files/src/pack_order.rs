//! The order in which the packs of a folder hide each other.

use crate::pack::PackKind;
use meshwright_core::Order as _;
use std::cmp::Ordering;

/// Extensions of folders that an engine uses as packs.
const PACK_FOLDERS: [&str; 2] = ["pk3dir", "dpkdir"];

/// The order in which the packs of a folder hide each other. Loose files hide the files of all packs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackOrder {
    /// Detects the engine: FreeSpace if the folder has `.vp` packs and no others, otherwise DarkPlaces.
    #[default]
    Detect,
    /// DarkPlaces: first all `.pak`, then archives and folders with the extension `.pk3dir`, each sorted by
    /// name ignoring case. A later pack hides an earlier one.
    Quake,
    /// FreeSpace: sorted by name. An earlier pack hides a later one.
    FreeSpace,
}

/// An entry of a folder that is a pack or is used as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mountable {
    pub name: Box<[u8]>,
    /// True if it is a folder that is used as a pack.
    pub is_folder: bool,
}

impl Mountable {
    /// Returns the mountable entry for a name of a folder, or `None`.
    pub(crate) fn from_name(name: &[u8], is_folder: bool) -> Option<Self> {
        let dot = name.iter().rposition(|b| *b == b'.')?;
        let extension = name.get(dot.saturating_add(1)..)?;
        let is_pack_folder = PACK_FOLDERS.iter().any(|e| extension.eq_ignore_ascii_case(e.as_bytes()));
        let mounts = if is_folder { is_pack_folder } else { PackKind::from_name(name).is_some() };
        mounts.then(|| Self { name: name.into(), is_folder })
    }

    /// Returns whether it is an archive of The Sims. Archives do not hide each other's members.
    pub(crate) fn is_archive(&self) -> bool {
        !self.is_folder && self.kind() == PackKind::Far
    }

    fn kind(&self) -> PackKind {
        PackKind::from_name(&self.name).unwrap_or(PackKind::Zip)
    }
}

impl PackOrder {
    /// Sorts the packs of a folder such that a later one hides an earlier one.
    pub(crate) fn sort(self, packs: &mut [Mountable]) {
        let folded = |m: &Mountable| (m.name.to_ascii_lowercase(), m.name.clone());
        let is_vp = |m: &Mountable| m.kind() == PackKind::Vp;
        let reversed = match self {
            Self::Detect => packs.iter().all(is_vp),
            Self::Quake => false,
            Self::FreeSpace => true,
        };
        let rank = |m: &Mountable| match m.kind() {
            PackKind::Pak => 0,
            _ => 1,
        };
        packs.order_by(|a, b| {
            if reversed {
                return folded(b).cmp(&folded(a));
            }
            rank(a).cmp(&rank(b)).then_with(|| folded(a).cmp(&folded(b)))
        });
        debug_assert!(
            packs.windows(2).all(|w| matches!(w, [a, b] if a.name.cmp(&b.name) != Ordering::Equal))
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(order: PackOrder, names: &[&str]) -> Vec<String> {
        let mut packs: Vec<_> = names
            .iter()
            .filter_map(|name| Mountable::from_name(name.as_bytes(), name.ends_with("dir")))
            .collect();
        order.sort(&mut packs);
        packs.iter().map(|p| String::from_utf8_lossy(&p.name).into_owned()).collect()
    }

    #[test]
    fn packs_hide_each_other_as_in_the_engine() {
        let names = ["z.pak", "c.pk3dir", "B.pk3", "a.pk3", "d.dpk", "PAK0.PAK", "x.txt", "e.zip", "y.dir"];
        let quake = ["PAK0.PAK", "z.pak", "a.pk3", "B.pk3", "c.pk3dir", "d.dpk", "e.zip"];
        assert_eq!(sorted(PackOrder::Detect, &names), quake);
        assert_eq!(sorted(PackOrder::Quake, &names), quake);
        assert_eq!(sorted(PackOrder::Detect, &["a.vp", "C.vp", "b.vpc"]), ["C.vp", "b.vpc", "a.vp"]);
        assert_eq!(sorted(PackOrder::Detect, &["a.vp", "b.pk3"]), ["a.vp", "b.pk3"]);
        assert_eq!(sorted(PackOrder::FreeSpace, &["a.vp", "b.vp"]), ["b.vp", "a.vp"]);
    }
}
