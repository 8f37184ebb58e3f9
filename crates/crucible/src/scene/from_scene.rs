//! Converts a scene to chunks.
#![allow(clippy::arithmetic_side_effects, reason = "works on scenes that were checked before")]

use crate::chunk::model::{AttributeError, Chunk};
use crate::chunk::record::{Attribute, Dialect};
use crate::chunk::view::{BoneWeight, put_bone_weights};
use crate::cmodel::model::CModel;
use crate::scene::target::CrucibleTarget;
use crate::scene::to_scene::{AXES, SCREEN, was_plane};
use crate::skeleton::model::SkeletonChunk;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use meshwright_core::{F32, FileFormat};
use meshwright_scene::flatten::fill_attributes;
use meshwright_scene::{
    Affine, AxisMap, Budget, ConvertError, Converted, Drawable, Drawables, FromSceneOptions, LimitExceeded,
    Loss, Mesh, Scene, Skeleton, SkeletonId, Skin, Tangents, Unsupported,
};

/// Converts the axes of 3D chunks to those of 2D chunks.
const TO_SCREEN: AxisMap = AxisMap::new([0, 1, 2], [-1.0, 1.0, -1.0], 1.0);

/// The maximum number of bones of a vertex.
const INFLUENCES: usize = 4;

impl CModel<'static> {
    /// Converts a scene to a container with a chunk for every mesh that a node draws, with node transforms
    /// applied to its vertices. By default the finest level of detail is converted.
    ///
    /// The skeletons of the scene are joined into one, unless the options choose one; then the weights of
    /// others are lost. [`SkeletonChunk::from_scene`](crate::SkeletonChunk::from_scene) makes a file of the
    /// skeleton. The weights of a vertex sum to 1.
    ///
    /// # Errors
    /// If the scene breaks its own rules, if a bone number exceeds the dialect's range, or if the container
    /// would take more than the limits allow.
    pub fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<CrucibleTarget>,
    ) -> Result<Converted<Self>, ConvertError> {
        let budget = options.budget();
        let (scene, losses) = one_skeleton(scene, options, &budget)?;
        let mut work = ChunkConversion::new(&scene, options, losses, &budget)?;
        let model = work.model()?;
        Ok(Converted::new(model, work.losses))
    }
}

impl Chunk<'static> {
    /// Joins all meshes that nodes draw into one chunk, with node transforms applied to the vertices. If only some
    /// meshes have an attribute, the others get a default: colours are white, texture coordinates 0, and vertices
    /// without a bone follow the root. See also [`CModel::from_scene`].
    ///
    /// # Errors
    /// As [`CModel::from_scene`], and if all meshes together have more vertices than 32-bit indices can
    /// address.
    pub fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<CrucibleTarget>,
    ) -> Result<Converted<Self>, ConvertError> {
        let budget = options.budget();
        let (scene, losses) = one_skeleton(scene, options, &budget)?;
        let mut work = ChunkConversion::new(&scene, options, losses, &budget)?;
        let chunk = work.chunk_of_all()?;
        Ok(Converted::new(chunk, work.losses))
    }
}

/// The number of vertices and triangles of a drawn mesh, and the mesh of the scene with the same ones.
#[cfg(feature = "recover")]
#[derive(Clone, Copy)]
pub(super) struct DrawnPart {
    pub(super) mesh: Option<usize>,
    pub(super) vertices: usize,
    pub(super) triangles: usize,
}

/// The conversion of a scene to chunks.
pub(crate) struct ChunkConversion<'s, 'b> {
    dialect: Dialect,
    budget: &'b Budget,
    meshes: Vec<Drawable<'s>>,
    /// True for each mesh that has 2D positions in the original file and is still flat.
    planes: Vec<bool>,
    /// True if the meshes were converted from glTF's axes to [`AXES`].
    mapped: bool,
    /// The skeleton whose bones the weights refer to.
    skeleton: Option<SkeletonId>,
    /// The bone number of each joint, for each skeleton that was made from bone numbers only.
    numbers: Vec<Option<Vec<u32>>>,
    /// The bone of vertices without weights, for each skeleton that has such vertices.
    roots: Vec<Option<u32>>,
    pub(crate) losses: Vec<Loss>,
}

