//! `--retarget`: the scene of a model on another skeleton.

use super::work::Work;
use crate::args::HoldArg;
use crate::refusal::Refusal;
use meshwright::StreamedFile;
use meshwright::files::output::{Output, OutputRole, Place};
use meshwright::retarget::{Hold, MapFile, RetargetOptions, retarget_scene};
use meshwright::scene::{Converted, OutputFile, Scene, SceneOptions};
use std::fs;
use std::path::Path;

impl Work<'_> {
    /// Moves a scene to the skeleton that `--retarget` names, and returns the map as a file if `--map-out` wants it.
    pub(super) fn retarget(
        &self,
        scene: &mut Converted<Scene>,
        options: &SceneOptions,
    ) -> Result<Option<Output<StreamedFile<'static>>>, Refusal> {
        let args = &self.args.retarget;
        let Some(path) = &args.retarget else { return Ok(None) };
        let mut target = self.reader.open_named(path)?;
        let options = options.clone().with_static_meshes(false);
        let target = target.asset.take_scene(&options).map_err(|e| Refusal::from(e).of_companion(path))?;
        let hold = Hold::NOTHING
            .with_feet(args.hold.contains(&HoldArg::Feet))
            .with_hands(args.hold.contains(&HoldArg::Hands));
        self.reader.note(args.map.clone());
        let map = args.map.as_deref().map(read_map).transpose()?;
        let options =
            RetargetOptions::default().with_map(map).with_hold(hold).with_limits(self.reader.limits());
        let done = retarget_scene(&scene.value, &target.value, &options)?;
        scene.value = done.value.scene;
        scene.losses.extend(done.losses);
        let Some(out) = &args.map_out else { return Ok(None) };
        let text = done.value.map.to_string();
        if out == Path::new("-") {
            // A closed pipe is reported at the end of the run.
            let _ = crate::batch::print(text);
            return Ok(None);
        }
        let name = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let content = OutputFile { name, bytes: text.into_bytes() }.into();
        Ok(Some(Output { place: Place::named(out), role: OutputRole::Companion, content }))
    }
}

fn read_map(path: &Path) -> Result<MapFile, Refusal> {
    let unreadable =
        |e: std::io::Error| Refusal::Unreadable { companion: Some(path.to_owned()), why: e.to_string() };
    let text = fs::read_to_string(path).map_err(unreadable)?;
    MapFile::parse(&text).map_err(|e| Refusal::Argument(format!("--map {}: {e}", crate::render::path(path))))
}
