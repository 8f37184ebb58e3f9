//! Names of the file as text, and back.

use crate::model::{Bmd, Name};
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::FileFormat;
use meshwright_scene::names::{Encoding, NameRules, Names};
use meshwright_scene::{Budget, ConvertError, Loss};

/// The longest material name that the existing engine has room for.
const MAX_MATERIAL: usize = 255;

/// Names of bones, or of clips: of a scene that was read from the format as they are, which may be alike.
pub(super) fn rules(format: &str) -> NameRules {
    let rules = NameRules::new(Encoding::LATIN1, usize::MAX);
    if format == <Bmd as FileFormat>::ID { rules } else { rules.unique() }
}

/// Names of materials.
pub(super) const MATERIALS: NameRules = NameRules::new(Encoding::LATIN1, MAX_MATERIAL).unique();

/// A name as text, charged: any number of records can share a long one.
pub(super) fn text(name: &Name, budget: &Budget) -> Result<String, ConvertError> {
    // A byte beyond ASCII takes two in UTF-8.
    budget.charge_items("names", name.bytes().len() as u64, 2)?;
    Ok(name.text())
}

/// A name as the file stores it. Nothing looks up an empty name, so that it may occur more than once.
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
