//! Converts the joints of all skeletons of a scene to one list of bones, and vertices to their spaces.

use super::names;
use crate::bone::{Bone, BoneFlags, BonePose, Name};
use crate::dpm::Influence;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::math::Affine64;
use meshwright_core::{F32, f32s};
use meshwright_scene::flatten::Instance;
use meshwright_scene::names::Names;
use meshwright_scene::{
    AxisMap, BindPose, Budget, ConvertError, Extra, Influence as SceneInfluence, LocalVertex, Loss, Mesh,
    Naming, Order, Scene, SkeletonId, Unsupported,
};

/// The bones, parents first, and the pose in which vertices are bound to them.
pub(super) struct Bones<'s> {
    scene: &'s Scene,
    map: AxisMap,
    pub(super) bones: Vec<Bone>,
    /// The pose in which vertices are bound.
    pub(super) bind: Vec<BonePose>,
    skeletons: Vec<Joints>,
    /// The bone of everything that follows no joint.
    root: usize,
}

/// The joints of one skeleton.
struct Joints {
    /// The bone of the first joint.
    first: usize,
    order: Order,
    /// The transforms from model space to the space of each joint, in the scene's axes.
    inverses: Vec<Option<Affine64>>,
    follow: bool,
}

impl<'s> Bones<'s> {
    /// Converts the joints of a scene to bones, in the axes of `map`. There is at least one bone: a root is added if
    /// something in `drawn` follows no joint.
    pub(super) fn from_scene<'i>(
        scene: &'s Scene,
        map: AxisMap,
        drawn: impl Iterator<Item = &'i Instance>,
        naming: Naming,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Self, ConvertError> {
        let mut names = Names::new(names::BONES, naming, budget);
        let (bones, bind, skeletons) = (Vec::new(), Vec::new(), Vec::new());
        let mut all = Self { scene, map, bones, bind, skeletons, root: 0 };
        for s in 0..scene.skeletons.len() {
            all.add(s, &mut names, budget, losses)?;
        }
        Unsupported::report(&[Unsupported::Follows], scene, losses);
        let mut meshes = drawn.filter_map(|i| scene.meshes.get(i.mesh.0));
        if all.bones.is_empty() || meshes.any(has_loose_vertices) {
            let name = names.fit("root", "skeletons", losses)?;
            all.root = all.bones.len();
            all.bones.push(Bone::new(Name::truncated(&name), -1));
            all.bind.push(BonePose::IDENTITY);
        }
        Ok(all)
    }

    fn add(
        &mut self,
        s: usize,
        names: &mut Names<'_>,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<(), ConvertError> {
        let Some(skeleton) = self.scene.skeletons.get(s) else { return Ok(()) };
        let each = size_of::<Bone>() + size_of::<BonePose>();
        budget.charge_items("bones", skeleton.joints.len() as u64, 2 * each)?;
        let order = skeleton.parents_first(budget)?;
        let bound = BindPose::solve(self.scene, SkeletonId(s), budget)?;
        let path = format!("skeletons[{s}]");
        if bound.differs_from_rest {
            let message = "the bind pose is not the rest pose; the first frame is the bind pose";
            losses.push(Loss::new("rest-pose-dropped", &*path, message));
        }
        let first = self.bones.len();
        for &j in order.joints() {
            let Some(joint) = skeleton.joints.get(j) else { continue };
            let follows = !joint.follows.is_empty();
            let parent = order.parent(joint).filter(|_| !follows).map(|p| first + p);
            // Bones without a name are not looked up, so their names need not be unique.
            let name = match joint.name.as_str() {
                "" => Vec::new(),
                name => names.fit(name, &format!("{path}.joints[{j}]"), losses)?,
            };
            self.bones.push(Bone {
                name: Name::truncated(&name),
                parent: parent.map_or(-1, |p| i32::try_from(p).unwrap_or(i32::MAX)),
                flags: flags(joint.extras.as_ref()),
            });
            let local = if follows { bound.model.get(j) } else { bound.locals.get(j) };
            self.bind.push(local.map_or(BonePose::IDENTITY, |m| self.local(m)));
        }
        let follow = skeleton.joints.iter().any(|j| !j.follows.is_empty());
        self.skeletons.push(Joints { first, order, inverses: bound.inverses, follow });
        Ok(())
    }

