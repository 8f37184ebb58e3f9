//! From a file to a model with its companions.

use crate::args::{CompanionArgs, ReadArgs};
use crate::folder::Folder;
use crate::input::{self, Input};
use crate::{Fail, Status, render, say, textures};
use meshwright::bmd::flat_color;
use meshwright::crucible::{QuaternionOrder, SkeletonChunk};
use meshwright::dump::DumpError;
use meshwright::fsomodel::{ChunkId, Dialect};
use meshwright::rig::RigError;
use meshwright::scene::{ConvertError, Loss, SceneOptions};
use meshwright::tso::{Bnd, ResourceId};
use meshwright::{
    AnyModel, CompanionKind, Companions, Finding, Format, Limits, OpenOptions, ReadError, ReadOptions,
    Report, Severity, WriteError, detect,
};
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// A file that was read, and what it turned out to be.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub bytes: Vec<u8>,
    pub format: Format,
    pub model: AnyModel,
    /// Broken rules that were passed over.
    pub forgiven: Report,
}

/// Why a file gives no result.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It, or a companion that was named, cannot be read.
    Unreadable { companion: Option<PathBuf>, why: String },
    /// The output cannot be written.
    Unwritable { path: PathBuf, why: String },
    /// Nothing tells its format.
    Unknown,
    /// A companion that was named breaks a rule of its format.
    Companion { path: PathBuf, bytes: Vec<u8>, error: ReadError },
    /// It breaks a rule of its format.
    Malformed { bytes: Vec<u8>, format: Format, error: ReadError },
    /// It cannot become what was asked for.
    Cannot { code: &'static str, why: String },
    /// The arguments ask for something that it does not hold.
    Argument(String),
}

impl From<ConvertError> for Refusal {
    fn from(e: ConvertError) -> Self {
        let code = match e {
            ConvertError::Invalid { .. } => "invalid-model",
            ConvertError::Limit { .. } => "limit",
            _ => "not-convertible",
        };
        Self::Cannot { code, why: e.to_string() }
    }
}

impl From<DumpError> for Refusal {
    fn from(e: DumpError) -> Self {
        match e {
            DumpError::Convert(e) => e.into(),
            DumpError::Rig(e) => e.into(),
            other => Self::Argument(other.to_string()),
        }
    }
}

impl From<RigError> for Refusal {
    fn from(e: RigError) -> Self {
        Self::Cannot { code: "invalid-model", why: e.to_string() }
    }
}

impl From<WriteError> for Refusal {
    fn from(e: WriteError) -> Self {
        Self::Cannot { code: "not-writable", why: e.to_string() }
    }
}

impl Refusal {
    pub(crate) fn unreadable(e: &io::Error) -> Self {
        Self::Unreadable { companion: None, why: e.to_string() }
    }

    pub(crate) fn unwritable(path: &Path, e: &io::Error) -> Self {
        Self::Unwritable { path: path.to_owned(), why: e.to_string() }
    }

    pub(crate) const fn status(&self) -> Status {
        match self {
            Self::Unreadable { .. } | Self::Unwritable { .. } | Self::Unknown => Status::Unusable,
            Self::Malformed { .. } | Self::Companion { .. } | Self::Cannot { .. } => Status::Errors,
            Self::Argument(_) => Status::Arguments,
        }
    }

    /// The refusal for programs.
    pub(crate) fn json(&self) -> Value {
        let plain = |class: &str, code: &str, message: &str| json!({ "class": class, "code": code, "severity": "error", "message": render::plain(message) });
        match self {
            Self::Unreadable { companion, why } => {
                let mut value = plain("io", "cannot-read", why);
                if let Some(companion) = companion {
                    value["companion"] = input::exact(companion).into();
                }
                value
            }
            Self::Unwritable { path, why } => {
                let mut value = plain("io", "cannot-write", why);
                value["output"] = input::exact(path).into();
                value
            }
            Self::Unknown => plain("unknown-format", "unknown-format", "not a known format"),
            Self::Companion { path, error, .. } => {
                let mut value = render::error_json(error);
                value["companion"] = input::exact(path).into();
                value
            }
            Self::Malformed { error, .. } => render::error_json(error),
            Self::Cannot { code, why } => plain("conversion", code, why),
            Self::Argument(why) => plain("usage", "usage", why),
        }
    }

    /// The refusal for people, with the bytes around the fault.
    pub(crate) fn say(&self, shown: &str) {
        let (about, text) = match self {
            Self::Unreadable { companion, why } => {
                let about = companion.as_deref().map_or_else(|| shown.to_owned(), input::shown);
                (about, render::error("cannot-read", why))
            }
            Self::Unwritable { path, why } => (input::shown(path), render::error("cannot-write", why)),
            Self::Unknown => {
                let why = format!("not a known format; name it with --as FORMAT ({})", ids());
                (shown.to_owned(), render::error("unknown-format", &why))
            }
            Self::Companion { path, bytes, error } => (input::shown(path), in_hex(error, bytes)),
            Self::Malformed { bytes, error, .. } => (shown.to_owned(), in_hex(error, bytes)),
            Self::Cannot { code, why } => (shown.to_owned(), render::error(code, why)),
            Self::Argument(why) => (shown.to_owned(), render::error("usage", why)),
        };
        say(&format!("{about}: {text}"));
    }
}

