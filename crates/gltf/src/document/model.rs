//! The tables of a document. Every index in them names something that is there.

use std::borrow::Cow;

/// The type of the numbers of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComponentType {
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 16 bits.
    I16,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Float, 32 bits.
    F32,
}

impl ComponentType {
    /// Bytes of one.
    pub const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    pub(super) const fn from_number(number: u64) -> Option<Self> {
        Some(match number {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }
}

/// What the numbers of an accessor make up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// One number.
    Scalar,
    /// Two.
    Vec2,
    /// Three.
    Vec3,
    /// Four.
    Vec4,
    /// Two columns of two.
    Mat2,
    /// Three columns of three.
    Mat3,
    /// Four columns of four.
    Mat4,
}

impl ElementType {
    /// Columns, and numbers in each.
    pub const fn shape(self) -> (usize, usize) {
        match self {
            Self::Scalar => (1, 1),
            Self::Vec2 => (1, 2),
            Self::Vec3 => (1, 3),
            Self::Vec4 => (1, 4),
            Self::Mat2 => (2, 2),
            Self::Mat3 => (3, 3),
            Self::Mat4 => (4, 4),
        }
    }

    /// Numbers of one element.
    pub const fn components(self) -> usize {
        let (columns, rows) = self.shape();
        columns.saturating_mul(rows)
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "SCALAR" => Self::Scalar,
            "VEC2" => Self::Vec2,
            "VEC3" => Self::Vec3,
            "VEC4" => Self::Vec4,
            "MAT2" => Self::Mat2,
            "MAT3" => Self::Mat3,
            "MAT4" => Self::Mat4,
            _ => return None,
        })
    }
}

/// An array of numbers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Accessor {
    /// The view that holds it; without one, all is zero.
    pub view: Option<usize>,
    /// Where in the view it begins.
    pub offset: u64,
    /// The type of its numbers.
    pub component: ComponentType,
    /// Integers stand for numbers from 0 or -1 to 1.
    pub normalized: bool,
    /// Elements.
    pub count: usize,
    /// What the numbers make up.
    pub element: ElementType,
    /// Elements that are replaced.
    pub sparse: Option<Sparse>,
}

/// Elements of an accessor that are replaced by others.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sparse {
    /// How many.
    pub count: usize,
    /// The view of their numbers.
    pub indices_view: usize,
    /// Where in that view they begin.
    pub indices_offset: u64,
    /// The type of their numbers.
    pub index_type: ComponentType,
    /// The view of what replaces them.
    pub values_view: usize,
    /// Where in that view it begins.
    pub values_offset: u64,
}

/// Bytes, somewhere.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Buffer<'a> {
    /// How many are used.
    pub length: u64,
    /// Where they are; the first buffer of a GLB may lie in the file itself.
    pub uri: Option<Cow<'a, str>>,
    /// Only compressed views use it, which say by themselves where their bytes are.
    pub(super) fallback: bool,
}

/// A part of a buffer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct View {
    /// The buffer.
    pub buffer: usize,
    /// Where in the buffer it begins.
    pub offset: u64,
    /// Its bytes.
    pub length: u64,
    /// From the start of one element to the next, where they are not packed.
    pub stride: Option<usize>,
    /// Where its bytes are a compressed stream, when the reader of the document knows `EXT_meshopt_compression`.
    pub compressed: Option<Compressed>,
}

/// A view whose bytes are to be decoded from others.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compressed {
    /// The buffer of the stream.
    pub buffer: usize,
    /// Where in the buffer it begins.
    pub offset: u64,
    /// Its bytes.
    pub length: u64,
    /// Bytes of an element.
    pub stride: usize,
    /// Elements.
    pub count: usize,
    /// How they are stored.
    pub mode: CompressionMode,
    /// What is done with what is decoded.
    pub filter: CompressionFilter,
}

/// How the elements of a compressed view are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompressionMode {
    /// Byte by byte, as differences from the element before.
    Attributes,
    /// As triangles that share edges.
    Triangles,
    /// As numbers that differ little from those before.
    Indices,
}

/// What is done with the elements of a compressed view when they are decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CompressionFilter {
    /// Nothing.
    #[default]
    None,
    /// Unit vectors lie on an octahedron.
    Octahedral,
    /// Unit quaternions lack their largest part.
    Quaternion,
    /// Floats have 24 bits and an exponent.
    Exponential,
}

/// What a node does to the space below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transform {
    /// Four columns.
    Matrix([f32; 16]),
    /// Its parts.
    Parts {
        /// Applied last.
        translation: [f32; 3],
        /// A quaternion, x y z w.
        rotation: [f32; 4],
        /// Applied first.
        scale: [f32; 3],
    },
}

/// A node.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Node<'a> {
    /// Its name, or nothing.
    pub name: Cow<'a, str>,
    /// The node that it is a child of.
    pub parent: Option<usize>,
    /// The nodes below it.
    pub children: Vec<usize>,
    /// Its place relative to its parent.
    pub transform: Transform,
    /// What it draws.
    pub mesh: Option<usize>,
    /// What moves the vertices of what it draws.
    pub skin: Option<usize>,
}

/// A scene: what is drawn together.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scene<'a> {
    /// Its name, or nothing.
    pub name: Cow<'a, str>,
    /// Its root nodes.
    pub nodes: Vec<usize>,
}

/// A mesh.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mesh<'a> {
    /// Its name, or nothing.
    pub name: Cow<'a, str>,
    /// Its parts.
    pub primitives: Vec<Primitive<'a>>,
}

