//! Meshwright for browsers: the functions that the worker of the page calls.
//!
//! Nothing here reaches the network or a disk: its input is bytes, its output bytes and text. An error is a text of
//! JSON with `error`, `code`, `path` and `offset`. A panic ends the module; the page reports this, and starts it
//! again.

mod gallery;

pub use gallery::Gallery;

use meshwright::{Error, Limits, Target};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The worker's: hears of a panic before the module ends.
    #[wasm_bindgen(js_name = meshwrightFault)]
    fn fault(text: &str);
}

/// Has panics told to the worker.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| fault(&info.to_string())));
}

/// Panics, as a fault of the library would: for tests of what the page does then.
#[wasm_bindgen]
#[allow(clippy::panic, reason = "that is what it is for")]
pub fn panics() {
    panic!("asked to");
}

/// The models among the files that were dropped.
#[wasm_bindgen]
pub struct Models {
    gallery: Gallery,
    /// Files that are being dropped.
    staged: Vec<(String, Vec<u8>)>,
}

fn of_memory(bytes: u32) -> Limits {
    Limits::default().with_memory(bytes.into())
}

fn error_text(why: &Error) -> String {
    gallery::failed("the model", why).to_string()
}

#[wasm_bindgen]
impl Models {
    /// Creates an empty list. `limit` is the memory limit of one file with its results, in bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(limit: Option<u32>) -> Self {
        let limits = limit.map_or_else(Limits::default, of_memory);
        Self { gallery: Gallery::new(limits), staged: Vec::new() }
    }

    /// Sets the memory limit of one file with its results, in bytes.
    pub fn set_limit(&mut self, limit: u32) {
        self.gallery.set_limits(of_memory(limit));
    }

    /// Takes a file; what comes until `add` belongs together.
    pub fn stage(&mut self, path: &str, bytes: Vec<u8>) {
        self.staged.push((path.to_owned(), bytes));
    }

    /// Finds the models among them: `ids`, or `error`.
    pub fn add(&mut self) -> String {
        let files = std::mem::take(&mut self.staged);
        self.gallery.add(files).to_string()
    }

    /// The number and name of every model, and the limit in bytes.
    pub fn list(&self) -> String {
        self.gallery.list().to_string()
    }

    /// The facts about a model.
    pub fn about(&mut self, id: usize) -> String {
        self.gallery.about(id).to_string()
    }

    /// Chooses the files that a model is put together from: an object with a list of paths for each role.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn assemble(&mut self, id: usize, parts: &str) -> Result<(), String> {
        self.gallery.assemble(id, &serde_json::from_str(parts).map_err(|e| e.to_string())?);
        Ok(())
    }

    /// The GLB that the page draws.
    ///
    /// # Errors
    /// When the model cannot be read, or takes more than it may.
    pub fn glb(&mut self, id: usize) -> Result<Vec<u8>, String> {
        self.gallery.glb(id).map_err(|why| error_text(&why))
    }

    /// The thumbnail of a model.
    ///
    /// # Errors
    /// As `glb`.
    pub fn thumb(&self, id: usize) -> Result<Vec<u8>, String> {
        self.gallery.thumb(id).map_err(|why| error_text(&why))
    }

    /// Converts a model to a file of a target, preceded by its name and losses.
    ///
    /// # Errors
    /// As `glb`; or if the target cannot hold it, or does not exist.
    pub fn save(&mut self, id: usize, target: &str) -> Result<Vec<u8>, String> {
        let target: Target = target.parse().map_err(|e: meshwright::UnknownTarget| e.to_string())?;
        self.gallery.save(id, target).map_err(|why| error_text(&why))
    }
}
