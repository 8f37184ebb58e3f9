//! The commands of the README and the book work as shown.
//!
//! The blocks of a page are run in order, in a folder of the page. `sh` blocks must succeed. In `console` blocks the
//! lines after `$` are run, and the following lines are their output (`...` stands for any lines, `[..]` for any part
//! of one). Comments, which readers do not see, prepare and check. One comment may contain several of these commands,
//! one a line:
//!
//! ```text
//! <!-- file dpm/hopper.ok.dpm as hopper.dpm -->   a fixture under a name of the page
//! <!-- run meshwright pack stage/ -o x.pk3 -->    a command that readers need not see
//! <!-- write convert.sh -->                       the next block becomes a file
//! <!-- exits 1 -->                                the next block's commands end with this code
//! <!-- leaves a.glb b.glb -->                     these are there by now
//! <!-- not run: why -->                           the next block is not run
//! ```
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{code, names, program, stderr, stdout};
use meshwright_testkit::{skipped, testdata};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Languages of blocks that hold no command.
const SHOWN: &[&str] = &["rust", "rust,no_run", "toml", "yaml", "json", "ninja", "ini", "c", "python"];
/// The commands in comments.
const VERBS: &[&str] = &["exits", "file", "leaves", "not", "run", "write"];
/// Commands that are not run: the first runs these tests, the second downloads the program.
const ELSEWHERE: &[&str] = &["cargo test --workspace", "cargo install meshwright-cli"];
/// The prefix of a command that runs the program from its source.
const FROM_SOURCE: &str = "cargo run --release -p meshwright-cli -- ";

#[test]
fn every_command_of_every_page_works() {
    let root = testdata().join("..").canonicalize().unwrap();
    let mut pages = vec![root.join("README.md"), root.join("crates/cli/README.md")];
    find(&root.join("docs"), &mut pages);
    let mut count = 0;
    for path in &pages {
        let text = fs::read_to_string(path).unwrap();
        let mut page = Page::new(path.strip_prefix(&root).unwrap());
        page.read(&text);
        count += page.count;
    }
    assert!(count > 60, "{count} commands in {} pages", pages.len());
}

/// Finds all pages of a folder.
fn find(folder: &Path, pages: &mut Vec<PathBuf>) {
    for name in names(folder) {
        let path = folder.join(name);
        if path.is_dir() {
            find(&path, pages);
        } else if path.extension().is_some_and(|e| e == "md") {
            pages.push(path);
        }
    }
}

/// A page being run.
struct Page {
    name: String,
    dir: TempDir,
    /// The number of commands that were run.
    count: usize,
    /// The settings for the next block, from the comments before it.
    next: Next,
}

#[derive(Default)]
struct Next {
    file: Option<String>,
    code: i32,
    is_left_out: bool,
}

impl Page {
    fn new(name: &Path) -> Self {
        let name = name.to_string_lossy().replace('\\', "/");
        Self { name, dir: TempDir::new().unwrap(), count: 0, next: Next::default() }
    }

