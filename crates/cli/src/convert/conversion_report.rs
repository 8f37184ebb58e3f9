//! The results of conversions.

use crate::args::{ConvertArgs, OutputFormat};
use crate::input::Input;
use crate::losses::{self, Detail};
use crate::manifest::Took;
use crate::refusal::Refusal;
use crate::render;
use crate::results::Results;
use crate::status::Status;
use meshwright::Route;
use meshwright::edit::Recovery;
use meshwright::files::output::Staged;
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
    pub(super) files: Staged,
    pub(super) route: Route,
    pub(super) losses: Vec<Loss>,
    /// The files that took part, for the manifest.
    pub(super) took: Took,
    /// The advice on losses that extras would keep.
    pub(super) advice: &'static str,
    /// The report on edits that were imported into the original.
    pub(super) recovery: Option<Recovery>,
    /// The edits by the numbers of the parts, for programs.
    pub(super) edits: Option<Value>,
}

impl Done {
    pub(super) fn json(&self) -> Value {
        let losses: Vec<_> = self.losses.iter().map(losses::document).collect();
        let output: Vec<_> = self.outputs.iter().map(|p| render::exact(p)).collect();
        let mut json = json!({ "file": self.input.exact(), "output": output, "losses": losses });
        if let (Some(recovery), Some(fields)) = (&self.recovery, json.as_object_mut()) {
            fields.insert("recovery".into(), meshwright::recovery_document(recovery));
            fields.extend(self.edits.clone().map(|edits| ("patch".to_owned(), edits)));
        }
        json
    }

    /// Prints the outputs, edits and losses.
    pub(super) fn report(&self, results: &mut Results, args: &ConvertArgs) {
        results.add(Status::Fine, || self.json());
        if args.format == OutputFormat::Text {
            if let Some(recovery) = &self.recovery {
                say_edits(&self.input.display_path(), recovery, Detail::from(&args.read));
            }
            let written = if args.write.dry_run { &[] } else { self.outputs.as_slice() };
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
        crate::messages::say(&format!("{shown}: {}", render::plain(&line)));
    }
}
