//! Edits of scenes, and checks of merged results, for tests of merges.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "made for tests, of scenes that were checked"
)]

use crate::{Absent, Options, Original, Patch, Snap};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, Trs64, add, distance, length, narrow, sub, unit, wide};
use meshwright_core::{Budget, Limits};
use meshwright_scene::{
    Clip, Joint, Local, Mesh, MeshId, Motion, Node, PoseSet, Sampler, Scene, SkeletonId, Skin,
};

/// An edit that a person may make in an editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edit {
    /// A vertex moves.
    Position,
    /// A normal turns.
    Normal,
    /// A texture coordinate moves.
    Uv,
    /// A vertex follows another joint.
    Weight,
    /// A joint has another pose in one frame.
    Key,
    /// A material has another name.
    MaterialName,
    /// A mesh has another name.
    MeshName,
    /// A joint has another name.
    JointName,
    /// A joint has another rest pose.
    JointPlace,
    /// A clip has another name.
    ClipName,
    /// A mesh is removed.
    MeshGone,
    /// A mesh is added.
    MeshNew,
    /// A clip is removed.
    ClipGone,
    /// A clip is added.
    ClipNew,
    /// A clip has fewer frames.
    ClipShorter,
    /// A triangle is removed.
    TriangleGone,
    /// A joint is added.
    JointNew,
    /// A joint is removed; its parent gets its children and its vertices.
    JointGone,
    /// All texture coordinates are scaled.
    AllUvs,
    /// The armature is scaled, or the object of a mesh without joints.
    Scale,
}

