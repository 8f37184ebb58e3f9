//! BMD: smaller vertices, primitives and meshes, and fewer keys.

use super::{OptimizedFile, percent};
use crate::error::Error;
use meshwright_bmd::{Bmd, OptimizeOptions, Optimized};
#[cfg(feature = "dump")]
use serde_json::{Value, json};

pub(super) fn optimize(model: &Bmd, options: &OptimizeOptions) -> Result<OptimizedFile, Error> {
    let optimized = model.optimize(options)?;
    Ok(OptimizedFile {
        summary: line(&optimized),
        #[cfg(feature = "dump")]
        document: document(&optimized),
        bytes: optimized.bytes,
        companion: None,
        is_companion_needed: false,
    })
}

fn line(o: &Optimized) -> String {
    let (s, e) = (o.sizes, o.errors);
    let percent = percent(o.bytes.len() as u64, s.before as u64);
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

#[cfg(feature = "dump")]
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
