//! The help of the command line, with examples; `completions` and `man`.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::messages::say;
use crate::output::{self, content_of};
use crate::refusal::{Fail, Refusal};
use crate::render;
use crate::status::Status;
use anstyle::Style;
use clap::{Command, CommandFactory as _, FromArgMatches as _};
use meshwright::counted;
use meshwright::files::output::{OutputName, Place, Plan};
use std::ffi::OsString;

/// The number of examples that `-h` shows.
const SHORT: usize = 3;

/// The examples of each command; a test runs them.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "info",
        &[
            ("Show the content of a model and its companion files", "hopper.dpm"),
            ("Print the content of all models of a pack as JSON", "data.pk3 --format json"),
            ("Print only the names of its clips", "hopper.dpm --query 'clips[*].name'"),
            ("Write a table with a line for each model of a folder", "models/ --format csv > models.csv"),
        ],
    ),
    (
        "check",
        &[
            ("Find all errors and warnings in a folder", "models/"),
            ("In CI: fail on warnings too, and print JSON", "models/ --deny-warnings --format json"),
            ("Report what an engine refuses or reads differently", "tube.iqm --for darkplaces"),
            ("Write SARIF for code hosts and editors", "models/ --format sarif > models.sarif"),
        ],
    ),
    ("diff", &[("Compare a model with its conversion", "hopper.dpm hopper.glb --tolerance 0.01")]),
    (
        "explain",
        &[("Explain a code of check", "bad-parent"), ("Explain the findings of a file", "hopper.dpm")],
    ),
    (
        "repair",
        &[
            ("Report what can be repaired in a folder", "models/ --dry-run"),
            ("Write repaired files into another folder", "models/ -o repaired/"),
        ],
    ),
    (
        "convert",
        &[
            ("Convert to glTF, which most programs open", "hopper.dpm hopper.glb"),
            ("Prepare a model for editing in Blender: writes edit.glb", "hopper.dpm edit.glb --for blender"),
            ("Convert back to the game's format", "edit.glb new.dpm"),
            ("Convert all models of a folder or an archive", "data.pk3 glb/"),
            (
                "Print what a conversion would write and lose",
                "hopper.glb planned.dpm --for darkplaces --dry-run",
            ),
            (
                "Make one character of several files",
                "flower.mesh --skeleton flower.skel --anim sway.anim -o flower.glb",
            ),
            ("Write a frame of a clip as OBJ", "hopper.dpm -o hopper.obj --pose idle:3"),
            ("Rewrite a model byte for byte", "hopper.dpm -o copy.dpm"),
        ],
    ),
    ("list", &[("List the files of a pack", "data.pk3"), ("List a folder in a pack", "data.pk3/models")]),
    ("unpack", &[("Extract all files of a pack", "data.pk3 -o files/")]),
    (
        "pack",
        &[
            ("Make a pack of a folder", "models/ -o mine.pk3"),
            (
                "Replace changed files in a copy of a pack; the others stay byte for byte",
                "models/ --onto data.pk3 -o mine.pk3",
            ),
        ],
    ),
    (
        "view",
        &[
            ("Show all models of a folder in the browser", "models/"),
            ("Write a site with all models of a pack", "data.pk3 --site site/"),
        ],
    ),
    (
        "render",
        &[
            ("Render an image with the bones", "hopper.dpm -o hopper.png --overlay bones"),
            ("Render a clip as an animated PNG", "hopper.dpm -o hop.png --clip hop --size 64"),
            ("Render all models of a folder on one sheet", "models/ -o sheet.png --sheet"),
        ],
    ),
    (
        "thumbnail",
        &[
            ("Write a picture of 128 x 128 pixels", "hopper.dpm hopper-128.png"),
            (
                "Write a large picture, and give up after 2 seconds",
                "hopper.dpm hopper-512.png --size 512 --max-time 2",
            ),
        ],
    ),
    (
        "dump",
        &[
            ("Write the whole model and one of its poses", "hopper.dpm --pose idle:3 -o hopper.json"),
            (
                "Write every field of the file, to edit and to build",
                "hopper.dpm --native -o hopper.native.json",
            ),
        ],
    ),
    ("build", &[("Compile an edited JSON", "hopper.native.json -o edited.dpm")]),
    (
        "optimize",
        &[
            ("Make a file smaller without loss", "windmill.bmd -o small.bmd"),
            ("Allow position errors of up to 0.01 units", "windmill.bmd -o smaller.bmd --max-position 0.01"),
        ],
    ),
    ("edit", &[("Flag the last bone as an attachment", "hopper.dpm -o tagged.dpm --set-attach '#4'")]),
    ("completions", &[("Write completions for bash", "bash > meshwright.bash")]),
    ("man", &[("Write a page for man for each command", "man1/")]),
];