fn in_hex(error: &ReadError, bytes: &[u8]) -> String {
    render::finding(&Finding::from(error), bytes, render::colours(&io::stderr()))
}

/// The short names of all formats.
pub(crate) fn ids() -> String {
    Format::ALL.iter().map(|f| f.id()).collect::<Vec<_>>().join(", ")
}

/// Checks `--as` before any file is read.
pub(crate) fn forced_format(args: &ReadArgs) -> Result<Option<Format>, Fail> {
    if let Some(dialect) = &args.dialect {
        let mut known: Vec<_> = Format::ALL.iter().flat_map(|f| f.dialects()).collect();
        known.sort_unstable();
        known.dedup();
        if !known.contains(&dialect.as_str()) {
            let known = known.join(", ");
            return Err(Fail::Usage(format!("--dialect {dialect}: unknown; known are {known}")));
        }
    }
    let parse = |id: &String| {
        Format::from_id(id)
            .ok_or_else(|| Fail::Usage(format!("--as {id}: unknown format; known are {}", ids())))
    };
    args.read_as.as_ref().map(parse).transpose()
}

pub(crate) fn options(args: &ReadArgs) -> ReadOptions {
    let base = if args.lenient { ReadOptions::lenient() } else { ReadOptions::default() };
    base.with_limits(Limits::default().with_memory(args.max_memory))
}

/// Everything that `AnyModel::open` is told.
pub(crate) fn open_options<'a>(args: &'a ReadArgs, metadata: Option<&'a [u8]>) -> OpenOptions<'a> {
    let mut open = OpenOptions::from(options(args));
    open.dialect = args.dialect.as_deref();
    open.quaternions_w_first = args.quaternions_w_first;
    open.metadata = metadata;
    open
}

/// The companion that takes part in reading an FSOMODEL file: the one that is named, or the one beside it.
pub(crate) fn metadata(input: &Input, format: Format, args: &ReadArgs) -> Result<Option<Vec<u8>>, Refusal> {
    let is_metadata = |kind: CompanionKind| kind == CompanionKind::Metadata;
    if !format.companion_names("").iter().any(|(kind, _)| is_metadata(*kind)) {
        return Ok(None);
    }
    let path = match &args.metadata {
        Some(path) => Some(path.clone()),
        None if args.no_companions => None,
        None => {
            input.companions(format).into_iter().find(|(kind, _)| is_metadata(*kind)).map(|found| found.1)
        }
    };
    let read = |path: PathBuf| {
        input::read_file(&path, args.max_memory)
            .map_err(|e| Refusal::Unreadable { companion: Some(path), why: e.to_string() })
    };
    path.map(read).transpose()
}

/// Reads a file and parses it.
pub(crate) fn load(input: &Input, args: &ReadArgs, forced: Option<Format>) -> Result<Loaded, Refusal> {
    let bytes = input.read(args.max_memory).map_err(|e| Refusal::unreadable(&e))?;
    let detected = || detect(&bytes, input.name().as_deref()).map(|d| d.format);
    let format = forced.or_else(detected).ok_or(Refusal::Unknown)?;
    let metadata = metadata(input, format, args)?;
    let mut opened = AnyModel::open(&bytes, format, &open_options(args, metadata.as_deref()));
    if let (Err(error), Some(_), None) = (&opened, &metadata, &args.metadata) {
        // A file with a mesh table of its own needs no companion, and what lies beside it may be anything.
        let alone = AnyModel::open(&bytes, format, &open_options(args, None));
        let has_table = |m: &AnyModel| match m {
            AnyModel::Fso(m) => m.dialect == Dialect::Seed44 && m.chunk(ChunkId::MESH).is_some(),
            _ => false,
        };
        if alone.as_ref().is_ok_and(|parsed| has_table(&parsed.model)) {
            say(&format!(
                "{}: the .json beside it is ignored: {}",
                input.shown(),
                render::plain(&error.to_string())
            ));
            opened = alone;
        }
    }
    match opened {
        Ok(parsed) => Ok(Loaded { bytes, format, model: parsed.model, forgiven: parsed.forgiven }),
        Err(error) => Err(Refusal::Malformed { bytes, format, error }),
    }
}

/// Reads a companion of a model. A Crucible mesh has a skeleton of its own engine, however damaged it is.
fn add(
    companions: &mut Companions,
    model: &AnyModel,
    kind: CompanionKind,
    bytes: &[u8],
    read: &ReadArgs,
) -> Result<(), ReadError> {
    let mine = matches!(model, AnyModel::CrucibleMesh(_) | AnyModel::CrucibleModel(_));
    if !mine || kind != CompanionKind::Skeleton {
        return companions.add(kind, bytes, &options(read));
    }
    let mut skeleton = SkeletonChunk::parse_with(bytes, &options(read))?.model;
    if read.quaternions_w_first {
        skeleton.order = QuaternionOrder::Wxyz;
    }
    companions.crucible_skeleton = Some(skeleton);
    Ok(())
}

