//! The program `meshwright`: opens old game models, exactly and safely, and puts them back.
//!
//! It is a library so that tests, mutation tests and fuzzers need not start a process for each run. Its one function
//! exists for them and may change; programs use the library `meshwright`.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

mod args;
mod bag;
mod batch;
mod build;
mod check;
mod conversion_output;
mod convert;
mod destination;
mod diff;
mod dump;
mod edit;
mod explain;
mod figure;
mod help;
mod info;
mod input;
mod list;
mod losses;
mod manifest;
mod messages;
mod optimize;
mod output;
mod pack;
mod pattern;
mod picture;
mod progress;
mod query;
mod reader;
mod refusal;
mod render;
mod repair;
mod results;
mod selection;
mod signals;
mod status;
mod table;
mod thumbnail;
mod unpack;
mod view;

pub use status::Status;

use args::{CheckFormat, Command, InfoFormat, OutputFormat};
use clap::error::ErrorKind;
use destination::Destination;
use messages::say;
use refusal::Fail;
use serde_json::json;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;

/// Runs the program with the words of a command line, the first of which is the program's name. The program reads
/// standard input and prints to standard output and standard error.
pub fn run(words: impl IntoIterator<Item = OsString>) -> Status {
    signals::survive_limits();
    let words: Vec<OsString> = words.into_iter().collect();
    let cli = match help::parse(&words) {
        Ok(cli) => cli,
        Err(e) => return refused_arguments(&words, &e),
    };
    render::set_color(cli.color);
    let result = match &cli.command {
        Command::Info(args) => info::run(args),
        Command::Check(args) => check::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Repair(args) => repair::run(args),
        Command::Convert(args) if args.bag => bag::run(args),
        Command::Convert(args) => convert::run(args),
        Command::List(args) => list::run(args),
        Command::Unpack(args) => unpack::run(args),
        Command::Pack(args) => pack::run(args),
        Command::View(args) => view::run(args),
        Command::Render(args) => picture::run(args),
        Command::Thumbnail(args) => thumbnail::run(args),
        Command::Dump(args) => dump::run(args),
        Command::Build(args) => build::run(args),
        Command::Optimize(args) => optimize::run(args),
        Command::Edit(args) => edit::run(args),
        Command::Completions(args) => help::completions(args),
        Command::Man(args) => help::man(args),
    };
    match result {
        Ok(status) => status,
        // The reader of the pipe closed it early, so the output is incomplete.
        Err(Fail::Io(e)) if e.kind() == io::ErrorKind::BrokenPipe => Status::Unusable,
        Err(Fail::Io(e)) => {
            say(&render::error("cannot-write", &format!("standard output: {e}")));
            Status::Unusable
        }
        Err(Fail::Stopped) => Status::Errors,
        Err(Fail::Refused(about, refusal)) => {
            refusal.say(&about);
            if wants_json(&cli.command) {
                let _ = results::print(&json!({ "files": [], "error": refusal.json() }));
            }
            refusal.status()
        }
        Err(Fail::Usage(message)) => {
            say(&render::error("usage", &message));
            if wants_json(&cli.command) {
                say_json(&message);
            }
            Status::Arguments
        }
    }
}

/// Returns whether standard output must be a JSON document in all cases.
fn wants_json(command: &Command) -> bool {
    let (format, output) = match command {
        Command::Info(args) => return args.format == InfoFormat::Json,
        Command::Check(args) => return matches!(args.format, CheckFormat::Json | CheckFormat::Sarif),
        Command::Explain(args) => (args.format, None),
        Command::Diff(args) => (args.format, None),
        Command::Convert(args) => (args.format, args.output.as_ref()),
        Command::List(args) => (args.format, None),
        Command::Unpack(args) => (args.run.format, None),
        Command::Pack(args) => (args.run.format, Some(&args.output)),
        Command::View(_) | Command::Thumbnail(_) | Command::Completions(_) | Command::Man(_) => return false,
        Command::Render(args) => (args.format, Some(&args.output)),
        Command::Dump(args) => (args.format, args.output.as_ref()),
        Command::Build(args) => (args.format, Some(&args.output)),
        Command::Optimize(args) => (args.format, Some(&args.output)),
        Command::Repair(args) => (args.format, args.output.as_ref()),
        Command::Edit(args) => (args.format, args.output.as_ref()),
    };
    format == OutputFormat::Json && output.is_none_or(|path| Destination::new(path) != Destination::Stdout)
}

/// Prints help and version as results; reports anything else as wrong arguments.
fn refused_arguments(words: &[OsString], e: &clap::Error) -> Status {
    if e.use_stderr() {
        let mut text = e.render().to_string();
        let first = words.get(1).map(Path::new).filter(|path| path.exists());
        if let (ErrorKind::InvalidSubcommand, Some(path)) = (e.kind(), first) {
            let path = render::path(path);
            text = format!(
                "error: {path} is not a command; for this file use one of\n  meshwright info {path}\n  meshwright view {path}\n  \
                 meshwright convert {path} --for blender"
            );
        }
        say(&text.lines().map(render::plain).collect::<Vec<_>>().join("\n"));
        let json = words.iter().zip(words.iter().skip(1)).any(|(a, b)| a == "--format" && b == "json");
        if json || words.iter().any(|w| w == "--format=json") {
            let first = text.lines().next().unwrap_or_default();
            say_json(first.strip_prefix("error: ").unwrap_or(first));
        }
        return Status::Arguments;
    }
    let text = help::styled(&e.render().to_string(), render::colours(&io::stdout()));
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Status::Unusable,
        _ => Status::Fine,
    }
}

/// Prints wrong arguments as the one JSON document that programs expect.
fn say_json(message: &str) {
    let error = json!({ "class": "usage", "code": "usage", "severity": "error", "message": render::message(message) });
    let _ = results::print(&json!({ "files": [], "error": error }));
}
