//! A DPM file as values.

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
/// Every field holds the file's own bits. Where a model came from a file, its layout travels along unseen, so
/// that writing it gives the same bytes; an edit that changes the size of a section gives that up for the
/// layout that the dpmodel compiler writes.
///
/// Space: right-handed, x forward, y left, z up, without a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dpm {
    /// Stored bounds over all frames. Often wrong by far: the original compiler computes them from
    /// unweighted points, before it applies the script's rotation, and with a wrong index.
    pub bounds: Bounds,
    /// Bones, parents before their children.
    pub bones: Vec<Bone>,
    /// Meshes, each with one shader.
    pub meshes: Vec<Mesh>,
    /// Poses that frames refer to, one after the other, each with a matrix per bone: bone `b` of pose `p` is
    /// at `p * bones.len() + b`. Frames that share a pose in the file share it here.
    ///
    /// A file's poses are in the order of their offsets. Every pose is used by some frame.
    pub poses: Vec<BonePose>,
    /// Frames; frame 0 is the pose that the skeleton was bound in.
    pub frames: Vec<Frame>,
    pub(crate) layout: Retained<Layout>,
}

/// A box and two radii around the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Least coordinates.
    pub mins: [F32; 3],
    /// Greatest coordinates.
    pub maxs: [F32; 3],
    /// Radius of a cylinder about the z axis.
    pub yawradius: F32,
    /// Radius of a sphere.
    pub allradius: F32,
}

impl Bounds {
    /// All eight numbers, in file order.
    pub fn values(&self) -> impl Iterator<Item = F32> + Clone {
        let radii = [self.yawradius, self.allradius];
        self.mins.into_iter().chain(self.maxs).chain(radii)
    }
}

/// Triangles of one shader. Meshes that share a section in the file share it here.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Mesh {
    /// The shader: a path without extension, which names the mesh as well. Need not be unique.
    pub shader: Name,
    /// The bones of the vertices, with positions in their spaces.
    pub vertices: Arc<Vertices>,
    /// Texture coordinates, one per vertex; `v` = 0 is the top of the image.
    pub texcoords: Arc<Vec<[F32; 2]>>,
    /// Triangles, counter-clockwise from outside; numbers count the vertices of this mesh.
    pub triangles: Arc<Vec<[u32; 3]>>,
    /// A number per triangle, free for game code.
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

/// Vertices of a mesh: how many influences each has, and all of these in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vertices {
    /// Influences per vertex, at least 1.
    pub counts: Vec<u32>,
    /// The influences of vertex 0, then those of vertex 1, and so on; as many as the counts sum up to.
    pub influences: Vec<Influence>,
}

impl Vertices {
    /// The number of vertices.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// True without vertices.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Adds a vertex; with more influences than 32 bits can count, the rest is left out.
    pub fn push(&mut self, influences: &[Influence]) {
        let count = u32::try_from(influences.len()).unwrap_or(u32::MAX);
        self.counts.push(count);
        self.influences.extend(influences.iter().take(count as usize));
    }

    /// The influences of each vertex in turn.
    pub fn iter(&self) -> VertexIter<'_> {
        VertexIter { counts: self.counts.iter(), influences: &self.influences }
    }

    /// Bytes in a file.
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

/// The influences of each vertex in turn. A count that goes beyond the list yields what is left of it.
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

/// One bone's part in one vertex. Position and normal are in the bone's space and **already multiplied by the
/// influence**; an influence of 0 is common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Influence {
    /// Weighted position.
    pub origin: [F32; 3],
    /// The weight; those of a vertex sum to 1.
    pub influence: F32,
    /// Weighted normal.
    pub normal: [F32; 3],
    /// The number of the bone.
    pub bone: u32,
}

/// The number of a pose in [`Dpm::poses`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoseId(pub u32);

/// A frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its name, usually `<scene>_<number>`.
    pub name: Name,
    /// Stored bounds; engines do not use them.
    pub bounds: Bounds,
    /// Its pose.
    pub pose: PoseId,
}

impl Dpm {
    /// A model that comes from no file, with bounds of 0.
    pub fn new(bones: Vec<Bone>, meshes: Vec<Mesh>, poses: Vec<BonePose>, frames: Vec<Frame>) -> Self {
        Self { bounds: Bounds::default(), bones, meshes, poses, frames, layout: Retained::None }
    }

    /// One pose: a matrix per bone, or `None` where there is no such pose.
    pub fn pose(&self, id: PoseId) -> Option<&[BonePose]> {
        let bones = self.bones.len();
        let start = usize::try_from(id.0).ok()?.checked_mul(bones)?;
        self.poses.get(start..start.checked_add(bones)?)
    }

    /// The pose of a frame.
    pub fn frame_pose(&self, frame: usize) -> Option<&[BonePose]> {
        self.pose(self.frames.get(frame)?.pose)
    }

    /// The number of poses; frames that share one count once.
    pub fn pose_count(&self) -> usize {
        self.poses.len().checked_div(self.bones.len()).unwrap_or(0)
    }

    /// Forgets the layout of the file the model came from, so that it is written in the layout of the
    /// dpmodel compiler.
    pub fn discard_layout(&mut self) {
        self.layout = Retained::None;
    }

    /// True when the model would be written in the layout of the file it came from and that is not the one
    /// of the dpmodel compiler.
    pub fn has_own_layout(&self) -> bool {
        self.layout.original().is_some()
    }
}
