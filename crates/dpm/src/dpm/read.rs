//! Reading a DPM file.

use super::layout::Layout;
use super::model::Dpm;
use super::parse::{MAGIC, header};
use super::record::header as record;
use super::rules::{RULES, check_tables};
use super::sections::Reader;
use crate::rules::{CODES, Extent};
use meshwright_core::layout::Retained;
use meshwright_core::{
    Beside, Budget, Companion, FieldPath, FileFormat, Findings, ReadError, ReadOptions, Role, Rule, Source,
};

crate::model_verbs::model_verbs! {
    Dpm, MAGIC, file,
    /// A lenient reader accepts and reports: a stored file size that differs from the actual one (`truncated`,
    /// `out-of-file`), a parent below -1, which then means a root, and parents after their children, which are moved
    /// before them (`bad-parent`), vertices without influences (`no-influence`), and floats that are not finite
    /// (`non-finite`).
    , optimize:
    /// `clips` are those of a `.framegroups` companion file, if there is one. They are returned with the
    /// numbers of the remaining frames. By default every frame has the same triangles with the same corners,
    /// to the bit; stored bounds are not changed. The file has the layout of the dpmodel compiler.
}

impl FileFormat for Dpm {
    const ID: &'static str = "dpm";
    const TITLE: &'static str = "DarkPlaces DPM";
    const EXTENSIONS: &'static [&'static str] = &["dpm"];
    const RULES: &'static [&'static Rule] = RULES;
    const DESCRIPTION: meshwright_core::description::Description = super::description::DESCRIPTION;
    const COMPANIONS: &'static [Companion] =
        &[Companion::one(Role::Clips, "framegroups", &[Beside::Appended("framegroups")])];

    type Options = ReadOptions;

    meshwright_core::own_verbs!();
}

fn file(bytes: &[u8], budget: &Budget, findings: &mut Findings) -> Result<Dpm, ReadError> {
    let whole = Source::file(bytes, CODES, budget);
    let root = FieldPath::ROOT;
    let header = whole.start().read(&root, header)?;
    let size = bytes.len() as u64;
    let extent = Extent { field: record::FILESIZE, claimed: header.filesize, size };
    extent.check_size(findings)?;
    // Bytes after the stored size are not part of the file.
    let own = if findings.is_lenient() { None } else { bytes.get(..header.filesize as usize) };
    let source = Source::file(own.unwrap_or(bytes), CODES, budget);
    let counts = [header.num_bones, header.num_meshes, header.num_frames].map(|n| n as usize);
    check_tables(counts, |field| Some(field.offset_in(0)), findings)?;
    let mut reader = Reader::new(&source, header.num_bones, findings);
    let bones = reader.bones(&header)?;
    let (meshes, mesh_layouts) = reader.meshes(&header)?;
    let (frames, poses, pose_offsets) = reader.frames(&header)?;
    let (mut coverage, end) = reader.finish();
    extent.check_end(end, findings)?;
    whole.charge(&root, 0, "bytes of no section", coverage.gap_memory(size), 1)?;
    let layout = Layout {
        filesize: header.filesize,
        size,
        num_bones: header.num_bones,
        ofs_bones: header.ofs_bones,
        ofs_meshes: header.ofs_meshes,
        ofs_frames: header.ofs_frames,
        num_frames: header.num_frames,
        meshes: mesh_layouts,
        poses: pose_offsets,
        gaps: coverage.gaps(bytes),
    };
    let mut model = Dpm { bounds: header.bounds, bones, meshes, poses, frames, layout: Retained::None };
    model.sort_bones();
    model.layout = Retained::compared(layout, Layout::canonical(&model).ok().as_ref());
    Ok(model)
}