impl Edit {
    /// Edits of single parts.
    pub const ALL: &'static [Self] = &[
        Self::Position,
        Self::Normal,
        Self::Uv,
        Self::Weight,
        Self::Key,
        Self::MaterialName,
        Self::MeshName,
        Self::JointName,
        Self::JointPlace,
        Self::ClipName,
        Self::MeshGone,
        Self::MeshNew,
        Self::ClipGone,
        Self::ClipNew,
        Self::ClipShorter,
        Self::TriangleGone,
        Self::JointNew,
    ];

    /// Edits of whole skeletons, and of all meshes alike.
    pub const WHOLE: &'static [Self] = &[Self::JointGone, Self::AllUvs, Self::Scale];

    /// Applies the edit to a copy of the scene and compares the copy with the scene. Returns `None` if the scene has
    /// nothing to edit. `seed` selects the edited item.
    #[must_use]
    pub fn find_patch(self, native: &Scene, seed: usize) -> Option<Patch> {
        let mut edited = native.clone();
        self.apply(&mut edited, seed)?;
        edited.validate().ok()?;
        let original = Original { native, exported: native };
        let budget = Budget::new(Limits::default());
        Patch::find(&edited, &original, &Options::new(Snap::Default, Absent::Gone), &budget).ok()
    }

    fn apply(self, scene: &mut Scene, seed: usize) -> Option<()> {
        let size = extent(scene);
        let pick = |count: usize| (count > 0).then(|| seed % count);
        let drawn: Vec<usize> = (0..scene.meshes.len())
            .filter(|m| !scene.meshes[*m].triangles.is_empty() && !scene.meshes[*m].name.is_empty())
            .collect();
        let mesh = pick(drawn.len()).map(|i| drawn[i]);
        match self {
            Self::Position | Self::Normal | Self::Uv | Self::Weight | Self::TriangleGone => {
                return self.vertex(&mut scene.meshes[mesh?], scene.skeletons.as_slice(), size, seed);
            }
            Self::MeshName => rename(&mut scene.meshes[mesh?].name),
            Self::MaterialName => {
                let material = pick(scene.materials.len())?;
                rename(&mut scene.materials[material].name);
            }
            Self::JointName => {
                let joints = &mut scene.skeletons.first_mut()?.joints;
                let joint = pick(joints.len())?;
                rename(&mut joints[joint].name);
            }
            Self::JointPlace => {
                let skeleton = scene.skeletons.first_mut()?;
                let leaf = |j: &usize| skeleton.joints.iter().all(|o| o.parent != Some(*j));
                let leaves: Vec<usize> = (0..skeleton.joints.len()).filter(leaf).collect();
                let at = pick(leaves.len()).map(|i| leaves[i])?;
                let (world, up) = (world(skeleton, at)?, skeleton.joints[at].parent);
                let above = up.map_or(Some(Affine64::IDENTITY), |p| self::world(skeleton, p))?;
                let by = [0.0, f64::from(size) * 0.02, 0.0];
                let moved = |m: &Affine64| Affine64 { w: add(m.w, by), ..*m };
                let joint = &mut skeleton.joints[at];
                let bound = joint.inverse_bind.wide().inverse()?;
                joint.inverse_bind = moved(&bound).inverse()?.narrow();
                let rest = above.inverse()?.after(&moved(&world));
                joint.rest = Local::Trs(Trs64::from_affine(&rest).narrow());
            }
            Self::JointNew => {
                let skeleton = scene.skeletons.first_mut()?;
                let parent = pick(skeleton.joints.len());
                let mut joint = Joint::new("tail_2", parent, Local::default());
                joint.inverse_bind = parent.map_or(joint.inverse_bind, |p| skeleton.joints[p].inverse_bind);
                skeleton.joints.push(joint);
                widen(scene);
            }
            Self::JointGone => return remove_joint(scene, seed),
            Self::AllUvs => {
                let uvs = || scene.meshes.iter().map(|mesh| mesh.uvs.len()).sum::<usize>();
                (uvs() > 0).then_some(())?;
                scene.meshes.iter_mut().flat_map(|m| m.uvs.iter_mut().flatten()).for_each(|c| *c *= 0.5);
            }
            Self::Scale if scene.skeletons.iter().all(|s| s.joints.is_empty()) => {
                let draws = |node: &&mut Node| node.meshes.iter().any(|m| Some(m.0) == mesh);
                let node = scene.nodes.iter_mut().find(draws)?;
                node.local = Local::Affine(node.local.to_affine64().after(&doubled()).narrow());
            }
            Self::Scale => return scale_armature(scene),
            Self::MeshGone => {
                let gone = mesh.filter(|_| drawn.len() > 1)?;
                for node in &mut scene.nodes {
                    node.meshes.retain(|m| m.0 != gone);
                    node.meshes.iter_mut().filter(|m| m.0 > gone).for_each(|m| m.0 -= 1);
                }
                if scene.skeletons.iter().flat_map(|s| &s.joints).any(|j| j.solid.is_some()) {
                    return None;
                }
                scene.meshes.remove(gone);
            }
            Self::MeshNew => {
                let mut new = scene.meshes[mesh?].clone();
                new.name = "ball_2".into();
                new.positions.iter_mut().for_each(|p| p[1] += size);
                new.extras = None;
                if let Some(skin) = &mut new.skin {
                    skin.local.clear();
                }
                scene.nodes.push(Node::of_mesh("ball_2", MeshId(scene.meshes.len())));
                if let Some(level) = scene.levels.first_mut() {
                    level.nodes.push(meshwright_scene::NodeId(scene.nodes.len() - 1));
                }
                scene.meshes.push(new);
            }
            _ => return self.clip(scene, size, seed),
        }
        Some(())
    }

    fn vertex(
        self,
        mesh: &mut Mesh,
        skeletons: &[meshwright_scene::Skeleton],
        size: f32,
        seed: usize,
    ) -> Option<()> {
        let corners = mesh.triangles.as_flattened();
        let v = *corners.get(seed % corners.len())? as usize;
        match self {
            Self::Position => mesh.positions[v][seed % 3] += size * 0.01,
            Self::Normal => {
                let [x, y, z] = *mesh.normals.get(v)?;
                mesh.normals[v] = [y, z, -x];
                if mesh.normals[v] == [x, y, z] {
                    mesh.normals[v] = [0.0, 1.0, 0.0];
                }
            }
            Self::Uv => mesh.uvs.get_mut(v)?[seed % 2] += 0.0625,
            Self::TriangleGone => {
                if mesh.triangles.len() < 2 {
                    return None;
                }
                mesh.triangles.remove(seed % mesh.triangles.len());
            }
            _ => {
                let skin = mesh.skin.as_mut()?;
                let joints = skeletons.get(skin.skeleton.0)?.joints.len();
                let old = skin.influences(v).iter().map(|i| i.joint as usize).collect::<Vec<_>>();
                // A joint whose bind pose cannot be inverted moves no vertices.
                let stands = |j: usize| world(&skeletons[skin.skeleton.0], j)?.inverse();
                let free = (0..joints).map(|j| (j + seed) % joints);
                let free = free.filter(|j| !old.contains(j)).find(|j| stands(*j).is_some())?;
                let was = core::mem::replace(skin, Skin::new(skin.skeleton));
                for w in 0..was.vertex_count() {
                    if w == v {
                        skin.influences.push(meshwright_scene::Influence { joint: free as u32, weight: 1.0 });
                    } else {
                        skin.influences.extend(was.influences(w));
                    }
                    skin.end_vertex();
                }
            }
        }
        Some(())
    }

    fn clip(self, scene: &mut Scene, size: f32, seed: usize) -> Option<()> {
        let count = scene.clips.len();
        let c = (count > 0).then(|| seed % count)?;
        match self {
            Self::ClipName => rename(&mut scene.clips[c].name),
            Self::ClipGone => {
                if count < 2 {
                    return None;
                }
                scene.clips.remove(c);
            }
            Self::ClipShorter => {
                // At its own rate, with the poses of its own frames except the last.
                let mut clip = posed(scene, c)?;
                let Motion::Poses { frames, .. } = &mut clip.motion else { return None };
                if frames.len() < 3 {
                    return None;
                }
                frames.pop();
                clip.frames = clip.frames.min(frames.len() as u32);
                scene.clips[c] = clip;
            }
            Self::ClipNew => {
                let mut clip = posed(scene, c)?;
                clip.name = "wave_2".into();
                scene.clips.push(clip);
                let new = scene.clips.len() - 1;
                return move_joint(scene, new, size, seed);
            }
            _ => {
                let posed = match scene.clips[c].motion {
                    Motion::Tracks(_) => posed(scene, c)?,
                    Motion::Poses { .. } => scene.clips[c].clone(),
                };
                scene.clips[c] = posed;
                return move_joint(scene, c, size, seed);
            }
        }
        Some(())
    }
}

