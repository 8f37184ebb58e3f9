//! Layouts of models: the offsets of all parts, whether a layout still fits, and the layout that the writer chooses.

use super::layout::{Layout, MeshLayout};
use super::model::{Dpm, Mesh};
use super::record::{bone, frame, header, mesh};
use crate::record::{WORD, item, length, matrix, texcoord, triangle};
use crate::rules::Extent;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::layout::{Gaps, Planner};
use meshwright_core::record::Field;
use meshwright_core::{FieldPath, SortedMap, WriteError};

impl Layout {
    /// Returns the size that the header states.
    pub(crate) const fn extent(&self) -> Extent {
        Extent { field: header::FILESIZE, claimed: self.filesize, size: self.size }
    }

    /// Returns true if every section of `model` has the size for which this layout was computed.
    pub(crate) fn fits(&self, model: &Dpm) -> bool {
        let same = |a: u32, b: usize| usize::try_from(a).is_ok_and(|a| a == b);
        let mesh_fits = |(l, m): (&MeshLayout, &Mesh)| {
            l.vertices_len == m.vertices.stored_len()
                && same(l.num_verts, m.vertices.len())
                && same(l.num_tris, m.triangles.len())
        };
        same(self.num_bones, model.bones.len())
            && same(self.num_frames, model.frames.len())
            && self.poses.len() == model.pose_count()
            && self.meshes.len() == model.meshes.len()
            && self.meshes.iter().zip(&model.meshes).all(mesh_fits)
    }

    /// Returns the end of the last section.
    pub(crate) fn end(&self) -> u64 {
        let table = |ofs: u32, count: u32, size: usize| item(ofs.into(), count as usize, size);
        let meshes = self.meshes.iter().flat_map(|m| {
            [
                u64::from(m.ofs_verts).saturating_add(m.vertices_len),
                table(m.ofs_texcoords, m.num_verts, texcoord::SIZE),
                table(m.ofs_indices, m.num_tris, triangle::SIZE),
                table(m.ofs_groupids, m.num_tris, WORD),
            ]
        });
        let poses = self.poses.iter().map(|&ofs| table(ofs, self.num_bones, matrix::SIZE));
        let tables = [
            header::SIZE as u64,
            table(self.ofs_bones, self.num_bones, bone::SIZE),
            item(self.ofs_meshes.into(), self.meshes.len(), mesh::SIZE),
            table(self.ofs_frames, self.num_frames, frame::SIZE),
        ];
        tables.into_iter().chain(meshes).chain(poses).fold(0, u64::max)
    }

    /// Computes the layout of the dpmodel compiler: header, bones, mesh headers, frame headers, then for each mesh its
    /// vertices, texture coordinates, indices and group ids, then the poses. A section that several meshes share is
    /// written once.
    pub(crate) fn canonical(model: &Dpm) -> Result<Self, WriteError> {
        let root = FieldPath::ROOT;
        let mut at = Planner::from(header::SIZE as u64);
        let (bones, frames) = (model.bones.len(), model.frames.len());
        let (num_bones, num_frames) = (count("bones", bones)?, count("frames", frames)?);
        count("meshes", model.meshes.len())?;
        let ofs_bones = at.take(&root.field("bones"), length(bones, bone::SIZE))?;
        let ofs_meshes = at.take(&root.field("meshes"), length(model.meshes.len(), mesh::SIZE))?;
        let ofs_frames = at.take(&root.field("frames"), length(frames, frame::SIZE))?;
        let meshes = meshes(model, &mut at)?;
        let (pose, path) = (length(bones, matrix::SIZE), root.field("poses"));
        let poses =
            (0..model.pose_count()).map(|i| at.take(&path.index(i), pose)).collect::<Result<Vec<_>, _>>()?;
        let size = at.end();
        let filesize = WriteError::fit(&root, "file size", size, u32::MAX)?;
        let gaps = Gaps::default();
        Ok(Self {
            filesize,
            size,
            num_bones,
            ofs_bones,
            ofs_meshes,
            ofs_frames,
            num_frames,
            meshes,
            poses,
            gaps,
        })
    }
}

fn meshes(model: &Dpm, at: &mut Planner) -> Result<Vec<MeshLayout>, WriteError> {
    let table = FieldPath::ROOT.field("meshes");
    let mut shared: [SortedMap<usize, u32>; 4] = Default::default();
    let mut meshes = Vec::with_capacity(model.meshes.len());
    for (i, mesh) in model.meshes.iter().enumerate() {
        let path = table.index(i);
        let vertices_len = mesh.vertices.stored_len();
        let (num_verts, num_tris) = (mesh.vertices.len(), mesh.triangles.len());
        let sections = [
            (Arc::as_ptr(&mesh.vertices).addr(), vertices_len),
            (Arc::as_ptr(&mesh.texcoords).addr(), length(mesh.texcoords.len(), texcoord::SIZE)),
            (Arc::as_ptr(&mesh.triangles).addr(), length(num_tris, triangle::SIZE)),
            (Arc::as_ptr(&mesh.groupids).addr(), length(mesh.groupids.len(), WORD)),
        ];
        let mut offsets = [0; 4];
        for ((offset, seen), (address, len)) in offsets.iter_mut().zip(&mut shared).zip(sections) {
            *offset = match seen.get(&address) {
                Some(&at) => at,
                None => {
                    let start = at.take(&path, len)?;
                    seen.insert(address, start);
                    start
                }
            };
        }
        let [ofs_verts, ofs_texcoords, ofs_indices, ofs_groupids] = offsets;
        meshes.push(MeshLayout {
            vertices_len,
            num_verts: count("vertices", num_verts)?,
            num_tris: count("triangles", num_tris)?,
            ofs_verts,
            ofs_texcoords,
            ofs_indices,
            ofs_groupids,
        });
    }
    Ok(meshes)
}

/// Returns a table's length in 32 bits, as the format stores it.
fn count(what: &'static str, n: usize) -> Result<u32, WriteError> {
    WriteError::fit(&FieldPath::ROOT.field(what), what, n as u64, u32::MAX)
}

/// Offsets of a model's parts in its file; `None` if it has no file or its size changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'a>(pub(crate) Option<&'a Layout>);

impl<'a> Places<'a> {
    pub(crate) fn locate(model: &'a Dpm) -> Self {
        Self(model.layout.get().filter(|layout| layout.fits(model)))
    }

    pub(crate) fn header(&self, field: Field) -> Option<u64> {
        self.0.map(|_| field.offset_in(0))
    }

    pub(crate) fn bones(&self) -> Option<u64> {
        self.0.map(|l| l.ofs_bones.into())
    }

    pub(crate) fn mesh_header(&self, i: usize) -> Option<u64> {
        self.0.map(|l| item(l.ofs_meshes.into(), i, mesh::SIZE))
    }

    /// Returns the start of a section of a mesh.
    pub(crate) fn section(&self, i: usize, offset: fn(&MeshLayout) -> u32) -> Option<u64> {
        self.0?.meshes.get(i).map(|m| offset(m).into())
    }

    pub(crate) fn frame(&self, i: usize) -> Option<u64> {
        self.0.map(|l| item(l.ofs_frames.into(), i, frame::SIZE))
    }

    pub(crate) fn pose(&self, p: usize) -> Option<u64> {
        self.0?.poses.get(p).map(|&o| o.into())
    }
}
