//! The tables of a document. Every index in them is valid.

use super::codes::{Code, codes};
use super::material::{Material, Texture, TextureSampler};
use std::borrow::Cow;

/// The number type of an accessor's components.
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
    /// Returns the size in bytes.
    pub const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

codes!(ComponentType: u64 { I8 = 5120, U8 = 5121, I16 = 5122, U16 = 5123, U32 = 5125, F32 = 5126 });

/// The shape of an accessor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// One number.
    Scalar,
    /// Two numbers.
    Vec2,
    /// Three numbers.
    Vec3,
    /// Four numbers.
    Vec4,
    /// A matrix with two columns and two rows.
    Mat2,
    /// A matrix with three columns and three rows.
    Mat3,
    /// A matrix with four columns and four rows.
    Mat4,
}

impl ElementType {
    /// Returns the number of columns, and of numbers per column.
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

    /// Returns the number of components of an element.
    pub const fn components(self) -> usize {
        let (columns, rows) = self.shape();
        columns.saturating_mul(rows)
    }
}

codes!(ElementType: &'static str {
    Scalar = "SCALAR",
    Vec2 = "VEC2",
    Vec3 = "VEC3",
    Vec4 = "VEC4",
    Mat2 = "MAT2",
    Mat3 = "MAT3",
    Mat4 = "MAT4",
});

/// An array of numbers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Accessor {
    /// The view with the elements; without a view, all numbers are 0.
    pub view: Option<usize>,
    /// The offset in the view, in bytes.
    pub offset: u64,
    /// The type of the numbers.
    pub component: ComponentType,
    /// True if integers represent numbers from 0 (signed: -1) to 1.
    pub normalized: bool,
    /// The number of elements.
    pub count: usize,
    /// The shape of the elements.
    pub element: ElementType,
    /// The stated minimum of each component; empty if not stated.
    pub min: Vec<f64>,
    /// The stated maximum of each component; empty if not stated.
    pub max: Vec<f64>,
    /// Replacements for some elements.
    pub sparse: Option<Sparse>,
}

impl Accessor {
    /// Creates an accessor without bounds.
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

/// Replacements for some elements of an accessor.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sparse {
    /// The number of replaced elements.
    pub count: usize,
    /// The view with the indices of the replaced elements.
    pub indices_view: usize,
    /// Offset of the indices in that view, in bytes.
    pub indices_offset: u64,
    /// The type of the indices.
    pub index_type: ComponentType,
    /// The view with the new values.
    pub values_view: usize,
    /// Offset of the values in that view, in bytes.
    pub values_offset: u64,
}

/// A block of bytes, inside or outside the file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Buffer<'a> {
    /// The length in bytes.
    pub length: u64,
    /// The URI of the bytes. The first buffer of a GLB has none if it is the binary chunk.
    pub uri: Option<Cow<'a, str>>,
    /// True if only compressed views use the buffer, so that it may have no bytes.
    pub(crate) fallback: bool,
}

/// A part of a buffer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct View {
    /// Index of the buffer.
    pub buffer: usize,
    /// Offset in the buffer, in bytes.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// Bytes from the start of one element to the next; `None` if they are packed.
    pub stride: Option<usize>,
    /// The stated use on the graphics card.
    pub target: Option<Target>,
    /// The compressed stream that the bytes are decoded from. It is set only if the caller supports
    /// `EXT_meshopt_compression`.
    pub compressed: Option<Compressed>,
}

/// The use of a view on the graphics card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Vertex attributes.
    Vertices,
    /// Vertex indices.
    Indices,
}

codes!(Target: u64 { Vertices = 34_962, Indices = 34_963 });

/// The compressed stream of a view.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compressed {
    /// Index of the buffer with the stream.
    pub buffer: usize,
    /// Offset in the buffer, in bytes.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// Bytes of a decoded element.
    pub stride: usize,
    /// Number of elements.
    pub count: usize,
    /// The encoding of the stream.
    pub mode: CompressionMode,
    /// The conversion of the decoded elements.
    pub filter: CompressionFilter,
}

/// The encoding of a compressed view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompressionMode {
    /// Each byte is a difference from the element before.
    Attributes,
    /// Triangles that share edges.
    Triangles,
    /// Indices that differ little from those before.
    Indices,
}

codes!(CompressionMode: &'static str { Attributes = "ATTRIBUTES", Triangles = "TRIANGLES", Indices = "INDICES" });

/// The conversion of a compressed view's elements after decoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CompressionFilter {
    /// No conversion.
    #[default]
    None,
    /// Unit vectors are in octahedral coding.
    Octahedral,
    /// Unit quaternions are stored without their largest component.
    Quaternion,
    /// Floats have a 24-bit mantissa and an 8-bit exponent.
    Exponential,
}

codes!(CompressionFilter: &'static str {
    None = "NONE",
    Octahedral = "OCTAHEDRAL",
    Quaternion = "QUATERNION",
    Exponential = "EXPONENTIAL",
});

/// The transform of a node relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transform {
    /// A matrix in column order.
    Matrix([f32; 16]),
    /// Translation, rotation and scale.
    Parts {
        /// The translation, applied last.
        translation: [f32; 3],
        /// A quaternion in the order x, y, z, w.
        rotation: [f32; 4],
        /// The scale, applied first.
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
    /// The name; empty if there is none.
    pub name: Cow<'a, str>,
    /// The parent node.
    pub parent: Option<usize>,
    /// The child nodes.
    pub children: Vec<usize>,
    /// The transform relative to the parent.
    pub transform: Transform,
    /// The mesh that the node draws.
    pub mesh: Option<usize>,
    /// The skin that moves the vertices of the mesh.
    pub skin: Option<usize>,
    /// `extras` as JSON, for writing. In a document that was read, they are only in its JSON.
    pub(crate) extras: Option<String>,
}

