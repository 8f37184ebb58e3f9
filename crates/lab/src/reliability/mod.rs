//! `xtask reliability [--check] [--mark] [--count N] [--commands N]`: docs/reliability.md, promises beside their proofs and the
//! last figures.
//!
//! `--check` runs every proof that is a test, and holds the page against the code: a figure that was measured on other code
//! must be called stale. `--mark` calls it so, and measures nothing.

mod figures;
mod proofs;

use crate::{readme, value};
use figures::Counts;
use lexopt::{Arg, Parser};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use xtask::sh;

/// What is promised, and where it is proved: a verb, or a file with a test in it.
const PROMISES: &[(&str, &[&str])] = &[
    (
        "any bytes give a model or an error, never a panic or an overflow; small ones within seconds",
        &[
            "crates/meshwright/tests/exhaustive.rs: every_small_change_of_every_fixture_is_answered",
            "crates/meshwright/tests/mutants.rs: broken_fixtures",
            "crates/meshwright/tests/fuzz.rs: kept_inputs_keep_the_promises",
            "crates/meshwright/tests/fuzz.rs: documents_are_played",
            "crates/gltf/tests/hostile.rs: every_value_of_the_document_may_be_any_other",
            "xtask exhaustive",
            "xtask mutants",
            "xtask fuzz",
        ],
    ),
    (
        "no broken model, companion or picture makes a command of the program fail but with an exit code and a message, \
         or changes a file that is read",
        &[
            "crates/cli/tests/broken.rs: broken_models_companions_and_pictures_are_answered",
            "crates/cli/tests/broken.rs: a_run_that_breaks_a_promise_is_seen",
            "xtask commands",
            "xtask hostile",
        ],
    ),
    (
        "a picture is read, charged and decoded once, however many materials name it; links lead only to what lies in the tree",
        &[
            "crates/meshwright/tests/asset.rs: a_file_that_many_materials_name_is_read_once",
            "crates/cli/tests/textures.rs: links_lead_only_to_what_lies_in_the_tree",
            "crates/files/tests/tree.rs: links_are_followed_within_the_tree",
        ],
    ),
    (
        "frames, clips and joints, framegroups and the optimizer cost what they are charged, and have an end",
        &[
            "crates/gltf/tests/motion.rs: poses_are_taken_apart_once_however_many_frames_show_them",
            "crates/gltf/tests/motion.rs: work_has_an_end_however_little_it_leaves",
            "crates/meshwright/tests/darkplaces.rs: resolved_clips_are_charged",
            "crates/bmd/tests/optimize.rs: work_is_bounded_in_total",
        ],
    ),
    (
        "what parses is written, and reading that gives the same model and the same bytes",
        &[
            "crates/meshwright/tests/exhaustive.rs: every_small_change_of_every_fixture_is_answered",
            "crates/meshwright/tests/fuzz.rs: seeds_come_back",
            "xtask conformance",
        ],
    ),
    (
        "compressed blocks are decoded as a strict decoder would, or refused",
        &["crates/crucible/tests/lz4_hostile.rs: every_decoder_answers_the_same"],
    ),
    (
        "the unsafe kernels touch nothing but what they were given; no other published code is unsafe",
        &[
            "crates/rig/tests/memory.rs: every_small_mesh_in_memory_of_its_size",
            "crates/rig/src/kernels/layout.rs: vertices_that_have_no_number_are_refused",
            "xtask asan",
            "xtask layers",
        ],
    ),
    (
        "the tests pass in release, with every check, with the oldest dependencies, under Miri, in 32 bits and big-endian",
        &["xtask profiles", "xtask glam-assert", "xtask miri", "xtask emulated", "xtask minimal"],
    ),
    (
        "every truncation is an error, unless the cut falls behind the last byte needed",
        &[
            "crates/bmd/tests/laws.rs",
            "crates/crucible/tests/laws.rs",
            "crates/dpm/tests/laws.rs",
            "crates/fsomodel/tests/laws.rs",
            "crates/tso/tests/laws.rs",
        ],
    ),
    (
        "an error has a code, a field path and an offset: inside the field that is broken, where a test knows the field",
        &["xtask conformance", "crates/tso/tests/offsets.rs"],
    ),
    (
        "opening a file takes what it charged, and memory in proportion to the file where nothing is compressed or shared",
        &[
            "crates/meshwright/tests/exhaustive.rs: every_small_change_of_every_fixture_is_answered",
            "crates/meshwright/tests/memory.rs: opening_takes_memory_in_proportion_to_the_file",
        ],
    ),
    (
        "the bombs that are known are defused within seconds on a stack of 256 KiB",
        &["crates/meshwright/tests/memory.rs: bombs_stay_within_limits_on_a_small_stack"],
    ),
    (
        "an output appears complete or not at all: full disk, read-only file system, file-size limit",
        &[
            "crates/cli/tests/faults.rs: a_full_disk_leaves_the_old_files",
            "crates/cli/tests/faults.rs: a_read_only_file_system_is_left_alone",
            "crates/cli/tests/faults.rs: a_limit_on_file_sizes_leaves_the_old_files",
            "crates/cli/tests/hostile.rs: a_full_device_is_an_error",
        ],
    ),
    (
        "a run that is interrupted or killed leaves the old files, and the next run finds the folder tidy",
        &[
            "crates/cli/tests/faults.rs: a_run_that_is_ended_at_any_moment_leaves_old_or_whole_files",
            "crates/cli/tests/faults.rs: what_a_killed_run_left_is_removed_and_what_a_living_one_needs_is_not",
            "crates/cli/tests/hostile.rs: a_signal_leaves_no_temporary_file",
            "crates/cli/tests/endings.rs: signals_end_a_run_that_waits_for_a_reader",
        ],
    ),
    (
        "readers see nothing, the old or the whole, whoever writes; runs into one folder do not disturb each other",
        &[
            "crates/cli/tests/faults.rs: readers_see_nothing_old_or_whole_while_eight_write",
            "crates/cli/tests/faults.rs: runs_into_one_folder_give_what_one_gives",
        ],
    ),
    (
        "an input is never replaced, whatever link leads to it",
        &[
            "crates/cli/tests/faults.rs: no_way_to_an_input_makes_it_an_output",
            "crates/cli/tests/hostile.rs: what_was_found_beside_a_model_is_an_input_too",
            "crates/cli/tests/endings.rs: results_are_not_written_into_what_is_read",
            "crates/cli/tests/endings.rs: a_model_that_is_called_like_a_temporary_file_stays",
        ],
    ),
    (
        "names inside models are no paths, and links below an output folder lead nowhere",
        &[
            "crates/cli/tests/faults.rs: names_inside_a_model_are_no_paths",
            "crates/cli/tests/faults.rs: links_inside_an_output_folder_lead_nowhere",
            "crates/cli/src/names.rs: names_cannot_leave_their_folder",
        ],
    ),
    (
        "names reach neither terminal nor JSON unescaped",
        &["crates/cli/tests/hostile.rs: names_cannot_drive_a_terminal_and_reach_json_whole"],
    ),
    (
        "pictures have the same bits for any number of threads, on every machine, in every build; hostile scenes have an end",
        &[
            "crates/render/tests/pictures.rs: a_picture_is_the_same_everywhere",
            "crates/render/tests/pictures.rs: hostile_scenes_are_bounded",
            "crates/render/tests/pictures.rs: work_that_multiplies_is_charged",
            "crates/render/tests/pictures.rs: any_scene_gives_a_picture_or_an_error",
            "crates/meshwright/tests/pictures.rs: pictures_of_fixtures_do_not_depend_on_threads",
            "crates/cli/tests/pictures.rs: pictures_of_the_fixtures_are_the_same_everywhere",
            "xtask pictures",
        ],
    ),
    (
        "the page of `view` is served to itself alone; slow and many clients, long headers and other methods are turned away; it shows what the library evaluates, and names as text",
        &[
            "crates/cli/src/view/server.rs: only_our_own_page_is_answered",
            "crates/cli/src/view/server.rs: slow_and_many_clients_are_let_go",
            "crates/cli/src/view/server.rs: files_are_taken_from_one_client_at_a_time",
            "crates/cli/src/view/request.rs: requests_are_read_or_refused",
            "crates/meshwright/src/page/mod.rs: names_stay_text",
            "crates/meshwright/src/page/mod.rs: the_policy_allows_our_own_script_and_style_alone",
            "xtask page",
        ],
    ),
    (
        "no build script, no network, no crate that nobody decided on; licences, duplicates, advisories",
        &["xtask supply", "xtask deny"],
    ),
];

