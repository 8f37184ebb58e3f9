//! Reads the elements of accessors.

use super::accessor::{self, BLOCK, Blocks, Decode, ElementSource, Elements};
use super::rules::{ACCESSOR_TYPE, INDEX, SPARSE_ORDER, SPARSE_RANGE};
use super::{Accessor, Document};
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
        self.read(index, accessor::floats, &mut |part| see(part.as_chunks().0))
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
        self.read_indices_seen(accessor, &mut |_| {})
    }

    /// Does the same as [`read_indices`](Self::read_indices), and passes the indices to `see` in order, in
    /// blocks.
    pub(crate) fn read_indices_seen(
        &self,
        accessor: usize,
        see: &mut dyn FnMut(&[u32]),
    ) -> Result<Vec<u32>, ReadError> {
        self.read::<1, _>(accessor, accessor::integers, see).map(Vec::into_flattened)
    }

    /// Passes the stored numbers of an accessor to `see`, a block of elements at a time.
    pub(crate) fn each_number(&self, index: usize, see: &mut dyn FnMut(&[f64])) -> Result<(), ReadError> {
        let accessor = self.tables.accessors.get(index);
        let (count, width) = accessor.map_or((0, 1), |a| (a.count, a.element.components()));
        let mut blocks = self.blocks(index, width, accessor::numbers)?;
        for start in (0..count).step_by(BLOCK) {
            blocks.load(start..start.saturating_add(BLOCK).min(count));
            see(blocks.loaded::<1>().as_flattened());
        }
        Ok(())
    }

    /// Returns the elements of `width` numbers of an accessor as floats, one block at a time.
    pub(crate) fn floats_in_blocks(&self, index: usize, width: usize) -> Result<Blocks<'_, f32>, ReadError> {
        self.blocks(index, width, accessor::floats)
    }

    /// Returns the elements of `width` numbers of an accessor as unsigned integers, one block at a time.
    pub(crate) fn integers_in_blocks(
        &self,
        index: usize,
        width: usize,
    ) -> Result<Blocks<'_, u32>, ReadError> {
        self.blocks(index, width, accessor::integers)
    }

    fn blocks<T: Copy + Default>(
        &self,
        index: usize,
        width: usize,
        decode: Decode<T>,
    ) -> Result<Blocks<'_, T>, ReadError> {
        let all = FieldPath::ROOT.field("accessors");
        let path = all.index(index);
        let accessor = self.accessor(index, width, &path)?;
        // Sparse accessors are decoded completely first.
        let view = accessor.view.filter(|_| accessor.sparse.is_none());
        let Some(view) = view else {
            let mut all = self.ledger.filled(&path, "accessor", accessor.count, width)?;
            self.fill((index, accessor), &path, &mut all, decode, &mut |_| {})?;
            let source = ElementSource::Made(all);
            return Ok(Blocks { source, decode, width, block: Vec::new(), range: 0..0 });
        };
        let stored = self.elements(accessor, view)?;
        if !decode(&stored.part(0..0), width, &mut []) {
            return Err(self.wrong_type(accessor, index, &path));
        }
        let block = self.ledger.filled(&path, "block", accessor.count.min(BLOCK), width)?;
        Ok(Blocks { source: ElementSource::Stored(stored), decode, width, block, range: 0..0 })
    }

    fn wrong_type(&self, accessor: &Accessor, index: usize, path: &FieldPath<'_>) -> ReadError {
        let message =
            format!("the accessor type {:?} {:?} is not allowed here", accessor.component, accessor.element);
        self.fault(ACCESSOR_TYPE, path, ("accessors", index), message)
    }

    /// Returns an accessor after checking that its elements have `width` numbers.
    fn accessor(&self, index: usize, width: usize, path: &FieldPath<'_>) -> Result<&Accessor, ReadError> {
        let Some(accessor) = self.tables.accessors.get(index) else {
            return Err(ReadError::broken(INDEX, path, 0, "is not there"));
        };
        if accessor.element.components() != width {
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
        decode: Decode<T>,
        see: &mut dyn FnMut(&[T]),
    ) -> Result<Vec<[T; N]>, ReadError> {
        let all = FieldPath::ROOT.field("accessors");
        let path = all.index(index);
        let accessor = self.accessor(index, N, &path)?;
        let mut values = self.ledger.room(&path, 0, "accessor", accessor.count)?;
        values.resize(accessor.count, [T::default(); N]);
        self.fill((index, accessor), &path, values.as_flattened_mut(), decode, see)?;
        Ok(values)
    }

    /// Decodes all numbers of an accessor, and passes them to `see` in order.
    fn fill<T: Copy + Default>(
        &self,
        (index, accessor): (usize, &Accessor),
        path: &FieldPath<'_>,
        values: &mut [T],
        decode: Decode<T>,
        see: &mut dyn FnMut(&[T]),
    ) -> Result<(), ReadError> {
        let width = accessor.element.components();
        if let Some(view) = accessor.view {
            let blocks = values.chunks_mut(BLOCK.saturating_mul(width));
            for (part, block) in self.elements(accessor, view)?.parts().zip(blocks) {
                if !decode(&part, width, block) {
                    return Err(self.wrong_type(accessor, index, path));
                }
                if accessor.sparse.is_none() {
                    see(block);
                }
            }
        }
        if let Some(sparse) = &accessor.sparse {
            let path = path.field("sparse");
            let mut indices: Vec<u32> = self.ledger.filled(&path, "sparse indices", sparse.count, 1)?;
            let bytes = self.from(sparse.indices_view, sparse.indices_offset)?;
            accessor::integers(&Elements::indices(bytes, sparse.index_type, sparse.count), 1, &mut indices);
            let mut replaced = self.ledger.filled(&path, "sparse elements", sparse.count, width)?;
            let bytes = self.from(sparse.values_view, sparse.values_offset)?;
            if !decode(&Elements::new(accessor, bytes, None, sparse.count), width, &mut replaced) {
                return Err(self.wrong_type(accessor, index, &path));
            }
            self.check_sparse(&indices, (index, accessor.count), &path)?;
            for (at, value) in indices.into_iter().zip(replaced.chunks(width)) {
                if let Some(old) = values.chunks_mut(width).nth(at as usize) {
                    old.copy_from_slice(value);
                }
            }
        }
        if accessor.view.is_none() || accessor.sparse.is_some() {
            see(values);
        }
        Ok(())
    }

    /// Checks that sparse indices ascend, and that the accessor has `count` elements or more.
    fn check_sparse(
        &self,
        indices: &[u32],
        (index, count): (usize, usize),
        path: &FieldPath<'_>,
    ) -> Result<(), ReadError> {
        let mut before = None;
        for (i, &at) in indices.iter().enumerate() {
            let (rule, message) = if before.is_some_and(|before| before >= at) {
                (SPARSE_ORDER, format!("{at} is not greater than the index before it"))
            } else if at as usize >= count {
                (SPARSE_RANGE, format!("{at} of {count}"))
            } else {
                before = Some(at);
                continue;
            };
            return Err(self.fault(rule, &path.field("indices").index(i), ("accessors", index), message));
        }
        Ok(())
    }

    /// Returns the bytes of a view from `offset` on.
    fn from(&self, view: usize, offset: u64) -> Result<&[u8], ReadError> {
        let bytes = self.view_bytes(view)?;
        Ok(usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default())
    }
}