/// The commands, in the groups of the help.
const COMMANDS: &[(&str, &[&str])] = &[
    ("Look", &["info", "view", "render", "list"]),
    ("Convert", &["convert", "pack", "unpack"]),
    ("Check", &["check", "explain", "repair", "diff"]),
    ("Expert", &["dump", "build", "optimize", "edit"]),
    ("Desktop", &["thumbnail", "completions", "man"]),
];

/// The options of `convert`, in the groups of its help. All others are advanced.
const CONVERT: &[(&str, &[&str])] = &[
    (
        "Output",
        &[
            "output",
            "to",
            "force",
            "no_clobber",
            "dry_run",
            "format",
            "no_textures",
            "no_layers",
            "textures",
            "scale",
            "pose",
            "quiet",
            "verbose",
        ],
    ),
    (
        "Blender round trip",
        &[
            "purpose",
            "keep_native",
            "frames_at",
            "onto",
            "snap",
            "fps",
            "all_frames",
            "extras",
            "keep_skeleton",
            "close_loops",
        ],
    ),
    (
        "Batch",
        &["jobs", "exclude", "files_from", "null", "follow", "fail_fast", "manifest", "resume", "shard"],
    ),
    (
        "The Sims",
        &[
            "figure",
            "skeleton",
            "anim",
            "anim_name",
            "tone",
            "gesture",
            "wear",
            "binding",
            "recompute_normals",
            "blend_normals",
            "tso_id",
            "name",
            "tso_hands",
        ],
    ),
];

/// The options of `convert` that `-h` lists, on one screen of 24 lines; `--help` lists all in groups.
const COMMON: &[(&str, &str)] = &[
    ("output", "Output file or folder, - for standard output"),
    ("to", "Format of the output: glb, gltf, obj, dpm, iqm, ..."),
    ("purpose", "blender: a GLB to edit and convert back; or an engine"),
    ("onto", "Import edits into this model of a game"),
    ("skeleton", "Skeleton of a mesh of The Sims or Crucible"),
    ("root", "Folder to search for companions and textures"),
    ("scale", "Multiply all lengths"),
    ("lenient", "Read on after broken rules, and report them"),
    ("force", "Replace existing textures and other companion files"),
    ("verbose", "Print every loss and note"),
];

/// Options of several commands that `-h` leaves out.
const RARE: &[&str] = &[
    "read_as",
    "max_memory",
    "dialect",
    "quaternions_w_first",
    "metadata",
    "no_companions",
    "exclude",
    "files_from",
    "null",
    "follow",
    "fail_fast",
    "framegroups",
    "clip_names",
    "anim_name",
    "tone",
    "gesture",
    "wear",
    "binding",
];

/// Groups the options of a command, and leaves rarely used ones to `--help`.
fn grouped(command: Command) -> Command {
    let is_convert = command.get_name() == "convert";
    command.mut_args(|arg| {
        let id = arg.get_id().to_string();
        let id = id.as_str();
        if arg.is_positional() || arg.is_hide_set() || arg.is_global_set() {
            return arg;
        }
        if !is_convert {
            return arg.hide_short_help(RARE.contains(&id));
        }
        let group = CONVERT.iter().find(|(_, ids)| ids.contains(&id)).map_or("Advanced", |(group, _)| group);
        arg.help_heading(group)
    })
}

/// Sets the help of `convert -h`: the [`COMMON`] options without groups.
fn on_one_screen(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let id = arg.get_id().to_string();
        match COMMON.iter().position(|(common, _)| *common == id) {
            Some(place) => {
                let text = COMMON.get(place).map_or("", |(_, text)| *text);
                let takes_values = arg.get_action().takes_values();
                let arg = arg.help(text).help_heading(None::<&str>).display_order(place);
                if takes_values { arg.hide_possible_values(true) } else { arg }
            }
            None => arg.hide_short_help(true),
        }
    });
    let examples = "Examples:\n  meshwright convert hopper.dpm hopper.glb\n  \
                    meshwright convert hopper.dpm edit.glb --for blender   # to edit in Blender\n  \
                    meshwright convert edit.glb new.dpm                    # back into the game\n\
                    All options and examples: meshwright convert --help";
    command.after_help(examples)
}