/// Reads the companion files that were named, and those that lie beside the model.
///
/// One that was named must be readable; one that was found is passed over with a word when it is not.
pub(crate) fn companions(
    model: &AnyModel,
    input: &Input,
    args: &CompanionArgs,
    read: &ReadArgs,
) -> Result<Companions, Refusal> {
    let mut companions = Companions::default();
    let mut named: Vec<(CompanionKind, &PathBuf)> =
        args.anim.iter().map(|p| (CompanionKind::Animation, p)).collect();
    named.extend(args.framegroups.iter().map(|p| (CompanionKind::FrameGroups, p)));
    named.extend(args.skeleton.iter().map(|p| (CompanionKind::Skeleton, p)));
    named.extend(args.binding.iter().map(|p| (CompanionKind::Binding, p)));
    for &(kind, path) in &named {
        let bytes = input::read_file(path, read.max_memory)
            .map_err(|e| Refusal::Unreadable { companion: Some(path.clone()), why: e.to_string() })?;
        add(&mut companions, model, kind, &bytes, read).map_err(|error| Refusal::Companion {
            path: path.clone(),
            bytes,
            error,
        })?;
    }
    if read.no_companions {
        return Ok(companions);
    }
    let mut found = input.companions(model.format());
    found.retain(|(kind, _)| *kind != CompanionKind::Metadata);
    if matches!(model, AnyModel::TsoMesh(_)) {
        found.extend(binding_beside(input, read).map(|(path, _)| (CompanionKind::Binding, path)));
    }
    for (kind, path) in found {
        if named.iter().any(|(k, _)| *k == kind) {
            continue;
        }
        let shown = input::shown(&path);
        let added = input::read_file(&path, read.max_memory)
            .map_err(|e| e.to_string())
            .and_then(|bytes| add(&mut companions, model, kind, &bytes, read).map_err(|e| e.to_string()));
        match added {
            Ok(()) if !read.quiet => say(&format!("{}: with {shown}", input.shown())),
            Ok(()) => {}
            Err(e) => say(&format!("{shown}: ignored: {}", render::plain(&e))),
        }
    }
    Ok(companions)
}

/// The `.bnd` beside a TSO mesh that names it, told by the number in the mesh's file name.
fn binding_beside(input: &Input, read: &ReadArgs) -> Option<(PathBuf, Bnd)> {
    let id = ResourceId::from_file_name(&input.name()?)?;
    Folder::of(input).binding_of(&id, read.max_memory).cloned()
}

/// The name of the file of a texture that lies beside an input.
fn texture_file(folder: &Folder, id: &ResourceId) -> Option<String> {
    Some(folder.texture_of(id)?.file_name()?.to_string_lossy().into_owned())
}

/// The texture of a further mesh of a figure: what the binding beside it names, by the texture's file where that
/// lies there too.
pub(crate) fn texture_beside(input: &Input, read: &ReadArgs) -> Option<String> {
    if read.no_companions {
        return None;
    }
    let (path, binding) = binding_beside(input, read)?;
    let id = binding.texture?;
    if !read.quiet {
        say(&format!("{}: with {}", input.shown(), input::shown(&path)));
    }
    Some(texture_file(&Folder::of(input), &id).unwrap_or_else(|| id.tag()))
}

/// Names the texture of a TSO mesh by its file where that lies beside the mesh, and embeds textures when asked;
/// answers those that could not be.
pub(crate) fn textures(
    model: &AnyModel,
    input: &Input,
    companions: &mut Companions,
    embed: bool,
    read: &ReadArgs,
) -> Result<Vec<Loss>, Refusal> {
    let folder = Folder::of(input);
    let texture = companions.binding.as_ref().and_then(|b| b.texture.as_ref());
    companions.texture_name = texture.and_then(|t| texture_file(&folder, t));
    let mut losses = Vec::new();
    if embed {
        let options = SceneOptions::default().with_memory(read.max_memory);
        let scene = model.to_scene("", companions, &options)?.value;
        let texture = |i: usize, name: &str| match model {
            // Some name a colour, not a texture.
            AnyModel::Bmd(_) if flat_color(name.as_bytes()).is_some() => String::new(),
            AnyModel::Fso(m) => {
                let own = m.metadata.as_ref().and_then(|m| m.materials.get(i)?.diffuse_texture.clone());
                own.unwrap_or_else(|| name.to_owned())
            }
            _ => name.to_owned(),
        };
        let materials = scene.materials.iter().enumerate();
        let names: Vec<_> = materials.map(|(i, m)| (m.name.clone(), texture(i, &m.name))).collect();
        (companions.images, losses) = textures::images(&folder, &names, read.max_memory);
    }
    Ok(losses)
}

/// Says what a lenient read passed over.
pub(crate) fn say_forgiven(shown: &str, loaded: &Loaded, quiet: bool) {
    if quiet {
        return;
    }
    for finding in loaded.forgiven.findings() {
        let mut finding = finding.clone();
        finding.severity = Severity::Warning;
        say(&format!(
            "{shown}: {}",
            render::finding(&finding, &loaded.bytes, render::colours(&io::stderr()))
        ));
    }
}
