//! BMD: smaller vertices, primitives and meshes, and fewer keys.

use super::Outcome;
use crate::args::OptimizeArgs;
use crate::refusal::Refusal;
use meshwright::bmd::{Bmd, EngineSafety, OptimizeOptions, Optimized};
use serde_json::{Value, json};

pub(super) fn optimize(model: &Bmd, args: &OptimizeArgs) -> Result<Outcome, Refusal> {
    let mut options = OptimizeOptions::default()
        .with_vertex_bounds(args.max_position, args.max_normal, args.max_st)
        .with_key_bounds(args.max_angle, args.max_distance, args.max_scale)
        .with_engine(match (args.compact, args.engine_safe) {
            (true, _) => EngineSafety::Ignored,
            (_, true) => EngineSafety::Always,
            _ => EngineSafety::WithinBounds,
        })
        .with_effort(args.effort);
    options.memory = args.read.max_memory;
    let optimized = model.optimize(&options)?;
    let (text, document) = (line(&optimized), document(&optimized));
    Ok(Outcome { bytes: optimized.bytes, companion: None, text, document })
}

fn line(o: &Optimized) -> String {
    let (s, e) = (o.sizes, o.errors);
    #[expect(clippy::cast_precision_loss, reason = "a percentage")]
    let percent = 100.0 * o.bytes.len() as f64 / s.before.max(1) as f64;
    let mut text = format!(
        "{} bytes, now {} ({percent:.1} %): {} after rearranging, {} after rebuilding meshes, {} after choosing keys",
        s.before,
        o.bytes.len(),
        s.arranged,
        s.meshes,
        s.clips
    );
    let errors = [
        ("position", e.position),
        ("normal (degrees)", e.normal),
        ("texture", e.st),
        ("posed, turned (degrees)", e.angle),
        ("posed, moved", e.distance),
        ("scale", e.scale),
    ];
    let made: Vec<_> =
        errors.iter().filter(|(_, e)| *e > 0.0).map(|(name, e)| format!("{name} {e:.4}")).collect();
    text.push_str("; errors: ");
    text.push_str(&if made.is_empty() { "none".into() } else { made.join(", ") });
    if o.misread_clips > 0 {
        let (clips, have) = if o.misread_clips == 1 { ("clip", "has") } else { ("clips", "have") };
        text.push_str(&format!(
            "; {} {clips} that BGBTech's loader misreads {have} keys on the last frame (see --engine-safe)",
            o.misread_clips
        ));
    }
    if o.cut_short {
        text.push_str("; some optimizations were skipped (see --effort)");
    }
    text
}

fn document(o: &Optimized) -> Value {
    let (s, e) = (o.sizes, o.errors);
    json!({
        "bytes": { "before": s.before, "arranged": s.arranged, "meshes": s.meshes, "clips": s.clips },
        "errors": {
            "position": e.position,
            "normal_degrees": e.normal,
            "st": e.st,
            "angle_degrees": e.angle,
            "distance": e.distance,
            "scale": e.scale,
        },
        "misread_clips": o.misread_clips,
        "cut_short": o.cut_short,
    })
}
