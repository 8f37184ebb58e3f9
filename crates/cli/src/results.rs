//! Collects the results of a command: lines of text, or one JSON document.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "counts of files, and members of a document that is made here"
)]

use crate::args::{Form, ManyArgs, OutputFormat, ReadArgs};
use crate::batch::Workers;
use crate::input::{Expanded, Input, chosen, is_folder};
use crate::losses::{self, Detail, Tally};
use crate::messages::say;
use crate::progress::Progress;
use crate::refusal::{Fail, Refusal};
use crate::selection::Selection;
use crate::status::Status;
use crate::{messages, output, render};
use meshwright::dump::write_json;
use meshwright::scene::Loss;
use meshwright::{Order as _, counted, opened_elsewhere};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The results of a command over many files.
#[derive(Default)]
pub(crate) struct Results {
    form: Form,
    /// The verb for a finished file: `converted`.
    verb: &'static str,
    /// The folders that were named.
    folders: Vec<String>,
    /// There can be more than one file, so the run ends with a summary.
    several: bool,
    quiet: bool,
    selection: Selection,
    /// The first failure ends the run.
    fail_fast: bool,
    /// The number of files that were not processed after that failure.
    left: usize,
    /// The number of existing outputs that were kept.
    kept: u64,
    documents: Vec<Value>,
    /// Why a document could not be printed.
    unwritten: Option<io::Error>,
    done: u64,
    /// The number of files in `done` that have errors.
    faulty: u64,
    failed: u64,
    /// Every skipped file is named.
    verbose: bool,
    /// The number of files that are not models, by extension.
    skipped: BTreeMap<String, u64>,
    /// The paths of these files, for the JSON document.
    skipped_files: Vec<Value>,
    /// The number of files that other files hide.
    hidden: u64,
    /// The number of links that lead out of the folders and are not followed.
    links_out: u64,
    /// The number of inputs whose outputs of an earlier run are still valid.
    unchanged: u64,
    /// Losses of all files.
    losses: Tally,
    /// The number of files that were written, and the sum of their sizes.
    written: (u64, u64),
    /// Counts of findings, if the command checks files.
    findings: Option<Findings>,
    pub status: Status,
}

/// Counts of the findings of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Findings {
    /// Files with findings.
    files: u64,
    errors: u64,
    warnings: u64,
}

/// The result of one file.
#[derive(Debug)]
pub(crate) enum Shown {
    /// Lines of text.
    Text(String),
    /// A part of the JSON document.
    Json(Value),
}

impl Results {
    /// Creates the results for the files that the arguments name.
    ///
    /// # Errors
    /// If the files cannot be listed.
    pub(crate) fn new(
        verb: &'static str,
        many: &ManyArgs,
        files: &[OsString],
        form: impl Into<Form>,
        read: &ReadArgs,
    ) -> Result<Self, Fail> {
        let selection = Selection::new(files, many)?;
        let mut results = Self::for_selection(verb, selection, form.into(), read);
        results.fail_fast = many.fail_fast;
        Ok(results)
    }

    /// Creates the results for a selection of files.
    pub(crate) fn for_selection(
        verb: &'static str,
        selection: Selection,
        form: Form,
        read: &ReadArgs,
    ) -> Self {
        let files = &selection.arguments;
        let folders = files.iter().map(Path::new).filter(|file| is_folder(file));
        let folders: Vec<_> = folders.map(render::path).collect();
        Self {
            form,
            verb,
            several: files.len() > 1 || !folders.is_empty(),
            selection,
            quiet: read.quiet,
            verbose: read.verbose,
            folders,
            ..Self::default()
        }
    }

    /// Returns the inputs that the arguments led to, and reports those that cannot be opened.
    pub(crate) fn inputs(&mut self, expanded: Expanded) -> Vec<Input> {
        let mut inputs = Vec::new();
        self.hidden += expanded.hidden;
        self.links_out += expanded.links_out.len() as u64;
        if !self.quiet && self.form == Form::Lines {
            links_out(&expanded.links_out, "--follow follows them").iter().for_each(|line| say(line));
        }
        for input in expanded.found {
            match input {
                Ok(input) => inputs.push(input),
                Err((input, e)) => self.refuse(&input, &Refusal::unopened(&input.path, &e)),
            }
        }
        inputs
    }

