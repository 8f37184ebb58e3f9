//! Edits of scenes, for tests of merges, and a [check] of what a merge makes of them.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "made for tests, of scenes that were checked"
)]

mod arrival;
mod merged_check;

pub use arrival::find_lost_edits;
pub use merged_check::{Near, check, check_posed};

use meshwright_core::math::{Affine64, Trs64, add};
use meshwright_core::{Budget, Limits};
use meshwright_edit::{Absent, Options, Original, Patch, Snap};
use meshwright_scene::{
    Clip, Joint, Local, Mesh, MeshId, Motion, Node, PoseSet, Sampler, Scene, SkeletonId, Skin,
};
use std::collections::BTreeSet;

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
        let edited = self.edited(native, seed)?;
        let original = Original { native, exported: native };
        let budget = Budget::new(Limits::default());
        Patch::find(&edited, &original, &Options::new(Snap::Default, Absent::Gone), &budget).ok()
    }

    /// Applies the edit to a copy of the scene. Returns `None` if the scene has nothing to edit.
    #[must_use]
    pub fn edited(self, native: &Scene, seed: usize) -> Option<Scene> {
        let mut edited = native.clone();
        self.apply(&mut edited, seed)?;
        edited.validate().ok()?;
        Some(edited)
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
                let trs = Trs64::from_affine(&rest);
                let sheared = trs.misfit(&rest) > 1e-5;
                joint.rest = if sheared { Local::Affine(rest.narrow()) } else { Local::Trs(trs.narrow()) };
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
                mesh?;
                for mesh in &mut scene.meshes {
                    let drawn: BTreeSet<u32> = mesh.triangles.as_flattened().iter().copied().collect();
                    for v in drawn {
                        mesh.uvs.get_mut(v as usize).into_iter().flatten().for_each(|c| *c *= 0.5);
                    }
                }
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

/// Returns the largest coordinate of a scene's vertices. Without vertices it is 1.
#[must_use]
pub fn extent(scene: &Scene) -> f32 {
    let points = scene.meshes.iter().flat_map(|m| &m.positions).flatten();
    let most = points.fold(0.0_f32, |most, c| most.max(c.abs()));
    if most.is_finite() && most > 0.0 { most } else { 1.0 }
}
