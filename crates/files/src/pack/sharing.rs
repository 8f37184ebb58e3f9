//! Members that share bytes, and how much all of them are together.

use super::member::{Entry, LARGEST};
use super::rules;
use super::scan::{Refused, broken};
use std::collections::BTreeMap;

/// The locations of the bytes of members, with the numbers of those members.
type Extents = BTreeMap<(u64, u64), Vec<usize>>;

/// Refuses members that share some of their bytes with others. Those that are the same bytes are one file under several
/// names, which tools write that store equal files once.
pub(super) fn refuse_overlaps(entries: &mut [Entry]) {
    let mut extents = Extents::new();
    for (i, entry) in entries.iter().enumerate().filter(|(_, e)| e.fault.is_none() && e.packed > 0) {
        extents.entry((entry.start, entry.start.saturating_add(entry.packed))).or_default().push(i);
    }
    let mut bad: Vec<((u64, u64), u64)> = Vec::new();
    let mut furthest: Option<(u64, u64)> = None;
    for (start, end) in extents.keys().copied() {
        if let Some(before) = furthest.filter(|(_, until)| start < *until) {
            bad.extend([(before, start), ((start, end), start)]);
        }
        if furthest.is_none_or(|(_, until)| end > until) {
            furthest = Some((start, end));
        }
    }
    for (extent, at) in bad {
        for i in extents.get(&extent).into_iter().flatten() {
            if let Some(entry) = entries.get_mut(*i) {
                entry.refuse(rules::OVERLAP, format!("shares its bytes from {at:#x} on with another file"));
            }
        }
    }
}

/// The maximum size of all members of a pack of this size: more than games have, and too little to fill a disk or to
/// take hours.
pub(crate) const fn allowance(size: u64) -> u64 {
    const LEAST: u64 = 256 << 20;
    size.saturating_mul(32).saturating_add(LEAST)
}

/// The same for an archive in a pack. A pack can have many of them.
pub(crate) const fn inner_allowance(size: u64) -> u64 {
    const LEAST: u64 = 1 << 20;
    size.saturating_mul(8).saturating_add(LEAST)
}

/// Refuses a pack whose members are more together than is allowed; each counts, however many share their bytes.
pub(super) fn refuse_bomb(entries: &[Entry], most: u64) -> Result<(), Refused> {
    // Others are refused by themselves.
    let readable = entries.iter().filter(|entry| entry.fault.is_none() && entry.size <= LARGEST);
    let all = readable.fold(0_u64, |all, entry| all.saturating_add(entry.size));
    if all <= most {
        return Ok(());
    }
    let message = format!("{} files of {all} bytes together, at most {most} are read", entries.len());
    Err(broken(rules::UNPACKED, 0, message))
}
