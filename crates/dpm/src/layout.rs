//! Where the sections of a DPM file lie.

use crate::model::{BonePose, Dpm, Mesh};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use meshwright_core::layout::Gaps;
use meshwright_core::{Path, WriteError};

/// The header's size.
pub(crate) const HEADER: u64 = 80;
/// A bone's size.
pub(crate) const BONE: u64 = 40;
/// A mesh header's size.
pub(crate) const MESH: u64 = 56;
/// A frame header's size.
pub(crate) const FRAME: u64 = 68;

/// The layout of the file a model came from. Two models of canonical layout, or of none, are alike.
#[derive(Clone, Default)]
pub(crate) enum Retained<L> {
    /// The model was not read from a file.
    #[default]
    None,
    /// The layout that the writer chooses by itself; kept for the offsets that findings name.
    Canonical(Box<L>),
    /// Any other layout.
    Own(Box<L>),
}

impl<L> Retained<L> {
    pub(crate) fn get(&self) -> Option<&L> {
        match self {
            Self::None => None,
            Self::Canonical(layout) | Self::Own(layout) => Some(layout),
        }
    }
}

impl<L: PartialEq> PartialEq for Retained<L> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Own(a), Self::Own(b)) => a == b,
            (Self::Own(_), _) | (_, Self::Own(_)) => false,
            _ => true,
        }
    }
}

impl<L: Eq> Eq for Retained<L> {}

impl<L> fmt::Debug for Retained<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None | Self::Canonical(_) => "canonical",
            Self::Own(_) => "own",
        })
    }
}

/// Offsets of everything, and what they were computed for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The header's claim.
    pub filesize: u32,
    /// The file's real size.
    pub size: u64,
    pub num_bones: u32,
    pub ofs_bones: u32,
    pub ofs_meshes: u32,
    pub ofs_frames: u32,
    pub num_frames: u32,
    pub meshes: Vec<MeshLayout>,
    /// Offset of each distinct pose.
    pub poses: Vec<u32>,
    pub gaps: Gaps,
}

/// Offsets of one mesh's sections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MeshLayout {
    pub vertices_len: u64,
    pub num_verts: u32,
    pub num_tris: u32,
    pub ofs_verts: u32,
    pub ofs_texcoords: u32,
    pub ofs_indices: u32,
    pub ofs_groupids: u32,
}

impl Layout {
    /// True when every section of `model` has the size that it had when this layout was made.
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

    /// True when a strict reader accepts what the header claims: the file is as long as it says, and every
    /// section lies within that.
    pub(crate) fn is_sound(&self) -> bool {
        u64::from(self.filesize) <= self.size && self.ends().all(|end| end <= u64::from(self.filesize))
    }

    fn ends(&self) -> impl Iterator<Item = u64> + '_ {
        let table =
            |ofs: u32, count: u64, size: u64| u64::from(ofs).saturating_add(count.saturating_mul(size));
        let pose = u64::from(self.num_bones).saturating_mul(BonePose::SIZE);
        let meshes = self.meshes.iter().flat_map(move |m| {
            let (verts, tris) = (u64::from(m.num_verts), u64::from(m.num_tris));
            [
                table(m.ofs_verts, 1, m.vertices_len),
                table(m.ofs_texcoords, verts, 8),
                table(m.ofs_indices, tris, 12),
                table(m.ofs_groupids, tris, 4),
            ]
        });
        let poses = self.poses.iter().map(move |&ofs| table(ofs, 1, pose));
        [
            HEADER,
            table(self.ofs_bones, self.num_bones.into(), BONE),
            table(self.ofs_meshes, self.meshes.len() as u64, MESH),
            table(self.ofs_frames, self.num_frames.into(), FRAME),
        ]
        .into_iter()
        .chain(meshes)
        .chain(poses)
    }

    /// The layout of the dpmodel compiler: header, bones, mesh headers, frame headers, then per mesh its
    /// vertices, texture coordinates, indices and group ids, then the poses. A section that several meshes
    /// share is written once.
    pub(crate) fn canonical(model: &Dpm) -> Result<Self, WriteError> {
        let mut at = Allocator(HEADER);
        let num_bones = count("bones", model.bones.len())?;
        let num_frames = count("frames", model.frames.len())?;
        let meshes_path = Path::ROOT.field("meshes");
        count("meshes", model.meshes.len())?;
        let ofs_bones = at.take(&Path::ROOT.field("bones"), u64::from(num_bones).saturating_mul(BONE))?;
        let ofs_meshes = at.take(&meshes_path, (model.meshes.len() as u64).saturating_mul(MESH))?;
        let ofs_frames = at.take(&Path::ROOT.field("frames"), u64::from(num_frames).saturating_mul(FRAME))?;
        let mut shared: [BTreeMap<usize, u32>; 4] = Default::default();
        let mut meshes = Vec::with_capacity(model.meshes.len());
        for (i, mesh) in model.meshes.iter().enumerate() {
            let path = meshes_path.index(i);
            let vertices_len = mesh.vertices.stored_len();
            let (num_verts, num_tris) = (mesh.vertices.len(), mesh.triangles.len());
            let sections = [
                (Arc::as_ptr(&mesh.vertices).addr(), vertices_len),
                (Arc::as_ptr(&mesh.texcoords).addr(), (mesh.texcoords.len() as u64).saturating_mul(8)),
                (Arc::as_ptr(&mesh.triangles).addr(), (num_tris as u64).saturating_mul(12)),
                (Arc::as_ptr(&mesh.groupids).addr(), (mesh.groupids.len() as u64).saturating_mul(4)),
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
        let pose = u64::from(num_bones).saturating_mul(BonePose::SIZE);
        let path = Path::ROOT.field("poses");
        let poses =
            (0..model.pose_count()).map(|i| at.take(&path.index(i), pose)).collect::<Result<Vec<_>, _>>()?;
        let filesize = WriteError::fit(&Path::ROOT, "file size", at.0, u32::MAX)?;
        Ok(Self {
            filesize,
            size: at.0,
            num_bones,
            ofs_bones,
            ofs_meshes,
            ofs_frames,
            num_frames,
            meshes,
            poses,
            gaps: Gaps::default(),
        })
    }
}

/// A table's length in the 32 bits that the format has for it.
pub(crate) fn count(what: &'static str, n: usize) -> Result<u32, WriteError> {
    WriteError::fit(&Path::ROOT.field(what), what, n as u64, u32::MAX)
}

/// The end of what has been laid out so far.
pub(crate) struct Allocator(pub(crate) u64);

impl Allocator {
    /// The offset of `len` bytes put at the end.
    pub(crate) fn take(&mut self, path: &Path<'_>, len: u64) -> Result<u32, WriteError> {
        let start = WriteError::fit(path, "offset", self.0, u32::MAX)?;
        self.0 = self.0.saturating_add(len);
        Ok(start)
    }
}
