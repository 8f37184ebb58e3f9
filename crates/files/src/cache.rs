//! A bounded cache of listings.

use crate::path::TreePath;
use meshwright_core::SortedMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The maximum number of names in cached listings; further folders are listed each time.
const MOST_NAMES: usize = 1 << 18;

/// Listings by folder.
pub(crate) struct Cache<T: ?Sized>(Mutex<Kept<T>>);

struct Kept<T: ?Sized> {
    listings: SortedMap<TreePath, Arc<T>>,
    names: usize,
}

impl<T: ?Sized> Cache<T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Kept { listings: SortedMap::new(), names: 0 }))
    }

    fn lock(&self) -> MutexGuard<'_, Kept<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, folder: &TreePath) -> Option<Arc<T>> {
        self.lock().listings.get(folder).map(Arc::clone)
    }

    /// Caches a listing with `names` names.
    pub(crate) fn keep(&self, folder: &TreePath, names: usize, listing: &Arc<T>) {
        let mut kept = self.lock();
        kept.names = kept.names.saturating_add(names).saturating_add(1);
        if kept.names > MOST_NAMES {
            kept.listings.clear();
            kept.names = names;
        }
        kept.listings.insert(folder.clone(), Arc::clone(listing));
    }
}

impl<T: ?Sized> fmt::Debug for Cache<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.lock();
        write!(f, "Cache({} folders, {} names)", kept.listings.len(), kept.names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded() {
        let cache = Cache::<[u8]>::new();
        let folder = |i: usize| TreePath::new(i.to_string()).unwrap();
        for i in 0..10 {
            cache.keep(&folder(i), MOST_NAMES / 4, &Arc::from([7]));
            assert_eq!(cache.get(&folder(i)).as_deref(), Some(&[7][..]));
        }
        assert!(cache.get(&folder(0)).is_none() && cache.lock().listings.len() < 5);
    }
}
