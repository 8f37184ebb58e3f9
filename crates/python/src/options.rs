//! Words of the caller's.

use meshwright::edit::Snap;
use meshwright::gltf::{ExportOptions, Influences};
use meshwright::render::View;
use meshwright::scene::Space;
use meshwright::{ConvertOptions, Format, Limits, Target, WriteOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::str::FromStr;

/// Parses a name.
pub(crate) fn named<T: FromStr<Err: ToString>>(name: &str) -> PyResult<T> {
    name.parse().map_err(|e: T::Err| PyValueError::new_err(e.to_string()))
}

/// The choice of a few that a word means.
fn chosen<T: Copy>(what: &str, word: &str, choices: &[(&str, T)]) -> PyResult<T> {
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

pub(crate) fn view(word: &str) -> PyResult<View> {
    let known = [("lit", View::Lit), ("unlit", View::Unlit), ("normals", View::Normals), ("uvs", View::Uvs)];
    chosen("view", word, &known)
}

pub(crate) fn space(word: &str) -> PyResult<Space> {
    chosen("space", word, &[("scene", Space::Gltf), ("file", Space::File)])
}

/// A choice of dialect, which a format of any has.
pub(crate) fn dialect(name: &str) -> PyResult<String> {
    let known: Vec<_> =
        Format::ALL.iter().flat_map(|f| f.values("dialect")).map(|name| (*name, ())).collect();
    chosen("dialect", name, &known).map(|()| name.to_owned())
}

/// Options for writing files.
pub(crate) fn writing(
    limits: Limits,
    stem: &str,
    export: ExportOptions,
    scale: Option<f64>,
    dialect_name: Option<&str>,
) -> PyResult<ConvertOptions> {
    let dialect = dialect_name.map(dialect).transpose()?;
    let write = WriteOptions::default().with_limits(limits).with_dialect(dialect).with_gltf(export);
    Ok(ConvertOptions::from(write.with_stem(stem)).with_scale(scale))
}

/// The target that a word means, else the name of a file.
pub(crate) fn target(word: Option<&str>, file: &str) -> PyResult<Target> {
    match word {
        Some(word) => named(word),
        None => Target::from_name(file)
            .ok_or_else(|| PyValueError::new_err(format!("the name of {file:?} says no format: name one"))),
    }
}
