//! What a conversion lost and decided, for people and for programs.

use crate::args::ReadArgs;
use crate::{render, say};
use meshwright::scene::{Loss, LossGroup, LossKind};
use serde_json::{Value, json};

/// How much is said.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Detail {
    /// One line for each kind of loss.
    Quiet,
    /// One line for each kind of loss or note.
    Grouped,
    /// A line for each.
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

/// Says what a file lost. `advice` follows what the extras of a scene would hold. Of notes whose code many files of a run
/// have, `tells` says no more.
pub(crate) fn say_all(
    shown: &str,
    losses: &[Loss],
    detail: Detail,
    advice: &str,
    mut tells: impl FnMut(&'static str) -> bool,
) {
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
    let shown_kind = |kind| kind == LossKind::Loss || !matches!(detail, Detail::Quiet);
    for group in LossGroup::all(losses).iter().filter(|group| shown_kind(group.kind())) {
        if group.kind() == LossKind::Loss || tells(group.code()) {
            let code = render::code(group.code());
            say_one(shown, &format!("{}[{code}] {group}{}", group.kind(), advised(group.in_extras())));
        }
    }
}

fn say_one(shown: &str, text: &str) {
    say(&format!("{shown}: {}", render::plain(text)));
}

/// A loss without its code, which stands before it.
struct Unnamed<'l>(&'l Loss);

impl std::fmt::Display for Unnamed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = self.0.to_string();
        f.write_str(text.strip_suffix(&format!(" [{}]", self.0.code)).unwrap_or(&text))
    }
}

/// A loss for programs.
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