    /// Returns the inputs that are models, and the others, as [`chosen`] splits them. `is_model` detects formats.
    pub(crate) fn models(
        &mut self,
        expanded: Expanded,
        workers: Workers,
        is_model: impl Fn(&mut Input) -> bool + Sync,
    ) -> Result<(Vec<Input>, Vec<Input>), Fail> {
        let found = self.inputs(expanded);
        let mut looked: Vec<(Input, bool)> = Vec::new();
        let look = |input: &Input| {
            let mut input = input.clone();
            let is_model = is_model(&mut input);
            (input, is_model)
        };
        // Detecting a format is faster than handing one file to a thread, so threads take chunks of files.
        let several: Vec<&[Input]> = found.chunks(32).collect();
        workers.each(
            &several,
            |some| some.iter().map(Input::memory).max().unwrap_or_default(),
            |some| some.iter().map(look).collect::<Vec<_>>(),
            |_, some| {
                looked.extend(some);
                Ok(())
            },
        )?;
        Ok(chosen(looked))
    }

    /// Returns the selection of files.
    pub(crate) fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Processes items and passes the results to `take` in order, with a progress bar. `input` returns the input of
    /// an item.
    pub(crate) fn over<I: Sync, T: Send>(
        &mut self,
        workers: Workers,
        items: &[I],
        input: impl Fn(&I) -> &Input + Sync,
        work: impl Fn(&I) -> T + Sync,
        mut take: impl FnMut(&mut Self, &I, T) -> Result<(), Fail> + Send,
    ) -> Result<(), Fail> {
        let progress = Progress::start(items.len(), self.quiet);
        let mut taken = 0;
        let ended = workers.each(
            items,
            |item| input(item).memory(),
            work,
            |item, made| {
                take(self, item, made)?;
                progress.step(|| input(item).display_path());
                taken += 1;
                let over = self.fail_fast && self.status != Status::Fine;
                if over { Err(Fail::Stopped) } else { Ok(()) }
            },
        );
        match ended {
            Err(Fail::Stopped) => {
                self.left = items.len() - taken;
                Ok(())
            }
            ended => ended,
        }
    }

    /// Counts a file whose existing output is kept. Messages name the first ones.
    pub(crate) fn keep_output(&mut self, path: &Path) {
        const NAMED: u64 = 3;
        self.kept += 1;
        if !self.quiet && (self.verbose || self.kept <= NAMED) {
            say(&format!("{} exists: not replaced", render::path(path)));
        }
    }

    /// Returns whether there can be more than one file.
    pub(crate) fn is_over_several(&self) -> bool {
        self.several
    }

    /// Counts a file that gave a result; `document` is its part of the JSON.
    pub(crate) fn add(&mut self, status: Status, document: impl FnOnce() -> Value) {
        self.done += 1;
        self.faulty += u64::from(status == Status::Errors);
        self.keep(status, document);
    }

    /// Counts a file whose result is printed at once, or is a part of the JSON.
    pub(crate) fn show(&mut self, status: Status, shown: Shown) -> io::Result<()> {
        match shown {
            Shown::Text(lines) => {
                messages::print(lines)?;
                self.add(status, || Value::Null);
            }
            Shown::Json(document) => self.add(status, || document),
        }
        Ok(())
    }

    fn keep(&mut self, status: Status, document: impl FnOnce() -> Value) {
        self.status.and(status);
        match self.form {
            Form::Lines => {}
            Form::Documents => {
                if let Err(e) = print(&document()) {
                    self.unwritten.get_or_insert(e);
                }
            }
            Form::Document | Form::Sarif => self.documents.push(document()),
        }
    }

    /// Reports a file that gave no result. A file of a folder that is not a model is only skipped.
    pub(crate) fn refuse(&mut self, input: &Input, refusal: &Refusal) {
        if matches!(refusal, Refusal::NotAModel) {
            return self.skip(input);
        }
        self.failed += 1;
        refusal.say(&input.display_path());
        self.keep(refusal.status(), || json!({ "file": input.exact(), "error": refusal.json() }));
    }

    /// Counts a file whose outputs of an earlier run are still valid.
    pub(crate) fn unchanged(&mut self) {
        self.unchanged += 1;
    }

    /// Prints the written files and the losses of a single input. For one of several inputs it adds them to the
    /// summary at the end.
    pub(crate) fn wrote(
        &mut self,
        shown: &str,
        outputs: &[PathBuf],
        losses: &[Loss],
        read: &ReadArgs,
        advice: &'static str,
    ) {
        self.wrote_files(outputs, read);
        let detail = Detail::from(read);
        if !self.several || read.verbose {
            losses::say_all(shown, losses, detail, advice);
        } else {
            self.losses.add(shown, losses, detail, advice);
        }
    }

    /// Prints the written files of a single input. Those of several inputs are counted for the summary at the end.
    pub(crate) fn wrote_files(&mut self, outputs: &[PathBuf], read: &ReadArgs) {
        if (!self.several || read.verbose) && !self.quiet {
            output::say_written(outputs);
        }
        self.written.0 += outputs.len() as u64;
        self.written.1 += outputs.iter().map(|path| output::size(path)).sum::<u64>();
    }

