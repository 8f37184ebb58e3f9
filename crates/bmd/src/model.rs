//! A BMD1 model as it is stored in the file.

use crate::layout::Layout;
use crate::packed::{MaterialKind, Primitive, Vertex};
use crate::shade::flat_color;
use crate::stream::Stream;
use crate::transform::BoneTransform;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use meshwright_core::NameError;
use meshwright_core::layout::Retained;
use meshwright_core::num::F8A;
use meshwright_core::text::{Escaped, latin1};

/// A model. Lists that the file shares between meshes, and streams that it shares between clips, are shared
/// here too and written once.
///
/// Two models are equal if their content is equal, whatever their offsets in the file.
#[derive(Clone, Debug, Default)]
pub struct Bmd {
    /// Three reserved words of the header, zero in a sound file.
    pub reserved: [u32; 3],
    /// All meshes: drawn meshes, and meshes that only bound bones as solids.
    pub meshes: Vec<Mesh>,
    /// Levels of detail, finest first, each a range of meshes.
    pub lods: Vec<Lod>,
    /// Bones; bone 0 is the base and never moves. Empty in a static model.
    pub bones: Vec<Bone>,
    /// Animations.
    pub clips: Vec<Clip>,
    /// The offsets in the original file. An unchanged model, or one whose sections keep their sizes, is written to
    /// the same offsets.
    pub(crate) layout: Retained<Layout>,
}

impl PartialEq for Bmd {
    fn eq(&self, other: &Self) -> bool {
        self.reserved == other.reserved
            && self.meshes == other.meshes
            && self.lods == other.lods
            && self.bones == other.bones
            && self.clips == other.clips
    }
}

impl Eq for Bmd {}

impl Bmd {
    /// Returns a static model of these meshes, all drawn at every distance.
    pub fn new(meshes: Vec<Mesh>) -> Self {
        Self { meshes, ..Self::default() }
    }

    /// Returns the same model with a skeleton and animations.
    #[must_use]
    pub fn with_bones(mut self, bones: Vec<Bone>, clips: Vec<Clip>) -> Self {
        (self.bones, self.clips) = (bones, clips);
        self
    }

    /// Discards the original offsets, so that the writer uses the layout of the current tool.
    pub fn discard_layout(&mut self) {
        self.layout = Retained::None;
    }

    /// Returns the number of bones in animation streams: all bones except the pseudo-bones, which come last.
    pub fn normal_bones(&self) -> usize {
        let pseudo = self.bones.iter().enumerate().position(|(i, b)| i > 0 && b.is_pseudo());
        pseudo.unwrap_or(self.bones.len())
    }
}

/// A string of the file, without its terminator. Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Name(Arc<[u8]>);

impl Name {
    /// Returns the bytes up to the first NUL.
    pub fn new(bytes: &[u8]) -> Self {
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        Self(bytes.get(..end).unwrap_or_default().into())
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the address of the stored name: clones have the same identity.
    pub(crate) fn identity(&self) -> usize {
        self.0.as_ptr() as usize
    }

    /// Returns the name as ISO 8859-1 text.
    pub fn text(&self) -> String {
        latin1(&self.0)
    }
}

/// Encodes the text as ISO 8859-1.
impl TryFrom<&str> for Name {
    type Error = NameError;

    fn try_from(text: &str) -> Result<Self, NameError> {
        let byte =
            |c: char| u8::try_from(c).ok().filter(|b| *b != 0).ok_or(NameError::Character { character: c });
        text.chars().map(byte).collect::<Result<Vec<u8>, _>>().map(|bytes| Self(bytes.into()))
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, text: &str) -> bool {
        text.chars().eq(self.0.iter().map(|b| char::from(*b)))
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, text: &&str) -> bool {
        *self == **text
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped(&self.0))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped(&self.0))
    }
}

/// Returns the address of a shared list. Equal addresses mean the same list.
pub(crate) fn identity<T>(list: &Arc<T>) -> usize {
    Arc::as_ptr(list) as usize
}

