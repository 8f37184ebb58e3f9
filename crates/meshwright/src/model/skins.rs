//! Skins of a model.

use super::opening::Opening;
use super::{Model, Part, PartRole, PartState};
use meshwright_core::Budget;
use meshwright_files::{Tree, TreePath};
use meshwright_scene::OutputFile;
use std::sync::Arc;

/// The maximum number of skins of a model that are searched.
pub(crate) const MOST: usize = 256;

/// Returns the name of a skin of a model file, as engines of the Quake family count them.
pub(crate) fn name(model: &str, number: usize) -> String {
    format!("{model}_{number}.skin")
}

/// Returns the skins of a model's file: `x.dpm_0.skin`, `x.dpm_1.skin` and so on, up to the first missing number.
pub(super) fn beside(tree: &Tree, model: &TreePath) -> Vec<TreePath> {
    let path = |number| model.beside([model.name(), format!("_{number}.skin").as_bytes()].concat());
    (0..MOST).map_while(|number| tree.find(path(number).ok()?).ok()?).collect()
}

impl Opening<'_> {
    /// Reads the skins next to the model, up to the first that cannot be read.
    pub(super) fn skins(&mut self) -> Vec<Arc<[u8]>> {
        if !self.format.traits().has_skins || !self.options.companions {
            return Vec::new();
        }
        let budget = Budget::new(self.options.settings.read.limits);
        let mut skins = Vec::new();
        for path in beside(self.finder.tree(), self.path) {
            match self.finder.tree().read(&path, &budget) {
                Ok(bytes) => skins.push(bytes.into()),
                Err(error) => {
                    self.parts.push(Part::new(PartRole::Skin, &path, PartState::Ignored(error.reason())));
                    break;
                }
            }
        }
        skins
    }
}

impl Model {
    /// Returns the skins of the model (`<file name>_<number>.skin`, as engines of the Quake family count them), with the
    /// names for a model file `name`.
    pub fn skins(&self, name: &str) -> Vec<OutputFile> {
        let skin = |(number, bytes): (usize, &Arc<[u8]>)| OutputFile {
            name: self::name(name, number),
            bytes: bytes.to_vec(),
        };
        self.skins.iter().enumerate().map(skin).collect()
    }
}