    /// Adds the number of findings in a file.
    pub(crate) fn count_findings(&mut self, errors: u64, warnings: u64) {
        let found = self.findings.get_or_insert_default();
        found.files += u64::from(errors + warnings > 0);
        found.errors += errors;
        found.warnings += warnings;
    }

    /// Counts a file of a folder that is not a model.
    pub(crate) fn skip(&mut self, input: &Input) {
        let kind = kind_of(&input.path);
        if self.form == Form::Document {
            self.skipped_files.push(input.exact().into());
        } else if self.verbose {
            let elsewhere = kind.strip_prefix('.').and_then(opened_elsewhere);
            let why = elsewhere.map_or_else(
                || "not a model".to_owned(),
                |(name, tool)| format!("{name} are not supported; {tool} opens them"),
            );
            say(&format!("{}: skipped: {why}", input.display_path()));
        }
        *self.skipped.entry(kind).or_insert(0) += 1;
    }

    /// Turns off the summary, for one output of several inputs.
    pub(crate) fn one_of_several(&mut self) {
        self.several = false;
    }

    /// Prints a document that `made` builds from those of the files, and returns the outcome.
    pub(crate) fn finish_with(self, made: impl FnOnce(&[Value]) -> Value) -> Result<Status, Fail> {
        print(&made(&self.documents))?;
        self.finish()
    }

    /// Prints the document or the summary, and returns the outcome.
    pub(crate) fn finish(mut self) -> Result<Status, Fail> {
        let is_empty = self.done == 0 && self.failed == 0 && self.unchanged == 0 && self.kept == 0;
        if is_empty {
            for folder in &self.folders {
                let why = render::error("no-model", "no file of a known format is in this folder");
                say(&format!("{folder}: {why}"));
            }
            self.status.and(Status::Unusable);
        }
        if let Some(e) = self.unwritten.take() {
            return Err(e.into());
        }
        if self.form == Form::Document {
            let mut summary = self.left_aside();
            summary["done"] = self.done.into();
            summary["failed"] = self.failed.into();
            let more = [("unchanged", self.unchanged), ("kept", self.kept), ("left", self.left as u64)];
            for (name, n) in more.into_iter().filter(|(_, n)| *n > 0) {
                summary[name] = n.into();
            }
            let mut document = json!({ "files": self.documents, "summary": summary });
            if !self.skipped_files.is_empty() {
                document["skipped"] = self.skipped_files.into();
            }
            print(&document)?;
        } else if self.several {
            self.losses.say();
            let (files, bytes) = self.written;
            if files > 0 && !self.quiet {
                say(&format!("wrote {} ({})", counted(files, "file", "files"), render::size(bytes)));
            }
            if !self.quiet {
                say(&self.summed_up());
                Elsewhere::among(&self.skipped).iter().for_each(|models| say(&models.line()));
            }
        }
        Ok(self.status)
    }

    /// Returns the numbers of files that are not converted: files that are not models, hidden files, links, and
    /// models that other tools open.
    pub(crate) fn left_aside(&self) -> Value {
        let skipped: u64 = self.skipped.values().sum();
        let mut aside = json!({ "skipped": skipped });
        if self.hidden > 0 {
            aside["hidden"] = self.hidden.into();
        }
        if self.links_out > 0 {
            aside["links_out"] = self.links_out.into();
        }
        let elsewhere = Elsewhere::among(&self.skipped);
        if !elsewhere.is_empty() {
            aside["elsewhere"] = elsewhere.iter().map(Elsewhere::json).collect();
        }
        aside
    }

    /// Returns the summary: `80 converted, 35 files are not models (30 .png, 5 .wav), 2 failed`.
    fn summed_up(&self) -> String {
        let mut parts = vec![match self.findings {
            Some(Findings { files, errors, warnings }) => {
                let (errors, warnings) =
                    (counted(errors, "error", "errors"), counted(warnings, "warning", "warnings"));
                let found = if files > 0 {
                    format!(" in {}", counted(files, "file", "files"))
                } else {
                    String::new()
                };
                format!("{}: {errors}, {warnings}{found}", counted(self.done, "file", "files"))
            }
            None => format!("{} {}", self.done, self.verb),
        }];
        if self.faulty > 0 && self.findings.is_none() {
            parts.push(format!("{} with errors", self.faulty));
        }
        if self.unchanged > 0 {
            parts.push(format!("{} unchanged", self.unchanged));
        }
        let skipped: u64 = self.skipped.values().sum();
        if skipped > 0 {
            let are = counted(skipped, "file is not a model", "files are not models");
            parts.push(format!("{are} ({})", kinds(&self.skipped)));
        }
        if self.hidden > 0 {
            parts.push(counted(self.hidden, "file is hidden by another", "files are hidden by others"));
        }
        if self.kept > 0 {
            parts.push(format!("{} kept because their outputs exist", self.kept));
        }
        if self.failed > 0 {
            parts.push(format!("{} failed", self.failed));
        }
        if self.left > 0 {
            parts.push(format!("{} not processed after that", self.left));
        }
        parts.join(", ")
    }
}

