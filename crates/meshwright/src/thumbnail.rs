//! A small rendering of a model.

use crate::error::{Error, ErrorKind};
use meshwright_core::{Budget, Limits};
use meshwright_render::{RenderOptions, ScenePose, render, visible_bounds};
use meshwright_scene::{Levels, Scene};

/// Renders a model as PNG, `size` pixels wide and high, on a transparent background. A model with an
/// [idle clip](Scene::idle_clip) is in the first frame of that clip, every other model in its rest pose. A model of which
/// no mesh can be seen is shown by its bones.
///
/// # Errors
/// If it would take more than the limits allow.
pub fn thumbnail(scene: &Scene, size: u32, limits: Limits) -> Result<Vec<u8>, Error> {
    let textures = crate::textures::textures(scene, &Budget::new(limits))?;
    let sample = |clip: Option<usize>| -> Result<ScenePose, Error> {
        Ok(ScenePose::sample(scene, clip.map(|clip| (clip, 0.0)), &Budget::new(limits))?)
    };
    let mut posed = sample(scene.idle_clip())?;
    let shows = |posed: &ScenePose| visible_bounds(scene, posed, Levels::Finest, &Budget::new(limits));
    // A clip may hide the model, or belong to something else.
    if scene.idle_clip().is_some() && shows(&posed)?.is_none() {
        posed = sample(None)?;
    }
    let mut options = RenderOptions::new(size, size).with_background([0; 4]);
    let mut picture = render(scene, &posed, &textures, &options, &Budget::new(limits))?;
    // A skeleton, a place for a weapon whose mesh the engine does not draw, or faces that look away.
    if picture.pixels().iter().all(|pixel| pixel[3] == 0) {
        options.overlays.bones = true;
        picture = render(scene, &posed, &textures, &options, &Budget::new(limits))?;
    }
    picture.to_png().map_err(|e| Error::new(ErrorKind::Invalid, "not-writable", e.to_string()))
}
