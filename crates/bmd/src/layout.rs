//! The offsets of the parts of a model in its file.

use crate::record::{Table, header};
use alloc::vec::Vec;
use meshwright_core::layout::{Coverage, Gaps};
use meshwright_core::record::Field;

/// The offsets and sizes of a file's tables, lists and strings, and the bytes that nothing refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The size of the file in bytes.
    pub(crate) len: u64,
    /// Offsets of the tables, in the order of [`Table::ALL`].
    pub(crate) tables: [u32; 4],
    pub(crate) meshes: Vec<MeshPlace>,
    /// The number of levels of detail.
    pub(crate) lods: usize,
    /// The location of the name of each bone.
    pub(crate) bones: Vec<StringPlace>,
    pub(crate) clips: Vec<ClipPlace>,
    pub(crate) gaps: Gaps,
}

impl Layout {
    /// Returns the offset of a table.
    pub(crate) const fn table(&self, table: Table) -> u32 {
        let [meshes, lods, bones, anims] = self.tables;
        match table {
            Table::Meshes => meshes,
            Table::Lods => lods,
            Table::Bones => bones,
            Table::Anims => anims,
        }
    }

    pub(crate) const fn table_mut(&mut self, table: Table) -> &mut u32 {
        let [meshes, lods, bones, anims] = &mut self.tables;
        match table {
            Table::Meshes => meshes,
            Table::Lods => lods,
            Table::Bones => bones,
            Table::Anims => anims,
        }
    }

    /// Returns the number of rows of a table.
    pub(crate) const fn rows(&self, table: Table) -> usize {
        match table {
            Table::Meshes => self.meshes.len(),
            Table::Lods => self.lods,
            Table::Bones => self.bones.len(),
            Table::Anims => self.clips.len(),
        }
    }

    /// Returns the offset of a field in row `index` of a table.
    pub(crate) fn field(&self, table: Table, index: usize, field: Field) -> u64 {
        field.offset_in(table.row_offset(self.table(table), index))
    }

    /// Returns all sections with their offsets and sizes. Tables and lists of geometry, which should start
    /// at multiples of 4, have the flag `true`; strings and streams have `false`.
    pub(crate) fn sections(&self) -> impl Iterator<Item = (u32, u64, bool)> {
        let tables = Table::ALL.into_iter().map(|t| (self.table(t), t.size(self.rows(t)), true));
        let list = |l: ListPlace, aligned| Some((l.at, u64::from(l.size), aligned));
        let string = |s: StringPlace| (s.at > 0).then(|| (s.at, s.size(), false));
        let meshes = self
            .meshes
            .iter()
            .flat_map(move |m| [list(m.vertices, true), list(m.primitives, true), string(m.material)]);
        let bones = self.bones.iter().map(move |s| string(*s));
        let clips = self.clips.iter().flat_map(move |c| [list(c.stream, false), string(c.name)]);
        tables.chain(meshes.chain(bones).chain(clips).flatten())
    }

    /// Returns the maximum number of sections of [`coverage`](Self::coverage).
    pub(crate) fn section_count(&self) -> u64 {
        let each = [(self.meshes.len(), 3), (self.bones.len(), 1), (self.clips.len(), 2)];
        each.iter().fold(5, |n: u64, e| n.saturating_add((e.0 as u64).saturating_mul(e.1)))
    }

    /// Returns the sections of the file that structures cover; lists without the bytes after their last element.
    pub(crate) fn coverage(&self) -> Coverage {
        let mut coverage = Coverage::new();
        coverage.add(0, header::SIZE as u64);
        for t in Table::ALL {
            coverage.add(u64::from(self.table(t)), t.size(self.rows(t)));
        }
        let list = |c: &mut Coverage, l: &ListPlace| c.add(u64::from(l.at), u64::from(l.used));
        let string = |c: &mut Coverage, s: &StringPlace| {
            if s.at != 0 {
                c.add(u64::from(s.at), s.size());
            }
        };
        for mesh in &self.meshes {
            list(&mut coverage, &mesh.vertices);
            list(&mut coverage, &mesh.primitives);
            string(&mut coverage, &mesh.material);
        }
        self.bones.iter().for_each(|s| string(&mut coverage, s));
        for clip in &self.clips {
            list(&mut coverage, &clip.stream);
            string(&mut coverage, &clip.name);
        }
        coverage
    }
}

/// A string's offset and its length without the terminator. Offset 0 means no string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StringPlace {
    pub(crate) at: u32,
    pub(crate) len: u32,
}

impl StringPlace {
    /// Returns the number of bytes including the terminator.
    pub(crate) fn size(self) -> u64 {
        u64::from(self.len).saturating_add(1)
    }
}

/// The location of a list: its start, the size that its record states, and the size of its elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListPlace {
    pub(crate) at: u32,
    pub(crate) size: u32,
    pub(crate) used: u32,
}

impl ListPlace {
    /// Returns the location that a record states. `used` is set when the list is read.
    pub(crate) const fn from_record(at: u32, size: u32) -> Self {
        Self { at, size, used: 0 }
    }

    /// Returns the number of bytes after the last element.
    pub(crate) const fn spare(self) -> u32 {
        self.size.saturating_sub(self.used)
    }

    /// Returns the offset of the element that follows elements of these sizes.
    pub(crate) fn element(self, before: impl Iterator<Item = usize>) -> u64 {
        u64::from(self.at).saturating_add(before.sum::<usize>() as u64)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MeshPlace {
    pub(crate) vertices: ListPlace,
    pub(crate) primitives: ListPlace,
    pub(crate) material: StringPlace,
}

impl MeshPlace {
    /// Returns true if the primitives overlap the vertices. This is only a warning: such a mesh opens even
    /// if its indices are nonsense, and views omit triangles whose vertices do not exist.
    pub(crate) fn lies_on_vertices(&self) -> bool {
        let end = |l: &ListPlace| u64::from(l.at).saturating_add(u64::from(l.size));
        let (v, p) = (&self.vertices, &self.primitives);
        u64::from(v.at) < end(p) && u64::from(p.at) < end(v)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClipPlace {
    pub(crate) name: StringPlace,
    pub(crate) stream: ListPlace,
}
