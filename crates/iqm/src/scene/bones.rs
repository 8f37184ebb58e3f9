//! Converts the joints of a scene's skeleton, and their poses.

use super::axes::TO_GLTF;
use super::options::IqmOptions;
use super::text::Text;
use crate::model::TextId;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, Trs64};
use meshwright_scene::flatten::Instance;
use meshwright_scene::names::{Encoding, NameRules, Names};
use meshwright_scene::{
    Affine, AxisMap, BindPose, Budget, ConvertError, Extra, FromSceneOptions, LimitExceeded, Loss, Mesh,
    Order, Sampler, Scene, SkeletonId,
};

/// The rules for names of joints: engines compare them ignoring case.
const NAMES: NameRules = NameRules::new(Encoding::Utf8, 1 << 16).unique().ignoring_case();

/// The transform of a joint relative to its parent: exact, and as translation, rotation and scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posed {
    pub(super) exact: Affine64,
    pub(super) trs: Trs64,
}

impl Posed {
    const REST: Self = Self { exact: Affine64::IDENTITY, trs: Trs64::IDENTITY };

    /// Returns a transform with the given or a computed decomposition. A flat transform becomes only a position: no vertex
    /// can follow it.
    fn decompose(exact: Affine64, trs: Option<Trs64>) -> Self {
        let flat = exact.inverse().is_none();
        let trs = if flat {
            Trs64 { translation: exact.w, ..Trs64::IDENTITY }
        } else {
            trs.unwrap_or_else(|| Trs64::from_affine(&exact))
        };
        Self { exact, trs }
    }

    fn mapped(self, map: &AxisMap) -> Self {
        Self { exact: map.affine64(&self.exact), trs: map.trs64(&self.trs) }
    }
}

/// Joints, parents first.
pub(super) struct Bones {
    pub(super) id: SkeletonId,
    pub(super) map: AxisMap,
    pub(super) names: Vec<TextId>,
    pub(super) parents: Vec<Option<usize>>,
    /// The transforms relative to the parents in the pose in which vertices are bound.
    pub(super) bind: Vec<Posed>,
    /// The transforms from model space in that pose to the space of each joint.
    pub(super) inverses: Vec<Option<Affine64>>,
    /// True if a joint follows others; then it has no parent.
    follows: Vec<bool>,
    order: Order,
    /// The joint of vertices without influences.
    pub(super) root: Option<usize>,
    /// True if no joint has a name.
    pub(super) nameless: bool,
}

