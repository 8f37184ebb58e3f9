//! Words of the caller's.

use meshwright::dpm::UnusedBones;
use meshwright::edit::Snap;
use meshwright::gltf::Influences;
use meshwright::page::without_options;
use meshwright::render::View;
use meshwright::scene::Space;
use meshwright::{ConvertOptions, Dialect, Target, WriteOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::borrow::Cow;
use std::str::FromStr;

/// Options of the program that are arguments here, by the same names.
const ARGUMENTS: &[&str] =
    &["fps", "frames-at", "max-memory", "prune", "recompute-normals", "root", "scale", "skeleton", "skin"];

/// Returns a message with the program's options as the arguments of this package. Advice that names another option is left
/// out.
pub(crate) fn python_words(message: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(message);
    for name in ARGUMENTS {
        let option = format!("--{name}");
        let Some(at) = text.find(&option) else { continue };
        let after = text.get(at.saturating_add(option.len())..).unwrap_or_default();
        let argument = name.replace('-', "_");
        let is_value =
            after.strip_prefix(' ').is_some_and(|value| value.starts_with(|c: char| c.is_ascii_digit()));
        text = Cow::Owned(if is_value {
            text.replacen(&format!("{option} "), &format!("{argument}="), 1)
        } else {
            text.replacen(&option, &argument, 1)
        });
    }
    Cow::Owned(without_options(&text).into_owned())
}

/// Parses a name.
pub(crate) fn named<T: FromStr<Err: ToString>>(name: &str) -> PyResult<T> {
    name.parse().map_err(|e: T::Err| PyValueError::new_err(e.to_string()))
}

/// The choice of a few that a word means.
pub(crate) fn chosen<T: Copy>(what: &str, word: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let found = choices.iter().find(|(name, _)| *name == word).map(|(_, choice)| *choice);
    found.ok_or_else(|| {
        let known = choices.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        PyValueError::new_err(format!("{what} is one of {known}, not {word:?}"))
    })
}

pub(crate) fn snap(word: &str) -> PyResult<Snap> {
    chosen("snap", word, &[("exact", Snap::Exact), ("default", Snap::Default), ("loose", Snap::Loose)])
}

pub(crate) fn influences(word: &str) -> PyResult<Influences> {
    chosen("influences", word, &[("four", Influences::Four), ("all", Influences::All)])
}

pub(crate) fn unused_bones(word: &str) -> PyResult<UnusedBones> {
    let known =
        [("keep", UnusedBones::Keep), ("unmarked", UnusedBones::Unmarked), ("remove", UnusedBones::Remove)];
    chosen("unused_bones", word, &known)
}

pub(crate) fn view(word: &str) -> PyResult<View> {
    let known = [("lit", View::Lit), ("unlit", View::Unlit), ("normals", View::Normals), ("uvs", View::Uvs)];
    chosen("view", word, &known)
}

pub(crate) fn space(word: &str) -> PyResult<Space> {
    chosen("space", word, &[("scene", Space::Gltf), ("file", Space::File)])
}

/// A choice of dialect, which a format of any has.
pub(crate) fn dialect(name: &str) -> PyResult<Dialect> {
    let known: Vec<_> = Dialect::all().map(|dialect| (dialect.name(), dialect)).collect();
    chosen("dialect", name, &known)
}

/// Options for writing files.
pub(crate) fn writing(
    write: WriteOptions,
    stem: &str,
    scale: Option<f64>,
    dialect_name: Option<&str>,
) -> PyResult<ConvertOptions> {
    if scale.is_some_and(|scale| !scale.is_finite() || scale <= 0.0) {
        return Err(PyValueError::new_err("scale is a positive number"));
    }
    let dialect = dialect_name.map(dialect).transpose()?;
    Ok(ConvertOptions::from(write.with_dialect(dialect).with_stem(stem)).with_scale(scale))
}

/// The target that a word means, else the name of a file.
pub(crate) fn target(word: Option<&str>, file: &str) -> PyResult<Target> {
    match word {
        Some(word) => named(word),
        None => Target::from_name(file)
            .ok_or_else(|| PyValueError::new_err(format!("the name of {file:?} says no format: name one"))),
    }
}
