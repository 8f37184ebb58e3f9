//! `meshwright view`: models in a browser, from a server on the loopback address.

mod gallery;
mod request;
mod server;

use crate::args::ViewArgs;
use crate::input::{chosen, expand};
use crate::reader::Reader;
use crate::results::Results;
use crate::selection::Selection;
use crate::{Fail, Status, say};
use gallery::Gallery;
use meshwright::Format;
use server::{Server, Site};
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

pub(crate) fn run(args: &ViewArgs) -> Result<Status, Fail> {
    let reader = Reader::new(&args.read, &args.companions)?;
    let mut results = Results::of("found", Selection::of(&args.files), crate::args::Form::Lines, &args.read);
    let looked = results.inputs(expand(results.selection(), None)).into_iter().map(|mut input| {
        let is_model = reader.is_model(&mut input, Format::holds_model);
        (input, is_model)
    });
    let (mut inputs, _) = chosen(looked.collect());
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
    if inputs.iter().any(crate::input::Input::is_stdin) {
        return Err(Fail::Usage("standard input cannot be read again; name a file".into()));
    }
    if !args.answer.is_empty() {
        return answered(&Gallery::new(reader, inputs), &args.answer);
    }
    let server = Server::new().map_err(|e| Fail::Usage(format!("the loopback address is not there: {e}")))?;
    let gallery = Gallery::new(reader, inputs);
    let address = server.address();
    writeln!(io::stdout().lock(), "{address}")?;
    io::stdout().lock().flush()?;
    if !args.no_browser && !opened(&address) {
        say("no browser was found; open the address above in one");
    }
    server.run(&gallery);
    Ok(Status::Fine)
}

/// Status, kind and size of what some paths are answered.
fn answered(site: &impl Site, paths: &[String]) -> Result<Status, Fail> {
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

/// Opens the page in whatever the system opens pages with.
fn opened(address: &str) -> bool {
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
