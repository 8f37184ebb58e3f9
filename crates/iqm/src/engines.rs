//! The rules of engine loaders: files that they reject, and values that they read differently.
#![allow(clippy::arithmetic_side_effects, reason = "floats")]

use crate::check_vertices::is_portable;
use crate::model::{ArrayFormat, ArrayKind, Iqm, VertexArray};
use crate::record::header;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::{FieldPath, Findings, Report, Rule};
use meshwright_scene::Engine;

meshwright_core::rules! {
    error MISSING = "engine-missing-array", Missing [Refuses],
        "The loader refuses a model without positions, texture coordinates or, if it is animated, joints of vertices \
         (DarkPlaces model_alias.c, Mod_INTERQUAKEMODEL_Load; FTE com_mesh.c, Mod_ParseIQMMeshModel; Daemon \
         tr_model_iqm.cpp, R_LoadIQModel).",
        "Add the array.";
    error FORMAT = "engine-array-format", Compatibility [Refuses],
        "The loader does not read an array of this form: DarkPlaces reads only floats and bytes, Daemon refuses the \
         whole file (DarkPlaces model_alias.c; Daemon tr_model_iqm.cpp, IQM_CheckRange and R_LoadIQModel).",
        "Store joints and weights as bytes and other arrays as floats; remove arrays of other programs.";
    warning SKIPPED = "engine-array-skipped", Compatibility [Ignored],
        "The loader ignores an array of this form (DarkPlaces model_alias.c, Mod_INTERQUAKEMODEL_Load).",
        "Store joints and weights as bytes and other arrays as floats.";
    error JOINTS = "engine-joints", Limit [Refuses],
        "The loader accepts fewer joints (DarkPlaces and Daemon count them in bytes; FTE MAX_BONES).",
        "Remove joints that no vertex uses.";
    error POSES = "engine-poses", BadCount [Refuses],
        "FTE refuses a model whose numbers of poses and joints differ (com_mesh.c, Mod_ParseIQMMeshModel).",
        "Store one pose for each joint.";
    error SIZE = "engine-filesize", BadSize [Refuses],
        "The loader refuses a file that is not of the stated size (FTE com_mesh.c), or above 16 MiB (Daemon \
         tr_model_iqm.cpp).",
        "Write the model again with a new layout, or make it smaller.";
    error EMPTY = "engine-empty", Missing [Refuses],
        "Daemon refuses a file without an array, a triangle and a mesh, and anims without frames (tr_model_iqm.cpp, \
         R_LoadIQModel).",
        "Put the anims into the file of the meshes.";
    error VERSION = "engine-version", Unsupported [Refuses],
        "Daemon reads only version 2 (tr_model_iqm.cpp, R_LoadIQModel).",
        "Convert the model by way of a scene.";
    warning NAME = "engine-name-cut", BadName [Tolerated],
        "DarkPlaces cuts names of joints to 63 bytes and those of anims to 31 (model_shared.h: aliasbone_t, \
         animscene_t).",
        "Shorten the name.";
    warning SCALE = "engine-scale", Compatibility [Tolerated],
        "DarkPlaces ignores the scales of joints, at rest and in frames; Daemon uses only the x scale (DarkPlaces \
         model_alias.c; Daemon tr_model_iqm.cpp).",
        "Convert the model with its scales baked.";
    error BAD_SCALE = "engine-bad-scale", Compatibility [Refuses],
        "Daemon refuses scales that differ between axes by more than 1, or are negative (tr_model_iqm.cpp, \
         R_LoadIQModel).",
        "Convert the model with its scales baked.";
    warning WEIGHTS = "engine-weights", Compatibility [Tolerated],
        "DarkPlaces uses only the first joint if the second weight is 0; Daemon computes the first weight as 255 \
         minus the others (DarkPlaces model_alias.c; Daemon tr_model_iqm.cpp).",
        "Sort the weights of each vertex, greatest first, and scale them to a sum of 255.";
    warning RATE = "engine-rate", BadValue [Tolerated],
        "An anim without a rate stands still in DarkPlaces and plays at 10 frames per second in FTE (DarkPlaces \
         model_shared.c; FTE com_mesh.c).",
        "State the rate.";
    warning DIRECTIONS = "engine-directions", Missing [Tolerated],
        "Daemon reads zeros where normals or tangents are missing (tr_model_iqm.cpp, R_LoadIQModel).",
        "Add them.";
}

