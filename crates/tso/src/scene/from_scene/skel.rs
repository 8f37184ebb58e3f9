//! A scene's skeleton as a `.skel`.

use super::names::{self, Namer, SHORT};
use super::options::{MeshForm, TsoSceneOptions, chosen, is_native};
use super::transforms::{self, NO_MOVE, NO_TURN, bounded, is_scaled, not_finite, stored};
use crate::name::Name;
use crate::scene::extras;
use crate::scene::space::TO_GLTF;
use crate::skel::{Bone, Skel};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::f32s;
use meshwright_scene::math::Trs64;
use meshwright_scene::names::{Encoding, NameRules, Names};
use meshwright_scene::{
    Budget, ConvertError, Converted, FromScene, FromSceneOptions, Joint, Loss, Naming, Scene, Skeleton,
    Unsupported,
};

impl Skel {
    /// Converts one of a scene's skeletons, in its rest pose. Bones have no scale: the children of a scaled joint get
    /// their scaled positions.
    ///
    /// # Errors
    /// If the scene breaks its own rules, has no such skeleton, or has more joints than the format counts, if a name
    /// is not possible and must not be changed, or if the result would take more memory than allowed.
    pub fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<TsoSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        scene.validate()?;
        let (budget, mut losses) = (options.budget(), Vec::new());
        let id = chosen(
            options.format.skeleton,
            scene.skeletons.len(),
            "skeletons-dropped",
            "skeletons",
            &mut losses,
        );
        let names = names::bones(scene, id, MeshForm::Mesh, options.names, &budget, &mut losses)?;
        let (skel, _) = make(scene, id, &names, options, &budget, &mut losses)?;
        Unsupported::report(&[Unsupported::Clips, Unsupported::Follows], scene, &mut losses);
        Ok(Converted::new(skel, losses))
    }
}

impl FromScene for Skel {
    type Options = TsoSceneOptions;

    fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<TsoSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        Self::from_scene(scene, options)
    }
}

/// Converts skeleton `id` to bones with these names. Also returns the joint of each bone; `None` for a bone that the
/// conversion adds.
pub(crate) fn make(
    scene: &Scene,
    id: usize,
    names: &[Name],
    options: &FromSceneOptions<TsoSceneOptions>,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<(Skel, Vec<Option<usize>>), ConvertError> {
    let path = format!("skeletons[{id}]");
    let source = scene.skeletons.get(id).ok_or_else(|| ConvertError::invalid(&*path, "does not exist"))?;
    if source.joints.len() > usize::from(u16::MAX) {
        return Err(ConvertError::unsupported(path, "more than 65535 bones"));
    }
    let mut namer = Namer::new(SHORT, options.format.record_names(), options.names, budget);
    let name = namer.fit(&source.name, &format!("{path}.name"), losses)?;
    let axes = options.axes(scene, &TO_GLTF);
    let mut bones = budget.reserve("bones", source.joints.len())?;
    let mut bad = 0;
    let rests = rests(source, &path, budget, losses)?;
    // Some readers want parents before their children.
    let order = source.parents_first(budget)?;
    for &j in order.joints() {
        let (Some(joint), Some(rest), Some(name)) = (source.joints.get(j), rests.get(j), names.get(j)) else {
            continue;
        };
        let (translation, rotation) = stored(&axes, rest);
        let (mut translation, mut rotation) = ([translation], [rotation]);
        bad += bounded(&mut translation, NO_MOVE) + bounded(&mut rotation, NO_TURN);
        let ([translation], [rotation]) = (translation, rotation);
        bones.push(Bone { translation, rotation, ..bone(joint, name, names, budget)? });
    }
    not_finite(&path, bad, losses);
    let added = !is_native(scene) && one_root(&mut bones, source, &path, budget, losses)?;
    let joints = added.then_some(None).into_iter().chain(order.joints().iter().copied().map(Some)).collect();
    Ok((Skel { name, bones, trailing: Vec::new() }, joints))
}

/// Adds a root above several roots of a foreign scene, because the game moves a character by one root. Returns true if
/// it did; the new root is the first bone.
fn one_root(
    bones: &mut Vec<Bone>,
    source: &Skeleton,
    path: &str,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<bool, ConvertError> {
    let roots = source.joints.iter().filter(|j| j.parent.is_none()).count();
    if roots < 2 || bones.len() >= usize::from(u16::MAX) {
        return Ok(false);
    }
    let mut names =
        Names::new(NameRules::new(Encoding::LATIN1, SHORT).unique().ignoring_case(), Naming::Fit, budget);
    for bone in bones.iter() {
        names.reserve(bone.name.bytes())?;
    }
    let name = Name::from(names.fit("ROOT", path, &mut Vec::new())?);
    for bone in bones.iter_mut().filter(|b| b.parent_name().is_none()) {
        bone.parent = name.clone();
    }
    let message = "several roots were joined under a new root";
    losses.push(Loss::note("root-added", path, message).with_count(roots, "root", "roots"));
    let root = Bone {
        parent: "NULL".into(),
        name,
        translation: f32s(NO_MOVE),
        rotation: f32s(NO_TURN),
        ..extras::plain_bone()
    };
    bones.insert(0, root);
    Ok(true)
}

/// Returns a bone at rest on its parent.
fn bone(joint: &Joint, name: &Name, names: &[Name], budget: &Budget) -> Result<Bone, ConvertError> {
    let parent = joint.parent.and_then(|p| names.get(p));
    budget
        .charge("names", name.bytes().len().saturating_add(parent.map_or(4, |p| p.bytes().len())) as u64)?;
    Ok(Bone {
        name: name.clone(),
        parent: parent.cloned().unwrap_or_else(|| "NULL".into()),
        ..extras::bone_in(joint.extras.as_ref())
    })
}

/// Returns the rest pose of every joint without scale.
fn rests(
    skeleton: &Skeleton,
    path: &str,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Trs64>, ConvertError> {
    let mut rests = budget.reserve("bones", skeleton.joints.len())?;
    let scaled = |j: &Joint| is_scaled(&j.rest.to_affine64());
    let count = skeleton.joints.iter().filter(|j| scaled(j)).count();
    if count == 0 {
        rests.extend(skeleton.joints.iter().map(|j| j.rest.to_trs64()));
        return Ok(rests);
    }
    let first = skeleton.joints.iter().position(scaled).unwrap_or(0);
    let message = "bones have no scale or shear; it was applied to the positions of their children";
    losses.push(Loss::new("joint-scale", format!("{path}.joints[{first}]"), message).counted(count));
    rests.extend(transforms::bones(skeleton, budget)?.rest_locals().map(|m| Trs64::from_affine(&m)));
    Ok(rests)
}