/// Returns the rest transform of a joint in model space.
fn world(skeleton: &meshwright_scene::Skeleton, joint: usize) -> Option<Affine64> {
    let mut at = skeleton.joints.get(joint)?;
    let mut world = at.rest.to_affine64();
    while let Some(parent) = at.parent {
        at = skeleton.joints.get(parent)?;
        world = at.rest.to_affine64().after(&world);
    }
    Some(world)
}

/// Scales by 2.
fn doubled() -> Affine64 {
    Trs64 { scale: [2.0; 3], ..Trs64::IDENTITY }.to_affine()
}

/// Scales the first skeleton with its meshes, as an armature that was scaled.
fn scale_armature(scene: &mut Scene) -> Option<()> {
    let (double, half) = (doubled(), doubled().inverse()?);
    for c in 0..scene.clips.len() {
        scene.clips[c] = posed(scene, c)?;
    }
    let skeleton = scene.skeletons.first_mut()?;
    let roots: Vec<bool> = skeleton.joints.iter().map(|j| j.parent.is_none()).collect();
    for joint in &mut skeleton.joints {
        joint.inverse_bind = joint.inverse_bind.wide().after(&half).narrow();
        if joint.parent.is_none() {
            joint.rest = Local::Affine(double.after(&joint.rest.to_affine64()).narrow());
        }
    }
    for mesh in &mut scene.meshes {
        let Some(skin) = mesh.skin.as_mut().filter(|skin| skin.skeleton == SkeletonId(0)) else { continue };
        skin.local.clear();
        mesh.positions.iter_mut().flatten().for_each(|c| *c *= 2.0);
    }
    let own = scene.clips.iter().filter(|clip| clip.skeleton == SkeletonId(0));
    let sets: Vec<usize> = own
        .filter_map(|c| if let Motion::Poses { set, .. } = &c.motion { Some(set.0) } else { None })
        .collect();
    for set in sets.into_iter().collect::<BTreeSet<_>>() {
        let set = &mut scene.pose_sets[set];
        for (local, root) in set.locals.iter_mut().zip(roots.iter().cycle()) {
            if *root {
                *local = double.after(&local.wide()).narrow();
            }
        }
    }
    Some(())
}

