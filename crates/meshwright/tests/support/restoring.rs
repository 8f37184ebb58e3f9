//! Edited documents with their originals.

use meshwright::{ConvertOptions, Converted, Model, Original, OriginalSource, RecoverOptions, Target};

/// Converts an edited model with its original: the given one, otherwise the embedded one.
pub(crate) fn restored(
    edited: &Model,
    onto: Option<&Original>,
    target: impl Into<Target>,
    name: &str,
    how: &RecoverOptions,
    options: &ConvertOptions,
) -> Result<Converted, meshwright::Error> {
    let original = onto.map_or(OriginalSource::Embedded, |own| own.clone().into());
    let options = options.clone().with_output(name).with_original(original).with_recovery(*how);
    edited.convert_with(target, &options)
}
