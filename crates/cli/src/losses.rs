//! Prints the losses and notes of conversions, as text and as JSON.

use crate::args::ReadArgs;
use crate::messages::say;
use crate::render;
use meshwright::explain;
use meshwright::scene::{Loss, LossGroup, LossKind};
use serde_json::{Value, json};

/// The level of detail of messages.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Detail {
    /// One line for each kind of loss.
    Quiet,
    /// One line for each kind of loss or note.
    Grouped,
    /// One line for each loss and note.
    All,
}

impl From<&ReadArgs> for Detail {
    fn from(args: &ReadArgs) -> Self {
        match (args.quiet, args.verbose) {
            (true, _) => Self::Quiet,
            (_, true) => Self::All,
            _ => Self::Grouped,
        }
    }
}

/// Notes about normal properties of a format: only --verbose prints them.
const USUAL: [&str; 2] = ["interpolation", "normals-computed"];

/// Prints the losses of one file. `advice` is added to losses that extras of the scene would keep.
pub(crate) fn say_all(shown: &str, losses: &[Loss], detail: Detail, advice: &str) {
    let advised = |in_extras: bool| if in_extras { advice } else { "" };
    if matches!(detail, Detail::All) {
        for kind in [LossKind::Loss, LossKind::Note] {
            for loss in losses.iter().filter(|l| l.kind == kind) {
                let advice = advised(loss.in_extras);
                say_one(shown, &format!("{kind}[{}] {}{advice}", render::code(loss.code), Unnamed(loss)));
            }
        }
        return;
    }
    for group in LossGroup::all(losses).iter().filter(|group| is_printed(group, detail)) {
        let code = render::code(group.code());
        let more = if group.is_cut() { "; --verbose shows all" } else { "" };
        say_one(shown, &format!("{}[{code}] {group}{}{more}", group.kind(), advised(group.in_extras())));
    }
}

fn is_printed(group: &LossGroup<'_>, detail: Detail) -> bool {
    group.kind() == LossKind::Loss || !matches!(detail, Detail::Quiet) && !USUAL.contains(&group.code())
}

fn say_one(shown: &str, text: &str) {
    say(&format!("{shown}: {}", render::plain(text)));
}

/// The losses of all files of a run, one line for each code at the end of the run, in the order of kinds and codes.
#[derive(Debug, Default)]
pub(crate) struct Tally(Vec<Tallied>);

/// The losses of one code.
#[derive(Debug)]
struct Tallied {
    kind: LossKind,
    code: &'static str,
    files: u64,
    /// The text of the first file.
    first: String,
    advice: &'static str,
}

impl Tally {
    /// Adds the losses of a file.
    pub(crate) fn add(&mut self, shown: &str, losses: &[Loss], detail: Detail, advice: &'static str) {
        for group in LossGroup::all(losses).iter().filter(|group| is_printed(group, detail)) {
            let (kind, code) = (group.kind(), group.code());
            let at = self.0.partition_point(|tallied| (tallied.kind, tallied.code) < (kind, code));
            match self.0.get_mut(at).filter(|tallied| (tallied.kind, tallied.code) == (kind, code)) {
                Some(tallied) => tallied.files = tallied.files.saturating_add(1),
                None => {
                    let more = if group.is_cut() { "; --verbose shows all" } else { "" };
                    let first = format!("{shown}: {kind}[{}] {group}", render::code(code));
                    let advice = if group.in_extras() { advice } else { "" };
                    let first = format!("{}{advice}{more}", render::plain(&first));
                    self.0.insert(at, Tallied { kind, code, files: 1, first, advice });
                }
            }
        }
    }

    /// Prints a line for each code, losses first.
    pub(crate) fn say(&self) {
        for Tallied { kind, code, files, first, advice } in &self.0 {
            if *files == 1 {
                say(first);
                continue;
            }
            // `explain` lists rules of files first, and losses of conversions last.
            let known = explain(code);
            let cause = known.last().map_or(first.as_str(), |known| known.cause().trim_end_matches('.'));
            say(&format!("{kind}[{code}] in {files} files: {cause}{advice}; --verbose shows all"));
        }
    }
}

/// Formats a loss without its code.
struct Unnamed<'l>(&'l Loss);

impl std::fmt::Display for Unnamed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = self.0.to_string();
        f.write_str(text.strip_suffix(&format!(" [{}]", self.0.code)).unwrap_or(&text))
    }
}

/// Returns a loss as JSON.
pub(crate) fn document(loss: &Loss) -> Value {
    json!({
        "kind": if loss.is_note() { "note" } else { "loss" },
        "code": render::code(loss.code),
        "path": loss.path,
        "message": loss.message,
        "count": loss.count,
        "amount": loss.amount,
        "unit": loss.unit,
    })
}
