//! `meshwright view`: models in a browser, from a server on the loopback address.

mod gallery;
mod request;
mod server;
mod site;

use crate::args::ViewArgs;
use crate::batch::Workers;
use crate::input::{Input, expand};
use crate::messages::say;
use crate::reader::Reader;
use crate::refusal::Fail;
use crate::results::Results;
use crate::selection::Selection;
use crate::status::Status;
use gallery::Gallery;
use meshwright::Format;
use server::{Server, Site};
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

pub(crate) fn run(args: &ViewArgs) -> Result<Status, Fail> {
    let reader = Reader::new(&args.read, &args.companions)?.in_colors();
    let mut results = Results::for_selection(
        "found",
        Selection::from_arguments(&args.files),
        crate::args::Form::Lines,
        &args.read,
    );
    let workers = Workers::new(None, reader.limits().memory);
    let is_model = |input: &mut Input| reader.is_model(input, Format::holds_model);
    let (mut inputs, _) = results.models(expand(results.selection(), None), workers, is_model)?;
    inputs.retain(|input| match reader.exists(input) {
        Ok(()) => true,
        Err(refusal) => {
            results.refuse(input, &refusal);
            false
        }
    });
    if inputs.is_empty() && !args.files.is_empty() {
        return results.finish();
    }
    if inputs.iter().any(Input::is_stdin) {
        return Err(Fail::Usage("view cannot read standard input: name a file".into()));
    }
    if let Some(folder) = &args.site {
        return site::write(folder, &inputs, reader, results);
    }
    if !args.answer.is_empty() {
        return print_answers(&Gallery::new(reader, inputs), &args.answer);
    }
    let server =
        Server::new().map_err(|e| Fail::Usage(format!("cannot listen on the loopback address: {e}")))?;
    let gallery = Gallery::new(reader, inputs);
    let address = server.address();
    writeln!(io::stdout().lock(), "{address}")?;
    io::stdout().lock().flush()?;
    if !args.no_browser && !open_browser(&address) {
        say("no browser found; open the address above in one");
    }
    server.run(&gallery);
    Ok(Status::Fine)
}

/// Prints the status, type and size of the answers to some paths.
fn print_answers(site: &impl Site, paths: &[String]) -> Result<Status, Fail> {
    let (mut out, mut status) = (io::stdout().lock(), Status::Fine);
    for path in paths {
        let answer = site.get(path);
        writeln!(out, "{} {} {}", answer.status, answer.kind, answer.body.len())?;
        if answer.status != 200 {
            status = Status::Errors;
        }
    }
    Ok(status)
}

/// Opens the page in the default browser.
fn open_browser(address: &str) -> bool {
    let (program, first): (&str, &[&str]) = if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(first).arg(address);
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let wait = |mut child: std::process::Child| std::thread::Builder::new().spawn(move || child.wait());
    quiet.spawn().map(wait).is_ok()
}