/// Removes a joint below another one from the first skeleton.
fn remove_joint(scene: &mut Scene, seed: usize) -> Option<()> {
    for c in 0..scene.clips.len() {
        scene.clips[c] = posed(scene, c)?;
    }
    let joints = &mut scene.skeletons.first_mut()?.joints;
    if joints.iter().any(|j| !j.follows.is_empty() || j.solid.is_some()) {
        return None;
    }
    let below: Vec<usize> = (0..joints.len()).filter(|j| joints[*j].parent.is_some()).collect();
    let gone = *below.get(seed % below.len().max(1))?;
    let removed = joints[gone].clone();
    let above = removed.parent?;
    let number =
        |j: usize| if j == gone { above } else { j } - usize::from(if j == gone { above } else { j } > gone);
    let children: Vec<usize> = (0..joints.len()).filter(|j| joints[*j].parent == Some(gone)).collect();
    for child in &children {
        let rest = removed.rest.to_affine64().after(&joints[*child].rest.to_affine64());
        joints[*child].rest = Local::Affine(rest.narrow());
    }
    joints.remove(gone);
    joints.iter_mut().for_each(|joint| joint.parent = joint.parent.map(number));
    let own = scene.clips.iter().filter(|clip| clip.skeleton == SkeletonId(0));
    let sets: Vec<usize> = own
        .filter_map(|c| if let Motion::Poses { set, .. } = &c.motion { Some(set.0) } else { None })
        .collect();
    for set in sets.into_iter().collect::<BTreeSet<_>>() {
        let set = &mut scene.pose_sets[set];
        for pose in set.locals.chunks_mut(set.joints) {
            let local = pose[gone].wide();
            children.iter().for_each(|child| pose[*child] = local.after(&pose[*child].wide()).narrow());
        }
        let mut at = 0..;
        let joints = set.joints;
        set.locals.retain(|_| at.next().is_some_and(|n: usize| n % joints != gone));
        set.joints -= 1;
    }
    for skin in
        scene.meshes.iter_mut().filter_map(|m| m.skin.as_mut()).filter(|s| s.skeleton == SkeletonId(0))
    {
        let was = core::mem::replace(skin, Skin::new(skin.skeleton));
        for v in 0..was.vertex_count() {
            let start = skin.influences.len();
            for i in was.influences(v) {
                let joint = number(i.joint as usize) as u32;
                match skin.influences[start..].iter_mut().find(|other| other.joint == joint) {
                    Some(other) => other.weight += i.weight,
                    None => skin.influences.push(meshwright_scene::Influence { joint, ..*i }),
                }
            }
            skin.end_vertex();
        }
    }
    Some(())
}

/// Appends to a name, and keeps it short enough for records of 31 bytes.
fn rename(name: &mut String) {
    let end = name.char_indices().nth(24).map_or(name.len(), |(end, _)| end);
    name.truncate(end);
    name.push_str("_new");
}

