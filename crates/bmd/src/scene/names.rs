//! Converts names of the file to text and back.

use crate::model::{Bmd, Name};
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::FileFormat;
use meshwright_scene::names::{Encoding, NameRules, Names};
use meshwright_scene::{Budget, ConvertError, Loss};

/// The maximum length of a material name in the existing engine.
const MAX_MATERIAL: usize = 255;

/// Returns the rules for names of bones and clips. Names of a scene that came from this format may occur
/// more than once.
pub(super) fn rules(format: &str) -> NameRules {
    let rules = NameRules::new(Encoding::LATIN1, usize::MAX);
    if format == <Bmd as FileFormat>::ID { rules } else { rules.unique() }
}

/// The rules for names of materials.
pub(super) const MATERIALS: NameRules = NameRules::new(Encoding::LATIN1, MAX_MATERIAL).unique();

/// Returns a name as text. It is charged for each record, because any number of records can share a long
/// name.
pub(super) fn text(name: &Name, budget: &Budget) -> Result<String, ConvertError> {
    // A byte above ASCII takes two bytes in UTF-8.
    budget.charge_items("names", name.bytes().len() as u64, 2)?;
    Ok(name.text())
}

/// Returns a name as stored. An empty name is never looked up, so it may occur more than once.
pub(super) fn name(
    names: &mut Names<'_>,
    text: &str,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<Name, ConvertError> {
    if text.is_empty() {
        return Ok(Name::new(b""));
    }
    Ok(Name::new(&names.fit(text, path, losses)?))
}
