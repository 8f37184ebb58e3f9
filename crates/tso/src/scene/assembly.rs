//! The files of one character.

use crate::anim::Anim;
use crate::bnd::Bnd;
use crate::mesh::{Geometry, Mesh};
use crate::name::Name;
use crate::skel::Skel;
use crate::ts1::{Bmf, SkinPart, Skn, Suit};
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_scene::SkeletonId;

/// The only skeleton of a scene from files.
pub(crate) const SKELETON: SkeletonId = SkeletonId(0);

/// The content of a file with a mesh, of any kind.
#[derive(Clone, Copy, Debug)]
pub struct FileMesh<'a> {
    /// The vertices and triangles.
    pub geometry: &'a Geometry,
    /// The names of skin and texture, which only files of The Sims 1 have.
    pub names: Option<[&'a Name; 2]>,
}

impl<'a> From<&'a Mesh> for FileMesh<'a> {
    fn from(mesh: &'a Mesh) -> Self {
        Self { geometry: &mesh.geometry, names: None }
    }
}

impl<'a> From<&'a Bmf> for FileMesh<'a> {
    fn from(mesh: &'a Bmf) -> Self {
        Self { geometry: &mesh.geometry, names: Some([&mesh.skin, &mesh.texture]) }
    }
}

impl<'a> From<&'a Skn> for FileMesh<'a> {
    fn from(mesh: &'a Skn) -> Self {
        Self { geometry: &mesh.geometry, names: Some([&mesh.skin, &mesh.texture]) }
    }
}

/// A mesh of an [`Assembly`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Part<'a> {
    /// The name; the file stores none.
    pub name: String,
    /// The mesh.
    pub geometry: &'a Geometry,
    /// The names of skin and texture in its file, which only files of The Sims 1 have.
    pub names: Option<[&'a Name; 2]>,
    /// The name of its texture, which only a `.bnd` or The Sims 1 file knows.
    pub material: Option<String>,
    /// The suit of The Sims 1 that it belongs to, and its record in the suit. They become extras of the mesh.
    pub suit: Option<(&'a Suit, &'a SkinPart)>,
}

impl<'a> Part<'a> {
    /// Returns a mesh without a texture.
    pub fn new(name: impl Into<String>, geometry: &'a Geometry) -> Self {
        Self { name: name.into(), geometry, names: None, material: None, suit: None }
    }

    /// Returns the mesh of a file, with the texture that the file names, if any.
    pub fn from_file(name: impl Into<String>, mesh: FileMesh<'a>) -> Self {
        let texture = mesh.names.map(|[_, texture]| texture.text()).filter(|texture| !texture.is_empty());
        Self { names: mesh.names, material: texture, ..Self::new(name, mesh.geometry) }
    }

    /// Returns the same with the name of its texture.
    #[must_use]
    pub fn with_material(mut self, texture: impl Into<String>) -> Self {
        self.material = Some(texture.into());
        self
    }

    /// Returns the same with the suit that it belongs to, and its record in that.
    #[must_use]
    pub const fn with_suit(mut self, suit: &'a Suit, skin: &'a SkinPart) -> Self {
        self.suit = Some((suit, skin));
        self
    }
}

/// The files of a character: meshes, their common skeleton, animations. Any of them may be missing. They become a scene,
/// and take its edits.
///
/// * Without a skeleton the bones of the meshes become joints at the origin, and vertices stay in the space of their
///   bones; animations cannot be applied.
/// * A bone that the skeleton does not have becomes a joint at the origin.
/// * Names are compared without regard to letter case.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Assembly<'a> {
    /// The name of the whole.
    pub name: String,
    /// Meshes.
    pub parts: Vec<Part<'a>>,
    /// The skeleton.
    pub skeleton: Option<&'a Skel>,
    /// Animations of the skeleton.
    pub animations: Vec<&'a Anim>,
    /// The binding of the first mesh. Scenes have the name of its texture in [`Part::material`].
    pub binding: Option<&'a Bnd>,
    /// Compute normals from the faces instead of using the file's, which are wrong in many files written by FreeSO.
    /// Vertices with the same position and stored normal stay smooth, others keep the edge between them. A stored
    /// normal is kept if it fits its faces as well as the computed one.
    pub recompute_normals: bool,
    /// Use the stored normals of blend vertices in shading, as the format defines it. Otherwise a vertex has only its
    /// own normal: Maxis' exporter gave blend vertices the normals of other vertices.
    pub blend_normals: bool,
}

impl<'a> Assembly<'a> {
    /// Makes an empty assembly.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Returns the same with one more mesh.
    #[must_use]
    pub fn with_part(mut self, part: Part<'a>) -> Self {
        self.parts.push(part);
        self
    }

    /// Returns the same with a skeleton or without.
    #[must_use]
    pub fn with_skeleton(mut self, skeleton: impl Into<Option<&'a Skel>>) -> Self {
        self.skeleton = skeleton.into();
        self
    }

    /// Returns the same with more animations.
    #[must_use]
    pub fn with_animations(mut self, animations: impl IntoIterator<Item = &'a Anim>) -> Self {
        self.animations.extend(animations);
        self
    }

    /// Returns the same with normals computed from faces, or with the file's.
    #[must_use]
    pub fn with_recomputed_normals(mut self, recompute: bool) -> Self {
        self.recompute_normals = recompute;
        self
    }

    /// Returns the same with the stored normals of blend vertices, or without.
    #[must_use]
    pub fn with_blend_normals(mut self, stored: bool) -> Self {
        self.blend_normals = stored;
        self
    }
}
