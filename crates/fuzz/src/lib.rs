//! Fuzz targets: functions that take any bytes and panic if a law is broken. The file formats are those of the
//! registry.
//!
//! Ordinary tests run the same functions on the fixtures and the stored inputs. They include this file by its path.

mod bytes;
#[path = "../../meshwright/tests/support/exercise.rs"]
#[allow(dead_code, reason = "shared with tests that use all of it")]
mod exercise;
mod models;
mod packs;
#[allow(dead_code, reason = "fuzzers are given their seeds")]
mod seeds;
mod targets;
mod words;

use exercise::Subject;
use meshwright::Format;
use meshwright_core::Limits;
use meshwright_testkit::{corpus, testdata};
#[allow(unused_imports, reason = "fuzzers are given their seeds")]
pub(crate) use seeds::seeds;
use std::path::Path;
pub use targets::{Action, Input, Target};

/// Writes what each target starts from below a folder: `NAME/` with its seeds, `NAME.dict` and `NAME.options`. Seeds are made
/// of the fixtures, and of a corpus if there is one.
///
/// # Errors
/// When a file cannot be written.
pub fn plant(folder: &Path) -> std::io::Result<()> {
    let sources: Vec<_> = std::iter::once(testdata()).chain(corpus()).collect();
    for target in Target::all() {
        let name = target.name();
        std::fs::create_dir_all(folder.join(&name))?;
        std::fs::write(folder.join(format!("{name}.dict")), words::dictionary(target))?;
        std::fs::write(folder.join(format!("{name}.options")), words::options(target))?;
        let seeds = seeds(target, &sources);
        for (i, seed) in seeds.iter().filter(|s| s.len() <= words::longest(target)).enumerate() {
            std::fs::write(folder.join(&name).join(format!("seed-{i}")), seed)?;
        }
    }
    Ok(())
}

/// The limits of a file: far more than the small inputs of a fuzzer need, far less than the default.
const LIMITS: Limits = Limits::UNLIMITED.with_memory(64 << 20);

impl Target {
    /// Panics when the bytes break a law.
    pub fn run(self, bytes: &[u8]) {
        match (self.action, self.input) {
            (Action::Parse, Input::File(format)) => format.visit(bytes::Parse(bytes)),
            (Action::Round, Input::File(format)) => format.visit(bytes::Round(bytes)),
            (Action::Parse, Input::Lz4) => {
                Format::CrucibleMesh.visit(bytes::Parse(&bytes::chunk_around(bytes)));
            }
            (Action::Round, Input::Lz4) => {
                Format::CrucibleMesh.visit(bytes::Round(&bytes::chunk_around(bytes)));
            }
            (Action::Scene, Input::File(format)) => drop(exercise::run(&Subject::split(format, bytes))),
            (Action::Model, Input::File(format)) => format.visit(models::Model(bytes)),
            (Action::Model, Input::Scene) => models::scene(bytes),
            (Action::Document, _) => exercise::document(&exercise::as_glb(bytes)),
            // The program of all targets does that.
            (Action::Program | Action::Outputs, _) => {}
            (Action::Pack, Input::Pack(kind)) => packs::read_and_write(kind, bytes),
            (Action::Pack, _) | (_, Input::Lz4 | Input::Scene | Input::Glb | Input::Pack(_)) => {}
        }
    }
}