/// Returns a copy of a clip with its own poses for all frames.
fn posed(scene: &mut Scene, c: usize) -> Option<Clip> {
    let budget = Budget::new(Limits::default());
    let sampler = Sampler::new(scene, c, &budget).ok()?;
    let poses = sampler.poses(sampler.whole_frames()).ok()?;
    let mut clip = scene.clips[c].clone();
    let frames = (0..poses.len() as u32).collect();
    clip.motion = Motion::Poses { set: meshwright_scene::PoseSetId(scene.pose_sets.len()), frames };
    scene.pose_sets.push(poses);
    Some(clip)
}

/// Moves a joint in one frame of a clip of poses. Other clips keep the old pose.
fn move_joint(scene: &mut Scene, c: usize, size: f32, seed: usize) -> Option<()> {
    let Motion::Poses { set, frames } = &mut scene.clips[c].motion else { return None };
    let set = scene.pose_sets.get_mut(set.0)?;
    let (frame, joint) = (seed % frames.len().max(1), seed % set.joints.max(1));
    let own = set.pose(*frames.get(frame)? as usize)?.to_vec();
    frames[frame] = set.len() as u32;
    set.locals.extend(own);
    let last = set.locals.len() - set.joints + joint;
    set.locals[last].w[1] += size * 0.03;
    Some(())
}

/// Adds a joint to the poses of the first skeleton.
fn widen(scene: &mut Scene) {
    let sets: Vec<usize> = scene
        .clips
        .iter()
        .filter(|c| c.skeleton == SkeletonId(0))
        .filter_map(|c| if let Motion::Poses { set, .. } = &c.motion { Some(set.0) } else { None })
        .collect();
    for (_, set) in scene.pose_sets.iter_mut().enumerate().filter(|(s, _)| sets.contains(s)) {
        let poses = set.locals.chunks(set.joints.max(1));
        let wider =
            poses.flat_map(|p| p.iter().copied().chain([meshwright_scene::Affine::IDENTITY])).collect();
        *set = PoseSet { joints: set.joints + 1, locals: wider };
    }
}

fn extent(scene: &Scene) -> f32 {
    let points = scene.meshes.iter().flat_map(|m| &m.positions).flatten();
    let most = points.fold(0.0_f32, |most, c| most.max(c.abs()));
    if most.is_finite() && most > 0.0 { most } else { 1.0 }
}

/// Tolerances for edited values in a merged model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Tolerance of positions and translations, relative to the extent of the scene.
    pub place: f64,
    /// Tolerance of normals; NaN if the format stores no normals.
    pub normal: f64,
    /// Tolerance of texture coordinates.
    pub uv: f64,
    /// Tolerance of weights.
    pub weight: f64,
    /// Tolerance of the axes of poses.
    pub axes: f64,
}

