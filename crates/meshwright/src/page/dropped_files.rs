//! Files that a user drops on the page.

use crate::error::{Error, ErrorKind};
use crate::formats::Format;
use crate::model::Finder;
use meshwright_core::Limits;
use meshwright_files::{FilesError, Tree, TreeOptions, TreePath};

/// A model among dropped files, or a file that seems to be one and cannot be read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Dropped {
    /// The other dropped files, among which companion files and textures are found.
    pub finder: Finder,
    /// The path in the finder's tree.
    pub path: TreePath,
    /// The path for display. A pack's member is shown below the pack.
    pub name: String,
    /// The format, or the reason why it is unknown.
    pub found: Result<Format, Error>,
}

/// The files that were dropped together.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DroppedFiles {
    /// The models among them.
    pub models: Vec<Dropped>,
    /// A finder for each data folder among them.
    pub finders: Vec<Finder>,
}

impl Dropped {
    /// Returns the format. A file that was over the limits when it was dropped is detected again, within these.
    ///
    /// # Errors
    /// If the file is of no known format, or is over these limits.
    pub fn format(&self, limits: Limits) -> Result<Format, Error> {
        match &self.found {
            Err(why) if why.kind() == ErrorKind::Limit => {
                let seen = self.finder.detect_met(&self.path, limits)?;
                seen.map(|seen| seen.format).ok_or_else(Error::unknown_format)
            }
            found => found.clone(),
        }
    }
}

impl DroppedFiles {
    /// Lets a model that was dropped earlier find these files, if they hold no model of their own: they may be its
    /// textures, its skins or the list of its clips. Files of a drop with models belong to those.
    #[must_use]
    pub fn join(&self, earlier: &Finder) -> Option<Finder> {
        let trees = self.finders.iter().map(|finder| finder.tree().clone());
        let joined = || Finder::new(Tree::layered(trees.chain([earlier.tree().clone()])));
        self.models.is_empty().then(joined)
    }
}

/// Returns the models among files that were dropped together, each with its path. A common folder of all of them is
/// the root, unless its name is `models`. Packs are folders as in a game's data folder.
///
/// Damaged models are included: opening one reports its fault. Without any model the extensions of the files decide.
///
/// # Errors
/// If a name is not a path of a tree.
pub fn dropped(
    files: impl IntoIterator<Item = (String, Vec<u8>)>,
    limits: Limits,
) -> Result<DroppedFiles, FilesError> {
    let files: Vec<_> = files
        .into_iter()
        .map(|(name, bytes)| TreePath::new(name).map(|path| (path, bytes)))
        .collect::<Result<_, _>>()?;
    let top = common(files.iter().map(|(path, _)| path));
    let files = files.into_iter().map(|(path, bytes)| (path.below(&top).unwrap_or(path), bytes));
    let (mut found, mut named, mut finders) = (Vec::new(), Vec::new(), Vec::new());
    for (folder, tree) in Tree::data_folders(files, TreeOptions::default().with_directories(limits))? {
        let finder = Finder::new(tree);
        finders.push(finder.clone());
        for file in finder.tree().walk().files {
            let (path, seen) = match file {
                Ok(path) => {
                    let seen = finder.detect_met(&path, limits).map_err(Error::from);
                    (path, seen)
                }
                Err((path, e)) => (path, Err(e.into())),
            };
            let below = finder.tree().shown_path(&path).map(|at| at.to_string_lossy().replace('\\', "/"));
            let below = below.unwrap_or_else(|| path.text().into_owned());
            let name = if folder.is_root() { below } else { format!("{}/{below}", folder.text()) };
            let one = |found| Dropped { finder: finder.clone(), path: path.clone(), name, found };
            match seen {
                Ok(Some(seen)) if seen.format.holds_model() => found.push(one(Ok(seen.format))),
                Ok(_) => {
                    let called = Format::from_name(&path.text()).filter(|format| format.holds_model());
                    named.extend(called.map(|format| one(Ok(format))));
                }
                Err(why) => found.push(one(Err(why))),
            }
        }
    }
    Ok(DroppedFiles { models: if found.is_empty() { named } else { found }, finders })
}

/// Returns the folder that all files lie in, the first below the top.
fn common<'a>(mut files: impl Iterator<Item = &'a TreePath>) -> TreePath {
    let first =
        |path: &TreePath| path.names().next().filter(|name| **name != *path.as_bytes()).map(<[u8]>::to_vec);
    let top = files.next().and_then(first).filter(|name| !name.eq_ignore_ascii_case(b"models"));
    let shared = top.filter(|top| files.all(|path| first(path).as_ref() == Some(top)));
    shared.and_then(|top| TreePath::new(top).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::testdata;

    fn names(files: &[(&str, &str)]) -> Vec<(String, Result<&'static str, &'static str>)> {
        let read =
            |(name, from): &(&str, &str)| ((*name).to_owned(), std::fs::read(testdata().join(from)).unwrap());
        let found = dropped(files.iter().map(read), Limits::default()).unwrap();
        found.models.into_iter().map(|d| (d.name, d.found.map(Format::id).map_err(|e| e.code()))).collect()
    }

    #[test]
    fn models_are_found_in_folders_and_packs_and_by_name_where_nothing_else_is() {
        let quad = ("set/quad.dpm", "dpm/quad.ok.dpm");
        assert_eq!(names(&[quad, ("set/readme.txt", "PROVENANCE.md")]), [("quad.dpm".into(), Ok("dpm"))]);
        assert_eq!(names(&[("models/quad.dpm", quad.1)]), [("models/quad.dpm".into(), Ok("dpm"))]);
        assert_eq!(names(&[("x.dpm", "dpm/magic.reject.dpm")]), [("x.dpm".into(), Ok("dpm"))]);
        let both = names(&[quad, ("x.dpm", "dpm/magic.reject.dpm")]);
        assert_eq!(both, [("x.dpm".into(), Ok("dpm")), ("set/quad.dpm".into(), Ok("dpm"))]);
        assert_eq!(names(&[("a.txt", "PROVENANCE.md")]), []);
        let packs = names(&[
            ("game/base/pak0.pak", "game/base/pak0.pak"),
            ("game/mod/m.pk3", "game/mod/m.pk3"),
            ("game/broken/x.pk3", "dpm/quad.ok.dpm"),
        ]);
        assert!(
            packs.iter().any(|(name, found)| name.starts_with("base/pak0.pak/") && found.is_ok()),
            "{packs:?}"
        );
        assert!(
            packs.iter().any(|(name, found)| name.starts_with("mod/m.pk3/") && found.is_ok()),
            "{packs:?}"
        );
        assert!(packs.iter().any(|(name, found)| name == "broken/x.pk3" && found.is_err()), "{packs:?}");
        assert!(dropped([("../x.dpm".to_owned(), Vec::new())], Limits::default()).is_err());
    }
}
