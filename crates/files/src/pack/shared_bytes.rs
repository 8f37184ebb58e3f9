//! Members that share bytes, and the total size of all members.

use super::member::{Entry, LARGEST};
use super::rules;
use super::scan::broken;
use crate::error::Refused;
use meshwright_core::SortedMap;

/// The locations of members' bytes, with the numbers of those members.
type Extents = SortedMap<(u64, u64), Vec<usize>>;

/// Rejects members that share only a part of their bytes with others. Members with exactly the same bytes
/// are valid: some tools store equal files once.
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

/// Returns the maximum total size of all members of a pack of this size. Games need less, and it is too
/// little to fill a disk or to take hours.
pub(crate) const fn allowance(size: u64) -> u64 {
    const LEAST: u64 = 256 << 20;
    size.saturating_mul(32).saturating_add(LEAST)
}

/// Returns the maximum for an archive in a pack. It is lower, because a pack can have many of them.
pub(crate) const fn inner_allowance(size: u64) -> u64 {
    const LEAST: u64 = 1 << 20;
    size.saturating_mul(8).saturating_add(LEAST)
}

/// Rejects a pack whose members together are too large. Members that share bytes count separately.
pub(super) fn refuse_bomb(entries: &[Entry], most: u64) -> Result<(), Refused> {
    // The other members are rejected individually.
    let readable = entries.iter().filter(|entry| entry.fault.is_none() && entry.size <= LARGEST);
    let all = readable.fold(0_u64, |all, entry| all.saturating_add(entry.size));
    if all <= most {
        return Ok(());
    }
    let message = format!("{} files of {all} bytes together, at most {most} are read", entries.len());
    Err(broken(rules::UNPACKED, 0, message))
}
