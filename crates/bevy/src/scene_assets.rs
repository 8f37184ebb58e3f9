//! From a scene to what Bevy's loader takes.

use crate::error::ModelError;
use meshwright::Target;
use meshwright::gltf::{ExportOptions, export};
use meshwright::scene::{Converted, Loss, Scene};
use std::collections::BTreeSet;

/// Joints one below the other. Bevy descends by calling itself, once for each.
const DEEPEST: usize = 256;

/// The facts about a clip in addition to its curves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClipFacts {
    pub(crate) name: String,
    pub(crate) looping: bool,
    pub(crate) rate: f32,
    pub(crate) frames: u32,
    pub(crate) seconds: f64,
}

/// A scene as a document.
pub(crate) struct Made {
    pub(crate) glb: Vec<u8>,
    /// In the order of the document's animations.
    pub(crate) clips: Vec<ClipFacts>,
    pub(crate) losses: Vec<Loss>,
}

/// Returns the document of a scene, and what is lost.
pub(crate) fn to_document(mut scene: Converted<Scene>, memory: u64) -> Result<Made, ModelError> {
    hanging(&scene.value, memory)?;
    if let Some(renamed) = distinguish(&mut scene.value) {
        scene.losses.push(renamed);
    }
    let options = ExportOptions::default().with_close_loops(true).with_memory(memory);
    let document = export(&scene.value, &options)?;
    let clips = document.value.clip_sources().iter().filter_map(|clip| scene.value.clips.get(*clip));
    let facts = |clip: &meshwright::scene::Clip| ClipFacts {
        name: clip.name.clone(),
        looping: clip.looping,
        rate: clip.rate,
        frames: clip.frames,
        seconds: clip.duration_seconds(),
    };
    let clips = clips.map(facts).collect();
    let mut losses = scene.losses;
    losses.extend(document.losses);
    Ok(Made { glb: document.value.into_glb(), clips, losses })
}

/// Returns the options for converting a model to a scene for display.
pub(crate) fn scene_options(memory: u64) -> meshwright::scene::SceneOptions {
    Target::Glb.scene_options().with_memory(memory)
}

/// Bevy descends along joints and nodes, and remembers the way to each.
fn hanging(scene: &Scene, memory: u64) -> Result<(), ModelError> {
    let trees = scene.skeletons.iter().map(|s| s.joints.iter().map(|j| j.parent).collect::<Vec<_>>());
    let nodes = scene.nodes.iter().map(|n| n.parent.map(|node| node.0)).collect();
    let mut names = 0_u64;
    for parents in trees.chain([nodes]) {
        for mut at in 0..parents.len() {
            let mut depth = 0_usize;
            while let Some(parent) = parents.get(at).copied().flatten() {
                (at, depth) = (parent, depth.saturating_add(1));
                if depth > DEEPEST {
                    let why = format!("joints or nodes are more than {DEEPEST} levels deep");
                    return Err(ModelError::Limit(why));
                }
            }
            names = names.saturating_add(u64::try_from(depth).unwrap_or(u64::MAX).saturating_mul(64));
        }
    }
    if names > memory {
        return Err(ModelError::Limit(format!("the way to each joint takes more than {memory} bytes")));
    }
    Ok(())
}

/// Bevy identifies the targets of curves by the names on the path to them: joints with the same parent, and all
/// topmost joints, get different names.
fn distinguish(scene: &mut Scene) -> Option<Loss> {
    let mut taken: BTreeSet<(usize, Option<usize>, String)> = BTreeSet::new();
    let at_top = |skeleton: usize, parent: Option<usize>| if parent.is_some() { skeleton } else { 0 };
    for node in scene.nodes.iter().filter(|node| node.parent.is_none()) {
        taken.insert((0, None, node.name.clone()));
    }
    let mut renamed = 0_u64;
    for (s, skeleton) in scene.skeletons.iter_mut().enumerate() {
        for (j, joint) in skeleton.joints.iter_mut().enumerate() {
            let place = at_top(s, joint.parent);
            let mut name = joint.name.clone();
            let mut again = 0_usize;
            while name.is_empty() || !taken.insert((place, joint.parent, name.clone())) {
                name = match again {
                    0 => format!("{}#{j}", joint.name),
                    _ => format!("{}#{s}.{j}.{again}", joint.name),
                };
                again = again.saturating_add(1);
            }
            if name != joint.name {
                (joint.name, renamed) = (name, renamed.saturating_add(1));
            }
        }
    }
    let message = format!("{renamed} joints without a unique name among their siblings got a new name");
    (renamed > 0).then(|| Loss::note("joint-renamed", "skeletons", message))
}
