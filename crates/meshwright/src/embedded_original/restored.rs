//! Edited models as files, with the help of their original if it is known.

use super::{Original, RecoverOptions, Recovered};
use crate::convert::{Target, convert};
use crate::error::Error;
use crate::formats::{ReadSettings, WriteOptions};
use crate::model::Model;
use meshwright_edit::Recovery;
use meshwright_scene::{Converted, Loss, OutputFiles};

/// The files of an edited model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Restored {
    /// Its files, the main one first.
    pub files: OutputFiles,
    /// The dropped data.
    pub losses: Vec<Loss>,
    /// The edits; `None` without a known original.
    pub recovery: Option<Recovery>,
}

impl Model {
    /// Writes an edited model as files; the main file has `name`. It uses the given original, otherwise the
    /// [embedded](Original::kept_in) one. Without an original, or if the embedded one cannot be used (which is reported
    /// as a loss), the files are made as by [`convert`](Self::convert).
    ///
    /// # Errors
    /// As [`Original::recover`] with the given original, as [`Original::write`] and as [`convert`](Self::convert).
    pub fn restore(
        &self,
        onto: Option<&Original>,
        target: impl Into<Target>,
        name: &str,
        how: &RecoverOptions,
        options: &WriteOptions,
    ) -> Result<Restored, Error> {
        let target = target.into();
        let (mut losses, kept);
        let original = match onto {
            Some(original) => {
                losses = Vec::new();
                Some(original)
            }
            None => {
                (kept, losses) = self.embedded_original(target, how);
                kept.as_ref()
            }
        };
        if let Some(original) = original {
            match original.recover(self, how) {
                Ok(mut recovered) => {
                    losses.append(&mut recovered.losses);
                    let made = original.written(&mut recovered, target, name, options)?;
                    losses.extend(made.losses);
                    return Ok(Restored {
                        files: made.value,
                        losses,
                        recovery: Some(recovered.patch.report),
                    });
                }
                Err(e) if original.is_kept() => losses.push(ignored(&e.to_string())),
                Err(e) => return Err(e.into()),
            }
        }
        losses.extend(self.original_missing(target));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let made = self.convert(target, &options.clone().with_stem(stem))?;
        losses.extend(made.losses);
        Ok(Restored { files: made.value, losses, recovery: None })
    }

    /// Returns a note that an edited document has no embedded original, for a native target: an animated model of a
    /// game then gets other rates, loops and names.
    pub fn original_missing(&self, target: Target) -> Option<Loss> {
        let document =
            self.gltf().filter(|file| file.embedded().is_none() && matches!(target, Target::Native(_)))?;
        let tables = document.tables().ok()?;
        let edited = ["Blender", "FBX2glTF"].iter().any(|tool| tables.generator().contains(tool));
        let rigged = !tables.skins().is_empty() || !tables.animations().is_empty();
        let message = "no original in the document: if it was exported from a file of a game, export it with Custom Properties, \
                       or name that file with --onto";
        (edited && rigged).then(|| Loss::note("original-missing", "scene.extras", message))
    }

    /// Returns the embedded original, for a native target.
    fn embedded_original(&self, target: Target, how: &RecoverOptions) -> (Option<Original>, Vec<Loss>) {
        if !matches!(target, Target::Native(_)) {
            return (None, Vec::new());
        }
        let mut settings = ReadSettings::default();
        settings.read.limits = how.limits;
        match Original::kept_in(self, &settings) {
            Ok(original) => (original, Vec::new()),
            Err(e) => (None, vec![ignored(e.message())]),
        }
    }
}

impl Original {
    /// Like [`write`](Self::write), with scaled lengths if requested. Then everything counts as edited.
    fn written(
        &self,
        recovered: &mut Recovered,
        target: Target,
        name: &str,
        options: &WriteOptions,
    ) -> Result<Converted<OutputFiles>, Error> {
        let Some(factor) = options.scale.filter(|scale| *scale != 1.0) else {
            return Ok(self.write(recovered, target, name, options)?);
        };
        recovered.patch.scene.rescale(factor)?;
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Ok(convert(&recovered.patch.scene, target, &options.clone().with_stem(stem))?)
    }
}

/// The model that went along is left out of account.
fn ignored(why: &str) -> Loss {
    Loss::new("kept-ignored", "scene.extras", why.to_owned())
}
