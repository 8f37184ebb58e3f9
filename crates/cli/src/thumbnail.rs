//! `meshwright thumbnail`: the small picture of a model that file managers show.

use crate::args::ThumbnailArgs;
use crate::destination::Destination;
use crate::input::Input;
use crate::output::{self, content_of};
use crate::reader::Reader;
use crate::refusal::Refusal;
use crate::{Fail, Status};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

pub(crate) fn run(args: &ThumbnailArgs) -> Result<Status, Fail> {
    let input = Input::named(PathBuf::from(&args.input));
    let refused = |refusal| Fail::Refused(input.display_path(), refusal);
    let destination = Destination::new(&args.output);
    spare(&destination).map_err(refused)?;
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
    let write = |bytes: Vec<u8>| output::stream(&destination, content_of(&bytes), reader.plan(), None);
    bytes.and_then(write).map_err(refused)?;
    Ok(Status::Fine)
}

fn draw(reader: &Reader, input: &Input, size: u32) -> Result<Vec<u8>, Refusal> {
    let mut opened = reader.open(input)?;
    let scene = meshwright::page::textured_scene(&mut opened)?;
    reader.note(opened.sources());
    Ok(meshwright::thumbnail(&scene.value, size, reader.limits())?)
}

/// Refuses to replace a file that is neither empty nor a picture. File managers make an empty file first.
fn spare(destination: &Destination) -> Result<(), Refusal> {
    let Destination::File(path) = destination else { return Ok(()) };
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(8).read_to_end(&mut head));
    match read {
        Ok(1..) if !head.starts_with(b"\x89PNG") => Err(not_replaced(path)),
        _ => Ok(()),
    }
}

fn not_replaced(path: &Path) -> Refusal {
    Refusal::Taken(format!("{} exists already, and is not a PNG file", crate::render::path(path)))
}
