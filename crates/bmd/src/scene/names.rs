//! Names of the file as text, and back.

use crate::model::Name;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_scene::names::{Encoding, NameRules, Names};
use meshwright_scene::{Budget, ConvertError, Loss};

/// The longest material name that the existing engine has room for.
const MAX_MATERIAL: usize = 255;

/// Names of bones and clips.
pub(super) const NAMES: NameRules = NameRules::new(Encoding::LATIN1, usize::MAX);
/// Names of materials.
pub(super) const MATERIALS: NameRules = NameRules::new(Encoding::LATIN1, MAX_MATERIAL);

/// A name as text, charged: any number of records can share a long one.
pub(super) fn text(name: &Name, budget: &Budget) -> Result<String, ConvertError> {
    // A byte beyond ASCII takes two in UTF-8.
    budget.charge_items("names", name.bytes().len() as u64, 2)?;
    Ok(name.text())
}

/// A name as the file stores it.
pub(super) fn name(
    names: &mut Names<'_>,
    text: &str,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<Name, ConvertError> {
    Ok(Name::new(&names.fit(text, path, losses)?))
}