/// A mesh: triangles and quads of one material.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Mesh {
    /// Vertices, each in the space of its bone. At most 65535.
    pub vertices: Arc<Vec<Vertex>>,
    /// Triangles and quads; front faces are counter-clockwise.
    pub primitives: Arc<Vec<Primitive>>,
    /// Texture path, shader name, or `#RRGGBB`; `None` for a mesh that is not drawn.
    pub material: Option<Name>,
    /// The kinds of elements that the lists may hold.
    pub flags: MeshFlags,
    /// The rule for quads in the stored primitive count.
    pub quad_count: QuadCount,
    /// A reserved word, zero in a sound file.
    pub reserved: u32,
}

impl Mesh {
    /// Returns the flat colour that the material name states.
    pub fn flat_color(&self) -> Option<[u8; 3]> {
        self.material.as_ref().and_then(|m| flat_color(m.bytes()))
    }

    /// Returns the kind of the material.
    pub fn material_kind(&self) -> MaterialKind {
        MaterialKind::from_color(self.flat_color())
    }

    /// With fewer vertices than this, all triangles fit 32 bits, and quads count twice.
    pub(crate) const FEW_VERTICES: usize = 1024;

    /// Returns the primitive count that the file stores for `vertices` vertices and these primitives. Quads
    /// count twice if there are fewer than 1024 vertices, otherwise once. [`QuadCount::Other`] reverses
    /// this.
    pub fn stored_count(vertices: usize, primitives: usize, quads: usize, rule: QuadCount) -> usize {
        let twice = (vertices < Self::FEW_VERTICES) == (rule == QuadCount::Described);
        primitives.saturating_add(if twice { quads } else { 0 })
    }
}

impl fmt::Debug for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mesh")
            .field("material", &self.material)
            .field("flags", &self.flags)
            .field("vertices", &Brief(&self.vertices))
            .field("primitives", &Brief(&self.primitives))
            .field("quad_count", &self.quad_count)
            .field("reserved", &self.reserved)
            .finish()
    }
}

/// Shows only the first items of a long list.
struct Brief<'a, T>(&'a [T]);

impl<T: fmt::Debug> fmt::Debug for Brief<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        let mut list = f.debug_list();
        list.entries(self.0.iter().take(SHOWN));
        if self.0.len() > SHOWN {
            list.entry(&format_args!("… {} in all", self.0.len()));
        }
        list.finish()
    }
}

/// The kinds of elements that the lists of a mesh may hold. This is only a restriction, because every
/// element states its kind. The default allows vertices of any kind and all triangles and quads, as the
/// description recommends.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MeshFlags(pub u32);

impl Default for MeshFlags {
    fn default() -> Self {
        Self::ANY
    }
}

impl MeshFlags {
    /// 64, 96 and 128-bit vertices, 32 and 64-bit triangles and quads.
    pub const ANY: Self = Self(0b0101);

    /// Returns the kinds of vertices allowed: 0 for 64-bit, 1 for all, 2 for 128-bit, 3 for 96-bit ones.
    pub const fn vertex_subtype(self) -> u8 {
        (self.0 & 3) as u8
    }

    /// Returns the kinds of primitives allowed: 0 for 32-bit triangles, 1 for all, 2 for 64-bit triangles, 3 for 64-bit
    /// triangles and quads.
    pub const fn primitive_subtype(self) -> u8 {
        (self.0 >> 2 & 3) as u8
    }

    /// Returns the bits without a meaning.
    pub const fn unknown(self) -> u32 {
        self.0 & !0xf
    }

    /// Returns the most restrictive flags for sets of kinds, one bit per kind.
    pub(crate) const fn for_kinds(vertices: u8, primitives: u8) -> Self {
        let v = match vertices {
            0 | 1 => 0,
            2 => 3,
            4 => 2,
            _ => 1,
        };
        let p = match primitives {
            0 | 1 => 0,
            4 => 2,
            8 | 12 => 3,
            _ => 1,
        };
        Self(p << 2 | v)
    }

    /// Returns the kinds of vertices allowed, one bit per kind.
    pub(crate) const fn vertex_kinds(self) -> u8 {
        match self.vertex_subtype() {
            0 => 1,
            1 => 7,
            2 => 4,
            _ => 2,
        }
    }