    /// Names bones by their numbers in a model, and gives them its names and flags.
    pub(super) fn name_as(&mut self, model: &[Bone]) -> Result<(), ConvertError> {
        let number = |bone: &Bone| str::from_utf8(bone.name.bytes()).ok()?.parse::<usize>().ok();
        let is_sorted = self.bones.iter().zip(0..model.len()).all(|(bone, i)| number(bone) == Some(i));
        if !is_sorted || self.bones.len() < model.len() {
            return Err(ConvertError::invalid("bones", "parents are not before their children"));
        }
        self.bones.iter_mut().zip(model).for_each(|(bone, own)| *bone = *own);
        Ok(())
    }

    fn local(&self, m: &Affine64) -> BonePose {
        self.map.affine(&m.narrow()).to_rows().into()
    }

    fn number(&self, skeleton: SkeletonId, joint: u32) -> Option<usize> {
        let joints = self.skeletons.get(skeleton.0)?;
        Some(joints.first + joints.order.place(joint as usize)?)
    }

    /// Returns the joint of each bone; `None` for the root.
    pub(super) fn joints(&self) -> Vec<Option<usize>> {
        let mut joints = alloc::vec![None; self.bones.len()];
        for own in &self.skeletons {
            for (slot, joint) in joints.iter_mut().skip(own.first).zip(own.order.joints()) {
                *slot = Some(*joint);
            }
        }
        joints
    }

    /// Returns whether joints of a skeleton follow others. They become bones without a parent, with
    /// model-space poses.
    pub(super) fn follow(&self, skeleton: SkeletonId) -> bool {
        self.skeletons.get(skeleton.0).is_some_and(|joints| joints.follow)
    }

    /// Copies a pose of one skeleton into a pose of all bones. `model` has the joints in model space, if
    /// some follow others.
    pub(super) fn fill(
        &self,
        skeleton: SkeletonId,
        locals: &[Affine64],
        model: &[Affine64],
        pose: &mut [BonePose],
    ) {
        let joints = self.scene.skeletons.get(skeleton.0).into_iter().flat_map(|s| &s.joints);
        for (j, (joint, local)) in joints.zip(locals).enumerate() {
            let matrix = if joint.follows.is_empty() { Some(local) } else { model.get(j) };
            let number = u32::try_from(j).ok().and_then(|j| self.number(skeleton, j));
            if let Some((to, matrix)) = number.and_then(|n| pose.get_mut(n)).zip(matrix) {
                *to = self.local(matrix);
            }
        }
    }

    /// Returns the influences of a vertex of a mesh, which is given in the scene's axes.
    pub(super) fn vertex(
        &self,
        mesh: &Mesh,
        v: usize,
        path: &str,
        row: &mut Vec<Influence>,
        odd: &mut VertexFaults,
    ) -> Result<(), ConvertError> {
        row.clear();
        let at = mesh.positions.get(v).copied().unwrap_or_default();
        let normal = mesh.normals.get(v).copied().unwrap_or_default();
        let range = mesh.skin.as_ref().map_or(0..0, |s| s.range(v));
        let own = mesh.skin.as_ref().map_or(&[][..], |s| s.influences(v));
        let total = own.iter().map(|i| f64::from(i.weight)).fold(0.0, |sum, w| sum + w);
        for k in range {
            let Some((skin, i)) = mesh.skin.as_ref().and_then(|s| Some((s, s.influences.get(k)?))) else {
                continue;
            };
            let missing = || ConvertError::invalid(path, format!("vertex {v} names a missing joint"));
            let number = self.number(skin.skeleton, i.joint).ok_or_else(missing)?;
            let (origin, turned) = match skin.local.get(k) {
                Some(local) => (local.position, local.normal),
                None => self.bound(skin.skeleton, i, total, [at, normal], path)?,
            };
            row.push(self.influence(number, i.weight, origin, turned));
        }
        if row.is_empty() {
            odd.loose += usize::from(mesh.is_skinned());
            row.push(self.influence(self.root, 1.0, at, normal));
        }
        odd.not_finite += usize::from(row.iter_mut().fold(false, |any, part| any | make_finite(part)));
        Ok(())
    }