impl Bones {
    /// Converts the joints of the skeleton `id`. A root is added if something in `drawn` follows no joint.
    pub(super) fn convert<'i>(
        scene: &Scene,
        id: SkeletonId,
        drawn: impl Iterator<Item = &'i Instance>,
        options: &FromSceneOptions<IqmOptions>,
        text: &mut Text<'_>,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<Option<Self>, ConvertError> {
        let Some(skeleton) = scene.skeletons.get(id.0) else { return Ok(None) };
        budget.charge_items("joints", skeleton.joints.len() as u64, 2 * size_of::<[Posed; 2]>())?;
        let order = skeleton.parents_first(budget)?;
        let bound = BindPose::solve(scene, id, budget)?;
        let path = format!("skeletons[{}]", id.0);
        if bound.differs_from_rest {
            let message = "the bind pose differs from the rest pose; the file stores the bind pose";
            losses.push(Loss::note("rest-pose-dropped", &*path, message));
        }
        let mut names = Names::new(NAMES, options.names, budget);
        let map = options.axes(scene, &TO_GLTF);
        let mut bones = Self {
            id,
            map,
            names: Vec::new(),
            parents: Vec::new(),
            bind: Vec::new(),
            inverses: Vec::new(),
            follows: Vec::new(),
            order,
            root: None,
            nameless: skeleton.joints.iter().all(|j| j.name.is_empty()),
        };
        let mut flags = 0_usize;
        for place in 0..bones.order.joints().len() {
            let j = bones.order.joints()[place];
            let Some(joint) = skeleton.joints.get(j) else { continue };
            let follows = !joint.follows.is_empty();
            let name = match joint.name.as_str() {
                "" => Vec::new(),
                name => names.fit(name, &format!("{path}.joints[{j}]"), losses)?,
            };
            bones.names.push(text.add(&name)?);
            bones.parents.push(bones.order.parent(joint).filter(|_| !follows));
            let local = if follows { bound.model.get(j) } else { bound.locals.get(j) };
            let trs = (!bound.differs_from_rest && !follows).then(|| joint.rest.to_trs64());
            let posed = local.map_or(Posed::REST, |m| Posed::decompose(*m, trs));
            bones.bind.push(posed.mapped(&map));
            bones.inverses.push(bound.inverses.get(j).copied().flatten().map(|m| map.affine64(&m)));
            bones.follows.push(follows);
            flags += usize::from(has_flags(joint.extras.as_ref()));
        }
        if flags > 0 {
            let loss = Loss::new("bone-flags", &*path, "the format has no flags of joints");
            losses.push(loss.with_count(flags, "joint", "joints"));
        }
        let mut meshes = drawn.filter_map(|i| scene.meshes.get(i.mesh.0));
        if meshes.any(has_loose_vertices) {
            let name = names.fit("root", "skeletons", losses)?;
            bones.root = Some(bones.parents.len());
            bones.names.push(text.add(&name)?);
            bones.parents.push(None);
            bones.bind.push(Posed::REST);
            bones.inverses.push(Some(Affine64::IDENTITY));
            bones.follows.push(false);
        }
        Ok(Some(bones))
    }

    /// Returns the skeleton's joint of each joint; `None` for an added root.
    pub(super) fn joints(&self) -> impl Iterator<Item = Option<usize>> {
        let own = self.order.joints().iter().copied().map(Some);
        own.chain(core::iter::repeat(None)).take(self.len())
    }

    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns whether some joint follows others.
    pub(super) fn any_follows(&self) -> bool {
        self.follows.contains(&true)
    }

    /// Returns the number of a skeleton's joint.
    pub(super) fn number(&self, joint: u32) -> Option<usize> {
        self.order.place(joint as usize)
    }

    /// Computes all joints at a frame of a clip, into `out`.
    pub(super) fn sampled(
        &self,
        sampler: &Sampler<'_, '_>,
        frame: f64,
        model: &mut Vec<Affine64>,
        out: &mut Vec<Posed>,
    ) -> Result<(), LimitExceeded> {
        if self.any_follows() {
            sampler.model(frame, model)?;
        }
        out.clear();
        for (place, &j) in self.order.joints().iter().enumerate() {
            let posed = match model.get(j).filter(|_| self.follows[place]) {
                Some(m) => Posed::decompose(*m, None),
                None => Posed::decompose(sampler.local(j, frame), Some(sampler.trs(j, frame))),
            };
            out.push(posed.mapped(&self.map));
        }
        self.add_root(out);
        Ok(())
    }

    /// Converts all joints of a complete pose, into `out`.
    pub(super) fn stored(&self, pose: &[Affine], out: &mut Vec<Posed>) {
        out.clear();
        let posed = |j: &usize| pose.get(*j).map_or(Posed::REST, |m| Posed::decompose(m.wide(), None));
        out.extend(self.order.joints().iter().map(|j| posed(j).mapped(&self.map)));
        self.add_root(out);
    }

    fn add_root(&self, out: &mut Vec<Posed>) {
        out.extend(self.root.map(|_| Posed::REST));
    }
}

fn has_flags(extras: Option<&Extra>) -> bool {
    let is_set = |name: &str| extras.and_then(|e| e.get(name)?.as_u32()).is_some_and(|value| value != 0);
    is_set("flags") || is_set("attach")
}

fn has_loose_vertices(mesh: &Mesh) -> bool {
    mesh.skin
        .as_ref()
        .is_none_or(|s| (0..s.vertex_count()).any(|v| s.influences(v).iter().all(|i| i.weight == 0.0)))
}