/// A scene: the nodes that are drawn together.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Scene<'a> {
    /// The name; empty if there is none.
    pub name: Cow<'a, str>,
    /// The root nodes.
    pub nodes: Vec<usize>,
    /// `extras` as JSON, for writing. In a document that was read, they are only in its JSON.
    pub(crate) extras: Option<String>,
}

/// A mesh.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mesh<'a> {
    /// The name; empty if there is none.
    pub name: Cow<'a, str>,
    /// The parts of the mesh.
    pub primitives: Vec<Primitive<'a>>,
    /// `extras` as JSON, for writing. In a document that was read, they are only in its JSON.
    pub(crate) extras: Option<String>,
}

/// A part of a mesh with one material.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Primitive<'a> {
    /// The attributes and their accessors, in the order of [`Semantic`]. All accessors have the same length.
    pub attributes: Vec<(Semantic<'a>, usize)>,
    /// The accessor of the vertex indices.
    pub indices: Option<usize>,
    /// Index of the material.
    pub material: Option<usize>,
    /// The type of shapes that are drawn.
    pub mode: Mode,
    /// The morph targets: for each, the attributes that it changes and the accessors of the differences.
    pub targets: Vec<Vec<(Semantic<'a>, usize)>>,
    /// The materials of the primitive in variants of the model.
    pub variants: Vec<VariantUse>,
    /// True if the attributes are in a compression extension that only some readers can decode.
    pub compressed: bool,
}

/// The material of a primitive in some variants of the model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VariantUse {
    /// Index of the material.
    pub material: usize,
    /// Indices of the variants.
    pub variants: Vec<usize>,
}

impl Primitive<'_> {
    /// Returns the accessor of an attribute.
    pub fn get(&self, semantic: &Semantic<'_>) -> Option<usize> {
        let at = self.attributes.binary_search_by(|(s, _)| s.cmp(semantic)).ok()?;
        self.attributes.get(at).map(|(_, accessor)| *accessor)
    }
}

/// The meaning of an attribute.
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
    /// An attribute with any other name.
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

/// The shapes that the vertices of a primitive form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Each vertex is a point.
    Points,
    /// Every two vertices are a line.
    Lines,
    /// A connected line that ends where it begins.
    LineLoop,
    /// A connected line.
    LineStrip,
    /// Every three vertices are a triangle.
    #[default]
    Triangles,
    /// Each vertex forms a triangle with the two before it.
    TriangleStrip,
    /// Each vertex forms a triangle with the one before it and the first.
    TriangleFan,
}

codes!(Mode: u64 {
    Points = 0,
    Lines = 1,
    LineLoop = 2,
    LineStrip = 3,
    Triangles = 4,
    TriangleStrip = 5,
    TriangleFan = 6,
});

/// A skin: joints that move vertices.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Skin<'a> {
    /// The name; empty if there is none.
    pub name: Cow<'a, str>,
    /// The joint nodes, each once.
    pub joints: Vec<usize>,
    /// The accessor of the inverse bind matrices, at least one per joint. Without it they are identities.
    pub inverse_bind: Option<usize>,
    /// A common ancestor of the joints; only a hint.
    pub skeleton: Option<usize>,
}

/// An animation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Animation<'a> {
    /// The name; empty if there is none.
    pub name: Cow<'a, str>,
    /// The animated properties.
    pub channels: Vec<Channel>,
    /// The keys and their interpolation.
    pub samplers: Vec<Sampler>,
    /// `extras` as JSON, for writing. In a document that was read, they are only in its JSON.
    pub(crate) extras: Option<String>,
}

/// A node property that an animation changes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Channel {
    /// Index of the sampler in the animation.
    pub sampler: usize,
    /// The node. A channel without a node is ignored.
    pub node: Option<usize>,
    /// The property of the node.
    pub property: Property,
}

/// A node property that can be animated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// The translation.
    Translation,
    /// The rotation.
    Rotation,
    /// The scale.
    Scale,
    /// The weights of the morph targets of the node's mesh.
    Weights,
    /// A property that an extension names.
    Pointer,
}

codes!(Property: &'static str {
    Translation = "translation",
    Rotation = "rotation",
    Scale = "scale",
    Weights = "weights",
    Pointer = "pointer",
});

/// Keys and their interpolation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sampler {
    /// The accessor of the times.
    pub input: usize,
    /// The accessor of the values.
    pub output: usize,
    /// The interpolation between two keys.
    pub interpolation: Interpolation,
}

/// The interpolation between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Linear; spherical for rotations.
    #[default]
    Linear,
    /// The value of the earlier key.
    Step,
    /// A cubic spline. Each key has three values: the tangent before it, its value, the tangent after it.
    CubicSpline,
}

codes!(Interpolation: &'static str { Linear = "LINEAR", Step = "STEP", CubicSpline = "CUBICSPLINE" });

/// An image.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Image<'a> {
    /// The name; empty if there is none.
    pub name: Cow<'a, str>,
    /// The stated media type.
    pub mime_type: Option<Cow<'a, str>>,
    /// The location of the bytes.
    pub source: ImageSource<'a>,
}

/// The location of an image's bytes.
#[derive(Clone, Debug)]
pub enum ImageSource<'a> {
    /// A view.
    View(usize),
    /// Embedded data, or a file next to the document.
    Uri(Cow<'a, str>),
    /// No readable location.
    Missing,
}

/// All tables of a document.
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
    /// The names of the material variants.
    pub(crate) variants: Vec<Cow<'a, str>>,
    /// The nodes, parents first. It is set only in tables that were read.
    pub(crate) order: Vec<usize>,
}