    /// Returns an influence in the file's axes.
    fn influence(&self, number: usize, weight: f32, origin: [f32; 3], normal: [f32; 3]) -> Influence {
        Influence {
            origin: f32s(self.map.point(origin)),
            influence: F32::new(weight),
            normal: f32s(self.map.direction(normal)),
            bone: u32::try_from(number).unwrap_or(u32::MAX),
        }
    }

    /// Converts a vertex and its normal from model space in the bind pose to the space of a joint, times its
    /// weight.
    fn bound(
        &self,
        skeleton: SkeletonId,
        i: &SceneInfluence,
        total: f64,
        vertex: [[f32; 3]; 2],
        path: &str,
    ) -> Result<([f32; 3], [f32; 3]), ConvertError> {
        let SceneInfluence { joint, weight } = *i;
        let joints = self.skeletons.get(skeleton.0);
        let inverse = joints.and_then(|s| s.inverses.get(joint as usize)).and_then(Option::as_ref);
        match inverse {
            Some(m) => {
                let seen = LocalVertex::new(m, vertex, weight, total);
                Ok((seen.position, seen.normal))
            }
            None if weight == 0.0 => Ok(([0.0; 3], [0.0; 3])),
            None => {
                let message = format!("joint {joint} flattens space in the bind pose and moves vertices");
                Err(ConvertError::unsupported(path, message))
            }
        }
    }
}

pub(super) fn has_loose_vertices(mesh: &Mesh) -> bool {
    mesh.skin.as_ref().is_none_or(|s| (0..s.vertex_count()).any(|v| s.range(v).is_empty()))
}

/// Replaces numbers that are not finite by 0. Returns whether there were any.
fn make_finite(part: &mut Influence) -> bool {
    let mut any = false;
    for number in part.origin.iter_mut().chain(&mut part.normal).filter(|v| !v.is_finite()) {
        *number = F32::default();
        any = true;
    }
    any
}

/// Counts the vertices of a mesh that had to be changed.
#[derive(Default)]
pub(super) struct VertexFaults {
    loose: usize,
    not_finite: usize,
}

impl VertexFaults {
    pub(super) fn report(&self, path: &str, losses: &mut Vec<Loss>) {
        for (n, code, message) in [
            (self.loose, "vertices-unbound", "vertices without joints follow the root bone"),
            (self.not_finite, "not-finite", "numbers of vertices that are not finite became 0"),
        ] {
            if n > 0 {
                losses.push(Loss::new(code, path, message).with_count(n, "vertex", "vertices"));
            }
        }
    }
}

/// Returns the numbers of a native field with the expected count.
pub(super) fn numbers<'a>(
    extras: Option<&'a Extra>,
    name: &str,
    count: usize,
) -> impl Iterator<Item = u32> + use<'a> {
    let list = extras.and_then(|extras| extras.get(name)).map_or(&[][..], Extra::items);
    let list = if list.len() == count { list } else { &[] };
    let made_up = if list.is_empty() { count } else { 0 };
    list.iter().map(|number| number.as_u32().unwrap_or(0)).chain(core::iter::repeat_n(0, made_up))
}

/// Returns the flags in the native fields of a joint: `flags` as a number, and `attach` (true or false) for
/// the attachment flag.
pub(super) fn flags(extras: Option<&Extra>) -> BoneFlags {
    // Editors store true and false as 1 and 0.
    let number = |name: &str| extras.and_then(|extras| extras.get(name)?.as_u32());
    let flags = number("flags").unwrap_or(0);
    let mark = BoneFlags::ATTACHMENT.0;
    BoneFlags(match number("attach") {
        Some(0) => flags & !mark,
        Some(1) => flags | mark,
        _ => flags,
    })
}
