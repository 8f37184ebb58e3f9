//! `meshwright thumbnail`: the small picture of a model that file managers show.

use crate::args::ThumbnailArgs;
use crate::destination::Destination;
use crate::input::Input;
use crate::output::{self, content_of};
use crate::reader::Reader;
use crate::refusal::{Fail, Refusal};
use crate::status::Status;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

pub(crate) fn run(args: &ThumbnailArgs) -> Result<Status, Fail> {
    let input = Input::named(PathBuf::from(&args.input));
    let refused = |refusal| Fail::Refused(input.display_path(), refusal);
    let destination = Destination::new(&args.output);
    let existing = existing(&destination).map_err(refused)?;
    let mut args_of_reading = args.read.clone();
    args_of_reading.quiet = true;
    let reader = Reader::new(&args_of_reading, &args.companions)?;
    let (size, wait) = (args.size, Duration::from_secs(args.max_time));
    let (send, receive) = channel();
    let own = input.clone();
    // When the time is over, the program ends with this thread still at work. The thread writes no file.
    let work = move || {
        let bytes = draw(&reader, &own, size);
        // The other end is gone if the time is over.
        let _ = send.send((bytes, reader));
    };
    std::thread::Builder::new().spawn(work)?;
    let (bytes, reader) = match receive.recv_timeout(wait) {
        Ok(made) => made,
        Err(RecvTimeoutError::Timeout) => {
            let why = format!("no picture after {} s; --max-time allows more", args.max_time);
            return Err(refused(Refusal::Cannot { code: "limit", why }));
        }
        // The thread has panicked, and its message is printed.
        Err(RecvTimeoutError::Disconnected) => return Ok(Status::Unusable),
    };
    let write = |bytes: Vec<u8>| match &existing {
        Some(path) => fill(path, &bytes).map_err(|e| Refusal::unwritable(path, &e)),
        None => output::stream(&destination, content_of(&bytes), reader.plan()).map(drop),
    };
    bytes.and_then(write).map_err(refused)?;
    Ok(Status::Fine)
}

fn draw(reader: &Reader, input: &Input, size: u32) -> Result<Vec<u8>, Refusal> {
    let mut opened = reader.open(input)?;
    let scene = meshwright::page::textured_scene(&mut opened)?;
    reader.note(opened.sources());
    Ok(meshwright::thumbnail(&scene.value, size, reader.limits())?)
}

/// Returns the output if it is an empty file. Refuses to replace a file that is neither empty nor a picture.
fn existing(destination: &Destination) -> Result<Option<PathBuf>, Refusal> {
    let Destination::File(path) = destination else { return Ok(None) };
    let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
    let mut head = Vec::new();
    match File::open(path).and_then(|file| file.take(8).read_to_end(&mut head)) {
        Ok(0) if is_file => Ok(Some(path.clone())),
        Ok(1..) if !head.starts_with(b"\x89PNG") => Err(Refusal::Taken(format!(
            "{} exists already, and is not a PNG file",
            crate::render::path(path)
        ))),
        _ => Ok(None),
    }
}

/// Writes into an empty file. Tumbler makes the file, keeps it open, and reads what it opened: a new file of this name
/// would not reach it.
fn fill(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(bytes).inspect_err(|_| drop(file.set_len(0)))
}
