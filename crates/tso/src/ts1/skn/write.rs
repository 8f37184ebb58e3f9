//! Writes `.skn`.

use super::model::Skn;
use super::read::model;
use crate::codes;
use crate::common::{Findings, count, file};
use crate::mesh::places::Places;
use crate::mesh::rules;
use crate::name::Name;
use alloc::format;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};
use meshwright_core::{Budget, F32, Limits, Path, Strictness, WriteError};

impl Skn {
    /// The file. A geometry that breaks a rule is refused, as are numbers that no text can hold.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// The file; leniently also one that only lenient reading opens.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        if strictness == Strictness::Strict {
            let mut findings = Findings::default();
            rules::check(&self.geometry, &Places::Binary(0), &mut findings);
            findings.trailing(0, &self.trailing);
            findings.refuse()?;
        }
        if !self.text.is_empty() {
            let budget = Budget::new(Limits::UNLIMITED);
            let source = file(&self.text, &budget);
            if model(&mut source.start()).is_ok_and(|m| m == *self) {
                return Ok(self.text.clone());
            }
        }
        self.canonical()
    }

    /// One record a line; floats with as many digits as tell them apart from all others.
    pub(crate) fn canonical(&self) -> Result<Vec<u8>, WriteError> {
        let (g, root) = (&self.geometry, Path::ROOT);
        let mut w = Text(Vec::new());
        w.name(&root.field("skin"), &self.skin)?;
        w.name(&root.field("texture"), &self.texture)?;
        let path = root.field("bones");
        w.number(count(&path, g.bones.len())?);
        for (i, name) in g.bones.iter().enumerate() {
            w.name(&path.index(i), name)?;
        }
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
        let real = g.real.iter().map(|v| (v.position, v.normal));
        for (i, (p, n)) in real.chain(g.blends.iter().map(|v| (v.position, v.normal))).enumerate() {
            let [(x, y, z), (nx, ny, nz)] = [p, n].map(|[x, y, z]| (x, y, z));
            w.floats(&root.field("vertices").index(i), &[x, y, z, nx, ny, nz])?;
        }
        w.0.extend_from_slice(&self.trailing);
        Ok(w.0)
    }
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

    fn name(&mut self, path: &Path<'_>, name: &Name) -> Result<(), WriteError> {
        let bytes = name.bytes();
        if bytes.contains(&b'\n') || bytes.trim_ascii().len() != bytes.len() {
            let message = format!("{name} cannot stand on a line");
            return Err(WriteError::invalid(codes::E_NAME, path, message));
        }
        self.0.extend_from_slice(bytes);
        self.0.extend_from_slice(b"\r\n");
        Ok(())
    }

    fn floats(&mut self, path: &Path<'_>, values: &[F32]) -> Result<(), WriteError> {
        for (i, v) in values.iter().enumerate() {
            if v.get().is_nan() {
                return Err(WriteError::invalid(codes::E_NOT_FINITE, path, "text has no bits for this NaN"));
            }
            if i > 0 {
                self.0.push(b' ');
            }
            let _ = write!(self, "{}", v.get());
        }
        self.0.extend_from_slice(b"\r\n");
        Ok(())
    }
}
