//! Vertices that are known by the corners of triangles: where a conversion makes of a vertex several, or one with another.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded};

/// A vertex of the result, whose number is not known before all are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the place of a native one.
    Native(usize),
    /// Behind the native ones.
    New(usize),
}

/// The vertices of a result under construction: native ones in their places, unless corners want it to be several.
#[derive(Clone, Debug, Default)]
pub struct Corners<R> {
    native: Vec<Option<R>>,
    new: Vec<R>,
    /// By native vertex and vertex of after; a new one has no native.
    known: BTreeMap<(Option<usize>, usize), Place>,
}

impl<R: Clone + PartialEq> Corners<R> {
    /// For so many native vertices.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    pub fn new(native: usize, budget: &Budget) -> Result<Self, LimitExceeded> {
        Ok(Self { native: budget.filled("vertices", native, None)?, new: Vec::new(), known: BTreeMap::new() })
    }

    /// The vertex of a corner that was a native one, and is one of after; `row` makes what it becomes.
    pub fn place(&mut self, native: Option<usize>, after: usize, row: impl FnOnce() -> R) -> Place {
        if let Some(place) = self.known.get(&(native, after)) {
            return *place;
        }
        let row = row();
        let place = match native.and_then(|n| Some((n, self.native.get_mut(n)?))) {
            Some((n, slot @ None)) => {
                *slot = Some(row);
                Place::Native(n)
            }
            Some((n, Some(there))) if *there == row => Place::Native(n),
            _ => self.added(after, row),
        };
        self.known.insert((native, after), place);
        place
    }

    /// A new vertex; those of after that become the same are one.
    fn added(&mut self, after: usize, row: R) -> Place {
        if let Some(Place::New(n)) = self.known.get(&(None, after))
            && self.new.get(*n) == Some(&row)
        {
            return Place::New(*n);
        }
        let place = Place::New(self.new.len());
        self.new.push(row);
        self.known.insert((None, after), place);
        place
    }

    /// The vertices in order, and the numbers of triangles whose corners are given. Vertices of the original that none of its
    /// `triangles` had stay as `row` gives them.
    pub fn numbered(
        self,
        triangles: impl Iterator<Item = [u32; 3]>,
        row: impl Fn(usize) -> R,
    ) -> (Vec<R>, Numbers) {
        let mut drawn = alloc::vec![false; self.native.len()];
        for v in triangles.flatten() {
            drawn.get_mut(v as usize).into_iter().for_each(|slot| *slot = true);
        }
        self.finish(|v| (drawn.get(v) == Some(&false)).then(|| row(v)))
    }

    /// The vertices in order, and their numbers. `unused` gives the native vertices that no triangle ever had.
    pub fn finish(self, mut unused: impl FnMut(usize) -> Option<R>) -> (Vec<R>, Numbers) {
        let mut rows = Vec::with_capacity(self.native.len().saturating_add(self.new.len()));
        let mut native = Vec::with_capacity(self.native.len());
        for (n, row) in self.native.into_iter().enumerate() {
            native.push(u32::try_from(rows.len()).unwrap_or(u32::MAX));
            rows.extend(row.or_else(|| unused(n)));
        }
        let first = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        rows.extend(self.new);
        (rows, Numbers { native, first })
    }
}

/// The numbers of vertices.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    native: Vec<u32>,
    first: u32,
}

impl Numbers {
    /// The numbers of the corners of triangles.
    #[must_use]
    pub fn triangles(&self, list: &[[Place; 3]]) -> Vec<[u32; 3]> {
        list.iter().map(|t| t.map(|place| self.of(place))).collect()
    }

    /// The number of a vertex.
    #[must_use]
    pub fn of(&self, place: Place) -> u32 {
        match place {
            Place::Native(n) => self.native.get(n).copied().unwrap_or_default(),
            Place::New(n) => self.first.saturating_add(u32::try_from(n).unwrap_or(u32::MAX)),
        }
    }
}
