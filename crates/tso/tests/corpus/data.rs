//! Finds and compares files of the corpus.

use meshwright_tso::{Anim, Mesh, Skel};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))).unwrap()
}

pub(crate) fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no .{extension} in {}", dir.display());
    found
}

pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

pub(crate) fn meshes(dir: &Path) -> Vec<(String, Mesh)> {
    let parse = |p: PathBuf| (name(&p), Mesh::parse(&fs::read(&p).unwrap()).unwrap());
    files(&dir.join("tso"), "mesh").into_iter().map(parse).collect()
}

pub(crate) fn anims(dir: &Path) -> Vec<Anim> {
    let parse = |p: PathBuf| Anim::parse(&fs::read(&p).unwrap()).unwrap();
    files(&dir.join("tso"), "anim").into_iter().map(parse).collect()
}

pub(crate) fn adult(dir: &Path) -> Skel {
    Skel::parse(&fs::read(dir.join("tso/adult_reconstructed.skel")).unwrap()).unwrap()
}

pub(crate) fn int(v: &Value) -> u32 {
    u32::try_from(v.as_u64().unwrap_or_else(|| panic!("{v}"))).unwrap()
}

pub(crate) fn float(v: &Value) -> f32 {
    v.as_f64().unwrap_or_else(|| panic!("{v}")) as f32
}

pub(crate) fn floats<const N: usize>(v: &Value) -> [f32; N] {
    let v = v.as_array().unwrap();
    assert_eq!(v.len(), N);
    core::array::from_fn(|i| float(&v[i]))
}

pub(crate) fn table<const N: usize>(v: &Value) -> Vec<[f32; N]> {
    v.as_array().unwrap().iter().map(floats).collect()
}

pub(crate) fn triangles(v: &Value) -> Vec<[u32; 3]> {
    v.as_array().unwrap().iter().map(|t| core::array::from_fn(|i| int(&t[i]))).collect()
}

/// Returns the diagonal of the box around the points.
pub(crate) fn extent(points: &[[f32; 3]]) -> f64 {
    let side = |i: usize| {
        let of = points.iter().map(|p| f64::from(p[i]));
        of.clone().fold(f64::MIN, f64::max) - of.fold(f64::MAX, f64::min)
    };
    (0..3).map(|i| side(i).powi(2)).sum::<f64>().sqrt()
}

/// Returns the largest difference of any component.
pub(crate) fn largest<const N: usize>(a: &[[f32; N]], b: &[[f32; N]]) -> f64 {
    assert_eq!(a.len(), b.len());
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs()).fold(0.0, f64::max)
}
