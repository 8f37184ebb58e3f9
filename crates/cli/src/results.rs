//! What a command found out about its files: lines for people, or one JSON document for programs.

use crate::args::OutputFormat;
use crate::input::{Found, Input};
use crate::refusal::Refusal;
use crate::{Fail, Status, render, say};
use meshwright::dump::write_json;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The outcome of a command that takes many files.
pub(crate) struct Results {
    format: OutputFormat,
    documents: Vec<Value>,
    seen: bool,
    pub status: Status,
}

impl Results {
    pub(crate) fn new(format: OutputFormat) -> Self {
        Self { format, documents: Vec::new(), seen: false, status: Status::Fine }
    }

    /// Goes through what the arguments named, and refuses what cannot be looked at.
    pub(crate) fn inputs(&mut self, found: Vec<Found>) -> Vec<Input> {
        let mut inputs = Vec::new();
        for input in found {
            match input {
                Ok(input) => inputs.push(input),
                Err((input, e)) => self.refuse(&input, &Refusal::unreadable(&e)),
            }
        }
        inputs
    }

    /// A file that gave a result: `document` is its part of the JSON.
    pub(crate) fn add(&mut self, status: Status, document: impl FnOnce() -> Value) {
        self.seen = true;
        self.status.and(status);
        if self.format == OutputFormat::Json {
            self.documents.push(document());
        }
    }

    /// A file that gave none.
    pub(crate) fn refuse(&mut self, input: &Input, refusal: &Refusal) {
        refusal.say(&input.shown());
        self.add(refusal.status(), || json!({ "file": input.exact(), "error": refusal.json() }));
    }

    /// Prints the document, and returns how the run went.
    pub(crate) fn finish(mut self) -> Result<Status, Fail> {
        if !self.seen {
            say(&render::error("no-model", "no file of a known format is there"));
            self.status.and(Status::Unusable);
        }
        if self.format == OutputFormat::Json {
            print(&json!({ "files": self.documents }))?;
        }
        Ok(self.status)
    }
}

/// Prints a document on one line.
fn print(document: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    write_json(&mut out, document)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// The outcome of a command that takes one file and could not do it.
pub(crate) fn refused(input: &Input, refusal: &Refusal, format: OutputFormat) -> Result<Status, Fail> {
    refusal.say(&input.shown());
    if format == OutputFormat::Json {
        print(&json!({ "file": input.exact(), "error": refusal.json() }))?;
    }
    Ok(refusal.status())
}