/// All rules of [`Iqm::check_for`].
pub const ENGINE_RULES: &[&Rule] = RULES;

/// The maximum size of a file in Daemon, in bytes.
const DAEMON_SIZE: u64 = 16 << 20;

impl Iqm {
    /// Reports what an engine's loader would reject (errors), or would read differently (warnings). Engines that do
    /// not read IQM have no findings. Each rule names its source.
    #[must_use]
    pub fn check_for(&self, engine: Engine) -> Report {
        let mut check = Check { model: self, engine, report: Findings::validating() };
        if engine.formats().contains(&"iqm") {
            check.arrays();
            check.joints();
            check.anims();
            check.file();
        }
        check.report.into_report()
    }
}

struct Check<'m> {
    model: &'m Iqm,
    engine: Engine,
    report: Findings,
}

impl Check<'_> {
    fn report(&mut self, rule: &'static Rule, path: &FieldPath<'_>, message: String) {
        // These findings never end the check.
        let _ = self.report.broken(rule, path, None, || message);
    }

    fn report_item(&mut self, rule: &'static Rule, list: &'static str, i: usize, message: String) {
        let root = FieldPath::ROOT.field(list);
        self.report(rule, &root.index(i), message);
    }

    /// Returns true if the loader reads an array as it is stored.
    fn reads(&self, a: &VertexArray) -> bool {
        match self.engine {
            Engine::DarkPlaces => is_portable(a),
            Engine::Daemon => {
                let formats = [
                    ArrayFormat::I8,
                    ArrayFormat::U8,
                    ArrayFormat::I32,
                    ArrayFormat::U32,
                    ArrayFormat::FLOAT,
                ];
                formats.contains(&a.format) && (1..=4).contains(&a.components)
            }
            _ => true,
        }
    }

    fn arrays(&mut self) {
        let model = self.model;
        for (i, a) in model.arrays.iter().enumerate().filter(|(_, a)| !self.reads(a)).collect::<Vec<_>>() {
            let message = format!("kind {}: {} components of format {}", a.kind.0, a.components, a.format.0);
            let needed = matches!(a.kind, ArrayKind::POSITION | ArrayKind::TEXCOORD)
                || matches!(a.kind, ArrayKind::BLEND_INDEXES | ArrayKind::BLEND_WEIGHTS);
            let rule = if self.engine == Engine::Daemon || needed { FORMAT } else { SKIPPED };
            self.report_item(rule, "vertexarrays", i, message);
        }
        let moves = model.frame_count > 0
            || !model.anims.is_empty()
            || (self.engine == Engine::Fte && !model.joints.is_empty());
        let mut needed = Vec::from([(ArrayKind::POSITION, "positions")]);
        if self.engine != Engine::Daemon {
            needed.push((ArrayKind::TEXCOORD, "texture coordinates"));
            if moves {
                needed.extend([(ArrayKind::BLEND_INDEXES, "joints"), (ArrayKind::BLEND_WEIGHTS, "weights")]);
            }
        }
        let drawn = !model.meshes.is_empty();
        for (_, what) in needed.into_iter().filter(|(kind, _)| drawn && model.array(*kind).is_none()) {
            self.report(MISSING, &FieldPath::ROOT.field("vertexarrays"), format!("no array of {what}"));
        }
        if self.engine == Engine::Daemon && drawn {
            for (kind, what) in [(ArrayKind::NORMAL, "normals"), (ArrayKind::TANGENT, "tangents")] {
                if model.array(kind).is_none() {
                    self.report(DIRECTIONS, &FieldPath::ROOT.field("vertexarrays"), format!("no {what}"));
                }
            }
        }
        self.weights();
    }

    fn weights(&mut self) {
        let Some(weights) = self.model.array(ArrayKind::BLEND_WEIGHTS).filter(|_| self.engine != Engine::Fte)
        else {
            return;
        };
        let odd = |v: usize| {
            let [a, b, c, d] = weights.floats::<4>(v, [0.0; 4]);
            match self.engine {
                Engine::DarkPlaces => b == 0.0 && c + d > 0.0,
                _ => (a + b + c + d - 1.0).abs() > 1e-3,
            }
        };
        let n = (0..self.model.vertex_count as usize).filter(|v| odd(*v)).count();
        if n > 0 {
            self.report(WEIGHTS, &FieldPath::ROOT.field("vertexarrays"), format!("weights of {n} vertices"));
        }
    }

    fn joints(&mut self) {
        let model = self.model;
        let (joints, most) = (model.joints.len().max(model.poses.len()), self.engine.limits().bones);
        if joints > most {
            let message = format!("{joints} joints, {} accepts {most}", self.engine.title());
            self.report(JOINTS, &FieldPath::ROOT.field("joints"), message);
        }
        if self.engine == Engine::Fte && model.joints.len() != model.poses.len() && !model.meshes.is_empty() {
            let message = format!("{} joints, {} poses", model.joints.len(), model.poses.len());
            self.report(POSES, &FieldPath::ROOT.field("poses"), message);
        }
        if self.engine == Engine::Fte {
            return;
        }
        let long = |id| model.str(id).len();
        for (i, joint) in model.joints.iter().enumerate() {
            let length = long(joint.name);
            if self.engine == Engine::DarkPlaces && length > 63 {
                self.report_item(NAME, "joints", i, format!("a name of {length} bytes"));
            }
        }
        for (i, scale) in scales(model) {
            let (least, most) = scale;
            let bad = self.engine == Engine::Daemon && (least < 0.0 || most - least > 1.0);
            let differs = match self.engine {
                Engine::DarkPlaces => (least - 1.0).abs().max((most - 1.0).abs()) > 1e-4,
                _ => most - least > 1e-4,
            };
            if bad {
                self.report_item(BAD_SCALE, "joints", i, format!("scales from {least} to {most}"));
            } else if differs {
                self.report_item(SCALE, "joints", i, format!("scales from {least} to {most}"));
            }
        }
    }

    fn anims(&mut self) {
        for (i, anim) in self.model.anims.iter().enumerate() {
            let length = self.model.str(anim.name).len();
            if self.engine == Engine::DarkPlaces && length > 31 {
                self.report_item(NAME, "anims", i, format!("a name of {length} bytes"));
            }
            if self.engine == Engine::Daemon && anim.frame_count == 0 {
                self.report_item(EMPTY, "anims", i, "no frame".into());
            }
            if self.engine != Engine::Daemon && anim.framerate == 0.0 {
                self.report_item(RATE, "anims", i, "a rate of 0".into());
            }
        }
    }

    fn file(&mut self) {
        let model = self.model;
        let layout = model.layout.get();
        let filesize = header::FILESIZE;
        if let Some(layout) = layout {
            let differs = u64::from(layout.filesize) != layout.size;
            if self.engine == Engine::Fte && differs {
                let message = format!("{} bytes stated, the file has {}", layout.filesize, layout.size);
                self.report(SIZE, &filesize.path(&FieldPath::ROOT), message);
            }
            if self.engine == Engine::Daemon && layout.size > DAEMON_SIZE {
                self.report(SIZE, &filesize.path(&FieldPath::ROOT), format!("{} bytes", layout.size));
            }
        }
        if self.engine == Engine::Daemon {
            if model.version != 2 {
                self.report(VERSION, &FieldPath::ROOT.field("version"), format!("version {}", model.version));
            }
            for (what, none) in [
                ("vertexarrays", model.arrays.is_empty()),
                ("triangles", model.triangles.is_empty()),
                ("meshes", model.meshes.is_empty()),
            ] {
                if none {
                    self.report(EMPTY, &FieldPath::ROOT.field(what), "none".into());
                }
            }
        }
    }
}

/// Returns the joints with their smallest and largest scale, at rest and in frames, if one differs from 1.
fn scales(model: &Iqm) -> Vec<(usize, (f64, f64))> {
    let mut found = Vec::new();
    let first = model.channels().saturating_sub(3);
    for i in 0..model.joints.len().max(model.poses.len()) {
        let rest = model.joints.get(i).into_iter().flat_map(|j| j.scale).map(|s| f64::from(s.get()));
        let (mut least, mut most) =
            rest.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), s| (a.min(s), b.max(s)));
        if let Some(pose) = model.poses.get(i).filter(|_| model.frame_count > 0) {
            for channel in first..model.channels() {
                let offset = pose.offset.get(channel).map_or(1.0, |v| f64::from(v.get()));
                let step = pose.scale.get(channel).map_or(0.0, |v| f64::from(v.get()));
                let end = if pose.stores(channel) { offset + step * 65_535.0 } else { offset };
                (least, most) = (least.min(offset).min(end), most.max(offset).max(end));
            }
        }
        if least <= most && (least != 1.0 || most != 1.0) {
            found.push((i, (least, most)));
        }
    }
    found
}