/// Compares the scene of a merged model with the native and the edited scene. Unedited values must be the native ones
/// bit for bit, and edited values must be within the tolerances.
///
/// # Errors
/// The first violation.
pub fn check(native: &Scene, edited: &Scene, merged: &Scene, near: Near) -> Result<(), String> {
    let size = f64::from(extent(edited));
    if edited.meshes.len() != merged.meshes.len() {
        return Err(format!("{} meshes for {}", merged.meshes.len(), edited.meshes.len()));
    }
    for (m, (edited_mesh, merged_mesh)) in edited.meshes.iter().zip(&merged.meshes).enumerate() {
        let as_many = |n: &&Mesh| n.positions.len() == edited_mesh.positions.len();
        let named = native.meshes.iter().find(|n| n.name == edited_mesh.name && as_many(n));
        let native_mesh = match native.meshes.get(m) {
            Some(n) if n.name == edited_mesh.name => Some(n),
            other => named.or(other),
        };
        let world_of_native = native_mesh.and_then(|own| {
            let n = native.meshes.iter().position(|other| core::ptr::eq(other, own))?;
            Some(mesh_world(native, n))
        });
        if world_of_native.is_some_and(|world| world != mesh_world(edited, m)) {
            // A format without nodes stores a mesh where its node draws it.
            let [is, now] =
                &[(edited, edited_mesh), (merged, merged_mesh)].map(|(s, own)| placed_mesh(s, m, own));
            mesh([(native, None), (edited, Some(is)), (merged, Some(now))], near, size)
                .map_err(|e| format!("meshes[{m}] {}, placed: {e}", edited_mesh.name))?;
            continue;
        }
        let pair =
            [(native, native_mesh.filter(as_many)), (edited, Some(edited_mesh)), (merged, Some(merged_mesh))];
        mesh(pair, near, size).map_err(|e| format!("meshes[{m}] {}: {e}", edited_mesh.name))?;
    }
    let names = |s: &Scene| {
        s.skeletons.iter().flat_map(|s| s.joints.iter().map(|j| j.name.clone())).collect::<Vec<_>>()
    };
    // New joints may be at any index.
    let known = names(native);
    let old = |s: &Scene| names(s).into_iter().filter(|n| known.contains(n)).collect::<Vec<_>>();
    let new = |s: &Scene| names(s).into_iter().filter(|n| !known.contains(n)).collect::<BTreeSet<_>>();
    if old(edited) != old(merged) || new(edited) != new(merged) {
        return Err(format!("joints {:?} for {:?}", names(merged), names(edited)));
    }
    let clips = |s: &Scene| s.clips.iter().map(|c| (c.name.clone(), c.frames, c.looping)).collect::<Vec<_>>();
    if clips(edited) != clips(merged) {
        return Err(format!("clips {:?} for {:?}", clips(merged), clips(edited)));
    }
    for (c, clip) in edited.clips.iter().enumerate() {
        let same = |n: &Clip| n.name == clip.name && n.frames == clip.frames;
        let by_place = native.clips.get(c).filter(|n| same(n)).map(|_| c);
        let n = by_place.or_else(|| native.clips.iter().position(same));
        poses(native, edited, merged, (n, c), near, size)
            .map_err(|e| format!("clips[{c}] {}: {e}", clip.name))?;
    }
    rests(native, edited, merged, near)
}

/// Returns the world transform with which a mesh is drawn.
fn mesh_world(scene: &Scene, m: usize) -> Affine64 {
    let drawn = scene.drawn_meshes().unwrap_or_default();
    drawn.iter().find(|(_, id, _)| id.0 == m).map_or(Affine64::IDENTITY, |(.., world)| world.wide())
}

/// Returns a mesh where its node draws it.
fn placed_mesh(scene: &Scene, m: usize, mesh: &Mesh) -> Mesh {
    let world = mesh_world(scene, m);
    let mut placed = mesh.clone();
    placed.positions.iter_mut().for_each(|p| *p = narrow(world.point(wide(*p))));
    for normal in &mut placed.normals {
        let turned = world.normals().and_then(|m| unit(m.vector(wide(*normal))));
        *normal = turned.map_or(*normal, narrow);
    }
    placed
}

/// Checks the rest poses and bind poses of joints.
fn rests(native: &Scene, edited: &Scene, merged: &Scene, near: Near) -> Result<(), String> {
    let size = f64::from(extent(edited));
    for (s, skeleton) in edited.skeletons.iter().enumerate() {
        let find = |scene: &Scene, at: usize, name: &str| {
            let joints = &scene.skeletons.get(s)?.joints;
            let here = joints.get(at).filter(|j| j.name == name);
            here.or_else(|| joints.iter().find(|j| j.name == name)).cloned()
        };
        for (j, joint) in skeleton.joints.iter().enumerate() {
            let Some(made) = find(merged, j, &joint.name) else { continue };
            let bits = |j: &Joint| (j.rest.to_affine64(), j.inverse_bind);
            let still = find(native, j, &joint.name).is_some_and(|n| bits(&n) == bits(joint));
            if still && bits(joint) != bits(&made) {
                return Err(format!(
                    "{} was not edited: {:?} for {:?}",
                    joint.name,
                    bits(&made),
                    bits(joint)
                ));
            }
            let (turned, moved) = distances(&joint.rest.to_affine64(), &made.rest.to_affine64());
            if turned > near.axes || moved > near.place * size {
                return Err(format!("{} rests at {:?} for {:?}", joint.name, made.rest, joint.rest));
            }
        }
    }
    Ok(())
}

