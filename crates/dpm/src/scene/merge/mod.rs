//! Applies a patch to the original model.

mod dpm;
mod zym;

use crate::bone::Bone;
use crate::clips::FrameClip;
use crate::scene::options::DpmSceneOptions;
use crate::scene::traced::Traced;
use alloc::vec::Vec;
use meshwright_edit::Patch;
use meshwright_edit::apply::{ApplyPatch, ClipList, Clips, Frames, Merge, apply};
use meshwright_scene::{Clip, ConvertError, Converted, FromSceneOptions, Scene};

/// A DPM with the edits of a scene.
pub type MergedDpm = Merged<crate::Dpm>;
/// A ZYM with the edits of a scene.
pub type MergedZym = Merged<crate::Zym>;

/// A clip of the result.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MergedClip {
    /// The clip, with the frame numbers of the result.
    pub clip: FrameClip,
    /// The original clip: its number and its content.
    pub was: Option<(usize, FrameClip)>,
}

impl MergedClip {
    /// Combines a clip with its original.
    #[must_use]
    pub const fn new(clip: FrameClip, was: Option<(usize, FrameClip)>) -> Self {
        Self { clip, was }
    }
}

/// A model with the edits of a scene, and its clips.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Merged<M> {
    /// The model.
    pub model: M,
    /// The clips of the edited scene.
    pub clips: Vec<MergedClip>,
}

/// Applies a patch of `native` to a model.
fn merge<M: ApplyPatch>(
    original: &M,
    (native, patch): (&Scene, &Patch),
    list: ClipList,
    options: &FromSceneOptions<DpmSceneOptions>,
    traced: impl Fn(&Scene) -> Result<Converted<Traced<M>>, ConvertError>,
) -> Result<Converted<Merged<M>>, ConvertError> {
    let (budget, mut losses) = (options.budget(), Vec::new());
    let patch = &*patch.with_one_skeleton(|_| true, &budget, &mut losses)?;
    let made = traced(&patch.scene)?;
    losses.extend(made.losses);
    let mut losses = patch.losses_of_edits(losses);
    patch.note_removed_materials(&mut losses);
    let (made, made_clips) = made.value.split();
    let (model, plan, clips) = apply(original, &made, (native, patch), list, (&budget, &mut losses))?;
    Ok(Converted::new(Merged { model, clips: merged_clips(&clips, &made_clips, &plan) }, losses))
}

/// Returns the bones of the result; `bones` are those of the original and the made ones.
fn merged_bones<M>(work: &Merge<'_, M>, bones: [&[Bone]; 2]) -> Vec<Bone> {
    let bone = |(b, ([old, new], parent)): (usize, ([Option<&Bone>; 2], Option<usize>))| {
        let own = old.or(new)?;
        // A root keeps its original number for "no parent".
        let none = if own.parent().is_none() { own.parent } else { -1 };
        let parent = parent.and_then(|p| i32::try_from(p).ok()).unwrap_or(none);
        let named = new.filter(|_| work.joints.change(b).renamed).unwrap_or(own);
        Some(Bone { name: named.name, parent, ..*own })
    };
    work.joints.bones(bones, Bone::parent).enumerate().filter_map(bone).collect()
}

/// Returns the clips of the result, with the original's values where they were not edited.
fn merged_clips(clips: &Clips<'_>, made: &[FrameClip], plan: &Frames) -> Vec<MergedClip> {
    let bytes = |name: &str| -> Vec<u8> {
        name.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
    };
    let native = |c: &Clip| FrameClip {
        fps: c.rate,
        looping: c.looping,
        ..FrameClip::new(bytes(&c.name), c.start, c.frames)
    };
    let clip = |(a, (made, start)): (usize, (&FrameClip, &u32))| {
        let was = clips.was(a).map(|(n, clip)| (n, native(clip)));
        let kept = was.as_ref().filter(|_| !clips.is_renamed(a));
        let name = kept.map_or_else(|| made.name.clone(), |(_, native)| native.name.clone());
        MergedClip { clip: FrameClip { name, start: *start, ..made.clone() }, was }
    };
    made.iter().zip(&plan.starts).enumerate().map(clip).collect()
}
