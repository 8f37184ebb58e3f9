//! From the exchange model to chunks.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

use crate::chunk::model::{AttributeError, Chunk};
use crate::chunk::record::{Attribute, Dialect};
use crate::chunk::view::BoneWeight;
use crate::cmodel::model::CModel;
use crate::scene::to_scene::AXES;
use crate::skeleton::model::{Bone, MAX_BONES, SkeletonChunk};
use crate::skeleton::view::{product, turn_back};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use meshwright_core::{F32, f32s};
use meshwright_scene::{
    Affine, AxisMap, ConvertError, Converted, Loss, Mesh, Scene, SkeletonId, Skin, Space, Trs,
};

/// What a scene is converted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrucibleTarget {
    /// What the attribute flags shall mean: the description's meaning unless said otherwise.
    pub dialect: Dialect,
}

impl CrucibleTarget {
    /// A target of another dialect.
    pub const fn of(dialect: Dialect) -> Self {
        Self { dialect }
    }
}

impl CModel<'static> {
    /// A container with a chunk for every mesh that a node draws, node transforms applied to its vertices.
    pub fn from_scene(scene: &Scene, target: &CrucibleTarget) -> Result<Converted<Self>, ConvertError> {
        let mut losses = Vec::new();
        let meshes = drawn(scene, &mut losses)?;
        let mut model = Self::default();
        for (i, mesh) in meshes.iter().enumerate() {
            let meant = [mesh];
            model.meshes.push(chunk(scene, &meant, target, &format!("meshes[{i}]"), &mut losses)?);
        }
        Ok(Converted::new(model, losses))
    }
}

impl Chunk<'static> {
    /// One chunk of all meshes that nodes draw, node transforms applied to the vertices. An attribute that not
    /// every mesh has is left out, except for colours, which are white where there are none.
    pub fn from_scene(scene: &Scene, target: &CrucibleTarget) -> Result<Converted<Self>, ConvertError> {
        let mut losses = Vec::new();
        let meshes = drawn(scene, &mut losses)?;
        let meant: Vec<_> = meshes.iter().filter(|m| !m.positions.is_empty()).collect();
        if meant.len() > 1 {
            losses.push(Loss::new("meshes-merged", "meshes", format!("{} meshes became one", meant.len())));
        }
        let chunk = chunk(scene, &meant, target, "meshes", &mut losses)?;
        Ok(Converted::new(chunk, losses))
    }
}

fn axes(scene: &Scene) -> AxisMap {
    match scene.space {
        Space::Gltf => AXES.inverse(),
        Space::File => AxisMap::IDENTITY,
    }
}

/// The meshes as they are drawn, in Crucible's axes; what the format has no place for is lost here.
fn drawn(scene: &Scene, losses: &mut Vec<Loss>) -> Result<Vec<Mesh>, ConvertError> {
    scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
    let drawn = scene
        .drawn()
        .ok_or_else(|| ConvertError::invalid("nodes", "parents form a cycle or do not exist"))?;
    let mut lose = |lost: bool, code, path: &str, message: &str| {
        if lost {
            losses.push(Loss::new(code, path, message));
        }
    };
    lose(scene.has_transforms(), "nodes-applied", "nodes", "node transforms were applied to the vertices");
    lose(!scene.materials.is_empty(), "materials-dropped", "materials", "chunks name no materials");
    lose(!scene.clips.is_empty(), "clips-dropped", "clips", "the engine has no file form for motions");
    lose(!scene.levels.is_empty(), "levels-merged", "levels", "all levels of detail are drawn at once");
    lose(scene.undrawn() > 0, "mesh-not-drawn", "meshes", "meshes that no node draws are left out");
    let map = axes(scene);
    let mut meshes = Vec::new();
    for (_, id, matrix) in drawn {
        let Some(mesh) = scene.meshes.get(id.0) else { continue };
        let mut mesh = mesh.baked(&matrix);
        for p in &mut mesh.positions {
            *p = map.point(*p);
        }
        for n in &mut mesh.normals {
            *n = map.direction(*n);
        }
        for [x, y, z, _] in &mut mesh.tangents {
            [*x, *y, *z] = map.direction([*x, *y, *z]);
        }
        for t in &mut mesh.triangles {
            *t = map.triangle(*t);
        }
        meshes.push(mesh);
    }
    Ok(meshes)
}

/// Whether an attribute goes into the chunk: when every mesh has it.
fn shared(
    meshes: &[&Mesh],
    path: &str,
    what: &'static str,
    losses: &mut Vec<Loss>,
    has: impl Fn(&Mesh) -> bool,
) -> bool {
    let with = meshes.iter().filter(|m| has(m)).count();
    if with > 0 && with < meshes.len() {
        losses.push(Loss::new("attribute-dropped", path, format!("{what}: not every mesh has them")));
    }
    with > 0 && with == meshes.len()
}

