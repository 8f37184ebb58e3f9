//! Writes the text of a `.skn` in this crate's own layout.

use super::model::Skn;
use crate::fields::count;
use crate::name::Name;
use crate::number::put_float;
use crate::rules::some;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};
use meshwright_core::{F32, FieldPath, WriteError};

/// Returns the text with one record per line. Floats have the game's form, with enough digits to read the same number.
pub(crate) fn canonical(skn: &Skn) -> Result<Vec<u8>, WriteError> {
    let (g, root) = (&skn.geometry, FieldPath::ROOT);
    let mut w = Text(Vec::new());
    w.name(&skn.skin);
    w.name(&skn.texture);
    w.number(count(&root.field("bones"), g.bones.len())?);
    g.bones.iter().for_each(|name| w.name(name));
    w.number(count(&root.field("faces"), g.faces.len())?);
    for [a, b, c] in &g.faces {
        w.line(format_args!("{a} {b} {c}"));
    }
    w.number(count(&root.field("bindings"), g.bindings.len())?);
    for b in &g.bindings {
        let (bone, first, blend) =
            (b.bone.cast_signed(), b.first_real.cast_signed(), b.first_blend.cast_signed());
        w.line(format_args!("{bone} {first} {} {blend} {}", b.real_count, b.blend_count));
    }
    w.number(count(&root.field("real"), g.real.len())?);
    for (i, v) in g.real.iter().enumerate() {
        w.floats(&root.field("real").index(i).field("uv"), &v.uv)?;
    }
    w.number(count(&root.field("blends"), g.blends.len())?);
    for b in &g.blends {
        w.line(format_args!("{} {}", b.target, b.weight.to_bits()));
    }
    w.number(g.total.stored(g)?);
    let path = root.field("vertices");
    for (i, v) in g.real.iter().enumerate() {
        w.floats(&path.index(i), [v.position, v.normal].as_flattened())?;
    }
    for (i, v) in (g.real.len()..).zip(&g.blends) {
        w.floats(&path.index(i), [v.position, v.normal].as_flattened())?;
    }
    w.0.extend_from_slice(&skn.trailing);
    Ok(w.0)
}

/// A text under construction, with the line ends of the game's platform.
struct Text(Vec<u8>);

impl fmt::Write for Text {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.0.extend_from_slice(s.as_bytes());
        Ok(())
    }
}

impl Text {
    fn line(&mut self, content: fmt::Arguments<'_>) {
        // Writing to a vector cannot fail.
        let _ = self.write_fmt(content);
        self.0.extend_from_slice(b"\r\n");
    }

    fn number(&mut self, value: u32) {
        self.line(format_args!("{value}"));
    }

    fn name(&mut self, name: &Name) {
        self.0.extend_from_slice(name.bytes());
        self.0.extend_from_slice(b"\r\n");
    }

    fn floats(&mut self, path: &FieldPath<'_>, values: &[F32]) -> Result<(), WriteError> {
        for (i, v) in values.iter().enumerate() {
            if v.get().is_nan() {
                return Err(WriteError::invalid(some::NOT_FINITE, path, "text has no bits for this NaN"));
            }
            if i > 0 {
                self.0.push(b' ');
            }
            let _ = put_float(self, *v);
        }
        self.0.extend_from_slice(b"\r\n");
        Ok(())
    }
}