/// A part of a mesh that has one material.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Primitive<'a> {
    /// What its vertices have, by accessors of equal length, in the order of [`Semantic`].
    pub attributes: Vec<(Semantic<'a>, usize)>,
    /// The accessor of its vertices' order.
    pub indices: Option<usize>,
    /// Its material.
    pub material: Option<usize>,
    /// What its vertices make up.
    pub mode: Mode,
    /// What its morph targets add to its attributes.
    pub targets: Vec<Vec<(Semantic<'a>, usize)>>,
    /// What its attributes are lies in an extension, for readers that know it.
    pub compressed: bool,
}

impl Primitive<'_> {
    /// The accessor of an attribute.
    pub fn get(&self, semantic: &Semantic<'_>) -> Option<usize> {
        let at = self.attributes.binary_search_by(|(s, _)| s.cmp(semantic)).ok()?;
        self.attributes.get(at).map(|(_, accessor)| *accessor)
    }
}

/// What an attribute means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Semantic<'a> {
    /// `POSITION`.
    Position,
    /// `NORMAL`.
    Normal,
    /// `TANGENT`.
    Tangent,
    /// `TEXCOORD_n`.
    TexCoord(u32),
    /// `COLOR_n`.
    Color(u32),
    /// `JOINTS_n`.
    Joints(u32),
    /// `WEIGHTS_n`.
    Weights(u32),
    /// Any other.
    Other(Cow<'a, str>),
}

impl<'a> Semantic<'a> {
    pub(super) fn from_name(name: Cow<'a, str>) -> Self {
        match name.as_ref() {
            "POSITION" => return Self::Position,
            "NORMAL" => return Self::Normal,
            "TANGENT" => return Self::Tangent,
            _ => {}
        }
        let plain = |n: &str| n == "0" || (!n.starts_with('0') && n.bytes().all(|b| b.is_ascii_digit()));
        let set = name.rsplit_once('_').filter(|(_, n)| plain(n));
        match set.and_then(|(kind, n)| Some((kind, n.parse().ok()?))) {
            Some(("TEXCOORD", n)) => Self::TexCoord(n),
            Some(("COLOR", n)) => Self::Color(n),
            Some(("JOINTS", n)) => Self::Joints(n),
            Some(("WEIGHTS", n)) => Self::Weights(n),
            _ => Self::Other(name),
        }
    }
}

/// What the vertices of a primitive make up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Each a point.
    Points,
    /// Two and two a line.
    Lines,
    /// One line that ends where it begins.
    LineLoop,
    /// One line.
    LineStrip,
    /// Three and three a triangle.
    #[default]
    Triangles,
    /// Each with the two before it a triangle.
    TriangleStrip,
    /// Each with the one before it and the first a triangle.
    TriangleFan,
}

impl Mode {
    pub(super) const fn from_number(number: u64) -> Option<Self> {
        Some(match number {
            0 => Self::Points,
            1 => Self::Lines,
            2 => Self::LineLoop,
            3 => Self::LineStrip,
            4 => Self::Triangles,
            5 => Self::TriangleStrip,
            6 => Self::TriangleFan,
            _ => return None,
        })
    }
}

/// Joints that move vertices.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Skin<'a> {
    /// Its name, or nothing.
    pub name: Cow<'a, str>,
    /// The nodes, each once.
    pub joints: Vec<usize>,
    /// The accessor of at least as many matrices; identities where there is none.
    pub inverse_bind: Option<usize>,
    /// A node above all joints, as a hint.
    pub skeleton: Option<usize>,
}

/// An animation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Animation<'a> {
    /// Its name, or nothing.
    pub name: Cow<'a, str>,
    /// What it moves.
    pub channels: Vec<Channel>,
    /// How.
    pub samplers: Vec<Sampler>,
}

/// What an animation moves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Channel {
    /// The sampler of the animation.
    pub sampler: usize,
    /// The node; a channel without one is to be passed over.
    pub node: Option<usize>,
    /// What of the node.
    pub property: Property,
}

/// What of a node an animation moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// Where it is.
    Translation,
    /// How it is turned.
    Rotation,
    /// How large it is.
    Scale,
    /// How far the morph targets of its mesh are applied.
    Weights,
    /// What an extension says.
    Pointer,
}

/// Keys, and what lies between them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sampler {
    /// The accessor of times.
    pub input: usize,
    /// The accessor of values.
    pub output: usize,
    /// What lies between two keys.
    pub interpolation: Interpolation,
}

/// What lies between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// A straight way; of rotations, the arc.
    #[default]
    Linear,
    /// The value of the earlier key.
    Step,
    /// A curve by tangents; each key has three values, the tangent into it, its value, the tangent out of it.
    CubicSpline,
}

/// A picture.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Image<'a> {
    /// Its name, or nothing.
    pub name: Cow<'a, str>,
    /// What it says that its bytes are.
    pub mime_type: Option<Cow<'a, str>>,
    /// Where it is.
    pub source: ImageSource<'a>,
}

/// Where a picture is.
#[derive(Clone, Debug)]
pub enum ImageSource<'a> {
    /// In a view.
    View(usize),
    /// Embedded, or in a file beside the document.
    Uri(Cow<'a, str>),
    /// Nowhere that is read.
    Missing,
}

/// All tables.
#[derive(Debug, Default)]
pub(super) struct Tables<'a> {
    pub(super) accessors: Vec<Accessor>,
    pub(super) buffers: Vec<Buffer<'a>>,
    pub(super) views: Vec<View>,
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) scenes: Vec<Scene<'a>>,
    pub(super) scene: Option<usize>,
    pub(super) meshes: Vec<Mesh<'a>>,
    pub(super) skins: Vec<Skin<'a>>,
    pub(super) animations: Vec<Animation<'a>>,
    pub(super) images: Vec<Image<'a>>,
    /// Nodes, parents first.
    pub(super) order: Vec<usize>,
}