impl<'s, 'b> ChunkConversion<'s, 'b> {
    pub(crate) fn new(
        scene: &'s Scene,
        options: &FromSceneOptions<CrucibleTarget>,
        mut losses: Vec<Loss>,
        budget: &'b Budget,
    ) -> Result<Self, ConvertError> {
        let target = &options.format;
        let foreign = !is_native(scene);
        let has_tangents = Attribute::Tangent.flag(target.dialect).is_some();
        let wanted = if foreign && has_tangents { Tangents::Down } else { Tangents::Keep };
        let draw = options.draw(scene, &AXES, CrucibleTarget::LEVELS).with_max_influences(INFLUENCES);
        let draw = draw.with_tangents(wanted).with_local(false).with_normalize(foreign);
        let mut drawables = Drawables::new(scene, &draw, budget)?;
        let meshes = drawables.by_ref().collect::<Result<Vec<_>, _>>()?;
        let planes = meshes.iter().map(|m| was_flat(scene, m)).collect();
        let mapped = options.axes(scene, &AXES) != AxisMap::IDENTITY;
        losses.append(&mut drawables.take_losses());
        let tangents = Attribute::Tangent
            .flag(target.dialect)
            .map_or(Unsupported::Tangents, |_| Unsupported::Handedness);
        Unsupported::report(
            &[Unsupported::Materials, Unsupported::Clips, Unsupported::LocalVertices, tangents],
            scene,
            &mut losses,
        );
        let numbers = scene.skeletons.iter().map(|s| bone_numbers(s, budget)).collect::<Result<_, _>>()?;
        let dialect = target.dialect;
        let skeleton = target.skeleton;
        let roots = if foreign { roots(scene) } else { Vec::new() };
        let mut work = Self { dialect, budget, meshes, planes, mapped, skeleton, numbers, roots, losses };
        if work.skeleton.is_none() {
            let mut used = work.meshes.iter().filter_map(|m| Some(m.mesh.skin.as_ref()?.skeleton));
            work.skeleton = used.find(|id| work.numbers_of(*id).is_none());
        }
        Ok(work)
    }

