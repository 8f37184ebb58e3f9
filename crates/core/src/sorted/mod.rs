//! A sorted map and a sorted set whose code exists only once, instead of once for every type.

mod map;
mod set;
mod slots;

pub use map::{Entry, IntoIter, Iter, Range, SortedMap};
pub use set::SortedSet;