    /// Returns the kinds of primitives allowed, one bit per kind.
    pub(crate) const fn primitive_kinds(self) -> u8 {
        match self.primitive_subtype() {
            0 => 1,
            1 => 15,
            2 => 4,
            _ => 12,
        }
    }
}

impl fmt::Debug for MeshFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MeshFlags({:#x})", self.0)
    }
}

/// The rule for quads in the stored number of primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum QuadCount {
    /// As described: quads count twice if there are fewer than 1024 vertices, otherwise once. Also used if
    /// the list has no quads.
    #[default]
    Described,
    /// Quads count once if there are fewer than 1024 vertices, otherwise twice. The existing reader uses
    /// this rule.
    Other,
}

/// One level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Lod {
    /// The first mesh.
    pub first: u8,
    /// The number of meshes. In the only level, zero with `first` zero means all meshes.
    pub count: u8,
    /// The smallest scale at which the level is used. The scale at `d` metres is `1 / (d + 1)`.
    pub scale: F8A,
    /// Zero in a sound file.
    pub reserved: u8,
}

impl Lod {
    /// Returns the distance in metres up to which the level is used; `None` for no limit (scale zero or
    /// less).
    pub fn max_distance(&self) -> Option<f64> {
        let scale = f64::from(self.scale.decode());
        (scale > 0.0).then(|| 1.0 / scale - 1.0)
    }
}

/// A bone.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Bone {
    /// Base transform relative to the parent, or the bones that a pseudo-bone follows. Bone 0 has none.
    pub transform: BoneTransform,
    /// The name of the bone.
    pub name: Option<Name>,
    /// The parent bone; 0 is the model, 0xFF marks a pseudo-bone.
    pub parent: u8,
    /// The mesh that bounds the bone; 0 for none.
    pub solid: u8,
    /// Two reserved bytes, zero in a sound file.
    pub reserved: [u8; 2],
}

impl Bone {
    /// The parent byte of a pseudo-bone.
    pub const PSEUDO: u8 = 0xff;

    /// Returns true for a bone that follows others. Bone 0 never does, even if its parent byte says so.
    pub const fn is_pseudo(&self) -> bool {
        self.parent == Self::PSEUDO
    }
}

/// An animation.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Clip {
    /// The name of the animation.
    pub name: Option<Name>,
    /// The number of frames, at least one.
    pub frames: u8,
    /// Rate and looping.
    pub rate: ClipRate,
    /// Two reserved bytes, zero in a sound file.
    pub reserved: [u8; 2],
    /// The keys of every bone except the pseudo-bones.
    pub stream: Arc<Stream>,
}

/// Frames per second, and whether a clip loops.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ClipRate(pub u8);

impl Clip {
    /// Returns the duration. For a looping clip it includes the way from the last frame back to the first.
    /// `None` if the file does not state a rate.
    pub fn seconds(&self) -> Option<f64> {
        let rate = f64::from(self.rate.frames_per_second());
        (rate > 0.0).then(|| f64::from(self.frames) / rate)
    }
}

impl ClipRate {
    /// 10 frames per second, looping: the value that the original tool always writes.
    pub const USUAL: Self = Self(40);

    /// Returns the rate of a looping clip in quarters of a frame per second, 0 to 127; `None` for more.
    pub const fn looping(quarters: u8) -> Option<Self> {
        if quarters > 127 { None } else { Some(Self(quarters)) }
    }

    /// Returns the rate of a clip that plays once.
    #[must_use]
    pub const fn once(self) -> Self {
        Self(self.0 | 0x80)
    }

    /// Returns the frames per second; 0 if the file does not state a rate.
    pub fn frames_per_second(self) -> f32 {
        f32::from(self.0 & 0x7f) / 4.0
    }

    /// Returns whether the clip loops: bit 7 is clear, and the last key is blended into the first.
    pub const fn is_looping(self) -> bool {
        self.0 & 0x80 == 0
    }
}

impl fmt::Debug for ClipRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turn = if self.is_looping() { "looping" } else { "once" };
        write!(f, "ClipRate({} Hz, {turn})", self.frames_per_second())
    }
}
