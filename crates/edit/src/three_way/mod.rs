//! What the merge of files of The Sims needs: an edited scene written into several files.
//!
//! A merge looks at three models: the native one; *before*, what the format makes of the native scene; and *after*, what it
//! makes of the edited scene. If before and after agree, nothing was edited and the native bits stay. If they do not, the
//! bits are those of after. What a scene has no place for is only in the native model, and stays too.
//!
//! [`named`] finds records by name and content, [`sequence`] by content in their order, [`Corners`] by the triangles that
//! have them. [`Trios`] is the list that comes of three, and says where each record of the three went.

mod find;
mod trios;

pub use crate::apply::{Corners, Numbers, Place};
pub use find::{Match, digest, named, sequence};
pub use trios::{Trio, Trios};

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_scene::Loss;

/// The native value where nothing was edited, else the edited one.
pub fn pick<T: PartialEq>(native: T, before: &T, after: T) -> T {
    if *before == after { native } else { after }
}

/// What the edited scene loses that the native one does not: of what both lose the native model keeps the facts.
#[must_use]
pub fn new_losses(before: &[Loss], after: Vec<Loss>) -> Vec<Loss> {
    // A mesh that is gone moves the numbers of those behind it.
    let key = |loss: &Loss| {
        let path: String = loss.path.chars().filter(|c| !c.is_ascii_digit()).collect();
        (loss.code, path, loss.count, loss.amount.map(f64::to_bits))
    };
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for loss in before {
        let count = known.entry(key(loss)).or_insert(0);
        *count = count.saturating_add(1);
    }
    let is_new = |loss: &Loss| match known.get_mut(&key(loss)) {
        Some(count @ 1..) => {
            *count = count.saturating_sub(1);
            false
        }
        _ => true,
    };
    after.into_iter().filter(is_new).collect()
}

#[cfg(test)]
mod tests;
