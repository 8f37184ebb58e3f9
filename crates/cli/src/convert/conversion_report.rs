//! The results of conversions.

use crate::args::{ConvertArgs, OutputFormat};
use crate::input::Input;
use crate::losses::{self, Detail};
use crate::manifest::Took;
use crate::output::Measured;
use crate::refusal::Refusal;
use crate::results::Results;
use crate::{Status, render};
use meshwright::edit::Recovery;
use meshwright::files::output::{Output, Staged};
use meshwright::scene::Loss;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The result of an input, and the files that took part.
pub(super) struct Made {
    pub(super) sources: Vec<PathBuf>,
    pub(super) result: Result<Done, Refusal>,
}

/// A finished conversion whose outputs have no final names yet.
pub(super) struct Done {
    pub(super) input: Input,
    /// The paths of the files, after they are entered into the plan.
    pub(super) outputs: Vec<PathBuf>,
    pub(super) files: Written,
    /// The output may replace the input.
    pub(super) rewrite: bool,
    /// The records of the input were copied.
    pub(super) is_copy: bool,
    pub(super) losses: Vec<Loss>,
    /// The files that took part, for the manifest.
    pub(super) took: Took,
    /// The advice on losses that extras would keep.
    pub(super) advice: &'static str,
    /// The report on edits that were imported into the original.
    pub(super) recovery: Option<Recovery>,
    /// The edits by the numbers of the parts, for programs.
    pub(super) patch: Option<Value>,
}

/// The files of a conversion.
pub(super) enum Written {
    /// The files were written to standard output.
    Elsewhere,
    /// The files are complete and have temporary names.
    Staged(Staged),
    /// The files are only measured, for `--dry-run`.
    Measured(Vec<Output<Measured>>),
}

impl Written {
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        match self {
            Self::Elsewhere => Vec::new(),
            Self::Staged(staged) => staged.places().map(|place| place.path().to_owned()).collect(),
            Self::Measured(files) => files.iter().map(|file| file.place.path().to_owned()).collect(),
        }
    }
}

impl Done {
    pub(super) fn json(&self) -> Value {
        let losses: Vec<_> = self.losses.iter().map(losses::document).collect();
        let output: Vec<_> = self.outputs.iter().map(|p| render::exact(p)).collect();
        let mut json = json!({ "file": self.input.exact(), "output": output, "losses": losses });
        if let (Some(recovery), Some(fields)) = (&self.recovery, json.as_object_mut()) {
            fields.insert("recovery".into(), meshwright::recovery_document(recovery));
            fields.extend(self.patch.clone().map(|patch| ("patch".to_owned(), patch)));
        }
        json
    }

    /// Prints the outputs, edits and losses.
    pub(super) fn report(&self, results: &mut Results, args: &ConvertArgs) {
        results.add(Status::Fine, || self.json());
        if args.format == OutputFormat::Text {
            let measured = if let Written::Measured(files) = &self.files { files.as_slice() } else { &[] };
            let line = |file: &Output<Measured>| {
                format!("{}: {} bytes\n", render::path(file.place.path()), file.content.size)
            };
            let lines: String = measured.iter().map(line).collect();
            // A closed pipe is reported at the end of the run.
            let _ = crate::batch::print(lines);
            if let Some(recovery) = &self.recovery {
                say_edits(&self.input.display_path(), recovery, Detail::from(&args.read));
            }
            let written = if let Written::Measured(_) = self.files { &[] } else { self.outputs.as_slice() };
            results.wrote(&self.input.display_path(), written, &self.losses, &args.read, self.advice);
        }
    }
}

/// The number of edited parts of one kind that are listed without `--verbose`.
const LISTED: usize = 6;

/// Prints the edits, a line for each kind of part.
fn say_edits(shown: &str, recovery: &Recovery, detail: Detail) {
    let most = match detail {
        Detail::Quiet => return,
        Detail::All => usize::MAX,
        _ => LISTED,
    };
    for line in meshwright::recovery_lines(recovery, most) {
        crate::say(&format!("{shown}: {}", render::plain(&line)));
    }
}