fn mesh(pair: [(&Scene, Option<&Mesh>); 3], near: Near, size: f64) -> Result<(), String> {
    let [(_, native), (_, edited), (_, merged)] = pair;
    let (Some(edited), Some(merged)) = (edited, merged) else { return Ok(()) };
    if (edited.positions.len(), edited.triangles.len()) != (merged.positions.len(), merged.triangles.len()) {
        return Err(format!(
            "{} vertices, {} triangles for {}, {}",
            merged.positions.len(),
            merged.triangles.len(),
            edited.positions.len(),
            edited.triangles.len()
        ));
    }
    let influences = |(scene, mesh): (&Scene, Option<&Mesh>), v: usize| {
        let skin = mesh.and_then(|m| m.skin.as_ref())?;
        let joints = &scene.skeletons.get(skin.skeleton.0)?.joints;
        // The position of a vertex in a joint's space depends on the joint's bind pose.
        let joint = |joint: u32| joints.get(joint as usize).map(|j| (j.name.clone(), j.inverse_bind)).unzip();
        let one = |i: &meshwright_scene::Influence| {
            let (name, bind) = joint(i.joint);
            (name, i.weight, i.joint, bind)
        };
        Some(skin.influences(v).iter().map(one).collect::<Vec<Pull>>())
    };
    let twins = twins(edited, merged)?;
    // Positions, normals and weights share a record in some formats.
    let bits = |list: &[[f32; 3]], v: usize| list.get(v).map(|c| c.map(f32::to_bits));
    let still = |v: usize| {
        native.is_some_and(|n| {
            bits(&n.positions, v) == bits(&edited.positions, v)
                && (near.normal.is_nan() || bits(&n.normals, v) == bits(&edited.normals, v))
                && influences(pair[0], v) == influences(pair[1], v)
        })
    };
    let of = |get: fn(&Mesh) -> &Vec<[f32; 3]>| (native.map(get), get(edited), get(merged));
    list("positions", of(|m| &m.positions), &twins, near.place * size, still)?;
    if !near.normal.is_nan() {
        list("normals", of(|m| &m.normals), &twins, near.normal, still)?;
    }
    list("uvs", (native.map(|m| &m.uvs), &edited.uvs, &merged.uvs), &twins, near.uv, |_| true)?;
    let material = |(scene, mesh): (&Scene, Option<&Mesh>)| {
        mesh.and_then(|m| m.material).and_then(|m| scene.materials.get(m.0)).map(|m| m.name.clone())
    };
    let [native_material, edited_material, merged_material] = pair.map(material);
    if native_material.is_some() && edited_material != merged_material {
        return Err(format!("material {merged_material:?} for {edited_material:?}"));
    }
    for (v, twin) in twins.iter().enumerate().filter_map(|(v, twin)| Some((v, (*twin)?))) {
        let (n, e, m) = (influences(pair[0], v), influences(pair[1], v), influences(pair[2], twin));
        let weight = |list: &Option<Vec<Pull>>, joint: &Option<String>| {
            list.iter().flatten().filter(|i| i.0 == *joint).map(|i| f64::from(i.1)).sum::<f64>()
        };
        let still = native.is_some() && n == e;
        let close = m.iter().flatten().chain(e.iter().flatten());
        let off = close.map(|(j, ..)| (weight(&m, j) - weight(&e, j)).abs()).fold(0.0, f64::max);
        if still && n != m || off > near.weight {
            return Err(format!("vertex {v} follows {m:?}, for {e:?}"));
        }
    }
    Ok(())
}

