//! Models as scenes and back in their own format: how far each field may be off.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a failing test panics"
)]

use super::played::models;
use crate::played::{MEMORY, extent};
use meshwright::files::Tree;
use meshwright::scene::{FromSceneOptions, Motion, Scene, SceneOptions};
use meshwright::{AnyModel, Dialect, Format, Opener, Target, WriteOptions, convert};
use meshwright_testkit::corpus;
use std::collections::BTreeMap;

/// The formats whose models hold all that they become a scene of. Others have laws of their own.
const WHOLE: [&str; 11] =
    ["bmd", "bmf", "cmodel", "crucible", "cskel", "dpm", "fso", "skel", "skn", "tso", "zym"];

/// The compared fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Field {
    /// Parts of the extent.
    Position,
    /// Degrees.
    Normal,
    /// Units of the texture.
    Uv,
    /// The largest part of a vertex that another joint gets.
    Weight,
    /// Degrees of a joint at rest.
    Rotation,
    /// A joint at rest, as parts of the extent.
    Translation,
    /// Seconds of a clip.
    Time,
}

impl Field {
    /// Returns the loss that reports the error if the result is coarser than the file was, in the same unit.
    const fn loss_code(self) -> Option<&'static str> {
        match self {
            Self::Uv => Some("uvs-rounded"),
            Self::Weight => Some("influences-dropped"),
            _ => None,
        }
    }

    /// Returns the allowed error in a format: one step of the stored numbers, and the rounding of 32 bits.
    fn most(self, format: Format) -> f64 {
        match (format.id(), self) {
            // Nine bits with a sign, from the bone on, which has as many.
            ("bmd", Self::Position | Self::Translation) => 4e-3,
            ("bmd", Self::Normal | Self::Rotation) => 2.0,
            ("bmd", Self::Uv) => 1e-3,
            ("bmd", Self::Weight) => 1e-6,
            // Frames per second are quarters.
            ("bmd", Self::Time) => 0.05,
            // Sums of parts, or 15 bits.
            (_, Self::Weight) => 1e-3,
            (_, Self::Position | Self::Translation) => 1e-5,
            (_, Self::Normal | Self::Rotation) => 0.1,
            (_, Self::Uv | Self::Time) => 1e-5,
        }
    }
}

#[test]
fn models_come_back_from_scenes_as_exact_as_their_formats() {
    let root = corpus!();
    let mut seen = 0;
    for (entry, model) in models(&root) {
        let Ok(model) = model else { continue };
        let (name, format) = (&entry["file"], model.format());
        if !WHOLE.contains(&format.id()) {
            continue;
        }
        let options = SceneOptions::default().with_extras(true).with_memory(MEMORY);
        let sent = model.scene_with(&options).unwrap().value;
        let dialect: Option<Dialect> = match model.model() {
            AnyModel::CrucibleMesh(chunk) => chunk.dialect.name().parse().ok(),
            AnyModel::Fso(model) => model.dialect.name().parse().ok(),
            _ => None,
        };
        let shared = FromSceneOptions::default().with_memory(MEMORY);
        let write = WriteOptions::default().with_stem("model").with_shared(shared).with_dialect(dialect);
        let made = convert(&sent, Target::from(format), &write).unwrap();
        let main = made.value.main().unwrap().name.clone();
        let tree = Tree::memory(made.value.into_iter().map(|f| (f.name, f.bytes))).unwrap();
        let back = Opener::new().format(format).dialect(dialect).open_in(&tree, &main).unwrap();
        assert!(!back.check().has_errors(), "{name}: {:?}", back.check());
        let got = back.scene_with(&options).unwrap().value;
        for (field, off) in differences(&sent, &got) {
            let stated = made.losses.iter().filter(|loss| field.loss_code() == Some(loss.code));
            let stated = stated.filter_map(|loss| loss.amount).fold(0.0, f64::max);
            // The smaller vertices that the engine's tool writes have coarser steps, and one bone each: losses say so.
            let most = field.most(format).max(stated * 1.01);
            assert!(off <= most, "{name}: {field:?} is off by {off:.2e}, {most:.2e} may be");
        }
        seen += 1;
    }
    assert!(seen > 90, "{seen}");
}

