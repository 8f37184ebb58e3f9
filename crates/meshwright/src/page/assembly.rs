//! The skeleton and the clips that a user chooses for a model of several files.

use crate::error::Error;
use crate::formats::Format;
use crate::model::{Finder, NamedFile, Opener};
use meshwright_core::{Budget, Order as _, Role};
use meshwright_files::TreePath;
use serde_json::{Value, json};

/// The roles that a person can fill, with their titles.
const ROLES: [(Role, &str); 2] = [(Role::Skeleton, "Skeleton"), (Role::Animation, "Clips")];
/// The most files that a person can choose from.
const MOST_FILES: usize = 500;

/// Files that a person chose for a model, by role. The page names files by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembly(Vec<(Role, String)>);

impl Assembly {
    /// Reads what the page sends: an object with a list of paths for each role. Unknown roles are ignored.
    #[must_use]
    pub fn from_json(value: &Value) -> Self {
        let mut chosen = Vec::new();
        for (role, _) in ROLES {
            let Some(names) = value.get(role.name()).and_then(Value::as_array) else { continue };
            let names = names.iter().filter_map(Value::as_str).take(MOST_FILES);
            chosen.extend(names.map(|name| (role, name.to_owned())));
        }
        Self(chosen)
    }

    /// Returns options that open a model with these files. `finders` are the trees to search, the first that has a file
    /// wins.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn options(&self, options: &Opener, finders: &[Finder]) -> Result<Opener, Error> {
        let (mut options, budget) = (options.clone(), Budget::new(options.read_settings().read.limits));
        for (role, name) in &self.0 {
            let path = TreePath::new(name).map_err(Error::from)?;
            let tree = finders.iter().map(Finder::tree).find(|tree| tree.exists(&path));
            let Some(tree) = tree else { continue };
            let bytes = tree.read(&path, &budget).map_err(Error::from)?.into_owned();
            options = options.named(NamedFile::new(*role, name.clone(), bytes));
        }
        Ok(options)
    }

    /// Returns what a person can choose for a model of this format: for each role an object with `role`, `title`,
    /// `files` and those of them that are `chosen`. The list is empty if no file can be chosen.
    #[must_use]
    pub fn choices(&self, format: Format, finders: &[Finder]) -> Value {
        let mut choices = Vec::new();
        for (role, title) in ROLES {
            let kinds = || format.companions().iter().filter(|c| c.role == role);
            if kinds().next().is_none() {
                continue;
            }
            let mut files: Vec<String> = Vec::new();
            for finder in finders {
                for path in finder.tree().walk().files.into_iter().flatten() {
                    let found = Format::from_name(&path.text());
                    let fits = found.is_some_and(|found| kinds().any(|c| c.kind == found.id()));
                    let name = path.text().into_owned();
                    if fits && files.len() < MOST_FILES && !files.contains(&name) {
                        files.push(name);
                    }
                }
            }
            files.order();
            let chosen: Vec<&str> =
                self.0.iter().filter(|(of, _)| *of == role).map(|(_, name)| name.as_str()).collect();
            if !files.is_empty() {
                choices
                    .push(json!({ "role": role.name(), "title": title, "files": files, "chosen": chosen }));
            }
        }
        choices.into()
    }
}