    /// Returns the drawn parts, in order.
    #[cfg(feature = "recover")]
    pub(super) fn parts(&self, scene: &Scene) -> Vec<DrawnPart> {
        let of = |drawable: &Drawable<'_>| {
            let (vertices, triangles) = (drawable.mesh.positions.len(), drawable.mesh.triangles.len());
            let same = |m: &Mesh| (m.positions.len(), m.triangles.len()) == (vertices, triangles);
            let mesh = drawable.id().map(|id| id.0);
            DrawnPart { mesh: mesh.filter(|m| scene.meshes.get(*m).is_some_and(same)), vertices, triangles }
        };
        self.meshes.iter().map(of).collect()
    }

    fn numbers_of(&self, id: SkeletonId) -> Option<&[u32]> {
        self.numbers.get(id.0)?.as_deref()
    }

    /// Converts every mesh to a chunk.
    pub(crate) fn model(&mut self) -> Result<CModel<'static>, ConvertError> {
        let meshes = core::mem::take(&mut self.meshes);
        let mut chunks = self.budget.reserve("chunks", meshes.len())?;
        let all = self.is_plane();
        for (i, mut mesh) in meshes.into_iter().enumerate() {
            let real = |s: &Skin| self.numbers_of(s.skeleton).is_none();
            let flat =
                self.planes.get(i) == Some(&true) && (all || !mesh.mesh.skin.as_ref().is_some_and(real));
            if flat {
                self.turn(&mut mesh);
            }
            chunks.push(self.chunk(vec![mesh.mesh], flat, &format!("meshes[{i}]"))?);
        }
        Ok(CModel::new(chunks))
    }

    /// Returns true if all meshes have 2D positions.
    pub(crate) fn is_plane(&self) -> bool {
        !self.planes.is_empty() && self.planes.iter().all(|p| *p)
    }

    /// Returns the axes of the skeleton.
    pub(crate) fn axes(&self) -> AxisMap {
        if self.is_plane() { SCREEN } else { AXES }
    }

    /// Converts a mesh to the axes of 2D chunks.
    fn turn(&self, drawable: &mut Drawable<'_>) {
        if self.mapped {
            let mesh = drawable.mesh.to_mut();
            mesh.map_axes(&TO_SCREEN);
            mesh.triangles.iter_mut().for_each(|t| t.reverse());
        }
    }

    /// Converts all meshes to one chunk.
    pub(crate) fn chunk_of_all(&mut self) -> Result<Chunk<'static>, ConvertError> {
        let (mut meshes, flat) = (core::mem::take(&mut self.meshes), self.is_plane());
        if flat {
            meshes.iter_mut().for_each(|m| self.turn(m));
        }
        let mut full: Vec<_> =
            meshes.iter_mut().map(|m| &mut m.mesh).filter(|m| !m.positions.is_empty()).collect();
        fill_attributes(&mut full, "meshes", self.budget, &mut self.losses)?;
        let filled: Vec<_> = meshes.into_iter().map(|m| m.mesh).filter(|m| !m.positions.is_empty()).collect();
        if filled.len() > 1 {
            let loss = Loss::note("meshes-merged", "meshes", "all meshes became one");
            self.losses.push(loss.with_count(filled.len(), "mesh", "meshes"));
        }
        self.chunk(filled, flat, "meshes")
    }

    /// Converts meshes to one chunk. Each array of a copied mesh is freed after it is encoded.
    fn chunk(
        &mut self,
        mut meshes: Vec<Cow<'_, Mesh>>,
        flat: bool,
        path: &str,
    ) -> Result<Chunk<'static>, ConvertError> {
        let mut chunk = Chunk::new(self.dialect);
        chunk.set_indices(&self.indices(&meshes, path)?);
        free_array(&mut meshes, |m| m.triangles = Vec::new());
        let set = |chunk: &mut Chunk<'static>, attribute, data| {
            chunk.set(attribute, data).map_err(|e| unsupported_attribute(path, &e))
        };
        if flat {
            let points = self.joined(&meshes, |m| &m.positions, 2)?;
            set(&mut chunk, Attribute::Position2, points)?;
        } else {
            let points = self.joined(&meshes, |m| &m.positions, 3)?;
            set(&mut chunk, Attribute::Position3, points)?;
        }
        let (mut losses, has) = (Vec::new(), |a| Attribute::flag(a, self.dialect).is_some());
        if all_have(&meshes, path, "normals", &mut losses, &|m| !m.normals.is_empty()) {
            let normals = self.joined(&meshes, |m| &m.normals, 3)?;
            set(&mut chunk, Attribute::Normal, normals)?;
            free_array(&mut meshes, |m| m.normals = Vec::new());
        }
        if all_have(&meshes, path, "texture coordinates", &mut losses, &|m| !m.uvs.is_empty()) {
            set(&mut chunk, Attribute::Uv, self.joined(&meshes, |m| &m.uvs, 2)?)?;
            free_array(&mut meshes, |m| m.uvs = Vec::new());
        }
        if has(Attribute::Tangent)
            && all_have(&meshes, path, "tangents", &mut losses, &|m| !m.tangents.is_empty())
        {
            let tangents = self.joined(&meshes, |m| &m.tangents, 3)?;
            set(&mut chunk, Attribute::Tangent, tangents)?;
            free_array(&mut meshes, |m| m.tangents = Vec::new());
        }
        if meshes.iter().any(|m| !m.colors.is_empty()) {
            set(&mut chunk, Attribute::Color, self.colors(&meshes)?)?;
            free_array(&mut meshes, |m| m.colors = Vec::new());
        }
        let foreign = meshes.iter().filter(|m| m.skin.as_ref().is_some_and(|s| !self.is_named(s))).count();
        if foreign > 0 {
            let message = "weights name bones of another skeleton than the file's";
            losses.push(Loss::new("skins-dropped", path, message).with_count(foreign, "mesh", "meshes"));
        }
        let named = |m: &Mesh| m.skin.as_ref().is_some_and(|s| self.is_named(s));
        let root = self.skeleton.filter(|_| meshes.iter().any(|m| named(m))).and_then(|s| self.root(s));
        let bound = |m: &Mesh| named(m) || root.is_some();
        if all_have(&meshes, path, "bone weights", &mut losses, &bound) {
            let weights = self.weights(&meshes, root, path, &mut losses)?;
            set(&mut chunk, Attribute::BoneWeights, weights)?;
        }
        self.losses.append(&mut losses);
        Ok(chunk)
    }

    fn indices(&self, meshes: &[Cow<'_, Mesh>], path: &str) -> Result<Vec<u32>, ConvertError> {
        let beyond = || ConvertError::unsupported(path, "more vertices than 32 bits can number");
        let count = sum(meshes, |m| m.triangles.len() * 3);
        // The decoded stream needs the same memory again.
        self.budget.charge_items("indices", count as u64, 4)?;
        let mut indices = self.budget.reserve("indices", count)?;
        let mut base = 0_u32;
        for mesh in meshes {
            for corner in mesh.triangles.as_flattened() {
                indices.push(base.checked_add(*corner).ok_or_else(beyond)?);
            }
            let n = u32::try_from(mesh.positions.len()).map_err(|_| beyond())?;
            base = base.checked_add(n).ok_or_else(beyond)?;
        }
        Ok(indices)
    }

    /// Joins an array of all meshes to one stream, with the first `kept` numbers of each item.
    fn joined<const N: usize>(
        &self,
        meshes: &[Cow<'_, Mesh>],
        of: fn(&Mesh) -> &[[f32; N]],
        kept: usize,
    ) -> Result<Vec<u8>, LimitExceeded> {
        let count = sum(meshes, |m| of(m).len());
        let mut data = self.budget.reserve("streams", count.saturating_mul(4 * kept))?;
        for mesh in meshes {
            for item in of(mesh) {
                item.iter().take(kept).for_each(|number| data.extend_from_slice(&number.to_le_bytes()));
            }
        }
        Ok(data)
    }

    fn colors(&self, meshes: &[Cow<'_, Mesh>]) -> Result<Vec<u8>, LimitExceeded> {
        let mut data = self.budget.reserve("streams", sum(meshes, |m| m.positions.len() * 4))?;
        for mesh in meshes {
            data.extend(mesh.colors.iter().flat_map(|c| mesh.color_encoding.to_srgb(*c)));
            let made_up = if mesh.colors.is_empty() { mesh.positions.len() * 4 } else { 0 };
            data.extend(core::iter::repeat_n(255, made_up));
        }
        Ok(data)
    }

    /// Returns true if the joints of a skin have bone numbers in the file.
    fn is_named(&self, skin: &Skin) -> bool {
        self.skeleton == Some(skin.skeleton) || self.numbers_of(skin.skeleton).is_some()
    }

    /// Returns the bone for vertices without weights.
    fn root(&self, id: SkeletonId) -> Option<u32> {
        self.roots.get(id.0).copied().flatten()
    }

    fn weights(
        &self,
        meshes: &[Cow<'_, Mesh>],
        root: Option<u32>,
        path: &str,
        losses: &mut Vec<Loss>,
    ) -> Result<Vec<u8>, ConvertError> {
        let size = Attribute::BoneWeights.size(self.dialect);
        let count = sum(meshes, |m| m.positions.len());
        let mut data = self.budget.reserve("streams", count.saturating_mul(size))?;
        let (mut number, mut unbound) = (0, 0);
        for mesh in meshes {
            let skin = mesh.skin.as_ref().filter(|s| self.is_named(s));
            let numbers =
                skin.and_then(|s| self.numbers_of(s.skeleton).filter(|_| self.skeleton != Some(s.skeleton)));
            for vertex in 0..mesh.positions.len() {
                let mut four = [BoneWeight::default(); INFLUENCES];
                let row = skin.map_or(&[][..], |s| s.influences(vertex));
                let used = || row.iter().filter(|i| i.weight != 0.0);
                for (to, from) in four.iter_mut().zip(used()) {
                    let bone = numbers
                        .map_or(from.joint, |n| n.get(from.joint as usize).copied().unwrap_or(from.joint));
                    *to = BoneWeight { bone, influence: F32::new(from.weight) };
                }
                if let Some(root) = root.filter(|_| used().next().is_none()) {
                    unbound += 1;
                    four[0] = BoneWeight { bone: root, influence: F32::new(1.0) };
                }
                put_bone_weights(self.dialect, number, &four, &mut data)
                    .map_err(|e| unsupported_attribute(path, &e))?;
                number += 1;
            }
        }
        if unbound > 0 {
            let message = "vertices without weights were bound to the root";
            losses
                .push(Loss::new("vertices-unbound", path, message).with_count(unbound, "vertex", "vertices"));
        }
        Ok(data)
    }

    /// Returns the skeleton to write: the one that weights refer to, otherwise the first real one. Also
    /// returns the number of other skeletons.
    pub(crate) fn skeleton(&self) -> Option<(SkeletonId, usize)> {
        let real =
            || self.numbers.iter().enumerate().filter(|(_, n)| n.is_none()).map(|(i, _)| SkeletonId(i));
        let id = self.skeleton.or_else(|| real().next())?;
        Some((id, real().filter(|other| *other != id).count()))
    }
}

/// Returns whether a scene was read from one of these formats; then its weights and attributes stay
/// unchanged.
fn is_native(scene: &Scene) -> bool {
    [<Chunk<'_> as FileFormat>::ID, <CModel<'_> as FileFormat>::ID, <SkeletonChunk as FileFormat>::ID]
        .contains(&scene.format.as_str())
}

/// Returns the root of each skeleton. If there are several roots, it is the root that the conversion adds
/// above them.
fn roots(scene: &Scene) -> Vec<Option<u32>> {
    let root = |skeleton: &Skeleton| {
        let mut roots = skeleton.joints.iter().enumerate().filter(|(_, j)| j.parent.is_none());
        let found = match (roots.next(), roots.next()) {
            (Some((only, _)), None) => only,
            _ => skeleton.joints.len(),
        };
        u32::try_from(found).ok()
    };
    scene.skeletons.iter().map(root).collect()
}

/// Joins the skeletons of the scene, unless the options choose one. Skeletons that only number the bones of
/// chunks are not joined.
pub(crate) fn one_skeleton<'s>(
    scene: &'s Scene,
    options: &FromSceneOptions<CrucibleTarget>,
    budget: &Budget,
) -> Result<(Cow<'s, Scene>, Vec<Loss>), ConvertError> {
    scene.validate()?;
    let mut losses = Vec::new();
    if options.format.skeleton.is_some() {
        return Ok((Cow::Borrowed(scene), losses));
    }
    let numbers = scene.skeletons.iter().map(|s| bone_numbers(s, budget)).collect::<Result<Vec<_>, _>>()?;
    let real = |id: SkeletonId| numbers.get(id.0).is_some_and(Option::is_none);
    let scene = Scene::with_one_skeleton(Cow::Borrowed(scene), real, budget, &mut losses)?;
    Ok((scene, losses))
}

/// Returns true if a mesh had 2D positions and is still flat.
fn was_flat(scene: &Scene, drawable: &Drawable<'_>) -> bool {
    let mut sources = drawable.sources.iter().map(|s| scene.meshes.get(s.mesh.0));
    let marked = |m: Option<&Mesh>| m.is_some_and(|m| was_plane(m.extras.as_ref()));
    !drawable.sources.is_empty() && sources.all(marked) && drawable.mesh.positions.iter().all(|p| p[2] == 0.0)
}

fn unsupported_attribute(path: &str, e: &AttributeError) -> ConvertError {
    ConvertError::unsupported(path, e.to_string())
}

fn sum(meshes: &[Cow<'_, Mesh>], of: impl Fn(&Mesh) -> usize) -> usize {
    meshes.iter().map(|m| of(m)).fold(0, usize::saturating_add)
}

/// Frees an array of each mesh that is a copy.
fn free_array(meshes: &mut [Cow<'_, Mesh>], array: impl Fn(&mut Mesh)) {
    for mesh in meshes {
        if let Cow::Owned(mesh) = mesh {
            array(mesh);
        }
    }
}

/// Returns true if every mesh has an attribute, so that the chunk gets it.
fn all_have(
    meshes: &[Cow<'_, Mesh>],
    path: &str,
    what: &'static str,
    losses: &mut Vec<Loss>,
    has: &dyn Fn(&Mesh) -> bool,
) -> bool {
    let with = meshes.iter().filter(|m| has(m)).count();
    if with > 0 && with < meshes.len() {
        losses.push(Loss::new("attribute-dropped", path, format!("{what}: not every mesh has them")));
    }
    with > 0 && with == meshes.len()
}

/// Returns the bone numbers of a skeleton that was made for a chunk without one: its joints are at the
/// origin and are named by bone number. Returns `None` for other skeletons, whose joints are the bones.
pub(super) fn bone_numbers(skeleton: &Skeleton, budget: &Budget) -> Result<Option<Vec<u32>>, LimitExceeded> {
    let mut numbers = vec![];
    for joint in &skeleton.joints {
        let made_up = joint.parent.is_none() && joint.rest.to_affine() == Affine::IDENTITY;
        let Some(number) = bone_number(&joint.name).filter(|_| made_up) else { return Ok(None) };
        if numbers.last().is_some_and(|last| *last >= number) {
            return Ok(None);
        }
        if numbers.is_empty() {
            numbers = budget.reserve("bones", skeleton.joints.len())?;
        }
        numbers.push(number);
    }
    // A single bone at the origin may also be a real skeleton, which gives the same result.
    Ok(Some(numbers).filter(|n| **n != [0]))
}

fn bone_number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("bone")?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !(digits.len() > 1 && digits.starts_with('0'));
    if plain { digits.parse().ok() } else { None }
}
