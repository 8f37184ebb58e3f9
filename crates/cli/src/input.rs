//! The files that a command works on.

use crate::refusal::Fail;
use crate::render;
use crate::selection::{Selection, as_os};
use meshwright::files::output::{FileId, is_temporary};
use meshwright::files::{EntryKind, FilesError, Pack, Tree, TreeOptions, TreePath};
use meshwright::{Finder, Format, Order as _, Role};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that a command works on.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The path, or `-` for standard input.
    pub path: PathBuf,
    /// The path in the folder that was named, if a folder was.
    pub below: Option<PathBuf>,
    /// The place in the tree of that folder.
    pub met: Option<Met>,
}

/// The place of a file that was found in a folder.
#[derive(Clone, Debug)]
pub(crate) struct Met {
    pub finder: Finder,
    pub path: TreePath,
    /// The format, if it was detected.
    pub format: Option<Format>,
}

impl Input {
    /// Creates an input for a file that was named.
    pub(crate) fn named(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), below: None, met: None }
    }

    pub(crate) fn is_stdin(&self) -> bool {
        self.path.as_os_str() == OsStr::new("-")
    }

    /// Estimates the memory that processing the file needs: for its bytes, the model, the scene and the output.
    pub(crate) fn memory(&self) -> u64 {
        /// A multiple of the file's size, and a minimum for small files.
        const TIMES: u64 = 8;
        const LEAST: u64 = 256 << 10;
        let met = || self.met.as_ref().and_then(|met| met.finder.tree().size(&met.path));
        let length = met().unwrap_or_else(|| self.path.metadata().map_or(u64::MAX, |meta| meta.len()));
        length.saturating_mul(TIMES).saturating_add(LEAST)
    }

    /// Returns the path in the file system: of the file, or of the pack that contains it.
    pub(crate) fn container(&self) -> PathBuf {
        let met = self.met.as_ref().and_then(|met| met.finder.tree().container(&met.path));
        met.unwrap_or_else(|| self.path.clone())
    }

    /// Returns whether it was found next to a model and is one of its levels of detail.
    pub(crate) fn is_level(&self) -> bool {
        self.met.as_ref().is_some_and(|met| met.finder.is_level(&met.path))
    }

    /// Returns the path as it is printed for people.
    pub(crate) fn display_path(&self) -> String {
        if self.is_stdin() { "<stdin>".into() } else { render::path(&self.path) }
    }

    /// Returns the path as JSON has it.
    pub(crate) fn exact(&self) -> String {
        if self.is_stdin() { "<stdin>".into() } else { render::exact(&self.path) }
    }

    /// Returns the file name.
    pub(crate) fn name(&self) -> String {
        let name = if self.is_stdin() { None } else { self.path.file_name() };
        name.map_or_else(|| "stdin".into(), |name| name.to_string_lossy().into_owned())
    }
}

/// An input that an argument led to, or why it cannot be opened.
pub(crate) type Found = Result<Input, (Input, FilesError)>;

/// The inputs that arguments led to.
#[derive(Debug, Default)]
pub(crate) struct Expanded {
    pub found: Vec<Found>,
    /// The number of hidden files: the engine prefers a pack or a loose file of the same path.
    pub hidden: u64,
    /// Links that lead out of the folders and are not followed.
    pub links_out: Vec<PathBuf>,
    /// The packs that were walked, each with its path, or why it cannot be read.
    pub packs: Vec<(PathBuf, Result<Arc<Pack>, FilesError>)>,
}

/// Lists the files that the arguments name. Files are taken as they are; every file of folders and packs is listed,
/// sorted. Links in folders are followed if the selection says so. The folder `into`, which takes the results, is not
/// walked if it is inside another one, so outputs of an earlier run are not inputs.
pub(crate) fn expand(selection: &Selection, into: Option<&Path>) -> Expanded {
    let mut expanded = Expanded::default();
    let into = into.and_then(FileId::of);
    for argument in &selection.arguments {
        let path = Path::new(argument);
        if is_folder(path) {
            walk(path, Path::new(""), into.as_ref(), selection, &mut expanded);
        } else {
            expanded.found.push(Ok(Input::named(path)));
        }
    }
    expanded
}

/// Splits inputs into those to process and the others, both in their order. Outfits are processed only if there are
/// no other models: otherwise their meshes are among the files.
pub(crate) fn chosen(looked: Vec<(Input, bool)>) -> (Vec<Input>, Vec<Input>) {
    let assembles = |input: &Input| {
        let format = input.met.as_ref().and_then(|met| met.format);
        format.is_some_and(|format| format.takes(Role::Part))
    };
    let has_models = looked.iter().any(|(_, is_model)| *is_model);
    let (chosen, others): (Vec<_>, Vec<_>) =
        looked.into_iter().partition(|(input, is_model)| *is_model || !has_models && assembles(input));
    let inputs = |list: Vec<(Input, bool)>| list.into_iter().map(|(input, _)| input).collect();
    (inputs(chosen), inputs(others))
}