/// Maps the vertices of the edited mesh to those of the merged one. Formats that sort vertices by bone change their
/// order, so that the triangles give the mapping. Vertices without triangles have none, unless all triangles are equal.
fn twins(edited: &Mesh, merged: &Mesh) -> Result<Vec<Option<usize>>, String> {
    if edited.triangles == merged.triangles {
        return Ok((0..edited.positions.len()).map(Some).collect());
    }
    let mut twins = alloc::vec![None; edited.positions.len()];
    for (t, (e, m)) in edited.triangles.iter().zip(&merged.triangles).enumerate() {
        for (e, m) in e.iter().zip(m) {
            if twins[*e as usize].replace(*m as usize).is_some_and(|other| other != *m as usize) {
                return Err(format!("triangles[{t}]"));
            }
        }
    }
    Ok(twins)
}

/// An influence: the joint's name, the weight, the joint's index and its inverse bind matrix.
type Pull = (Option<String>, f32, u32, Option<meshwright_scene::Affine>);

/// The same attribute of the native, edited and merged mesh.
type Three<'m, const N: usize> = (Option<&'m Vec<[f32; N]>>, &'m Vec<[f32; N]>, &'m Vec<[f32; N]>);

fn list<const N: usize>(
    what: &str,
    (native, edited, merged): Three<'_, N>,
    twins: &[Option<usize>],
    near: f64,
    still: impl Fn(usize) -> bool,
) -> Result<(), String> {
    for (v, (e, twin)) in edited.iter().zip(twins).enumerate() {
        let Some(m) = twin.and_then(|t| merged.get(t)) else { continue };
        let bits = |c: &[f32; N]| c.map(f32::to_bits);
        let n = native.and_then(|n| n.get(v)).filter(|n| bits(n) == bits(e) && still(v));
        let off = e.iter().zip(m).map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs()).fold(0.0, f64::max);
        if n.is_some_and(|n| bits(n) != bits(m)) {
            return Err(format!("{what}[{v}] was not edited: {m:?} for {e:?}"));
        }
        if off > near {
            return Err(format!("{what}[{v}]: {m:?} for {e:?}"));
        }
    }
    Ok(())
}

fn poses(
    native: &Scene,
    edited: &Scene,
    merged: &Scene,
    (n, c): (Option<usize>, usize),
    near: Near,
    size: f64,
) -> Result<(), String> {
    let budget = Budget::new(Limits::default());
    let text = |e: meshwright_scene::ConvertError| e.to_string();
    let native_one = n.map(|n| Sampler::new(native, n, &budget).map_err(text)).transpose()?;
    let [edited_one, merged_one] = [edited, merged].map(|s| Sampler::new(s, c, &budget).map_err(text));
    let (edited_one, merged_one) = (edited_one?, merged_one?);
    // Joints keep their indices unless one before them was removed. Several may have one name.
    let place = |s: &Sampler<'_, '_>, at: usize, name: &str| {
        let joints = &s.skeleton().joints;
        if joints.get(at).is_some_and(|j| j.name == name) {
            return Some(at);
        }
        joints.iter().position(|j| j.name == name)
    };
    for frame in edited_one.whole_frames() {
        for (j, joint) in edited_one.skeleton().joints.iter().enumerate() {
            let Some(k) = place(&merged_one, j, &joint.name) else { continue };
            let (e, m) = (edited_one.local(j, frame), merged_one.local(k, frame));
            let n = native_one.as_ref().and_then(|s| Some(s.local(place(s, j, &joint.name)?, frame)));
            let where_ = || format!("frame {frame}, {}", joint.name);
            if n == Some(e) && m != e {
                return Err(format!("{} was not edited: {m:?} for {e:?}", where_()));
            }
            let (turned, moved) = distances(&e, &m);
            if turned > near.axes || moved > near.place * size {
                return Err(format!("{}: {m:?} for {e:?}", where_()));
            }
        }
    }
    Ok(())
}

/// Returns the largest distance of the axes and the distance of the origins of two transforms.
fn distances(a: &Affine64, b: &Affine64) -> (f64, f64) {
    let axes = [(a.x, b.x), (a.y, b.y), (a.z, b.z)].map(|(a, b)| length(sub(a, b)));
    (axes.into_iter().fold(0.0, f64::max), distance(a.w, b.w))
}