/// Sets the overview of commands, in groups, that the program prints without a command.
fn overview(command: Command) -> Command {
    let about = |name: &str| {
        let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
        about.map(|about| format!("    {name:<12} {about}\n"))
    };
    let group = |(title, names): &(&str, &[&str])| {
        format!("  {title}\n{}", names.iter().filter_map(|name| about(name)).collect::<String>())
    };
    let groups: String = COMMANDS.iter().map(group).collect();
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\nCommands:\n{groups}    {:<12} {}\n\nOptions:\n{{options}}{{after-help}}",
        "help", "Print the help of a command"
    ))
}

/// Returns the command line with examples for each command.
fn command() -> Command {
    let add = |command: Command, (name, examples): &(&'static str, &[(&str, &str)])| {
        let text = |most: usize| {
            let shown = examples.iter().take(most);
            let lines = shown.map(|(what, words)| format!("  # {what}\n  meshwright {name} {words}"));
            format!("Examples:\n{}", lines.collect::<Vec<_>>().join("\n"))
        };
        let more = format!("\n\nAll options and examples: meshwright {name} --help");
        command.mut_subcommand(name, |command| {
            let said = command.get_after_help().map(|said| format!("\n\n{said}")).unwrap_or_default();
            let all = format!("{}{said}", text(usize::MAX));
            command.after_help(format!("{}{more}", text(SHORT))).after_long_help(all)
        })
    };
    let names = EXAMPLES.iter().map(|(name, _)| name);
    let command = names.fold(Cli::command(), |command, name| command.mut_subcommand(name, grouped));
    overview(EXAMPLES.iter().fold(command, add))
}

/// Parses the words of a command line.
pub(crate) fn parse(words: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = command();
    if words.iter().any(|word| word == "-h") {
        command = command.mut_subcommand("convert", on_one_screen);
    }
    let matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&matches).map_err(|e| e.format(&mut command))
}

/// Emphasizes the headings of a help, and the names of its options, if colours are on.
pub(crate) fn styled(help: &str, on: bool) -> String {
    let (heading, name) = (Style::new().bold().underline(), Style::new().bold());
    let line = |line: &str| {
        let text = line.trim_start();
        let indent = line.strip_suffix(text).unwrap_or_default();
        let (end, style) = match text {
            _ if text.starts_with("Usage:") => ("Usage:".len(), heading),
            _ if indent.is_empty() && text.ends_with(':') => (text.len(), heading),
            _ if text.starts_with('-') => {
                let ends = [" <", " [", "  "].iter().filter_map(|end| text.find(end));
                (ends.min().unwrap_or(text.len()), name)
            }
            _ => (0, name),
        };
        let (styled, rest) = text.split_at_checked(end).unwrap_or(("", text));
        if styled.is_empty() {
            return format!("{line}\n");
        }
        format!("{indent}{}{rest}\n", render::painted(styled, style, on))
    };
    help.lines().map(line).collect()
}

pub(crate) fn completions(args: &CompletionsArgs) -> Result<Status, Fail> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "meshwright", &mut script);
    Ok(ended(output::print(content_of(&script))))
}

pub(crate) fn man(args: &ManArgs) -> Result<Status, Fail> {
    // The pages replace the `help` command.
    let mut command = command().disable_help_subcommand(true);
    command.build();
    let own = ("meshwright.1".to_owned(), page(command.clone()));
    let others =
        command.get_subcommands().map(|sub| (format!("meshwright-{}.1", sub.get_name()), page(sub.clone())));
    let pages: Vec<(String, String)> = [own].into_iter().chain(others).collect();
    let place = |name| Place::below(&args.folder, [&OutputName::cleaned(name)]);
    let files = pages.iter().map(|(name, page)| output::main(place(name), content_of(page.as_bytes())));
    let written = output::write(files.collect(), &Plan::default());
    Ok(ended(written.map(|paths| say(&format!("wrote {}", counted(paths.len() as u64, "page", "pages"))))))
}

