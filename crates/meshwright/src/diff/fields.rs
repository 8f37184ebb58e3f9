//! Meshes, materials, bones and clips by their fields.

use super::corners::{Corners, corners};
use super::nearest::distance;
use super::{Diff, DiffOptions, Difference};
use meshwright_core::SortedMap;
use meshwright_scene::{Material, Mesh, Scene, Skeleton};

impl Diff {
    fn add(&mut self, code: &'static str, path: String, first: impl ToString, second: impl ToString) {
        let (first, second) = (Some(first.to_string()), Some(second.to_string()));
        self.differences.push(Difference { code, path, first, second, amount: None });
    }

    /// Adds a difference where two values are not equal.
    fn equal<T: PartialEq + ToString>(
        &mut self,
        code: &'static str,
        path: impl FnOnce() -> String,
        a: &T,
        b: &T,
    ) {
        if a != b {
            self.add(code, path(), a.to_string(), b.to_string());
        }
    }

    /// Adds a difference if a distance is above the tolerance.
    fn report_distance(&mut self, code: &'static str, path: impl FnOnce() -> String, amount: f64, most: f64) {
        if amount > most {
            let amount = Some(amount);
            self.differences.push(Difference { code, path: path(), first: None, second: None, amount });
        }
    }
}

const PRESENT: &str = "there";
const ABSENT: &str = "not there";

fn present(there: bool) -> &'static str {
    if there { PRESENT } else { ABSENT }
}

/// Matches the items of two lists: by name, ignoring case if it is unambiguous; by number if both have the same
/// length and no name is left. Unmatched items are reported.
fn matched(code: &'static str, list: &str, a: &[&str], b: &[&str], diff: &mut Diff) -> Vec<(usize, usize)> {
    let mut by_name: SortedMap<String, Vec<usize>> = SortedMap::new();
    for (j, name) in b.iter().enumerate().rev() {
        by_name.entry((*name).to_owned()).or_default().push(j);
    }
    let mut taken = vec![false; b.len()];
    let mut found: Vec<Option<usize>> = vec![None; a.len()];
    let mut take = |names: &mut SortedMap<String, Vec<usize>>, name: &str, found: &mut Option<usize>| {
        while let Some(j) = names.get_mut(name).and_then(Vec::pop) {
            if let Some(free) = taken.get_mut(j).filter(|taken| !**taken) {
                (*free, *found) = (true, Some(j));
                return;
            }
        }
    };
    for (name, found) in a.iter().zip(&mut found) {
        take(&mut by_name, name, found);
    }
    let mut by_lower: SortedMap<String, Vec<usize>> = SortedMap::new();
    for (j, name) in b.iter().enumerate().rev() {
        by_lower.entry(name.to_lowercase()).or_default().push(j);
    }
    for (name, found) in a.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
        take(&mut by_lower, &name.to_lowercase(), found);
    }
    let mut left = (0..b.len()).filter(|j| taken.get(*j) == Some(&false)).collect::<Vec<_>>().into_iter();
    if a.len() == b.len() {
        for found in found.iter_mut().filter(|found| found.is_none()) {
            *found = left.next();
        }
    }
    for (i, name) in a.iter().enumerate().filter(|(i, _)| found.get(*i) == Some(&None)) {
        diff.add(code, entry_path(list, i, name), PRESENT, ABSENT);
    }
    for (j, name) in left.filter_map(|j| Some((j, b.get(j)?))) {
        diff.add(code, entry_path(list, j, name), ABSENT, PRESENT);
    }
    found.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?))).collect()
}

/// Returns the path of an entry by its name, or by its number if it has none.
fn entry_path(list: &str, at: usize, name: &str) -> String {
    if name.is_empty() { format!("{list}[{at}]") } else { format!("{list}[{name}]") }
}

