//! Prints messages and results, in the order of the inputs.
//!
//! A thread that processes one of many files buffers what it prints about it.

use crate::{progress, render};
use std::cell::RefCell;
use std::io::{self, Write};

/// Output about a file.
#[derive(Debug)]
pub(crate) enum Said {
    /// A line on standard error.
    Message(String),
    /// Lines of standard output.
    Result(String),
}

thread_local! {
    /// Buffered output about the file that this thread processes; `None` if the thread prints directly.
    static BUFFER: RefCell<Option<Vec<Said>>> = const { RefCell::new(None) };
}

/// Buffers output if this thread processes a file; otherwise prints it at once.
fn tell(said: Said) -> io::Result<()> {
    let now = BUFFER.with_borrow_mut(|kept| match kept {
        Some(kept) => {
            kept.push(said);
            None
        }
        None => Some(said),
    });
    now.map_or(Ok(()), speak)
}

/// Prints a line on standard error, in the order of the inputs. A closed standard error is not an error.
pub(crate) fn say(line: &str) {
    let _ = tell(Said::Message(line.to_owned()));
}

/// Prints lines on standard output, in the order of the inputs.
pub(crate) fn print(lines: String) -> io::Result<()> {
    tell(Said::Result(lines))
}

/// Runs `work` and returns what it prints.
pub(crate) fn buffered(work: impl FnOnce()) -> Vec<Said> {
    BUFFER.set(Some(Vec::new()));
    work();
    BUFFER.take().unwrap_or_default()
}

/// Runs `work` and discards what it prints.
pub(crate) fn muted<T>(work: impl FnOnce() -> T) -> T {
    let before = BUFFER.replace(Some(Vec::new()));
    let value = work();
    BUFFER.set(before);
    value
}

fn speak(said: Said) -> io::Result<()> {
    match said {
        Said::Message(line) => {
            tell_people(&as_line(&line));
            Ok(())
        }
        Said::Result(lines) => {
            let lines = render::printable(&lines, render::colours(&io::stdout()));
            progress::aside(|| io::stdout().lock().write_all(lines.as_bytes()))
        }
    }
}

/// Prints buffered output; consecutive messages are one write.
pub(crate) fn speak_all(said: Vec<Said>) -> io::Result<()> {
    let mut lines = String::new();
    for one in said {
        match one {
            Said::Message(line) => lines.push_str(&as_line(&line)),
            Said::Result(_) => {
                tell_people(&std::mem::take(&mut lines));
                speak(one)?;
            }
        }
    }
    tell_people(&lines);
    Ok(())
}

fn as_line(message: &str) -> String {
    format!("{}\n", render::cut(&render::printable(message, render::colours(&io::stderr()))))
}

fn tell_people(lines: &str) {
    if !lines.is_empty() {
        progress::aside(|| drop(io::stderr().lock().write_all(lines.as_bytes())));
    }
}
