//! What became of inputs.

use crate::args::{ConvertArgs, OutputFormat};
use crate::input::Input;
use crate::losses::{self, Detail};
use crate::manifest::Took;
use crate::output::Staged;
use crate::refusal::Refusal;
use crate::results::Results;
use crate::{Status, output, render};
use meshwright::edit::Recovery;
use meshwright::scene::Loss;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What became of an input, and the files that took part.
pub(super) struct Made {
    pub(super) sources: Vec<PathBuf>,
    pub(super) result: Result<Done, Refusal>,
}

/// A conversion that is written, but for the names of its outputs.
pub(super) struct Done {
    pub(super) input: Input,
    pub(super) outputs: Vec<PathBuf>,
    /// Those of them that nobody edited and that take nothing's place.
    pub(super) beside: Vec<PathBuf>,
    /// The outputs, or why they cannot be written; none where they were written to standard output.
    pub(super) staged: Option<Result<Staged, output::Failed>>,
    /// The output may take the place of the input.
    pub(super) rewrite: bool,
    /// How long the outputs would be, where they are only measured.
    pub(super) sizes: Option<Vec<u64>>,
    pub(super) losses: Vec<Loss>,
    /// The files that took part, for the manifest.
    pub(super) took: Took,
    /// What to do about losses that extras would hold.
    pub(super) advice: &'static str,
    /// What came back of the original.
    pub(super) recovery: Option<Recovery>,
}

impl Done {
    pub(super) fn of(input: &Input, losses: Vec<Loss>, advice: &'static str) -> Self {
        let (input, outputs) = (input.clone(), Vec::new());
        let took = Took::new();
        Self {
            input,
            outputs,
            beside: Vec::new(),
            staged: None,
            rewrite: false,
            sizes: None,
            losses,
            took,
            advice,
            recovery: None,
        }
    }

    pub(super) fn rewriting(self) -> Self {
        Self { rewrite: true, ..self }
    }

    pub(super) fn json(&self) -> Value {
        let losses: Vec<_> = self.losses.iter().map(losses::document).collect();
        let output: Vec<_> = self.outputs.iter().map(|p| render::exact(p)).collect();
        let mut json = json!({ "file": self.input.exact(), "output": output, "losses": losses });
        if let (Some(recovery), Some(fields)) = (&self.recovery, json.as_object_mut()) {
            fields.insert("recovery".into(), meshwright::recovery_document(recovery));
        }
        json
    }

    /// Says what was lost.
    pub(super) fn report(&self, results: &mut Results, args: &ConvertArgs) {
        results.add(Status::Fine, || self.json());
        if args.format == OutputFormat::Text {
            let sizes = self.sizes.iter().flatten();
            let lines: String = self
                .outputs
                .iter()
                .zip(sizes)
                .map(|(path, size)| format!("{}: {size} bytes\n", render::path(path)))
                .collect();
            // A pipe that nobody reads is said at the end.
            let _ = crate::batch::print(lines);
            if let Some(recovery) = &self.recovery {
                say_edits(&self.input.shown(), recovery, Detail::from(&args.read));
            }
            let (shown, detail) = (self.input.shown(), Detail::from(&args.read));
            losses::say_all(&shown, &self.losses, detail, self.advice, |code| results.tells(code));
        }
    }
}

/// Parts of a kind that are told one by one, unless all are asked for.
const TOLD: usize = 6;

/// Says what was edited, a line for each kind of part.
fn say_edits(shown: &str, recovery: &Recovery, detail: Detail) {
    let most = match detail {
        Detail::Quiet => return,
        Detail::All => usize::MAX,
        _ => TOLD,
    };
    for line in meshwright::recovery_lines(recovery, most) {
        crate::say(&format!("{shown}: {}", render::plain(&line)));
    }
}