pub(super) fn meshes(a: &Scene, b: &Scene, options: &DiffOptions, diff: &mut Diff) {
    diff.equal("mesh-count", || "meshes".into(), &a.meshes.len(), &b.meshes.len());
    let all = |scene: &Scene| scene.meshes.iter().map(|m| m.triangles.len()).sum::<usize>();
    diff.equal("triangle-count", || "triangles".into(), &all(a), &all(b));
    // Formats that divide meshes do not keep them apart by name.
    if a.meshes.len() != b.meshes.len() {
        return;
    }
    let material = |scene: &Scene, mesh: &Mesh| {
        let material = mesh.material.and_then(|m| scene.materials.get(m.0));
        material.map_or_else(String::new, |m| m.name.clone())
    };
    for (i, (one, other)) in a.meshes.iter().zip(&b.meshes).enumerate() {
        let path = |field: &str| format!("{}.{field}", entry_path("meshes", i, &one.name));
        diff.equal("mesh-material", || path("material"), &material(a, one), &material(b, other));
        diff.equal("mesh-triangles", || path("triangles"), &one.triangles.len(), &other.triangles.len());
        diff.equal("mesh-skin", || path("skin"), &present(one.is_skinned()), &present(other.is_skinned()));
        let Corners { pairs: corners, reordered } = corners(one, other, diff.tolerance);
        diff.reordered.extend(reordered.then(|| entry_path("meshes", i, &one.name)));
        let uvs = corners.iter().filter_map(|(i, j)| uv_distance(*one.uvs.get(*i)?, *other.uvs.get(*j)?));
        diff.report_distance("mesh-uvs", || path("uvs"), uvs.fold(0.0, f64::max), options.uv);
        let normals =
            corners.iter().filter_map(|(i, j)| angle(*one.normals.get(*i)?, *other.normals.get(*j)?));
        diff.report_distance("mesh-normals", || path("normals"), normals.fold(0.0, f64::max), options.angle);
        let colors =
            corners.iter().filter_map(|(i, j)| apart_colors(*one.colors.get(*i)?, *other.colors.get(*j)?));
        diff.report_distance("mesh-colors", || path("colors"), colors.fold(0.0, f64::max), options.color);
        for (field, one, other) in [
            ("uvs", one.uvs.is_empty(), other.uvs.is_empty()),
            ("normals", one.normals.is_empty(), other.normals.is_empty()),
            ("colors", one.colors.is_empty(), other.colors.is_empty()),
        ] {
            diff.equal("mesh-attribute", || path(field), &present(!one), &present(!other));
        }
    }
}

/// Returns the distance of texture coordinates.
fn uv_distance(a: [f32; 2], b: [f32; 2]) -> Option<f64> {
    Some(distance([a[0], a[1], 0.0], [b[0], b[1], 0.0])).filter(|apart| apart.is_finite())
}

fn apart_colors(a: [u8; 4], b: [u8; 4]) -> Option<f64> {
    a.iter().zip(&b).map(|(a, b)| f64::from(a.abs_diff(*b)) / 255.0).reduce(f64::max)
}

/// Returns the angle between directions in degrees; `None` if one has length 0.
fn angle(a: [f32; 3], b: [f32; 3]) -> Option<f64> {
    let [a, b] = [a, b].map(|v| v.map(f64::from));
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>();
    let length = (dot(a, a) * dot(b, b)).sqrt();
    (length > 0.0 && length.is_finite()).then(|| (dot(a, b) / length).clamp(-1.0, 1.0).acos().to_degrees())
}

pub(super) fn materials(a: &Scene, b: &Scene, options: &DiffOptions, diff: &mut Diff) {
    // Some formats store this for meshes without a material.
    let is_plain = |m: &Material| m.name.is_empty() && m.image.is_none() && m.base_color == [1.0; 4];
    let [a, b] = [a, b].map(|scene| scene.materials.iter().filter(|m| !is_plain(m)).collect::<Vec<_>>());
    let [x, y] = [&a, &b].map(|list| list.iter().map(|m| m.name.as_str()).collect::<Vec<_>>());
    for (i, j) in matched("material-missing", "materials", &x, &y, diff) {
        let (Some(one), Some(other)) = (a.get(i), b.get(j)) else { continue };
        material(i, one, other, options, diff);
    }
}

