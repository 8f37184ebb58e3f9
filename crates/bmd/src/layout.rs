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
    pub(crate) fn table(&self, table: Table) -> u32 {
        self.tables.get(table as usize).copied().unwrap_or_default()
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

    /// Passes on all sections: tables, lists and strings.
    pub(crate) fn each_section(&self, visit: &mut dyn FnMut(Section)) {
        for t in Table::ALL {
            let size = t.size(self.rows(t));
            visit(Section { at: self.table(t), size, used: size, aligned: true });
        }
        for mesh in &self.meshes {
            visit(mesh.vertices.section(true));
            visit(mesh.primitives.section(true));
            mesh.material.section().into_iter().for_each(&mut *visit);
        }
        for name in &self.bones {
            name.section().into_iter().for_each(&mut *visit);
        }
        for clip in &self.clips {
            visit(clip.stream.section(false));
            clip.name.section().into_iter().for_each(&mut *visit);
        }
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
        self.each_section(&mut |s| coverage.add(u64::from(s.at), s.used));
        coverage
    }
}

/// A table, a list or a string of a file.
pub(crate) struct Section {
    pub(crate) at: u32,
    /// The stated size in bytes.
    pub(crate) size: u64,
    /// The size of its elements in bytes.
    pub(crate) used: u64,
    /// True for tables and lists of geometry, which should start at multiples of 4.
    pub(crate) aligned: bool,
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

    fn section(self) -> Option<Section> {
        let size = self.size();
        (self.at > 0).then_some(Section { at: self.at, size, used: size, aligned: false })
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

    fn section(self, aligned: bool) -> Section {
        Section { at: self.at, size: self.size.into(), used: self.used.into(), aligned }
    }

    /// Returns the number of bytes after the last element.
    pub(crate) const fn spare(self) -> u32 {
        self.size.saturating_sub(self.used)
    }

    /// Returns the offset of the element that follows elements of this size in all.
    pub(crate) fn element(self, before: usize) -> u64 {
        u64::from(self.at).saturating_add(before as u64)
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
