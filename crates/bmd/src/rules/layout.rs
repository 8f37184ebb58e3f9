//! Warnings about the header and about the layout of the file.

use super::table::*;
use crate::layout::{Layout, Section};
use crate::model::Bmd;
use crate::record::{Table, header};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::layout::Coverage;
use meshwright_core::{FieldPath, Findings, ReadError};

/// The number of padding bytes that tools leave after the last structure.
const PADDING: usize = 32;

/// The nominal alignment of tables and lists.
const NOMINAL: u32 = 8;

type Checked = Result<(), ReadError>;

pub(super) fn header_remarks(model: &Bmd, layout: Option<&Layout>, findings: &mut Findings) -> Checked {
    let path = FieldPath::ROOT.field("header");
    let fields = [header::RESERVED1, header::RESERVED2, header::RESERVED3];
    for (field, value) in fields.into_iter().zip(model.reserved) {
        if value != 0 {
            let message = || format!("{value:#x}, must be zero");
            findings.broken(W_MBZ, &field.path(&path), field.offset_in(0), message)?;
        }
    }
    let Some(layout) = layout.filter(|_| model.bones.is_empty()) else { return Ok(()) };
    for (table, count) in [(Table::Bones, 0), (Table::Anims, model.clips.len())] {
        let place = layout.table(table);
        if count == 0 && place != 0 {
            let message = || format!("offset {place:#x} in a static model, must be zero");
            findings.broken(W_MBZ, &path.field(table.name()), table.fields().0.offset_in(0), message)?;
        }
    }
    Ok(())
}

pub(super) fn remarks(layout: &Layout, findings: &mut Findings) -> Checked {
    let mut coverage = Coverage::new();
    coverage.add(0, header::SIZE as u64);
    let mut sections = Vec::new();
    layout.each_section(&mut |section| sections.push(section));
    for Section { at, size, aligned, .. } in sections {
        coverage.add(u64::from(at), size);
        if aligned && size > 0 && at % 4 != 0 {
            let message = || format!("{size} bytes at {at:#x}, not a multiple of 4");
            findings.broken(W_ALIGN, &FieldPath::ROOT, u64::from(at), message)?;
        } else if aligned && size > 0 && at % NOMINAL != 0 {
            let message = || format!("{size} bytes at {at:#x}, not a multiple of {NOMINAL}");
            findings.broken(I_ALIGN, &FieldPath::ROOT, u64::from(at), message)?;
        }
    }
    for (a, b) in coverage.overlaps() {
        let message = || format!("what starts here overlaps what starts at {a:#x}");
        findings.broken(W_OVERLAP, &FieldPath::ROOT, b, message)?;
    }
    let last = layout.gaps.runs().last();
    let last = last.filter(|(at, b)| at.saturating_add(b.len() as u64) == layout.len);
    if let Some((at, bytes)) = last.filter(|(_, b)| b.len() >= PADDING || b.iter().any(|b| *b != 0)) {
        let message = || format!("{} bytes after the last structure", bytes.len());
        findings.broken(W_TRAILING, &FieldPath::ROOT, at, message)?;
    }
    Ok(())
}
