//! What the command line says of itself: help with examples, `completions` and `man`.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::output::{self, whole};
use crate::refusal::Refusal;
use crate::{Fail, Status};
use clap::{Command, CommandFactory as _, FromArgMatches as _};
use meshwright::files::output::{OutputName, Place, Plan};
use std::ffi::OsString;

/// What people do with each command, and how; a test runs them.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "info",
        &[
            ("What is in a model, and what belongs to it", "hopper.dpm"),
            ("In all models of a pack, for a program", "data.pk3 --format json"),
            ("The names of its clips alone", "hopper.dpm --query 'clips[*].name'"),
            ("A line for each model of a folder, for a table", "models/ --format csv > models.csv"),
        ],
    ),
    (
        "check",
        &[
            ("Everything that is wrong in a folder", "models/"),
            ("For CI: warnings count, results for a program", "models/ --deny-warnings --format json"),
            ("What an engine would refuse or read otherwise", "tube.iqm --for darkplaces"),
            ("For code hosts and editors", "models/ --format sarif > models.sarif"),
        ],
    ),
    ("diff", &[("Whether a model came through a conversion", "hopper.dpm hopper.glb --tolerance 0.01")]),
    ("explain", &[("What a code of check means", "bad-parent")]),
    (
        "repair",
        &[
            ("What could be mended in a folder", "models/ --dry-run"),
            ("Mended files in another folder", "models/ -o mended/"),
        ],
    ),
    (
        "convert",
        &[
            ("Into Blender and everything else that reads glTF", "hopper.dpm -o hopper.glb"),
            ("A folder or a pack, its tree kept", "data.pk3 -o glb/"),
            (
                "Back into the game; first only what it would give",
                "hopper.glb -o new.dpm --for darkplaces --dry-run",
            ),
            (
                "A figure of several files",
                "flower.mesh --skeleton flower.skel --anim sway.anim -o flower.glb",
            ),
            ("A frame of a clip as OBJ", "hopper.dpm -o hopper.obj --pose idle:3"),
            ("The same bytes again", "hopper.dpm -o copy.dpm"),
        ],
    ),
    (
        "list",
        &[
            ("What the engine sees of a game's folder, and from which pack", "data.pk3"),
            ("A folder in a pack", "data.pk3/models"),
        ],
    ),
    ("unpack", &[("All files of a pack", "data.pk3 -o files/")]),
    (
        "pack",
        &[
            ("A pack of a folder", "models/ -o mine.pk3"),
            ("A pack with what changed; the rest byte for byte", "models/ --onto data.pk3 -o mine.pk3"),
        ],
    ),
    ("view", &[("All models of a folder, in the browser", "models/")]),
    (
        "render",
        &[
            ("A picture with the bones", "hopper.dpm -o hopper.png --overlay bones"),
            ("A clip as an animated PNG", "hopper.dpm -o hop.png --clip hop --size 64"),
            ("All models of a folder on one sheet", "models/ -o sheet.png --sheet"),
        ],
    ),
    ("dump", &[("The whole model, and one pose of it", "hopper.dpm --pose idle:3 -o hopper.json")]),
    (
        "optimize",
        &[
            ("Fewer bytes, the same model", "windmill.bmd -o small.bmd"),
            (
                "Positions may be off by a hundredth of a unit",
                "windmill.bmd -o smaller.bmd --max-position 0.01",
            ),
        ],
    ),
    ("edit", &[("Flag the last bone as an attachment", "hopper.dpm -o tagged.dpm --set-attach '#4'")]),
    ("completions", &[("For bash", "bash > meshwright.bash")]),
    ("man", &[("Pages for man, one for each command", "man1/")]),
];

/// The command line as it is shown: each command with its examples.
fn command() -> Command {
    let add = |command: Command, (name, examples): &(&'static str, &[(&str, &str)])| {
        let lines = examples.iter().map(|(what, words)| format!("  # {what}\n  meshwright {name} {words}"));
        let text = format!("Examples:\n{}", lines.collect::<Vec<_>>().join("\n"));
        command.mut_subcommand(name, |command| {
            let after = command.get_after_help().map(|said| format!("{text}\n\n{said}")).unwrap_or(text);
            command.after_help(after)
        })
    };
    EXAMPLES.iter().fold(Cli::command(), add)
}

/// What the words of a command line ask for.
pub(crate) fn parse(words: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&matches).map_err(|e| e.format(&mut command))
}

pub(crate) fn completions(args: &CompletionsArgs) -> Result<Status, Fail> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "meshwright", &mut script);
    Ok(ended(output::print(whole(&script))))
}

pub(crate) fn man(args: &ManArgs) -> Result<Status, Fail> {
    // What `help` would say stands in the pages.
    let mut command = command().disable_help_subcommand(true);
    command.build();
    let own = ("meshwright.1".to_owned(), page(command.clone(), "\"EXIT STATUS\"")?);
    let others = command
        .get_subcommands()
        .map(|sub| Ok((format!("meshwright-{}.1", sub.get_name()), page(sub.clone(), "EXAMPLES")?)));
    let pages: Vec<(String, String)> = [Ok(own)].into_iter().chain(others).collect::<Result<_, Fail>>()?;
    let place = |name| Place::below(&args.folder, [&OutputName::cleaned(name)]);
    let files = pages.iter().map(|(name, page)| output::main(place(name), whole(page.as_bytes())));
    Ok(ended(output::write(files.collect(), &Plan::default(), None).map(drop)))
}

/// A page for `man`; what stands behind the options has a title of its own.
fn page(command: Command, title: &str) -> Result<String, Fail> {
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command).manual("Meshwright");
    man.source(concat!("meshwright ", env!("CARGO_PKG_VERSION"))).render(&mut page)?;
    let page = String::from_utf8_lossy(&page).replace(".SH EXTRA\n", &format!(".SH {title}\n"));
    Ok(page.replace("\nExamples:\n", "\n"))
}

fn ended(result: Result<(), Refusal>) -> Status {
    match result {
        Ok(()) => Status::Fine,
        Err(refusal) => {
            refusal.say("meshwright");
            refusal.status()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound_and_has_examples() {
        command().debug_assert();
        let without: Vec<_> = Cli::command().get_subcommands().map(|c| c.get_name().to_owned()).collect();
        let without: Vec<_> =
            without.iter().filter(|name| !EXAMPLES.iter().any(|(n, _)| n == name)).collect();
        assert!(without.is_empty(), "no examples of {without:?}");
    }
}
