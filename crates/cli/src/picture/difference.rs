//! Renders two models side by side, and the differences of the images.

use super::{SIZE, is_picture};
use crate::destination::Destination;
use crate::output;
use crate::reader::Reader;
use crate::refusal::{Fail, Refusal};
use meshwright::render::{Bounds, Comparison, RenderOptions, ScenePose, visible_bounds};
use meshwright::scene::{Budget, Levels, Scene};
use meshwright::{render as raster, textures};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A written image of two models and their difference.
#[derive(Debug)]
pub(crate) struct Compared {
    path: PathBuf,
    found: Comparison,
}

impl Compared {
    /// Checks that an image can be written to this path.
    pub(crate) fn check(path: &Path) -> Result<(), Fail> {
        is_picture(path)
    }

    /// Renders two models in the rest pose, with the same camera and scale, each with its name below it.
    pub(crate) fn new(path: &Path, models: [(&Scene, &str); 2], reader: &Reader) -> Result<Self, Refusal> {
        let budget = || Budget::new(reader.limits());
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let poses = [
            ScenePose::sample(models[0].0, None, &budget())?,
            ScenePose::sample(models[1].0, None, &budget())?,
        ];
        let mut bounds: Option<Bounds> = None;
        for ((scene, _), posed) in models.iter().zip(&poses) {
            let own = visible_bounds(scene, posed, Levels::Finest, &budget())?;
            bounds = bounds.into_iter().chain(own).reduce(Bounds::union);
        }
        let drawn = |side: usize| -> Result<_, Refusal> {
            let (scene, posed) = (models[side].0, &poses[side]);
            let mut options = RenderOptions::new(SIZE, SIZE).with_frame(bounds).with_threads(threads);
            options.overlays.bones = scene.meshes.is_empty();
            Ok(raster::render(scene, posed, &textures(scene, &budget())?, &options, &budget())?)
        };
        let (left, right) = (drawn(0)?, drawn(1)?);
        let found = Comparison::new(&left, &right, &budget())?;
        let named = |i: usize| models[i].1;
        let page = found.side_by_side(
            (&left, named(0)),
            (&right, named(1)),
            RenderOptions::BACKGROUND,
            &budget(),
        )?;
        let png = page.to_png().map_err(|e| Refusal::Argument(format!("--picture: {e}")))?;
        output::stream(&Destination::File(path.to_owned()), output::content_of(&png), reader.plan())?;
        Ok(Self { path: path.to_owned(), found })
    }

    /// Returns the result in one line.
    pub(crate) fn text(&self) -> String {
        let Comparison { differing, pixels, largest, .. } = &self.found;
        let where_to = crate::render::path(&self.path);
        match differing {
            0 => format!("{where_to}: the images of both models are the same"),
            n => format!("{where_to}: {n} of {pixels} pixels differ, by at most {largest} of 255"),
        }
    }

    /// Returns the result as JSON.
    pub(crate) fn document(&self) -> Value {
        json!({
            "file": crate::render::exact(&self.path),
            "differing": self.found.differing,
            "pixels": self.found.pixels,
            "largest": self.found.largest,
        })
    }
}
