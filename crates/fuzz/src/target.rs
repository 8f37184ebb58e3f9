//! The program of all targets. The environment names one; without it the program's own name does, as a link may.
#![no_main]

mod program;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use meshwright_fuzz::{Action, Target, plant};
use meshwright_testkit::mutate::{Rng, mutant};
use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The variable with the target's name.
const NAME: &str = "MESHWRIGHT_TARGET";
/// The variable with a folder: the program writes there what every target starts from, and ends.
const PLANT: &str = "MESHWRIGHT_PLANT";

static TARGET: OnceLock<Target> = OnceLock::new();

fn find() -> Target {
    let own = || Some(env::current_exe().ok()?.file_stem()?.to_string_lossy().into_owned());
    let name = env::var(NAME).ok().or_else(own).unwrap_or_default();
    Target::find(&name).unwrap_or_else(|| panic!("{NAME}={name:?} is no target"))
}

fuzz_target!(
    init: {
        if let Some(folder) = env::var_os(PLANT) {
            plant(&PathBuf::from(folder)).unwrap_or_else(|e| panic!("{e}"));
            std::process::exit(0);
        }
    },
    |bytes: &[u8]| {
        let target = TARGET.get_or_init(find);
        match target.action {
            Action::Program => program::run(*target, bytes),
            Action::Outputs => program::outputs(bytes),
            _ => target.run(bytes),
        }
    }
);

// Half of the inputs are broken as files are: fields set to boundary values, blocks moved, cut or repeated.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut rng = Rng::new(seed.into());
    if rng.below(2) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let made = mutant(&data[..size], &data[..size], &mut rng);
    let size = made.len().min(max_size);
    data[..size].copy_from_slice(&made[..size]);
    size
});
