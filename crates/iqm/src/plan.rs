//! Layouts of models: whether a layout still fits, the layout that the writer chooses, and the offsets of a
//! model's parts.

use crate::layout::{Layout, Node, Section};
use crate::model::Iqm;
use crate::record::{
    ADJACENCY, ANIMS, ARRAYS, BOUNDS, COMMENT, EXTENSIONS, FRAMES, JOINTS, MESHES, POSES, TABLES, TEXT,
    TRIANGLES, anim, array, bounds, extension, header, item, joint, joint_v1, length, mesh, pose, pose_v1,
    triangle,
};
use alloc::vec::Vec;
use meshwright_core::layout::Planner;
use meshwright_core::record::Field;
use meshwright_core::{FieldPath, WriteError};

/// Returns the size of each section of a model in bytes, in the order of [`TABLES`].
pub(crate) fn lengths(model: &Iqm) -> [u64; TABLES.len()] {
    let (joint_size, pose_size) = sizes(model.version);
    let list = |there: bool, n: usize, size: usize| if there { length(n, size) } else { 0 };
    [
        model.text.len() as u64,
        length(model.meshes.len(), mesh::SIZE),
        length(model.arrays.len(), array::SIZE),
        length(model.triangles.len(), triangle::SIZE),
        list(model.adjacency.is_some(), model.triangles.len(), triangle::SIZE),
        length(model.joints.len(), joint_size),
        length(model.poses.len(), pose_size),
        length(model.anims.len(), anim::SIZE),
        length(model.frames.len(), 2),
        list(model.bounds.is_some(), model.frame_count as usize, bounds::SIZE),
        model.comment.len() as u64,
        length(model.extensions.len(), extension::SIZE),
    ]
}

/// Returns the sizes of a joint and of a pose in bytes.
pub(crate) const fn sizes(version: u32) -> (usize, usize) {
    if version == 1 { (joint_v1::SIZE, pose_v1::SIZE) } else { (joint::SIZE, pose::SIZE) }
}

impl Layout {
    /// Returns true if every section of `model` has the size for which this layout was computed.
    pub(crate) fn fits(&self, model: &Iqm) -> bool {
        let there = |table: usize| self.tables.get(table).is_some_and(|t| t.start != 0);
        let arrays = model.arrays.iter().map(|a| a.data.len() as u64);
        let data = model.extensions.iter().map(|e| e.data.len() as u64);
        self.tables.iter().map(|t| t.len).eq(lengths(model))
            && there(ADJACENCY) == model.adjacency.is_some()
            && there(BOUNDS) == model.bounds.is_some()
            && self.arrays.iter().map(|s| s.len).eq(arrays)
            && self.nodes.iter().map(|n| n.data.len).eq(data)
    }

    /// Returns the end of the last section.
    pub(crate) fn end(&self) -> u64 {
        let end = |s: &Section| u64::from(s.start).saturating_add(s.len);
        let node = |n: &Node| item(n.start.into(), 1, extension::SIZE).max(end(&n.data));
        // The nodes of extensions are at the offsets of their list.
        let tables = self.tables.iter().take(EXTENSIONS).chain(&self.arrays).filter(|s| s.len > 0).map(end);
        tables.chain(self.nodes.iter().map(node)).fold(header::SIZE as u64, u64::max)
    }

    /// Computes the layout of the format's own tool.
    pub(crate) fn canonical(model: &Iqm) -> Result<Self, WriteError> {
        let mut at = Planner::from(header::SIZE as u64);
        let mut layout = Self::default();
        let there = |table: usize| match table {
            ADJACENCY => model.adjacency.is_some(),
            BOUNDS => model.bounds.is_some(),
            _ => false,
        };
        for (number, len) in lengths(model).into_iter().enumerate() {
            let Some((table, own)) = TABLES.get(number).zip(layout.tables.get_mut(number)) else { continue };
            own.len = len;
            if number == EXTENSIONS {
                continue;
            }
            if len > 0 || there(number) {
                at.align(table.align.max(4).into());
                own.start = at.take(&FieldPath::ROOT.field(table.name), len)?;
            }
            if number == ARRAYS {
                layout.arrays = arrays(model, &mut at)?;
            }
        }
        layout.nodes = nodes(model, &mut at)?;
        if let Some((first, own)) = layout.nodes.first().zip(layout.tables.get_mut(EXTENSIONS)) {
            own.start = first.start;
        }
        layout.size = at.end();
        layout.filesize = WriteError::fit(&FieldPath::ROOT, "file size", layout.size, u32::MAX)?;
        Ok(layout)
    }
}

/// Reserves offsets for the data of arrays.
fn arrays(model: &Iqm, at: &mut Planner) -> Result<Vec<Section>, WriteError> {
    let table = FieldPath::ROOT.field("vertexarrays");
    let place = |(i, a): (usize, &crate::model::VertexArray)| {
        let len = a.data.len() as u64;
        at.align(8);
        let start = if len > 0 { at.take(&table.index(i), len)? } else { 0 };
        Ok(Section { start, len })
    };
    model.arrays.iter().enumerate().map(place).collect()
}

/// Reserves offsets for the nodes of extensions, each after its data.
fn nodes(model: &Iqm, at: &mut Planner) -> Result<Vec<Node>, WriteError> {
    let table = FieldPath::ROOT.field("extensions");
    let mut nodes: Vec<Node> = Vec::with_capacity(model.extensions.len());
    for (i, e) in model.extensions.iter().enumerate() {
        let (path, len) = (table.index(i), e.data.len() as u64);
        at.align(4);
        let data = if len > 0 { at.take(&path, len)? } else { 0 };
        at.align(4);
        let start = at.take(&path, extension::SIZE as u64)?;
        if let Some(last) = nodes.last_mut() {
            last.next = start;
        }
        nodes.push(Node { start, data: Section { start: data, len }, next: 0 });
    }
    Ok(nodes)
}

/// Offsets of a model's parts in its original file; `None` if it was built or its size changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'a>(pub(crate) Option<&'a Layout>, u32);

impl<'a> Places<'a> {
    pub(crate) fn locate(model: &'a Iqm) -> Self {
        Self(model.layout.get().filter(|layout| layout.fits(model)), model.version)
    }

    pub(crate) fn header(&self, field: Field) -> Option<u64> {
        self.0.map(|_| field.offset_in(0))
    }

    /// Returns the start of a section.
    pub(crate) fn table(&self, table: usize) -> Option<u64> {
        self.0?.tables.get(table).map(|s| s.start.into())
    }

    /// Returns the offset of an item of a section.
    pub(crate) fn item(&self, table: usize, i: usize) -> Option<u64> {
        let (joint, pose) = sizes(self.1);
        let size = match table {
            MESHES => mesh::SIZE,
            ARRAYS => array::SIZE,
            TRIANGLES | ADJACENCY => triangle::SIZE,
            JOINTS => joint,
            POSES => pose,
            ANIMS => anim::SIZE,
            BOUNDS => bounds::SIZE,
            FRAMES => 2,
            TEXT | COMMENT => 1,
            _ => return self.0?.nodes.get(i).map(|n| n.start.into()),
        };
        self.table(table).map(|start| item(start, i, size))
    }

    /// Returns the start of the data of an array.
    pub(crate) fn array(&self, i: usize) -> Option<u64> {
        self.0?.arrays.get(i).map(|s| s.start.into())
    }

    /// Returns the start of the data of an extension.
    pub(crate) fn data(&self, i: usize) -> Option<u64> {
        self.0?.nodes.get(i).map(|n| n.data.start.into())
    }
}
