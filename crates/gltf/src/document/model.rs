//! The tables of a document. Every index in them names something that is there.

use super::material::{Material, Texture, TextureSampler};
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

    const ALL: [Self; 6] = [Self::I8, Self::U8, Self::I16, Self::U16, Self::U32, Self::F32];

    pub(super) fn from_number(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.number() == number)
    }

    /// The number that a document has for it.
    pub(super) const fn number(self) -> u64 {
        match self {
            Self::I8 => 5120,
            Self::U8 => 5121,
            Self::I16 => 5122,
            Self::U16 => 5123,
            Self::U32 => 5125,
            Self::F32 => 5126,
        }
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

    const ALL: [Self; 7] =
        [Self::Scalar, Self::Vec2, Self::Vec3, Self::Vec4, Self::Mat2, Self::Mat3, Self::Mat4];

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.name() == name)
    }

    /// The name that a document has for it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "SCALAR",
            Self::Vec2 => "VEC2",
            Self::Vec3 => "VEC3",
            Self::Vec4 => "VEC4",
            Self::Mat2 => "MAT2",
            Self::Mat3 => "MAT3",
            Self::Mat4 => "MAT4",
        }
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
    /// The least of each number of its elements, where that is stated.
    pub min: Vec<f64>,
    /// The greatest of each number of its elements, where that is stated.
    pub max: Vec<f64>,
    /// Elements that are replaced.
    pub sparse: Option<Sparse>,
}

impl Accessor {
    /// Elements of a view.
    pub(crate) fn new(
        (view, offset): (usize, u64),
        count: usize,
        component: ComponentType,
        element: ElementType,
    ) -> Self {
        let (min, max) = (Vec::new(), Vec::new());
        Self {
            view: Some(view),
            offset,
            component,
            normalized: false,
            count,
            element,
            min,
            max,
            sparse: None,
        }
    }
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
    pub(crate) fallback: bool,
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
    /// What a graphics card uses it for, where that is stated.
    pub target: Option<Target>,
    /// Where its bytes are a compressed stream, when the reader of the document knows `EXT_meshopt_compression`.
    pub compressed: Option<Compressed>,
}

/// What a graphics card uses a view for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Attributes of vertices.
    Vertices,
    /// The order of vertices.
    Indices,
}

impl Target {
    pub(super) fn from_number(number: u64) -> Option<Self> {
        [Self::Vertices, Self::Indices].into_iter().find(|own| own.number() == number)
    }

    pub(super) const fn number(self) -> u64 {
        match self {
            Self::Vertices => 34_962,
            Self::Indices => 34_963,
        }
    }
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

impl Default for Transform {
    fn default() -> Self {
        Self::Parts { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}

/// A node.
#[derive(Clone, Debug, Default)]
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
    /// `extras` as JSON, where it is to be written; those that were read are in the document's JSON.
    pub(crate) extras: Option<String>,
}

/// A scene: what is drawn together.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scene<'a> {
    /// Its name, or nothing.
    pub name: Cow<'a, str>,
    /// Its root nodes.
    pub nodes: Vec<usize>,
    /// `extras` as JSON, where it is to be written; those that were read are in the document's JSON.
    pub(crate) extras: Option<String>,
}

/// A mesh.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mesh<'a> {
    /// Its name, or nothing.
    pub name: Cow<'a, str>,
    /// Its parts.
    pub primitives: Vec<Primitive<'a>>,
    /// `extras` as JSON, where it is to be written; those that were read are in the document's JSON.
    pub(crate) extras: Option<String>,
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
    /// Its materials in other looks of the model.
    pub variants: Vec<VariantUse>,
    /// What its attributes are lies in an extension, for readers that know it.
    pub compressed: bool,
}

/// A material that a primitive has in some looks of the model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VariantUse {
    /// The material.
    pub material: usize,
    /// The numbers of the looks.
    pub variants: Vec<usize>,
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
    /// `COLOR_n`.
    Color(u32),
    /// `TEXCOORD_n`.
    TexCoord(u32),
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

impl std::fmt::Display for Semantic<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Position => f.write_str("POSITION"),
            Self::Normal => f.write_str("NORMAL"),
            Self::Tangent => f.write_str("TANGENT"),
            Self::Color(n) => write!(f, "COLOR_{n}"),
            Self::TexCoord(n) => write!(f, "TEXCOORD_{n}"),
            Self::Joints(n) => write!(f, "JOINTS_{n}"),
            Self::Weights(n) => write!(f, "WEIGHTS_{n}"),
            Self::Other(name) => f.write_str(name),
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
    /// `extras` as JSON, where it is to be written; those that were read are in the document's JSON.
    pub(crate) extras: Option<String>,
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

impl Property {
    const ALL: [Self; 5] = [Self::Translation, Self::Rotation, Self::Scale, Self::Weights, Self::Pointer];

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.name() == name)
    }

    /// The name that a document has for it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
            Self::Weights => "weights",
            Self::Pointer => "pointer",
        }
    }
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
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables<'a> {
    /// The program that wrote the document.
    pub(crate) generator: Cow<'a, str>,
    pub(crate) accessors: Vec<Accessor>,
    pub(crate) buffers: Vec<Buffer<'a>>,
    pub(crate) views: Vec<View>,
    pub(crate) nodes: Vec<Node<'a>>,
    pub(crate) scenes: Vec<Scene<'a>>,
    pub(crate) scene: Option<usize>,
    pub(crate) meshes: Vec<Mesh<'a>>,
    pub(crate) skins: Vec<Skin<'a>>,
    pub(crate) animations: Vec<Animation<'a>>,
    pub(crate) images: Vec<Image<'a>>,
    pub(crate) textures: Vec<Texture>,
    pub(crate) texture_samplers: Vec<TextureSampler>,
    pub(crate) materials: Vec<Material<'a>>,
    /// The names of the looks of the model.
    pub(crate) variants: Vec<Cow<'a, str>>,
    /// Nodes, parents first, of tables that were read.
    pub(crate) order: Vec<usize>,
}
