//! Models of a corpus as scenes and back in their own format: how far each field may be off, and how far it is.

use crate::loaded_model::Loaded;
use meshwright::scene::{FromSceneOptions, Motion, Scene, SceneOptions};
use meshwright::{AnyModel, Dialect, Format, Opener, Target, WriteOptions, convert};
use std::collections::BTreeMap;

/// The formats whose models hold all that they become a scene of.
pub(crate) const RETURN: [&str; 11] =
    ["bmd", "bmf", "cmodel", "crucible", "cskel", "dpm", "fso", "skel", "skn", "tso", "zym"];

const MEMORY: u64 = 1 << 30;

/// The compared fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Field {
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
    const ALL: [Self; 7] =
        [Self::Position, Self::Normal, Self::Uv, Self::Weight, Self::Rotation, Self::Translation, Self::Time];

    const fn name(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Normal => "normal",
            Self::Uv => "uv",
            Self::Weight => "weight",
            Self::Rotation => "rotation",
            Self::Translation => "translation",
            Self::Time => "time",
        }
    }

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

/// The worst of each field, by format, with the model that has it.
#[derive(Debug, Default)]
pub(crate) struct Table(BTreeMap<(&'static str, Field), (f64, String)>);

impl Table {
    fn add(&mut self, format: Format, field: Field, name: &str, off: f64) {
        let worst = self.0.entry((format.id(), field)).or_insert((0.0, name.to_owned()));
        if off > worst.0 {
            *worst = (off, name.to_owned());
        }
    }

    /// The table for people: a row a format.
    pub(crate) fn print(&self) {
        if self.0.is_empty() {
            return;
        }
        let mut formats: Vec<_> = self.0.keys().map(|k| k.0).collect();
        formats.dedup();
        let heads: Vec<_> = Field::ALL.iter().map(|f| format!("{:>12}", f.name())).collect();
        println!("native, scene, native: the worst of each field\n{:12}{}", "", heads.concat());
        for format in formats {
            let cell = |field: &Field| match self.0.get(&(format, *field)) {
                Some((off, _)) => format!("{off:>12.1e}"),
                None => format!("{:>12}", "-"),
            };
            println!("{format:<12}{}", Field::ALL.iter().map(cell).collect::<String>());
        }
    }
}

/// Converts a model to a format and back. Formats whose files hold only a part of a scene have laws of their own.
pub(crate) fn check(loaded: &Loaded, table: &mut Table) -> Result<(), String> {
    let format = loaded.model.format();
    let options = SceneOptions::default().with_extras(true).with_memory(MEMORY);
    let sent = loaded.model.to_scene("model", &loaded.companions, &options).map_err(|e| e.to_string())?.value;
    let dialect = dialect(&loaded.model);
    let write = WriteOptions::default()
        .with_stem("model")
        .with_shared(FromSceneOptions::default().with_memory(MEMORY))
        .with_dialect(dialect);
    let made = convert(&sent, Target::from(format), &write).map_err(|e| e.to_string())?;
    let files = made.value.iter().map(|f| (f.name.as_str(), f.bytes.clone()));
    let tree = meshwright::files::Tree::memory(files).map_err(|e| e.to_string())?;
    let main = made.value.main().ok_or("nothing was made")?;
    let open = Opener::new().format(format).dialect(dialect);
    let asset = open.open_in(&tree, &main.name).map_err(|e| e.to_string())?;
    if asset.check().has_errors() {
        return Err(format!("what was made has errors: {:?}", asset.check().findings().first()));
    }
    let got = asset.scene_with(&options).map_err(|e| e.to_string())?.value;
    for (field, off) in differences(&sent, &got)? {
        table.add(format, field, &loaded.name, off);
        let stated = made.losses.iter().filter(|loss| field.loss_code() == Some(loss.code));
        let stated = stated.filter_map(|loss| loss.amount).fold(0.0, f64::max);
        // The smaller vertices that the engine's tool writes have coarser steps, and one bone each: losses say so.
        if off > field.most(format).max(stated * 1.01) {
            return Err(format!("{} is off by {off:.2e}", field.name()));
        }
    }
    Ok(())
}

fn dialect(model: &AnyModel) -> Option<Dialect> {
    match model {
        AnyModel::CrucibleMesh(chunk) => chunk.dialect.name().parse().ok(),
        AnyModel::Fso(model) => model.dialect.name().parse().ok(),
        _ => None,
    }
}

/// A corner of a triangle, wherever its vertex is stored.
struct Corner {
    position: [f32; 3],
    normal: Option<[f32; 3]>,
    uv: Option<[f32; 2]>,
    /// Weights by the name or, without one, the number of their joints.
    weights: BTreeMap<usize, f64>,
}

/// Returns the corners of everything that the finest level draws, mesh by mesh.
fn corners(scene: &Scene) -> Vec<Vec<Corner>> {
    let drawn = scene.drawn_meshes().unwrap_or_default();
    let mut seen = Vec::new();
    for (_, mesh, place) in &drawn {
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
        seen.push(m.triangles.as_flattened().iter().map(corner).collect());
    }
    seen
}

fn angle(a: [f32; 3], b: [f32; 3]) -> f64 {
    let (a, b) = (a.map(f64::from), b.map(f64::from));
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths == 0.0 { 0.0 } else { (dot(a, b) / lengths).clamp(-1.0, 1.0).acos().to_degrees() }
}

/// Returns the differences of two scenes, by field. If parts are lost, the items cannot be compared one by one, which is an
/// error.
fn differences(sent: &Scene, got: &Scene) -> Result<Vec<(Field, f64)>, String> {
    let (a, b) = (corners(sent), corners(got));
    let count = |c: &[Vec<Corner>]| c.iter().map(Vec::len).sum::<usize>();
    if count(&a) != count(&b) {
        return Err(format!("{} corners became {}", count(&a), count(&b)));
    }
    let all = || a.iter().flatten();
    let extent = crate::compare::extent(all().map(|c| &c.position));
    let extent = if extent.is_finite() { extent.max(1e-6) } else { 1.0 };
    let mut worst: BTreeMap<Field, f64> = BTreeMap::new();
    let mut add = |field, off: f64| {
        let worst = worst.entry(field).or_insert(0.0);
        *worst = worst.max(if off.is_nan() { f64::INFINITY } else { off });
    };
    for (s, g) in all().zip(b.iter().flatten()) {
        let off =
            s.position.iter().zip(g.position).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max);
        add(Field::Position, off / extent);
        if let (Some(s), Some(g)) = (s.normal, g.normal) {
            add(Field::Normal, angle(s, g));
        }
        if let (Some(s), Some(g)) = (s.uv, g.uv) {
            add(Field::Uv, s.iter().zip(g).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max));
        }
        if sent.skeletons.len() == 1 && got.skeletons.len() == 1 && !s.weights.is_empty() {
            let joints = s.weights.keys().chain(g.weights.keys());
            let of = |w: &BTreeMap<usize, f64>, j| w.get(j).copied().unwrap_or(0.0);
            let off = joints.map(|j| (of(&s.weights, j) - of(&g.weights, j)).abs()).fold(0.0, f64::max);
            add(Field::Weight, off);
        }
    }
    if let ([s], [g]) = (&sent.skeletons[..], &got.skeletons[..])
        && s.joints.len() == g.joints.len()
    {
        for (s, g) in s.joints.iter().zip(&g.joints) {
            let (s, g) = (s.rest.to_trs64(), g.rest.to_trs64());
            let turn = s.rotation.iter().zip(g.rotation).map(|(a, b)| a * b).sum::<f64>().abs().min(1.0);
            add(Field::Rotation, (2.0 * turn.acos()).to_degrees());
            let away =
                s.translation.iter().zip(g.translation).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            add(Field::Translation, away / extent);
        }
    }
    for (s, g) in sent.clips.iter().zip(&got.clips) {
        let whole = matches!(s.motion, Motion::Poses { .. } | Motion::Tracks(_));
        if whole && s.name == g.name {
            add(Field::Time, (s.duration_seconds() - g.duration_seconds()).abs());
        }
    }
    Ok(worst.into_iter().collect())
}