struct Options {
    check: bool,
    mark: bool,
    counts: Counts,
}

impl Options {
    fn new(mut words: Parser) -> Result<Self, lexopt::Error> {
        let counts = Counts { mutants: 20_000, commands: 10_000 };
        let mut options = Self { check: false, mark: false, counts };
        while let Some(word) = words.next()? {
            match word {
                Arg::Long("check") => options.check = true,
                Arg::Long("mark") => options.mark = true,
                Arg::Long("count") => options.counts.mutants = value(&mut words)?,
                Arg::Long("commands") => options.counts.commands = value(&mut words)?,
                _ => return Err(word.unexpected()),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(root: &Path, words: Parser) -> Result<(), String> {
    let options = Options::new(words).map_err(|e| e.to_string())?;
    let path = root.join("docs/reliability.md");
    let old = fs::read_to_string(&path).map_err(|e| format!("docs/reliability.md: {e}"))?;
    if !options.check && !options.mark {
        figures::measure(root, options.counts)?;
    }
    let (figures, stale) = figures::tables(root)?;
    let new = readme::replace(&old, "promises", &promises())?;
    let new = readme::replace(&new, "figures", &figures)?;
    for what in &stale {
        println!("stale, measured on other code: {what}");
    }
    if !options.check {
        return fs::write(&path, new).map_err(|e| e.to_string());
    }
    let proofs: BTreeSet<_> = PROMISES.iter().flat_map(|p| p.1.iter().copied()).collect();
    let outcome = proofs::run(root, &proofs)?;
    println!(
        "{} tests prove what docs/reliability.md promises, {} could not run here",
        outcome.passed,
        outcome.not_run.len()
    );
    let mut broken = outcome.broken;
    if new != old {
        let mend = "run `cargo run -p xtask -- reliability --mark`, or without `--mark` to measure anew";
        broken.push(format!("docs/reliability.md does not say what is true of this code: {mend}"));
    }
    if !broken.is_empty() {
        return Err(broken.join("\n"));
    }
    outcome.not_run.iter().try_for_each(|test| sh::skipped(test))
}

fn promises() -> String {
    let mut table = String::from("| promise | proof |\n|---|---|\n");
    for (promise, proofs) in PROMISES {
        let proofs: Vec<_> = proofs.iter().map(|p| format!("`{p}`")).collect();
        table.push_str(&format!("| {promise} | {} |\n", proofs.join("<br>")));
    }
    table
}
