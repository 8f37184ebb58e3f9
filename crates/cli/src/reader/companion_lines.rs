//! Lines about the companions of a model, and about errors that a lenient reader passed over.

use super::Reader;
use crate::input::Input;
use crate::messages::say;
use crate::render;
use meshwright::{Model, PartRole, PartState, Role, Severity};
use std::io;
use std::path::PathBuf;

impl Reader {
    /// Returns the errors that a lenient reader passed over, and the companions that cannot be used, as lines.
    pub(crate) fn passed_over(&self, input: &Input, opened: &Model) -> Vec<String> {
        let mut lines = Vec::new();
        for part in opened.parts() {
            // A companion that was named for a whole folder need not fit every file in it.
            let reported = part.path.is_some() || input.met.is_none();
            // A skeleton named for the output does not belong to the input.
            let reported = reported && !(self.made_for && part.role == PartRole::Companion(Role::Skeleton));
            if let (PartState::Ignored(why), PartRole::Companion(_), true) =
                (&part.state, part.role, reported)
            {
                lines.push(format!("{}: ignored: {}", part_path(opened, part), render::plain(why)));
            }
        }
        if self.quiet {
            return lines;
        }
        let colours = render::colours(&io::stderr());
        let passed_over = [opened.forgiven(), &opened.companions().forgiven];
        lines.extend(passed_over.iter().flat_map(|report| report.findings()).map(|finding| {
            let mut finding = finding.clone();
            finding.severity = Severity::Warning;
            let text = render::finding(&finding, opened.bytes(), colours);
            format!("{}: {text}", input.display_path())
        }));
        lines
    }

    /// Returns the companions that are used, as lines. Files of clips are one line: a game may have dozens for a model.
    pub(crate) fn used(&self, input: &Input, opened: &Model) -> Vec<String> {
        let is_used = |part: &&meshwright::Part| {
            self.names_companions
                && part.state == PartState::Found
                && matches!(part.role, PartRole::Companion(_))
        };
        let is_clips = |part: &&meshwright::Part| part.role == PartRole::Companion(Role::Animation);
        let (clips, others): (Vec<_>, Vec<_>) = opened.parts().iter().filter(is_used).partition(is_clips);
        let further = clips.len().saturating_sub(1);
        let line = |part: &meshwright::Part| {
            let more = match further {
                n if n > 0 && is_clips(&part) => format!(" and {n} more"),
                _ => String::new(),
            };
            format!("{}: with {}{more}", input.display_path(), part_path(opened, part))
        };
        others.into_iter().chain(clips.into_iter().take(1)).map(line).collect()
    }

    /// Prints the companions that are used, and everything that was passed over.
    pub(crate) fn say_used(&self, input: &Input, opened: &Model) {
        self.used(input, opened).iter().for_each(|line| say(line));
        self.say_passed_over(input, opened);
    }

    /// Prints everything that was passed over.
    pub(crate) fn say_passed_over(&self, input: &Input, opened: &Model) {
        self.passed_over(input, opened).iter().for_each(|line| say(line));
    }
}

/// Returns the path of a file of a model, as it is printed.
fn part_path(opened: &Model, part: &meshwright::Part) -> String {
    let path = part.path.as_ref().and_then(|path| opened.finder().tree().shown_path(path));
    let path = path.unwrap_or_else(|| PathBuf::from(&part.name));
    render::path(path.strip_prefix(".").unwrap_or(&path))
}
