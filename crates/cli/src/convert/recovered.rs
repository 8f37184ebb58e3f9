//! Imports edits into the original model.

use super::done::Done;
use super::scene::no_figure;
use super::work::{Files, Work};
use crate::args::{OutputFormat, SnapArg};
use crate::destination::Destination;
use crate::input::Input;
use crate::manifest::Took;
use crate::reader::Opened;
use crate::refusal::Refusal;
use meshwright::edit::Snap;
use meshwright::files::output::{Output, OutputRole, Place};
use meshwright::scene::{ConvertError, Loss, SceneOptions};
use meshwright::{Model, Original, RecoverOptions, Recovered, StreamedFile, Target};
use std::ffi::OsStr;
use std::path::PathBuf;

impl Work<'_> {
    /// Returns the original of a model: the named one, otherwise the embedded one. An embedded original that cannot
    /// be used is a loss.
    fn original(
        &self,
        opened: &Opened,
        sources: &mut Vec<PathBuf>,
        (losses, took): (&mut Vec<Loss>, &mut Took),
    ) -> Result<Option<Original>, Refusal> {
        let mut originals = self.reader.originals()?;
        for original in &originals {
            self.record_sources(original, sources);
            took.extend(self.took(original));
        }
        if originals.len() > 1 {
            let assets = originals.into_iter().map(|original| original.asset).collect();
            let figure = Model::figure(assets).map_err(|e| match no_figure(&e) {
                Refusal::Argument(_) => Refusal::Argument(format!("--onto: {}", e.message())),
                other => other,
            })?;
            return Ok(Some(Original::new(figure).with_solids(self.args.solids)));
        }
        if let Some(mut original) = originals.pop() {
            let limits = self.reader.limits();
            let mut scene = original.asset.to_scene(&SceneOptions::default().with_limits(limits))?;
            self.reader.add_textures(&mut original, &mut scene);
            let known = Original::new(original.asset).with_solids(self.args.solids);
            return Ok(Some(known.with_pictures(&scene.value, &meshwright::Budget::new(limits))));
        }
        if !matches!(self.to, Target::Native(_)) {
            return Ok(None);
        }
        match Original::kept_in(&opened.asset, &self.reader.options().settings) {
            Ok(original) => Ok(original),
            Err(e) => {
                losses.push(ignored(&e.to_string()));
                Ok(None)
            }
        }
    }

    /// Applies the edits of a model to its original, if it has one.
    pub(super) fn recover(
        &self,
        input: &Input,
        opened: &mut Opened,
        place: &Place,
        sources: &mut Vec<PathBuf>,
    ) -> Result<Option<Done>, Refusal> {
        let args = self.args;
        let (mut losses, mut took) = (Vec::new(), self.took(opened));
        let Some(original) = self.original(opened, sources, (&mut losses, &mut took))? else {
            losses.extend(opened.asset.original_missing(self.to).filter(|_| losses.is_empty()));
            losses.iter().for_each(|loss| crate::say(&format!("{}: {loss}", input.display_path())));
            return Ok(None);
        };
        opened.asset.companions_mut().rate = args.fps;
        let snap = match args.snap {
            SnapArg::Exact => Snap::Exact,
            SnapArg::Default => Snap::Default,
            SnapArg::Loose => Snap::Loose,
        };
        let how = RecoverOptions::default().with_snap(snap).with_frames_at(args.frames_at);
        let mut recovered = match original.recover(&opened.asset, &how.with_limits(self.reader.limits())) {
            Ok(recovered) => recovered,
            Err(e) if original.is_kept() => {
                crate::say(&format!("{}: {}", input.display_path(), ignored(&e.to_string())));
                return Ok(None);
            }
            Err(e) => return Err(e.into()),
        };
        losses.append(&mut recovered.losses);
        let files = self.edited_files(&original, &mut recovered, place, &mut losses)?;
        let mut done = Done::new(input, losses, "");
        if args.format == OutputFormat::Json {
            done.patch = serde_json::from_str(&recovered.patch.to_json()).ok();
        }
        (done.recovery, done.took) = (Some(recovered.patch.report), took);
        self.stage(done, files).map(Some)
    }

    /// Returns the files of the edited original.
    fn edited_files(
        &self,
        original: &Original,
        recovered: &mut Recovered,
        place: &Place,
        losses: &mut Vec<Loss>,
    ) -> Result<Files<'static>, Refusal> {
        let (args, path) = (self.args, place.path());
        let single = *self.outputs.destination() == Destination::Stdout;
        let stem = path.file_stem().filter(|s| *s != OsStr::new("-")).unwrap_or(OsStr::new("model"));
        let options = self.write_options(&stem.to_string_lossy());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let scaled = args.scale.filter(|scale| *scale != 1.0);
        let made = if scaled.is_some() || args.prune || args.engine.is_some() {
            if let Some(factor) = scaled {
                recovered.patch.scene.rescale(factor)?;
            }
            if args.prune {
                recovered
                    .patch
                    .scene
                    .prune(&meshwright::Budget::new(self.reader.limits()))
                    .map_err(ConvertError::from)?;
            }
            original.write_anew(recovered, self.to, &options)?
        } else {
            original.write(recovered, self.to, &name, &options)?
        };
        losses.extend(made.losses);
        let beside = original.companions()?;
        let mut files = self.place_files(made.value, place)?;
        for file in files.iter_mut().filter(|file| file.role == OutputRole::Companion) {
            if beside.get(&file.content.name) == file.content.bytes() {
                file.role = OutputRole::Unedited;
            }
        }
        if single {
            let is_left = |file: &mut Output<StreamedFile<'_>>| {
                file.role == OutputRole::Unedited || file.content.name.ends_with(".skin")
            };
            let left = files.extract_if(.., is_left);
            losses.extend(left.map(|file| {
                let why = "not written: this output is a single file";
                Loss::new("companion-left", file.content.name, why)
            }));
        }
        if single && files.len() > 1 {
            let why = format!("{} consists of several files; standard output takes one", self.to);
            return Err(Refusal::Argument(why));
        }
        Ok(files)
    }
}

/// Returns the loss of an embedded original that cannot be used.
fn ignored(why: &str) -> Loss {
    Loss::new("kept-ignored", "scene.extras", why.to_owned())
}
