//! The content of a DPM file.

use super::layout::Layout;
use super::record::{influence, vertex};
use crate::bone::{Bone, BonePose, Name};
use crate::record::length;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use meshwright_core::F32;
use meshwright_core::layout::Retained;

/// A DarkPlaces model, type 2: hierarchical skeletal poses.
///
/// Every field has the bits of the file. A model that was read from a file also stores the layout, so that writing it
/// gives the same bytes. An edit that changes the size of a section replaces the layout with that of the dpmodel
/// compiler.
///
/// Space: right-handed, x forward, y left, z up, without a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dpm {
    /// Stored bounds of all frames. They are often wrong: the original compiler computes them from unweighted points,
    /// before it applies the rotation of the script, and with a wrong index.
    pub bounds: Bounds,
    /// Bones, parents before their children.
    pub bones: Vec<Bone>,
    /// Meshes, each with one shader.
    pub meshes: Vec<Mesh>,
    /// The poses one after the other, each with a matrix per bone: bone `b` of pose `p` is at `p *
    /// bones.len() + b`. Frames that share a pose in the file share it here.
    ///
    /// A file's poses are in the order of their offsets. Every pose is used by some frame.
    pub poses: Vec<BonePose>,
    /// Frames. Frame 0 is the bind pose.
    pub frames: Vec<Frame>,
    pub(crate) layout: Retained<Layout>,
}

/// A bounding box, and two radii around the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The minimum coordinates.
    pub mins: [F32; 3],
    /// The maximum coordinates.
    pub maxs: [F32; 3],
    /// The radius of a cylinder around the z axis.
    pub yawradius: F32,
    /// The radius of a sphere around the origin.
    pub allradius: F32,
}

impl Bounds {
    /// Returns all eight numbers in file order.
    pub fn values(&self) -> impl Iterator<Item = F32> + Clone {
        let radii = [self.yawradius, self.allradius];
        self.mins.into_iter().chain(self.maxs).chain(radii)
    }
}

/// The triangles of one shader. Meshes that share a section in the file share it here.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Mesh {
    /// The shader: a path without extension. It is also the name of the mesh, and need not be unique.
    pub shader: Name,
    /// The vertices, stored by influence in the spaces of bones.
    pub vertices: Arc<Vertices>,
    /// Texture coordinates, one per vertex; `v` = 0 is the top of the image.
    pub texcoords: Arc<Vec<[F32; 2]>>,
    /// The triangles, counter-clockwise from outside. Indices refer to the vertices of this mesh.
    pub triangles: Arc<Vec<[u32; 3]>>,
    /// A number per triangle for use by game code.
    pub groupids: Arc<Vec<u32>>,
}

impl fmt::Debug for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mesh")
            .field("shader", &self.shader)
            .field("vertices", &self.vertices.len())
            .field("influences", &self.vertices.influences.len())
            .field("triangles", &self.triangles.len())
            .finish_non_exhaustive()
    }
}

/// The vertices of a mesh: the number of influences of each vertex, and all influences one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vertices {
    /// Influences per vertex, at least 1.
    pub counts: Vec<u32>,
    /// The influences of vertex 0, then those of vertex 1, and so on. Their number is the sum of the counts.
    pub influences: Vec<Influence>,
}

impl Vertices {
    /// Returns the number of vertices.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Returns true if there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Adds a vertex. If it has more influences than 32 bits can count, the rest is omitted.
    pub fn push(&mut self, influences: &[Influence]) {
        let count = u32::try_from(influences.len()).unwrap_or(u32::MAX);
        self.counts.push(count);
        self.influences.extend(influences.iter().take(count as usize));
    }

    /// Iterates over the influences of each vertex.
    pub fn iter(&self) -> VertexIter<'_> {
        VertexIter { counts: self.counts.iter(), influences: &self.influences }
    }

    /// Returns the size in a file, in bytes.
    pub(crate) fn stored_len(&self) -> u64 {
        length(self.counts.len(), vertex::SIZE).saturating_add(length(self.influences.len(), influence::SIZE))
    }
}

impl<V: AsRef<[Influence]>> Extend<V> for Vertices {
    fn extend<I: IntoIterator<Item = V>>(&mut self, vertices: I) {
        vertices.into_iter().for_each(|influences| self.push(influences.as_ref()));
    }
}

impl<V: AsRef<[Influence]>> FromIterator<V> for Vertices {
    fn from_iter<I: IntoIterator<Item = V>>(vertices: I) -> Self {
        let mut all = Self::default();
        all.extend(vertices);
        all
    }
}

impl<'a> IntoIterator for &'a Vertices {
    type Item = &'a [Influence];
    type IntoIter = VertexIter<'a>;

    fn into_iter(self) -> VertexIter<'a> {
        self.iter()
    }
}

/// Iterates over the influences of each vertex. A count beyond the end of the list is reduced to the rest of
/// the list.
#[derive(Clone, Debug)]
pub struct VertexIter<'a> {
    counts: core::slice::Iter<'a, u32>,
    influences: &'a [Influence],
}

impl<'a> Iterator for VertexIter<'a> {
    type Item = &'a [Influence];

    fn next(&mut self) -> Option<&'a [Influence]> {
        let count = *self.counts.next()? as usize;
        let (own, rest) = self.influences.split_at_checked(count).unwrap_or((self.influences, &[]));
        self.influences = rest;
        Some(own)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.counts.size_hint()
    }
}

impl ExactSizeIterator for VertexIter<'_> {}

/// The influence of a bone on a vertex. Position and normal are in the bone's space and **already multiplied
/// by the weight**. A weight of 0 is common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Influence {
    /// Weighted position.
    pub origin: [F32; 3],
    /// Weight. The weights of a vertex sum to 1.
    pub influence: F32,
    /// Weighted normal.
    pub normal: [F32; 3],
    /// Index of the bone.
    pub bone: u32,
}

/// Index of a pose in [`Dpm::poses`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoseId(pub u32);

/// A frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Name, usually `<scene>_<number>`.
    pub name: Name,
    /// Stored bounds; engines do not use them.
    pub bounds: Bounds,
    /// The pose.
    pub pose: PoseId,
}

impl Dpm {
    /// Creates a model without a file layout, with bounds of 0.
    pub fn new(bones: Vec<Bone>, meshes: Vec<Mesh>, poses: Vec<BonePose>, frames: Vec<Frame>) -> Self {
        Self { bounds: Bounds::default(), bones, meshes, poses, frames, layout: Retained::None }
    }

    /// Returns a pose as a matrix per bone, or `None` if the pose does not exist.
    pub fn pose(&self, id: PoseId) -> Option<&[BonePose]> {
        let bones = self.bones.len();
        let start = usize::try_from(id.0).ok()?.checked_mul(bones)?;
        self.poses.get(start..start.checked_add(bones)?)
    }

    /// Returns the pose of a frame.
    pub fn frame_pose(&self, frame: usize) -> Option<&[BonePose]> {
        self.pose(self.frames.get(frame)?.pose)
    }

    /// Returns the number of poses. A pose that several frames share counts once.
    pub fn pose_count(&self) -> usize {
        self.poses.len().checked_div(self.bones.len()).unwrap_or(0)
    }

    /// Discards the layout of the file, so that the model is written in the layout of the dpmodel compiler.
    pub fn discard_layout(&mut self) {
        self.layout = Retained::None;
    }

    /// Returns true if the model would be written in its file's layout, and this differs from that of the
    /// dpmodel compiler.
    pub fn has_own_layout(&self) -> bool {
        self.layout.original().is_some()
    }
}