/// A corner of a triangle, wherever its vertex is stored.
struct Corner {
    position: [f32; 3],
    normal: Option<[f32; 3]>,
    uv: Option<[f32; 2]>,
    weights: BTreeMap<usize, f64>,
}

/// Returns the corners of everything that the finest level draws.
fn corners(scene: &Scene) -> Vec<Corner> {
    let mut seen = Vec::new();
    for (_, mesh, place) in &scene.drawn_meshes().unwrap() {
        let m = &scene.meshes[mesh.0];
        let corner = |v: &u32| {
            let v = *v as usize;
            let mut weights = BTreeMap::new();
            if let Some(skin) = &m.skin {
                let range = skin.starts[v] as usize..skin.starts[v + 1] as usize;
                for i in &skin.influences[range] {
                    *weights.entry(i.joint as usize).or_insert(0.0) += f64::from(i.weight);
                }
            }
            let position = place.point(m.positions[v]);
            Corner { position, normal: m.normals.get(v).copied(), uv: m.uvs.get(v).copied(), weights }
        };
        seen.extend(m.triangles.as_flattened().iter().map(corner));
    }
    seen
}

fn angle(a: [f32; 3], b: [f32; 3]) -> f64 {
    let (a, b) = (a.map(f64::from), b.map(f64::from));
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths == 0.0 { 0.0 } else { (dot(a, b) / lengths).clamp(-1.0, 1.0).acos().to_degrees() }
}

/// Returns the largest distance along an axis.
fn distance<const N: usize, T: Copy + Into<f64>>(a: [T; N], b: [T; N]) -> f64 {
    a.into_iter().zip(b).map(|(a, b)| (a.into() - b.into()).abs()).fold(0.0, f64::max)
}

/// Returns the differences of two scenes, by field.
fn differences(sent: &Scene, got: &Scene) -> BTreeMap<Field, f64> {
    let (a, b) = (corners(sent), corners(got));
    assert_eq!(a.len(), b.len(), "corners");
    let size = extent(a.iter().map(|c| &c.position));
    let size = if size.is_finite() { size.max(1e-6) } else { 1.0 };
    let mut worst: BTreeMap<Field, f64> = BTreeMap::new();
    let mut add = |field, off: f64| {
        let worst = worst.entry(field).or_insert(0.0);
        *worst = worst.max(if off.is_nan() { f64::INFINITY } else { off });
    };
    for (s, g) in a.iter().zip(&b) {
        add(Field::Position, distance(s.position, g.position) / size);
        if let (Some(s), Some(g)) = (s.normal, g.normal) {
            add(Field::Normal, angle(s, g));
        }
        if let (Some(s), Some(g)) = (s.uv, g.uv) {
            add(Field::Uv, distance(s, g));
        }
        if sent.skeletons.len() == 1 && got.skeletons.len() == 1 && !s.weights.is_empty() {
            let joints = s.weights.keys().chain(g.weights.keys());
            let weight = |w: &BTreeMap<usize, f64>, j| w.get(j).copied().unwrap_or(0.0);
            let off = joints.map(|j| (weight(&s.weights, j) - weight(&g.weights, j)).abs());
            add(Field::Weight, off.fold(0.0, f64::max));
        }
    }
    if let ([s], [g]) = (&sent.skeletons[..], &got.skeletons[..])
        && s.joints.len() == g.joints.len()
    {
        for (s, g) in s.joints.iter().zip(&g.joints) {
            let (s, g) = (s.rest.to_trs64(), g.rest.to_trs64());
            let turn = s.rotation.iter().zip(g.rotation).map(|(a, b)| a * b).sum::<f64>().abs().min(1.0);
            add(Field::Rotation, (2.0 * turn.acos()).to_degrees());
            add(Field::Translation, distance(s.translation, g.translation) / size);
        }
    }
    for (s, g) in sent.clips.iter().zip(&got.clips) {
        let whole = matches!(s.motion, Motion::Poses { .. } | Motion::Tracks(_));
        if whole && s.name == g.name {
            add(Field::Time, (s.duration_seconds() - g.duration_seconds()).abs());
        }
    }
    worst
}
