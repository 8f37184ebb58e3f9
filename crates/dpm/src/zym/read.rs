//! Reading a ZYM file.

use super::layout::ZymLayout;
use super::lumps::Reader;
use super::model::Zym;
use super::parse::{MAGIC, header};
use super::record::{LUMPS, header as record};
use super::rules::{RULES, check_counts};
use crate::record::item;
use crate::rules::{CODES, Extent};
use meshwright_core::layout::{Coverage, Retained};
use meshwright_core::{
    Beside, Budget, Companion, FieldPath, FileFormat, Findings, ReadError, ReadOptions, Role, Rule, Source,
};

crate::model_verbs::model_verbs! {
    Zym, MAGIC, file,
    /// A lenient reader accepts and reports: a stored file size that differs from the actual one (`truncated`,
    /// `out-of-file`), a parent below -1, which then means a root, and parents after their children, which are moved
    /// before them (`bad-parent`), floats that are not finite (`non-finite`), and vertices of several bones
    /// (`several-influences`), which get equal shares.
    , optimize:
    /// `clips` are those of a `.framegroups` companion file, if there is one. They are returned with the
    /// numbers of the remaining poses. By default every pose has the same triangles with the same corners,
    /// to the bit. Normals, which are sums over triangles, are equal up to rounding. Equal vertices are not
    /// merged, because that would smooth a hard edge.
}

impl FileFormat for Zym {
    const ID: &'static str = "zym";
    const TITLE: &'static str = "DarkPlaces ZYM";
    const EXTENSIONS: &'static [&'static str] = &["zym"];
    const RULES: &'static [&'static Rule] = RULES;
    const DESCRIPTION: meshwright_core::description::Description = super::description::DESCRIPTION;
    const COMPANIONS: &'static [Companion] =
        &[Companion::one(Role::Clips, "framegroups", &[Beside::Appended("framegroups")])];

    type Options = ReadOptions;

    meshwright_core::own_verbs!();
}

fn file(bytes: &[u8], budget: &Budget, findings: &mut Findings) -> Result<Zym, ReadError> {
    let whole = Source::file(bytes, CODES, budget);
    let root = FieldPath::ROOT;
    let header = whole.start().read(&root, header)?;
    check_counts(header.counts.map(i64::from), |field| Some(field.offset_in(0)), findings)?;
    let size = bytes.len() as u64;
    let extent = Extent { field: record::FILESIZE, claimed: header.filesize, size };
    extent.check_size(findings)?;
    // Bytes after the stored size are not part of the file.
    let own = if findings.is_lenient() { None } else { bytes.get(..header.filesize as usize) };
    let source = Source::file(own.unwrap_or(bytes), CODES, budget);
    let (mut coverage, mut end) = (Coverage::new(), record::SIZE as u64);
    coverage.add(0, end);
    for (field, (start, len)) in LUMPS.into_iter().zip(header.lumps) {
        source.section(&field.path(&root), field.offset_in(0), start.into(), len.into(), 1)?;
        coverage.add(start.into(), len.into());
        end = end.max(item(start.into(), len as usize, 1));
    }
    extent.check_end(end, findings)?;
    let mut reader = Reader::new(&source, &header, findings);
    let poses = reader.poses()?;
    let scenes = reader.scenes(poses.len())?;
    let bones = reader.bones()?;
    let (counts, influences) = reader.vertices()?;
    let texcoords = reader.texcoords()?;
    let runs = reader.runs()?;
    let trizone = reader.trizone()?;
    whole.charge(&root, 0, "bytes of no section", coverage.gap_memory(size), 1)?;
    let gaps = coverage.gaps(bytes);
    let layout = ZymLayout { filesize: header.filesize, size, lumps: header.lumps, gaps };
    let mut model = Zym {
        bounds: header.bounds,
        scenes,
        poses,
        bones,
        counts,
        influences,
        texcoords,
        runs,
        trizone,
        layout: Retained::None,
    };
    model.sort_bones();
    model.layout = Retained::compared(layout, ZymLayout::canonical(&model).ok().as_ref());
    Ok(model)
}
