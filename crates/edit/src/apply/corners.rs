//! Vertices that are identified by corners of triangles, because a conversion splits or joins vertices.

use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded, SortedMap};

/// A vertex of the result. Its index is known only after all vertices are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexPlace {
    /// A vertex at the index of a native vertex.
    Native(usize),
    /// A vertex after the native vertices.
    New(usize),
}

/// The vertices of a result under construction. A native vertex keeps its place; corners with different values split
/// it.
#[derive(Clone, Debug, Default)]
pub struct Corners<R> {
    native: Vec<Option<R>>,
    new: Vec<R>,
    /// The place of each pair of a native vertex (if there is one) and a made vertex.
    known: SortedMap<(Option<usize>, usize), VertexPlace>,
}

impl<R: Clone + PartialEq> Corners<R> {
    /// Makes an empty list for `native` native vertices.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    pub fn new(native: usize, budget: &Budget) -> Result<Self, LimitExceeded> {
        Ok(Self {
            native: budget.filled("vertices", native, None)?,
            new: Vec::new(),
            known: SortedMap::new(),
        })
    }

    /// Returns the vertex of a corner, from its native and its made vertex. `row` computes the value of the vertex.
    pub fn place(&mut self, native: Option<usize>, after: usize, row: impl FnOnce() -> R) -> VertexPlace {
        if let Some(place) = self.known.get(&(native, after)) {
            return *place;
        }
        let row = row();
        let place = match native.and_then(|n| Some((n, self.native.get_mut(n)?))) {
            Some((n, slot @ None)) => {
                *slot = Some(row);
                VertexPlace::Native(n)
            }
            Some((n, Some(there))) if *there == row => VertexPlace::Native(n),
            _ => self.added(after, row),
        };
        self.known.insert((native, after), place);
        place
    }

    /// Adds a new vertex. Equal values of one made vertex share a vertex.
    fn added(&mut self, after: usize, row: R) -> VertexPlace {
        if let Some(VertexPlace::New(n)) = self.known.get(&(None, after))
            && self.new.get(*n) == Some(&row)
        {
            return VertexPlace::New(*n);
        }
        let place = VertexPlace::New(self.new.len());
        self.new.push(row);
        self.known.insert((None, after), place);
        place
    }

    /// Returns the vertices in order, and the indices of the placed ones. Native vertices that are not in the original
    /// `triangles` get the value from `row`.
    pub fn numbered(
        self,
        triangles: impl Iterator<Item = [u32; 3]>,
        row: impl Fn(usize) -> R,
    ) -> (Vec<R>, Numbers) {
        let mut drawn = alloc::vec![false; self.native.len()];
        for v in triangles.flatten() {
            drawn.get_mut(v as usize).into_iter().for_each(|slot| *slot = true);
        }
        let mut rows = Vec::with_capacity(self.native.len().saturating_add(self.new.len()));
        let mut native = Vec::with_capacity(self.native.len());
        for ((n, own), drawn) in self.native.into_iter().enumerate().zip(drawn) {
            native.push(u32::try_from(rows.len()).unwrap_or(u32::MAX));
            rows.extend(own.or_else(|| (!drawn).then(|| row(n))));
        }
        let first = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        rows.extend(self.new);
        (rows, Numbers { native, first })
    }
}

/// The indices of placed vertices.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    native: Vec<u32>,
    first: u32,
}

impl Numbers {
    /// Returns the vertex indices of triangles.
    #[must_use]
    pub fn triangles(&self, list: &[[VertexPlace; 3]]) -> Vec<[u32; 3]> {
        list.iter().map(|t| t.map(|place| self.index_of(place))).collect()
    }

    /// Returns the index of a vertex.
    #[must_use]
    pub fn index_of(&self, place: VertexPlace) -> u32 {
        match place {
            VertexPlace::Native(n) => self.native.get(n).copied().unwrap_or_default(),
            VertexPlace::New(n) => self.first.saturating_add(u32::try_from(n).unwrap_or(u32::MAX)),
        }
    }
}
