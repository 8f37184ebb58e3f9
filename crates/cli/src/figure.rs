//! Characters of several inputs.

use crate::input::Input;
use crate::reader::Reader;
use crate::refusal::Refusal;
use meshwright::{Error, ErrorKind, Model};

/// A character of several inputs.
pub(crate) struct Figure {
    pub(crate) model: Model,
    /// The index of the input that gives it its name.
    pub(crate) lead: usize,
}

impl Figure {
    /// Opens the inputs of a character. An error has the index of its input.
    pub(crate) fn open(reader: &Reader, inputs: &[Input]) -> Result<Self, (usize, Refusal)> {
        let (mut numbers, mut models) = (Vec::new(), Vec::new());
        for (i, input) in inputs.iter().enumerate() {
            let opened = match reader.open(input) {
                Ok(opened) => opened,
                Err(Refusal::NotAModel) => continue,
                Err(refused) => return Err((i, refused)),
            };
            reader.note(opened.sources());
            reader.say_used(input, &opened);
            numbers.push(i);
            models.push(opened);
        }
        let number = |i: usize| numbers.get(i).copied().unwrap_or(0);
        let lead = number(Model::figure_lead(&models).unwrap_or(0));
        let model = Model::figure(models).map_err(|e| (number(e.input()), refusal(&e)))?;
        Ok(Self { model, lead })
    }
}

/// Returns the refusal of files that do not belong together.
fn refusal(e: &Error) -> Refusal {
    let why = e.message();
    match e.kind() {
        ErrorKind::NotFound => Refusal::UNKNOWN,
        ErrorKind::Unsupported => Refusal::Argument(format!(
            "several inputs need a folder as output (end the path in / or create it): {why}"
        )),
        _ => Refusal::Argument(why.to_owned()),
    }
}
