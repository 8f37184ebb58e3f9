//! Names of the file as text, and back.

use crate::model::Name;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_scene::{ConvertError, Loss, Memory};

/// A name as text, charged: any number of records can share a long one.
pub(super) fn text(name: &Name, memory: &Memory) -> Result<String, ConvertError> {
    // A byte beyond ASCII takes two in UTF-8.
    memory.charge("names", name.bytes().len(), 2)?;
    Ok(name.text())
}

/// A name as the file stores it: characters beyond one byte become `?`, and it ends at a NUL.
pub(super) fn name(text: &str, path: &str, losses: &mut Vec<Loss>) -> Name {
    let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
    let name = Name::new(&bytes);
    if name.text() != text {
        let message = "the name has characters beyond one byte, now question marks, or a NUL, now its end";
        losses.push(Loss::new("name-changed", path, message));
    }
    name
}
