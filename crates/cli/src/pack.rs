//! `meshwright pack`: writes the files of a folder into one pack.

use crate::args::{OutputFormat, PackArgs};
use crate::destination::Destination;
use crate::messages::say;
use crate::output::stream;
use crate::refusal::{Fail, Refusal};
use crate::render;
use crate::results::{links_out, print};
use crate::selection::as_os;
use crate::status::Status;
use meshwright::files::output::{Content, Plan};
use meshwright::files::{FarVersion, FilesError, Pack, PackBuilder, PackKind, Packed, Tree, TreeOptions};
use meshwright::{Budget, Limits, counted};
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(args: &PackArgs) -> Result<Status, Fail> {
    let name = args.output.file_name().unwrap_or_default().as_encoded_bytes();
    let Some(kind) = PackKind::from_name(name) else {
        let why = "the name of a pack must end in .pk3, .pk4, .zip, .pak, .far or .dat";
        return Err(Fail::Usage(format!("{}: {why}", render::path(&args.output))));
    };
    let folder = Path::new(&args.folder);
    match packed(args, kind, folder) {
        Ok(done) => {
            if args.run.format == OutputFormat::Json {
                let (files, untouched) = (done.files, done.untouched);
                let file = render::exact(&args.output);
                print(
                    &json!({ "file": file, "files": files, "untouched": untouched, "replaced": done.replaced }),
                )?;
            } else if !args.run.quiet {
                let files = counted(done.files, "file", "files");
                let kept = match args.onto {
                    Some(_) => format!(", {} untouched, {} replaced", done.untouched, done.replaced),
                    None => String::new(),
                };
                say(&format!("{}: {files}{kept}", render::path(&args.output)));
            }
            Ok(Status::Fine)
        }
        Err(refusal) => {
            refusal.say(&render::path(folder));
            if args.run.format == OutputFormat::Json {
                print(&json!({ "file": render::exact(folder), "error": refusal.json() }))?;
            }
            Ok(refusal.status())
        }
    }
}

fn unpackable(e: &FilesError) -> Refusal {
    match e {
        FilesError::Unpackable { .. } => Refusal::Cannot { code: "not-packable", why: e.to_string() },
        e => Refusal::unreadable(e),
    }
}

fn packed(args: &PackArgs, kind: PackKind, folder: &Path) -> Result<Packed, Refusal> {
    let limits = Limits::default().with_memory(args.run.max_memory);
    let options = TreeOptions::default().with_directories(limits).with_packs_as_files();
    let is_source = folder.is_dir() || Tree::leads_into_pack(folder);
    let tree = Tree::open_with(folder, options).map_err(|e| Refusal::unopened(folder, &e))?;
    if !is_source || tree.start().is_some() {
        return Err(Refusal::Argument("is neither a folder nor a pack".into()));
    }
    let original = args.onto.as_deref().map(|path| opened(path, options)).transpose()?;
    let unread = RefCell::new(None);
    let mut builder = PackBuilder::new(kind).map_err(|e| unpackable(&e))?.with_limits(limits);
    let is_dat = args.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("dat"));
    let version = args.far.or(is_dat.then_some(FarVersion::Three)).filter(|_| original.is_none());
    if let Some(version) = version.filter(|_| kind == PackKind::Far) {
        builder = builder.with_far(version);
    }
    if let Some(original) = &original {
        builder = builder.based_on(original).map_err(|e| unpackable(&e))?;
    }
    let (plan, scope) = (Plan::default(), tree.scope().cloned().unwrap_or_default());
    let walk = tree.walk();
    let links: Vec<_> = walk.links_out.iter().map(as_os).collect();
    links_out(&links, "they are not packed").iter().for_each(|line| say(line));
    say_unnamed(&tree, folder);
    for file in walk.files {
        let path = file.map_err(|(_, e)| Refusal::unreadable(&e))?;
        if let Some(file) = tree.container(&path) {
            plan.reads(&file);
        }
        let tree = tree.clone();
        let name = path.below_any_case(&scope).unwrap_or_else(|| path.clone());
        let (shown, unread) = (tree.shown_path(&path).unwrap_or_else(|| as_os(&path)), &unread);
        let read = move || {
            let bytes = tree.read(&path, &Budget::new(limits)).map(std::borrow::Cow::into_owned);
            bytes.inspect_err(|e| *unread.borrow_mut() = Some(Refusal::unreadable(e).of_companion(&shown)))
        };
        builder.add(name, Box::new(read)).map_err(|e| unpackable(&e))?;
    }
    args.onto.iter().for_each(|onto| plan.reads(onto));
    let done = Cell::new(Packed::default());
    let content: Content<'_> = Box::new(|out| {
        let mut out = BufWriter::new(out);
        done.set(builder.write(&mut out)?);
        std::io::Write::flush(&mut out)
    });
    match Destination::new(&args.output) {
        Destination::Stdout => {
            Err(Refusal::Argument("a pack cannot be written to standard output: name a file".into()))
        }
        destination => {
            stream(&destination, content, &plan).map_err(|refusal| unread.take().unwrap_or(refusal))
        }
    }?;
    Ok(done.get())
}

/// Says which files of a pack are not packed because their names lead out of it.
fn say_unnamed(tree: &Tree, pack: &Path) {
    let Some((_, Ok(members), _)) = tree.named_pack().filter(|(.., folder)| folder.is_root()) else { return };
    for member in members.members().iter().filter(|m| m.path().is_none() && !m.is_hidden()) {
        if let Some(why) = member.refusal() {
            say(&format!("{}: not packed: {}", render::path(pack), render::plain(&why.to_string())));
        }
    }
}

/// Opens a pack that was named.
fn opened(path: &Path, options: TreeOptions) -> Result<Arc<Pack>, Refusal> {
    let tree = Tree::open_with(path, options).map_err(|e| Refusal::unreadable(&e).of_companion(path))?;
    match tree.named_pack() {
        Some((_, Ok(pack), folder)) if folder.is_root() => Ok(pack),
        _ => Err(Refusal::Argument(format!("--onto {}: not a pack", render::path(path)))),
    }
}