fn chunk(
    scene: &Scene,
    meshes: &[&Mesh],
    target: &CrucibleTarget,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<Chunk<'static>, ConvertError> {
    let mut chunk = Chunk::new(target.dialect);
    let (mut indices, mut base) = (Vec::new(), 0_u32);
    for mesh in meshes {
        let beyond = || ConvertError::unsupported(path, "more vertices than 32 bits can number");
        for corner in mesh.triangles.iter().flatten() {
            indices.push(base.checked_add(*corner).ok_or_else(beyond)?);
        }
        let n = u32::try_from(mesh.positions.len()).map_err(|_| beyond())?;
        base = base.checked_add(n).ok_or_else(beyond)?;
    }
    chunk.set_indices(&indices);
    let join = |of: fn(&Mesh) -> &[[f32; 3]]| -> Vec<[f32; 3]> {
        meshes.iter().flat_map(|m| of(m).iter().copied()).collect()
    };
    let refused = |e: AttributeError| ConvertError::unsupported(path, e.to_string());
    chunk.set_floats(Attribute::Position3, &join(|m| &m.positions)).map_err(refused)?;
    if shared(meshes, path, "normals", losses, |m| !m.normals.is_empty()) {
        chunk.set_floats(Attribute::Normal, &join(|m| &m.normals)).map_err(refused)?;
    }
    if shared(meshes, path, "texture coordinates", losses, |m| !m.uvs.is_empty()) {
        let uvs: Vec<_> = meshes.iter().flat_map(|m| m.uvs.iter().copied()).collect();
        chunk.set_floats(Attribute::Uv, &uvs).map_err(refused)?;
    }
    if shared(meshes, path, "tangents", losses, |m| !m.tangents.is_empty()) {
        let tangents: Vec<_> =
            meshes.iter().flat_map(|m| &m.tangents).map(|[x, y, z, _]| [*x, *y, *z]).collect();
        let (code, message) = if chunk.set_floats(Attribute::Tangent, &tangents).is_ok() {
            ("handedness-dropped", "tangents have no handedness".into())
        } else {
            ("tangents-dropped", format!("dialect {} has no tangents", target.dialect))
        };
        losses.push(Loss::new(code, path, message));
    }
    if meshes.iter().any(|m| !m.colors.is_empty()) {
        let of = |m: &&Mesh| {
            if m.colors.is_empty() { vec![[255; 4]; m.positions.len()] } else { m.colors.clone() }
        };
        let colors: Vec<u8> = meshes.iter().flat_map(of).flatten().collect();
        chunk.set(Attribute::Color, colors).map_err(refused)?;
    }
    let skeleton = meshes.iter().find_map(|m| m.skin.as_ref()).map(|s| s.skeleton);
    let skinned = |m: &Mesh| m.skin.as_ref().is_some_and(|s| Some(s.skeleton) == skeleton);
    if shared(meshes, path, "bone weights of one skeleton", losses, skinned) {
        weights(scene, meshes, &mut chunk, path, losses)?;
    }
    Ok(chunk)
}

fn weights(
    scene: &Scene,
    meshes: &[&Mesh],
    chunk: &mut Chunk<'static>,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<(), ConvertError> {
    let mut all = Vec::new();
    let (mut cut, mut worst) = (0_usize, 0.0_f32);
    for skin in meshes.iter().filter_map(|m| m.skin.as_ref()) {
        let names = bone_numbers(scene, skin);
        for vertex in 0..skin.vertex_count() {
            let mut found: Vec<_> = skin.of(vertex).iter().filter(|i| i.weight != 0.0).copied().collect();
            if found.len() > 4 {
                found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
                let dropped: f32 = found.drain(4..).map(|i| i.weight).sum();
                let kept: f32 = found.iter().map(|i| i.weight).sum();
                let scale = if kept > 0.0 { (kept + dropped) / kept } else { 1.0 };
                found.iter_mut().for_each(|i| i.weight *= scale);
                cut += 1;
                worst = worst.max(dropped);
            }
            let mut four = [BoneWeight::default(); 4];
            for (to, from) in four.iter_mut().zip(found) {
                let bone = names.get(from.joint as usize).copied().unwrap_or(from.joint);
                *to = BoneWeight { bone, influence: F32::new(from.weight) };
            }
            all.push(four);
        }
        if !skin.local.is_empty() {
            let message = "vertices per bone became vertices of the bind pose";
            losses.push(Loss::new("local-vertices-dropped", path, message));
        }
    }
    if cut > 0 {
        let message =
            format!("{cut} vertices keep their four strongest bones; the amount is the most weight lost");
        losses.push(Loss::measured("influences-dropped", path, message, f64::from(worst)));
    }
    chunk.set_bone_weights(&all).map_err(|e| ConvertError::unsupported(path, e.to_string()))
}

/// The bone numbers of a skeleton's joints. A skeleton that was made up for a chunk without one names its
/// joints by bone number; any other skeleton's joints are its bones.
fn bone_numbers(scene: &Scene, skin: &Skin) -> Vec<u32> {
    let Some(skeleton) = scene.skeletons.get(skin.skeleton.0) else { return Vec::new() };
    let named = |name: &str| -> Option<u32> {
        let digits = name.strip_prefix("bone")?;
        let plain =
            digits.bytes().all(|b| b.is_ascii_digit()) && !(digits.len() > 1 && digits.starts_with('0'));
        if plain { digits.parse().ok() } else { None }
    };
    let names: Option<Vec<_>> =
        skeleton.joints.iter().map(|j| named(&j.name).filter(|_| j.parent.is_none())).collect();
    let rising = names.as_ref().is_some_and(|n| n.is_sorted_by(|a, b| a < b));
    names.filter(|_| rising).unwrap_or_else(|| (0..).take(skeleton.joints.len()).collect())
}