fn material(i: usize, one: &Material, other: &Material, options: &DiffOptions, diff: &mut Diff) {
    let path = |field: &str| format!("{}.{field}", entry_path("materials", i, &one.name));
    diff.equal("material-name", || path("name"), &one.name, &other.name);
    let colors = one.base_color.iter().zip(&other.base_color);
    let apart = colors.map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs()).fold(0.0, f64::max);
    diff.report_distance("material-color", || path("base_color"), apart, options.color);
    let sides = |two: bool| if two { "both sides" } else { "one side" };
    diff.equal(
        "material-sides",
        || path("double_sided"),
        &sides(one.double_sided),
        &sides(other.double_sided),
    );
    let alpha = |m: &Material| format!("{:?}", m.alpha_mode(None)).to_lowercase();
    diff.equal("material-alpha", || path("alpha"), &alpha(one), &alpha(other));
    match (&one.image, &other.image) {
        (Some(a), Some(b)) if a.bytes != b.bytes => {
            let told =
                |image: &meshwright_scene::Image| format!("{} of {} bytes", image.mime, image.bytes.len());
            diff.add("material-picture", path("picture"), told(a), told(b));
        }
        (a, b) => {
            diff.equal("material-picture", || path("picture"), &present(a.is_some()), &present(b.is_some()));
        }
    }
}

pub(super) fn bones(a: &Scene, b: &Scene, diff: &mut Diff) {
    diff.equal("skeleton-count", || "skeletons".into(), &a.skeletons.len(), &b.skeletons.len());
    for (one, other) in a.skeletons.iter().zip(&b.skeletons) {
        let [x, y] = [one, other].map(|s| s.joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>());
        let (rest, others) = (one.rest_model(), other.rest_model());
        for (i, j) in matched("bone-missing", "bones", &x, &y, diff) {
            let path = |field: &str| {
                format!("{}.{field}", entry_path("bones", i, x.get(i).copied().unwrap_or_default()))
            };
            let name =
                |names: &[&str], at: usize| names.get(at).map_or_else(String::new, ToString::to_string);
            diff.equal("bone-name", || path("name"), &name(&x, i), &name(&y, j));
            let parent = |s: &Skeleton, at: usize| {
                let parent = s.joints.get(at)?.parent?;
                Some(s.joints.get(parent)?.name.clone())
            };
            let root = || "none".to_owned();
            let (a, b) = (parent(one, i).unwrap_or_else(root), parent(other, j).unwrap_or_else(root));
            diff.equal("bone-parent", || path("parent"), &a, &b);
            let place =
                |model: &Option<Vec<meshwright_scene::Affine>>, at: usize| Some(model.as_ref()?.get(at)?.w);
            if let (Some(a), Some(b)) = (place(&rest, i), place(&others, j)) {
                let most = diff.tolerance;
                diff.report_distance("bone-rest", || path("rest"), distance(a, b), most);
            }
        }
    }
}

/// Returns the clips that both have.
pub(super) fn clips(a: &Scene, b: &Scene, diff: &mut Diff) -> Vec<(usize, usize)> {
    let [x, y] = [a, b].map(|scene| scene.clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>());
    let pairs = matched("clip-missing", "clips", &x, &y, diff);
    for (i, j) in &pairs {
        let (Some(one), Some(other)) = (a.clips.get(*i), b.clips.get(*j)) else { continue };
        let path = |field: &str| format!("{}.{field}", entry_path("clips", *i, &one.name));
        diff.equal("clip-name", || path("name"), &one.name, &other.name);
        diff.equal("clip-frames", || path("frames"), &one.frames, &other.frames);
        if (one.rate - other.rate).abs() > one.rate.abs() * 1e-4 {
            diff.add("clip-rate", path("rate"), one.rate, other.rate);
        }
        let loops = |looping: bool| if looping { "loops" } else { "plays once" };
        diff.equal("clip-loop", || path("looping"), &loops(one.looping), &loops(other.looping));
    }
    pairs
}
