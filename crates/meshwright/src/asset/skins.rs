//! Skins of a model.

use super::Asset;
use meshwright_core::{Budget, LimitExceeded};
use meshwright_files::{FilesError, Tree, TreePath};
use meshwright_scene::OutputFile;

/// Skins of a model that engines look for.
const MOST: usize = 256;

fn name(model: &[u8], number: usize) -> Vec<u8> {
    [model, format!("_{number}.skin").as_bytes()].concat()
}

/// The skins of a model's file, as engines of the Quake family count them: `x.dpm_0.skin` and on, up to the first
/// missing number.
pub(super) fn beside(tree: &Tree, model: &TreePath) -> Vec<TreePath> {
    let path = |number| model.beside(name(model.name(), number));
    (0..MOST).map_while(|number| tree.find(path(number).ok()?).ok()?).collect()
}

impl Asset {
    /// The skins of the model (`<file name>_<number>.skin`, as engines of the Quake family count them), with the
    /// names for a model file `name`.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub fn skins(&self, tree: &Tree, name: &str, budget: &Budget) -> Result<Vec<OutputFile>, LimitExceeded> {
        let mut skins = Vec::new();
        for (number, path) in beside(tree, self.path()).iter().enumerate() {
            let bytes = match tree.read(path, budget) {
                Ok(bytes) => bytes.into_owned(),
                Err(FilesError::Limit(e)) => return Err(e),
                Err(_) => break,
            };
            let name = String::from_utf8_lossy(&self::name(name.as_bytes(), number)).into_owned();
            skins.push(OutputFile { name, bytes });
        }
        Ok(skins)
    }
}