/// Returns a page for `man`: the help of a command in the language of its pages.
fn page(command: Command) -> String {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    // The width 0 leaves lines to the reader of the page.
    let help = command.term_width(0).render_long_help().to_string();
    let (about, rest) = help.split_once("Usage: ").unwrap_or((&help, ""));
    let (usage, rest) = rest.split_once('\n').unwrap_or((rest, ""));
    let (title, version) = (about.lines().next().unwrap_or_default(), env!("CARGO_PKG_VERSION"));
    let mut page = format!(
        ".TH {name} 1 \"\" \"meshwright {version}\" Meshwright\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n.SH DESCRIPTION\n",
        escaped(&name),
        escaped(title),
        escaped(usage),
    );
    for line in about.trim_end().lines() {
        page += &if line.is_empty() { ".PP\n".to_owned() } else { format!("{}\n", escaped(line)) };
    }
    let (mut is_verbatim, mut is_paragraph) = (false, false);
    for line in rest.lines() {
        let text = line.trim_start();
        let is_heading = text.len() == line.len() && text.ends_with(':');
        if is_heading || text.starts_with("Exit codes:") {
            let title =
                if is_heading { text.trim_end_matches(':').to_uppercase() } else { "EXIT STATUS".into() };
            page += if std::mem::take(&mut is_verbatim) { ".fi\n" } else { "" };
            let quote = if title.contains(' ') { "\"" } else { "" };
            page += &format!(".SH {quote}{title}{quote}\n");
            is_verbatim = matches!(text, "Examples:" | "Commands:");
            page += if is_verbatim { ".nf\n" } else { "" };
        }
        if is_heading {
            continue;
        }
        let is_name = (text.starts_with('-') && !text.starts_with("- ")) || text.starts_with(['<', '[']);
        let is_option = is_name && line.len().saturating_sub(text.len()) < 10;
        page += &match text {
            _ if is_verbatim => format!("{}\n", escaped(line)),
            "" => String::new(),
            _ if is_option => {
                let (names, help) = text.split_once("  ").unwrap_or((text, ""));
                format!(".TP\n.B {}\n{}\n", escaped(names), escaped(help.trim_start())).replace("\n\n", "\n")
            }
            _ if text.starts_with("- ") => format!(".br\n{}\n", escaped(text)),
            _ => format!("{}{}\n", if is_paragraph { ".IP\n" } else { "" }, escaped(text)),
        };
        // A blank line within the help of an option begins a paragraph of it.
        is_paragraph = text.is_empty();
    }
    page
}

/// Escapes what would be an instruction in a page for `man`.
fn escaped(text: &str) -> String {
    let start = if text.trim_start().starts_with(['.', '\'']) { "\\&" } else { "" };
    format!("{start}{}", text.replace('\\', "\\e").replace('-', "\\-"))
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
#[allow(clippy::unwrap_used, reason = "a failing test panics")]
mod tests {
    use super::*;

    #[test]
    fn headings_and_options_are_emphasized_on_a_terminal() {
        let help = "Usage: meshwright info\n\nOptions:\n  -q, --quiet  Print no notes\n  # an example:\n";
        assert_eq!(styled(help, false), help);
        let bold = Style::new().bold();
        let text = styled(help, true);
        assert!(
            text.contains(&format!("\n  {bold}-q, --quiet{bold:#}  Print no notes\n  # an example:\n")),
            "{text}"
        );
        assert!(text.starts_with(&format!("{0}Usage:{0:#} meshwright", bold.underline())), "{text}");
    }

    #[test]
    fn the_command_line_is_sound_and_has_examples() {
        command().debug_assert();
        let without: Vec<_> = Cli::command().get_subcommands().map(|c| c.get_name().to_owned()).collect();
        let without: Vec<_> =
            without.iter().filter(|name| !EXAMPLES.iter().any(|(n, _)| n == name)).collect();
        assert!(without.is_empty(), "no examples of {without:?}");
        // A misspelled name here would hide that an option is in no group.
        let convert = Cli::command().find_subcommand("convert").cloned().unwrap();
        let ids: Vec<&str> = convert.get_arguments().map(|arg| arg.get_id().as_str()).collect();
        let common = COMMON.iter().map(|(id, _)| id);
        let named = CONVERT.iter().flat_map(|(_, ids)| *ids).chain(common).chain(RARE);
        assert_eq!(named.filter(|id| !ids.contains(id)).collect::<Vec<_>>(), Vec::<&&str>::new());
        let listed: Vec<_> = COMMANDS.iter().flat_map(|(_, names)| *names).copied().collect();
        let unlisted: Vec<_> = Cli::command().get_subcommands().map(|c| c.get_name().to_owned()).collect();
        assert!(unlisted.iter().all(|name| listed.contains(&name.as_str())), "{unlisted:?}");
    }
}
