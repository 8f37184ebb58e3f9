//! Writes the edits of a document into its original.

use super::Target;
use super::converted::{Conversion, Made, Route, several_files};
use super::options::{ConvertOptions, OriginalSource};
use super::pipeline::{ModelSource, left_out};
use crate::embedded_original::Original;
use crate::error::Error;
use crate::model::Model;
use meshwright_core::Budget;
use meshwright_scene::{Loss, OutputFiles};
use std::ops::ControlFlow;

/// Imports the edits of a model into its original. Returns the model if it has none. An embedded original that cannot be
/// used is a loss.
pub(super) fn restored<'m>(
    mut model: ModelSource<'m>,
    target: Target,
    options: &ConvertOptions,
    notes: &mut Vec<Loss>,
) -> Result<ControlFlow<Conversion, ModelSource<'m>>, Error> {
    let limits = options.write.shared.limits;
    let kept;
    let original = match &options.original {
        OriginalSource::Model(original) => Some(&**original),
        OriginalSource::Embedded => {
            kept = kept_original(&model, target, options, notes);
            kept.as_ref()
        }
        OriginalSource::Nothing => None,
    };
    let Some(original) = original else { return Ok(ControlFlow::Continue(model)) };
    model.drop_bytes();
    let how = options.recover.with_limits(limits);
    let edited = original.edited_scene(&model, &how);
    model.drop_document();
    let mut recovered = match edited.and_then(|edited| original.compare(edited, &how)) {
        Ok(recovered) => recovered,
        Err(e) if original.is_kept() => {
            notes.push(unusable_original(&e.to_string()));
            return Ok(ControlFlow::Continue(model.read_again()?));
        }
        Err(e) => return Err(e.into()),
    };
    let none = Made::files(OutputFiles::default());
    let mut done = Conversion::new(&model, target, options, Route::Edited, none);
    drop(model);
    let mut losses = std::mem::take(&mut recovered.losses);
    let factor = options.factor();
    let made = if factor.is_some() || options.prune || options.write.shared.engine.is_some() {
        if let Some(factor) = factor {
            recovered.patch.scene.rescale(factor)?;
        }
        if options.prune {
            recovered.patch.scene.prune(&Budget::new(limits))?;
        }
        original.write_anew(&recovered, target, &options.write)?
    } else {
        let name = options.main_name(&options.write.stem, target.extension());
        original.write(&recovered, target, &name, &options.write)?
    };
    losses.extend(made.losses);
    let (files, unedited) = files_to_write(made.value, original, options, &mut losses)?;
    if options.write.single && files.len() > 1 {
        return Err(several_files(target));
    }
    (done.made, done.losses, done.unedited) = (Made::files(files), losses, unedited);
    done.patch = Some(recovered.patch);
    Ok(ControlFlow::Break(done))
}

/// Returns the original that is embedded in a model, if the conversion writes into it. One that cannot be used is a loss.
fn kept_original(
    model: &Model,
    target: Target,
    options: &ConvertOptions,
    notes: &mut Vec<Loss>,
) -> Option<Original> {
    // A new name is that of a new outfit; the embedded original is another one.
    if !matches!(target, Target::Native(_)) || options.write.is_renamed() {
        return None;
    }
    let mut settings = model.opener().settings.clone();
    settings.read.limits = options.write.shared.limits;
    match Original::kept_in(model, &settings) {
        Ok(Some(mut original)) => {
            original.drop_bytes();
            return Some(original);
        }
        Ok(None) => notes.extend(model.original_missing(target)),
        Err(e) => notes.push(unusable_original(e.message())),
    }
    None
}

fn unusable_original(why: &str) -> Loss {
    Loss::new("kept-ignored", "scene.extras", why.to_owned())
}

/// Returns the files to write, and the names of those that equal the original's.
fn files_to_write(
    made: OutputFiles,
    original: &Original,
    options: &ConvertOptions,
    losses: &mut Vec<Loss>,
) -> Result<(OutputFiles, Vec<String>), Error> {
    let beside = original.companions()?;
    let (mut files, mut unedited) = (OutputFiles::default(), Vec::new());
    for (i, file) in made.into_iter().enumerate() {
        let is_unedited = i > 0 && beside.get(&file.name) == Some(&*file.bytes);
        if options.write.single && i > 0 && (is_unedited || file.name.ends_with(".skin")) {
            losses.push(left_out(&file.name));
            continue;
        }
        if is_unedited {
            unedited.push(file.name.clone());
        }
        files.push(file.name, file.bytes);
    }
    Ok((files, unedited))
}