/// Refuses to assemble one character from files that were found in a folder and not named, unless `--figure` asks for
/// it.
pub(crate) fn refuse_unasked_figure(inputs: &[Input], is_asked_for: bool, output: &Path) -> Result<(), Fail> {
    if is_asked_for || inputs.iter().all(|input| input.met.is_none()) {
        return Ok(());
    }
    let why = "the models of a folder need a folder as output: end the path in / or create it";
    Err(Fail::Usage(format!("{}: {why}; --figure joins the files to one character", render::path(output))))
}

/// Returns whether an argument names a folder, a pack, or a folder in a pack.
pub(crate) fn is_folder(path: &Path) -> bool {
    if path.as_os_str() == OsStr::new("-") {
        return false;
    }
    path.is_dir()
        || (Tree::leads_into_pack(path) && Tree::file(path).map_or(true, |tree| tree.scope().is_some()))
}

/// Walks a folder or a pack. A folder in it that has packs is a data folder of its own, with its own search path.
fn walk(top: &Path, before: &Path, into: Option<&FileId>, selection: &Selection, expanded: &mut Expanded) {
    let options = TreeOptions::default().with_links(selection.follow).with_directories(selection.directories);
    let tree = match Tree::open_with(top, options) {
        Ok(tree) => tree,
        Err(e) => return expanded.found.push(Err((Input::named(top), e))),
    };
    let finder = Finder::new(tree);
    let (tree, mut data_folders) = (finder.tree(), Vec::new());
    let scope = tree.scope().cloned().unwrap_or_default();
    let left_out = |path: &TreePath| {
        let below = path.below_any_case(&scope).map(|path| before.join(as_os(&path)));
        below.is_some_and(|below| selection.leaves_out(&slashed(&below)))
    };
    let walk = tree.walk_where(|path, kind| {
        if left_out(path) {
            return false;
        }
        match kind {
            EntryKind::Folder => {}
            EntryKind::Link => return selection.follow,
            _ => return true,
        }
        let Some(folder) = tree.os_path(path) else { return true };
        // Temporary folders belong to a run that is writing.
        let out = is_temporary(&folder) || (into.is_some() && FileId::of(&folder).as_ref() == into);
        if !out && tree.has_packs(path) {
            data_folders.push(path.clone());
            return false;
        }
        !out
    });
    data_folders.order();
    let below = |path: &TreePath| path.below_any_case(&scope).map(|path| before.join(as_os(&path)));
    for file in walk.files {
        let place = |path: &TreePath| tree.shown_path(path).unwrap_or_else(|| top.to_owned());
        expanded.found.push(match file {
            Ok(path) => {
                let shown = place(&path);
                let own = tree.os_path(&path).and_then(|at| Some(before.join(at.strip_prefix(top).ok()?)));
                let below = own.or_else(|| below(&path));
                let met = Some(Met { finder: finder.clone(), path, format: None });
                Ok(Input { path: shown, below, met })
            }
            Err((path, e)) => Err((Input::named(place(&path)), e)),
        });
    }
    expanded.hidden = expanded.hidden.saturating_add(walk.hidden);
    let links = walk.links_out.iter().filter(|path| !left_out(path));
    expanded.links_out.extend(links.map(|path| top.join(as_os(path))));
    match tree.named_pack() {
        Some((_, pack, folder)) => {
            let at = top.ancestors().nth(folder.names().count()).unwrap_or(top);
            expanded.packs.push((at.to_owned(), pack));
        }
        None => expanded.packs.extend(tree.packs()),
    }
    let inner =
        tree.inner_packs().filter(|(path, _)| *path != scope && path.below_any_case(&scope).is_some());
    expanded
        .packs
        .extend(inner.map(|(path, pack)| (tree.shown_path(&path).unwrap_or_else(|| as_os(&path)), pack)));
    for path in data_folders {
        if let Some(folder) = tree.os_path(&path) {
            self::walk(&folder, &before.join(as_os(&path)), into, selection, expanded);
        }
    }
}

/// Returns a path with slashes as separators on every system.
fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn folders_are_walked_in_order_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |p: &str| dir.path().join(p);
        fs::create_dir(at("b")).unwrap();
        for f in ["c.dpm", "a.dpm", "b/x.dpm", ".meshwright-a1B2c3.tmp"] {
            fs::write(at(f), b"").unwrap();
        }
        #[cfg(unix)]
        let _writing = {
            use meshwright::files::output::{Place, Writer};
            let place = Place::named(dir.path().join("z.glb"));
            Writer::default().stage([crate::output::main(place, crate::output::content_of(b""))]).unwrap()
        };
        #[cfg(unix)]
        std::os::unix::fs::symlink("/", at("loop")).unwrap();
        let found: Vec<_> = expand(&Selection::from_arguments(&[dir.path().into()]), None)
            .found
            .into_iter()
            .map(|i| i.unwrap().below.unwrap())
            .collect();
        assert_eq!(found, [".meshwright-a1B2c3.tmp", "a.dpm", "c.dpm", "b/x.dpm"].map(PathBuf::from));
        let b = at("b");
        assert_eq!(expand(&Selection::from_arguments(&[dir.path().into()]), Some(&b)).found.len(), 3);
        assert_eq!(expand(&Selection::from_arguments(&[b.clone().into()]), Some(&b)).found.len(), 1);
    }
}