    fn read(&mut self, text: &str) {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(language) = line.strip_prefix("```") {
                let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
                self.block(language, &block);
            } else if let Some(rest) = line.strip_prefix("<!-- ") {
                let mut comment = rest.to_owned();
                while !comment.contains("-->") {
                    comment = format!("{comment}\n{}", lines.next().expect("the comment ends"));
                }
                self.comment(comment.split("-->").next().unwrap().trim());
            }
        }
    }

    /// Executes the instructions in a comment. A line that begins with a known word is an instruction; other lines
    /// continue the one before.
    fn comment(&mut self, text: &str) {
        let verb = |line: &str| line.split(' ').next().is_some_and(|word| VERBS.contains(&word));
        let mut items: Vec<String> = Vec::new();
        for line in text.lines() {
            match items.last_mut() {
                Some(item) if !verb(line) => *item += &format!("\n{line}"),
                _ => items.push(line.to_owned()),
            }
        }
        for item in items {
            let (verb, rest) = item.split_once(' ').unwrap_or((&item, ""));
            self.one(verb, rest);
        }
    }

    fn one(&mut self, verb: &str, rest: &str) {
        match verb {
            "file" => self.fixture(rest),
            "run" => self.script(rest, 0),
            "write" => self.next.file = Some(rest.to_owned()),
            "exits" => self.next.code = rest.parse().unwrap(),
            "not" => self.next.is_left_out = rest.starts_with("run: "),
            "leaves" => {
                for name in rest.split_whitespace() {
                    assert!(self.dir.path().join(name).exists(), "{}: {name} was not written", self.name);
                }
            }
            _ => {}
        }
    }

    fn fixture(&self, line: &str) {
        let (from, to) = line.split_once(" as ").unwrap_or_else(|| panic!("{}: {line}", self.name));
        let to = self.dir.path().join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(testdata().join(from), to).unwrap_or_else(|e| panic!("{}: {line}: {e}", self.name));
    }

    fn block(&mut self, language: &str, lines: &[&str]) {
        let next = std::mem::take(&mut self.next);
        if let Some(name) = next.file {
            let path = self.dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            return fs::write(path, lines.join("\n") + "\n").unwrap();
        }
        if next.is_left_out || SHOWN.contains(&language) {
            return;
        }
        match language {
            "sh" if lines.iter().all(|line| is_plain(line)) => {
                lines.iter().for_each(|line| self.line(line, next.code));
            }
            "sh" => self.script(&lines.join("\n"), next.code),
            "console" => self.transcript(lines, next.code),
            "text" => {
                let command =
                    lines.iter().find(|line| line.trim_start_matches("$ ").starts_with("meshwright "));
                assert!(command.is_none(), "{}: not run, and does not say why: {command:?}", self.name);
            }
            _ => panic!("{}: a block of {language:?}", self.name),
        }
    }

    /// Runs one command of the program.
    fn line(&mut self, line: &str, expected: i32) {
        let words = line.split(" #").next().unwrap().trim();
        let words = words.strip_prefix("meshwright ").or_else(|| words.strip_prefix(FROM_SOURCE));
        let Some(words) = words.map(str::split_whitespace) else { return };
        let is_dry = words.clone().any(|word| word == "--dry-run");
        let before = names(self.dir.path());
        let output = program().current_dir(self.dir.path()).args(words).output().unwrap();
        self.ended(line, &output, expected);
        assert!(!is_dry || names(self.dir.path()) == before, "{}: {line} wrote something", self.name);
    }

    /// Runs lines in a shell.
    fn script(&mut self, text: &str, expected: i32) {
        if !cfg!(unix) && !text.lines().all(is_plain) {
            return skipped(&self.name, "there is no shell");
        }
        if !cfg!(unix) {
            return text.lines().for_each(|line| self.line(line, expected));
        }
        let output = self.shell(text);
        self.ended(text, &output, expected);
    }

    fn shell(&self, text: &str) -> Output {
        let own = Path::new(env!("CARGO_BIN_EXE_meshwright")).parent().unwrap().to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path: OsString =
            std::env::join_paths([own].into_iter().chain(std::env::split_paths(&path))).unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-euc", text]).env("PATH", path).current_dir(self.dir.path());
        shell.output().unwrap()
    }

    fn transcript(&mut self, lines: &[&str], expected: i32) {
        if !cfg!(unix) {
            return skipped(&self.name, "there is no shell");
        }
        let mut rest = lines;
        while let [first, others @ ..] = rest {
            let command = first.strip_prefix("$ ").unwrap_or_else(|| panic!("{}: {first}", self.name));
            let end = others.iter().position(|line| line.starts_with("$ ")).unwrap_or(others.len());
            let (shown, behind) = others.split_at(end);
            let output = self.shell(command);
            self.ended(command, &output, expected);
            let text = stdout(&output) + &stderr(&output);
            let printed: Vec<_> = text.lines().map(str::trim_end).collect();
            assert!(
                agree(shown, &printed),
                "{}: {command} prints\n{text}\nand not\n{}",
                self.name,
                shown.join("\n")
            );
            rest = behind;
        }
    }

    fn ended(&mut self, what: &str, output: &Output, expected: i32) {
        let said = || format!("{}: {what}: {}{}", self.name, stdout(output), stderr(output));
        assert_eq!(code(output), expected, "{}", said());
        self.count += 1;
    }
}

/// Returns whether a line has nothing to run, or a command of the program that needs no shell.
fn is_plain(line: &str) -> bool {
    let line = line.split(" #").next().unwrap_or_default().trim();
    let is_command = line.starts_with("meshwright ") || line.starts_with(FROM_SOURCE);
    line.is_empty()
        || line.starts_with('#')
        || ELSEWHERE.contains(&line)
        || (is_command && !line.contains(['|', '>', '<', '\'', '"', '$', '*', ';', '&', '\\', '~']))
}

/// Returns whether the printed lines match the lines of a page.
fn agree(shown: &[&str], printed: &[&str]) -> bool {
    match (shown, printed) {
        ([], []) => true,
        (["...", rest @ ..], _) => (0..=printed.len()).any(|skipped| agree(rest, &printed[skipped..])),
        ([first, shown @ ..], [line, printed @ ..]) => fits(first, line) && agree(shown, printed),
        _ => false,
    }
}

/// Returns whether a printed line matches the line of a page.
fn fits(shown: &str, line: &str) -> bool {
    let Some((start, rest)) = shown.split_once("[..]") else { return shown == line };
    let Some(line) = line.strip_prefix(start) else { return false };
    (0..=line.len()).any(|at| line.is_char_boundary(at) && fits(rest, &line[at..]))
}

#[test]
fn transcripts_are_compared() {
    assert!(agree(&["a", "...", "z[..]!"], &["a", "b", "c", "zebra!"]));
    assert!(!agree(&["a"], &["a", "b"]) && !agree(&["a", "b"], &["a"]) && !agree(&["x[..]"], &["y"]));
}

#[test]
fn a_command_that_fails_is_seen() {
    let fails =
        |text: &'static str| std::panic::catch_unwind(|| Page::new(Path::new("page.md")).read(text)).is_err();
    assert!(fails("```sh\nmeshwright info nothing.dpm\n```\n"));
    assert!(fails("```text\n$ meshwright info x\n```\n"));
    assert!(fails("<!-- leaves nothing.glb -->\n"));
    assert!(fails("```\nwithout a language\n```\n"));
    let good = "<!-- file dpm/hopper.ok.dpm as a.dpm -->\n```sh\nmeshwright convert a.dpm -o a.glb\n```\n\
                <!-- leaves a.glb -->\n<!-- exits 3 -->\n```sh\nmeshwright info nothing.dpm\n```\n";
    assert!(!fails(good));
}