impl SkeletonChunk {
    /// A skeleton in its bind pose, by the engine's own pose rule turned round. Several roots are hung from a
    /// new one, which gets the last number, so that the others keep theirs.
    pub fn from_scene(scene: &Scene, skeleton: SkeletonId) -> Result<Converted<Self>, ConvertError> {
        let path = || format!("skeletons[{}]", skeleton.0);
        let missing = || ConvertError::invalid(path(), "does not exist or its joints form no tree");
        let source = scene.skeletons.get(skeleton.0).ok_or_else(missing)?;
        let rest = source.rest_model().ok_or_else(missing)?;
        let mut losses = Vec::new();
        let map = axes(scene);
        let mut moved = 0_usize;
        let mut poses = Vec::with_capacity(source.joints.len());
        let mut worst = 0.0_f32;
        for (joint, rest) in source.joints.iter().zip(&rest) {
            // The vertices of a chunk are those of the bind pose, and it stores no bind matrices.
            let bind = joint.inverse_bind.inverse().unwrap_or(*rest);
            moved += usize::from(far(&bind, rest));
            let (trs, error) = Trs::from_affine(&map.affine(&bind));
            worst = worst.max(error);
            poses.push(trs);
        }
        let mut parents: Vec<_> = source.joints.iter().map(|j| j.parent).collect();
        if parents.iter().filter(|p| p.is_none()).count() != 1 {
            let root = poses.len();
            parents.iter_mut().filter(|p| p.is_none()).for_each(|p| *p = Some(root));
            parents.push(None);
            poses.push(Trs::IDENTITY);
            losses.push(Loss::new("root-added", path(), format!("bone {root} was added as the only root")));
        }
        if poses.len() > MAX_BONES {
            let message = format!("{} bones, at most {MAX_BONES} can be numbered", poses.len());
            return Err(ConvertError::unsupported(path(), message));
        }
        let mut made = Self::default();
        for (pose, parent) in poses.iter().zip(&parents) {
            let above = parent.and_then(|p| poses.get(p));
            made.bones.push(bone(pose, above, parent.and_then(|p| u16::try_from(p).ok())));
        }
        made.list_children();
        let mut lose = |lost: bool, code, message: String| {
            if lost {
                losses.push(Loss::new(code, path(), message));
            }
        };
        lose(moved > 0, "rest-pose-dropped", format!("{moved} joints rest elsewhere than they are bound"));
        lose(worst > 1e-5, "joint-shear", format!("bones cannot shear; matrices differ by up to {worst:e}"));
        lose(source.joints.iter().any(|j| !j.name.is_empty()), "names-dropped", "bones have no names".into());
        let follows = source.joints.iter().any(|j| !j.follows.is_empty());
        lose(follows, "follows-dropped", "joints that follow others stand where they are bound".into());
        Ok(Converted::new(made, losses))
    }
}

fn far(a: &Affine, b: &Affine) -> bool {
    let (a, b) = (a.to_array(), b.to_array());
    let size = a.iter().fold(1.0_f32, |m, c| m.max(c.abs()));
    a.iter().zip(b).any(|(a, b)| (a - b).abs() > 1e-4 * size)
}

/// The bone that stands at `pose` by the engine's rule when its parent stands at `above`.
fn bone(pose: &Trs, above: Option<&Trs>, parent: Option<u16>) -> Bone {
    let wide = |v: [f32; 3]| v.map(f64::from);
    let above = above.copied().unwrap_or(Trs::IDENTITY);
    let [x, y, z, w] = above.rotation.map(f64::from);
    let back = [-x, -y, -z, w];
    let (p, pp, ps) = (wide(pose.translation), wide(above.translation), wide(above.scale));
    let over = |a: f64, b: f64| if b == 0.0 { 0.0 } else { a / b };
    // Turning by the inverse of the inverse is turning.
    let turned = turn_back(back, core::array::from_fn(|i| p[i] - pp[i]));
    let position: [f64; 3] = core::array::from_fn(|i| over(turned[i], ps[i]));
    let scale: [f64; 3] =
        core::array::from_fn(|i| if ps[i] == 0.0 { 1.0 } else { f64::from(pose.scale[i]) / ps[i] });
    let rotation = product(pose.rotation.map(f64::from), back);
    #[expect(clippy::cast_possible_truncation, reason = "rounded to the precision of the file")]
    let narrow = |c: f64| c as f32;
    Bone {
        position: f32s(position.map(narrow)),
        rotation: f32s(rotation.map(narrow)),
        scale: f32s(scale.map(narrow)),
        parent,
        children: Vec::new(),
    }
}
