//! Reads the elements of accessors.

use super::accessor::{self, BLOCK, Blocks, Decode, ElementSource, Elements};
use super::rules::{ACCESSOR_TYPE, INDEX, SPARSE_ORDER, SPARSE_RANGE};
use super::{Accessor, Document, check};
use meshwright_core::{FieldPath, ReadError};

impl Document<'_> {
    /// Decodes the elements of an accessor as floats, matrices column by column. Normalised integers become
    /// numbers from 0 (signed: -1) to 1; other integers keep their value.
    ///
    /// # Errors
    /// If the accessor does not exist, its elements do not have `N` numbers, its sparse indices are out of
    /// order, or the limits do not allow it.
    pub fn read_f32<const N: usize>(&self, index: usize) -> Result<Vec<[f32; N]>, ReadError> {
        self.read(index, accessor::floats, &mut |_| {})
    }

    /// Does the same as [`read_f32`](Self::read_f32), and passes the elements to `see` in order, in blocks
    /// that are still in the cache.
    pub(crate) fn read_f32_seen<const N: usize>(
        &self,
        index: usize,
        see: &mut dyn FnMut(&[[f32; N]]),
    ) -> Result<Vec<[f32; N]>, ReadError> {
        self.read(index, accessor::floats, see)
    }

    /// Decodes the elements of an accessor as unsigned integers.
    ///
    /// # Errors
    /// As [`read_f32`](Self::read_f32), and if the accessor holds signed integers or floats.
    pub fn read_u32<const N: usize>(&self, index: usize) -> Result<Vec<[u32; N]>, ReadError> {
        self.read(index, accessor::integers, &mut |_| {})
    }

    /// Decodes the vertex indices of an accessor.
    ///
    /// # Errors
    /// As [`read_u32`](Self::read_u32).
    pub fn read_indices(&self, accessor: usize) -> Result<Vec<u32>, ReadError> {
        self.read_u32::<1>(accessor).map(Vec::into_flattened)
    }

    /// Does the same as [`read_indices`](Self::read_indices), and passes the indices to `see` in order, in
    /// blocks.
    pub(crate) fn read_indices_seen(
        &self,
        accessor: usize,
        see: &mut dyn FnMut(&[u32]),
    ) -> Result<Vec<u32>, ReadError> {
        self.read(accessor, accessor::integers, &mut |part: &[[u32; 1]]| see(part.as_flattened()))
            .map(Vec::into_flattened)
    }

    /// Passes the stored numbers of an accessor to `see`, a block of elements at a time.
    pub(crate) fn each_number(&self, index: usize, see: &mut dyn FnMut(&[f64])) -> Result<(), ReadError> {
        match self.tables.accessors.get(index).map(|accessor| accessor.element.components()) {
            Some(1) => self.numbers::<1>(index, see),
            Some(2) => self.numbers::<2>(index, see),
            Some(3) => self.numbers::<3>(index, see),
            Some(4) => self.numbers::<4>(index, see),
            Some(9) => self.numbers::<9>(index, see),
            _ => self.numbers::<16>(index, see),
        }
    }

    fn numbers<const N: usize>(&self, index: usize, see: &mut dyn FnMut(&[f64])) -> Result<(), ReadError> {
        let count = self.tables.accessors.get(index).map_or(0, |accessor| accessor.count);
        let mut blocks = self.blocks::<N, f64>(index, accessor::numbers)?;
        for start in (0..count).step_by(BLOCK) {
            blocks.load(start..start.saturating_add(BLOCK).min(count));
            see(blocks.loaded().as_flattened());
        }
        Ok(())
    }

    /// Returns the elements of an accessor as floats, one block at a time.
    pub(crate) fn floats_in_blocks<const N: usize>(
        &self,
        index: usize,
    ) -> Result<Blocks<'_, N, f32>, ReadError> {
        self.blocks(index, accessor::floats)
    }

    /// Returns the elements of an accessor as unsigned integers, one block at a time.
    pub(crate) fn integers_in_blocks<const N: usize>(
        &self,
        index: usize,
    ) -> Result<Blocks<'_, N, u32>, ReadError> {
        self.blocks(index, accessor::integers)
    }

    fn blocks<const N: usize, T: Copy + Default>(
        &self,
        index: usize,
        decode: Decode<N, T>,
    ) -> Result<Blocks<'_, N, T>, ReadError> {
        let all = FieldPath::ROOT.field("accessors");
        let path = all.index(index);
        let accessor = self.accessor::<N>(index, &path)?;
        // Sparse accessors are decoded completely first.
        let view = accessor.view.filter(|_| accessor.sparse.is_none());
        let Some(view) = view else {
            return Ok(Blocks::new(
                ElementSource::Made(self.read(index, decode, &mut |_| {})?),
                decode,
                Vec::new(),
            ));
        };
        let stored = self.elements(accessor, view)?;
        if !decode(&stored.part(0..0), &mut Vec::new()) {
            return Err(self.wrong_type(accessor, index, &path));
        }
        let room = self.ledger.room(&path, 0, "block", accessor.count.min(BLOCK))?;
        Ok(Blocks::new(ElementSource::Stored(stored), decode, room))
    }

    fn wrong_type(&self, accessor: &Accessor, index: usize, path: &FieldPath<'_>) -> ReadError {
        let message =
            format!("the accessor type {:?} {:?} is not allowed here", accessor.component, accessor.element);
        ReadError::broken(ACCESSOR_TYPE, path, check::offset(self.root(), "accessors", index), message)
    }

    /// Returns an accessor after checking that its elements have `N` numbers.
    fn accessor<const N: usize>(&self, index: usize, path: &FieldPath<'_>) -> Result<&Accessor, ReadError> {
        let Some(accessor) = self.tables.accessors.get(index) else {
            return Err(ReadError::broken(INDEX, path, 0, "is not there"));
        };
        if accessor.element.components() != N {
            return Err(self.wrong_type(accessor, index, path));
        }
        Ok(accessor)
    }

    /// Returns the stored elements of an accessor in a view.
    fn elements(&self, accessor: &Accessor, view: usize) -> Result<Elements<'_>, ReadError> {
        let bytes = self.from(view, accessor.offset)?;
        let stride = self.tables.views.get(view).and_then(|v| v.stride);
        Ok(Elements::new(accessor, bytes, stride, accessor.count))
    }

    fn read<const N: usize, T: Copy + Default>(
        &self,
        index: usize,
        decode: Decode<N, T>,
        see: &mut dyn FnMut(&[[T; N]]),
    ) -> Result<Vec<[T; N]>, ReadError> {
        let all = FieldPath::ROOT.field("accessors");
        let path = all.index(index);
        let place = || check::offset(self.root(), "accessors", index);
        let accessor = self.accessor::<N>(index, &path)?;
        let mut values = self.ledger.room(&path, 0, "accessor", accessor.count)?;
        if let Some(view) = accessor.view {
            for part in self.elements(accessor, view)?.parts() {
                let start = values.len();
                if !decode(&part, &mut values) {
                    return Err(self.wrong_type(accessor, index, &path));
                }
                if accessor.sparse.is_none() {
                    see(values.get(start..).unwrap_or_default());
                }
            }
        }
        values.resize(accessor.count, [T::default(); N]);
        if let Some(sparse) = &accessor.sparse {
            let path = path.field("sparse");
            let mut indices: Vec<[u32; 1]> = self.ledger.room(&path, 0, "sparse indices", sparse.count)?;
            let bytes = self.from(sparse.indices_view, sparse.indices_offset)?;
            accessor::integers(&Elements::indices(bytes, sparse.index_type, sparse.count), &mut indices);
            let mut replaced = self.ledger.room(&path, 0, "sparse elements", sparse.count)?;
            let bytes = self.from(sparse.values_view, sparse.values_offset)?;
            if !decode(&Elements::new(accessor, bytes, None, sparse.count), &mut replaced) {
                return Err(self.wrong_type(accessor, index, &path));
            }
            let mut before = None;
            for (i, ([at], value)) in indices.into_iter().zip(replaced).enumerate() {
                let fault = |rule, message| {
                    Err(ReadError::broken(rule, &path.field("indices").index(i), place(), message))
                };
                if before.is_some_and(|before| before >= at) {
                    return fault(SPARSE_ORDER, format!("{at} is not greater than the index before it"));
                }
                before = Some(at);
                match usize::try_from(at).ok().and_then(|at| values.get_mut(at)) {
                    Some(old) => *old = value,
                    None => return fault(SPARSE_RANGE, format!("{at} of {}", accessor.count)),
                }
            }
        }
        if accessor.view.is_none() || accessor.sparse.is_some() {
            see(&values);
        }
        Ok(values)
    }

    /// Returns the bytes of a view from `offset` on.
    fn from(&self, view: usize, offset: u64) -> Result<&[u8], ReadError> {
        let bytes = self.view_bytes(view)?;
        Ok(usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default())
    }
}