/// Returns the message about links that lead out of folders and are not followed.
pub(crate) fn links_out(links: &[PathBuf], advice: &str) -> Option<String> {
    const NAMED: usize = 3;
    let named: Vec<_> = links.iter().take(NAMED).map(|link| render::path(link)).collect();
    let more = if links.len() > NAMED { ", ..." } else { "" };
    let count = counted(links.len() as u64, "link leads", "links lead");
    let text = format!("{count} out of the folder ({}{more}); {advice}", named.join(", "));
    (!links.is_empty()).then_some(text)
}

/// Models of a format that Meshwright does not read.
pub(crate) struct Elsewhere<'k> {
    count: u64,
    kind: &'k str,
    name: &'static str,
    tool: &'static str,
}

impl<'k> Elsewhere<'k> {
    /// Finds such models among counts of files by extension.
    pub(crate) fn among(kinds: &'k BTreeMap<String, u64>) -> Vec<Self> {
        let known = |(kind, count): (&'k String, &u64)| {
            let (name, tool) = opened_elsewhere(kind.strip_prefix('.')?)?;
            Some(Self { count: *count, kind, name, tool })
        };
        kinds.iter().filter_map(known).collect()
    }

    /// Returns the message about these models.
    pub(crate) fn line(&self) -> String {
        let Self { count, kind, name, tool } = self;
        format!("{count} {kind}: {name} are not supported; {tool} opens them")
    }

    /// Returns these models as JSON.
    pub(crate) fn json(&self) -> Value {
        json!({ "extension": self.kind, "count": self.count, "kind": self.name, "opened_by": self.tool })
    }
}

/// Returns the kind of a file by its name: `.png`.
pub(crate) fn kind_of(path: &Path) -> String {
    let extension = path.extension().map(|e| format!(".{}", e.to_string_lossy().to_lowercase()));
    extension.map_or_else(|| "without extension".into(), |e| render::plain(&e))
}

/// Lists the most frequent kinds.
fn kinds(skipped: &BTreeMap<String, u64>) -> String {
    const NAMED: usize = 4;
    let mut kinds: Vec<_> = skipped.iter().collect();
    kinds.order_by_key(|(_, n)| std::cmp::Reverse(**n));
    let others: u64 = kinds.iter().skip(NAMED).map(|(_, n)| **n).sum();
    let mut named: Vec<_> = kinds.iter().take(NAMED).map(|(kind, n)| format!("{n} {kind}")).collect();
    if others > 0 {
        named.push(counted(others, "other", "others"));
    }
    named.join(", ")
}

/// Prints a document on one line.
pub(crate) fn print(document: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    write_json(&mut out, document)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Prints the result of a command for one file: a document, or a line that `quiet` leaves out.
pub(crate) fn print_done(
    format: OutputFormat,
    quiet: bool,
    json: impl FnOnce() -> Value,
    text: impl FnOnce() -> String,
) -> Result<Status, Fail> {
    match format {
        OutputFormat::Json => print(&json())?,
        OutputFormat::Text if quiet => {}
        OutputFormat::Text => messages::print(text() + "\n")?,
    }
    Ok(Status::Fine)
}

/// Reports the error of a command for one file, and returns the outcome.
pub(crate) fn report_refusal(input: &Input, refusal: &Refusal, format: OutputFormat) -> Result<Status, Fail> {
    refusal.say(&input.display_path());
    if format == OutputFormat::Json {
        print(&json!({ "file": input.exact(), "error": refusal.json() }))?;
    }
    Ok(refusal.status())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_files_are_counted_by_kind() {
        let of = |kinds: &[(&str, u64)]| kinds.iter().map(|(k, n)| ((*k).to_owned(), *n)).collect();
        assert_eq!(kinds(&of(&[(".a", 1), (".b", 7)])), "7 .b, 1 .a");
        let many = of(&[(".a", 1), (".b", 2), (".c", 3), (".d", 4), (".e", 5), ("without extension", 1)]);
        assert_eq!(kinds(&many), "5 .e, 4 .d, 3 .c, 2 .b, 2 others");
    }
}
