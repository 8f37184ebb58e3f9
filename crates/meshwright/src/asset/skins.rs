//! Skins of a model, which go with it to another format.

use super::Asset;
use meshwright_core::{Budget, LimitExceeded};
use meshwright_files::{FilesError, Tree};
use meshwright_scene::OutputFile;

/// Skins of a model that engines look for.
const MOST: usize = 256;

impl Asset {
    /// The skins beside the model (`<file name>_<number>.skin`, as engines of Quake's family count them), under the names
    /// that they have beside a model whose file is called `name`.
    ///
    /// # Errors
    /// When the budget does not allow for them.
    pub fn skins(&self, tree: &Tree, name: &str, budget: &Budget) -> Result<Vec<OutputFile>, LimitExceeded> {
        let own = String::from_utf8_lossy(self.path().name());
        let mut skins = Vec::new();
        for number in 0..MOST {
            let Ok(path) = self.path().beside(format!("{own}_{number}.skin")) else { break };
            let bytes = match tree.read(&path, budget) {
                Ok(bytes) => bytes.into_owned(),
                Err(FilesError::Limit(e)) => return Err(e),
                // Engines stop at the first number that is not there.
                Err(_) => break,
            };
            skins.push(OutputFile { name: format!("{name}_{number}.skin"), bytes });
        }
        Ok(skins)
    }
}
