//! `xtask workflows`: the workflows of GitHub run the verbs that there are, all of them, and their gates know every job.
//!
//! The files are read by lines, as they are written here: no more of YAML than that.

use std::fs;
use std::path::Path;

/// What a change must pass besides the steps of `xtask ci`, which are too long for a desk.
pub(crate) const MORE: &[&str] = &[
    "conformance testdata",
    "exhaustive",
    "mutants --seconds 60",
    "commands --seconds 60",
    "asan",
    "msrv",
    "miri",
    "arm",
    "wasm",
    "test",
];

/// What is on nobody's way: `ci` is the sum of steps.
const NOWHERE: &[&str] = &["ci"];

/// The command that every step has.
const XTASK: &str = "cargo run --locked -p xtask -- ";

/// What may stand beside the verbs, to prepare a machine.
const SETUP: &[&str] = &[
    "cargo install --locked ",
    "rustup toolchain install ",
    "rustup target add ",
    "rustup component add ",
    "rustup target add ",
    "sudo apt-get install --yes ",
    "sudo sysctl -w ",
    "gh release create ",
    "exit 1",
];

/// One job of a workflow.
#[derive(Debug, Default)]
struct Job {
    name: String,
    runs: Vec<String>,
    /// The values that each word of the matrix takes.
    matrix: Vec<(String, Vec<String>)>,
    needs: Vec<String>,
    /// Conditions of the job and its steps.
    conditions: Vec<String>,
}

/// Fails with everything that is out of step.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let folder = root.join(".github/workflows");
    let mut wrong = Vec::new();
    let mut all = Vec::new();
    for file in ["ci.yml", "weekly.yml", "release.yml"] {
        let text = fs::read_to_string(folder.join(file)).map_err(|e| format!("{file}: {e}"))?;
        let jobs = jobs(&text);
        let commands = commands(file, &jobs, &mut wrong);
        if file != "release.yml" {
            gate(file, &jobs, &mut wrong);
        }
        if file == "ci.yml" {
            let steps: Vec<_> = crate::ci::STEPS.iter().map(|step| step.join(" ")).collect();
            // Where there is no corpus it is the fixtures.
            let own = steps.iter().map(String::as_str).filter(|step| *step != "conformance");
            for step in own.chain(MORE.iter().copied()).filter(|step| !commands.iter().any(|c| c == step)) {
                wrong.push(format!("{file} does not run `{step}`"));
            }
        }
        all.extend(commands);
    }
    let is_run = |verb: &str| all.iter().any(|command| command.split(' ').next() == Some(verb));
    for verb in crate::VERBS.iter().map(|v| v.name).filter(|v| !NOWHERE.contains(v) && !is_run(v)) {
        wrong.push(format!("no workflow runs `{verb}`"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// Whether a workflow runs a verb.
///
/// # Errors
/// When a workflow cannot be read.
pub fn runs(root: &Path, verb: &str) -> Result<bool, String> {
    let mut found = false;
    for file in ["ci.yml", "weekly.yml"] {
        let path = root.join(".github/workflows").join(file);
        let text = fs::read_to_string(&path).map_err(|e| format!("{file}: {e}"))?;
        let commands = commands(file, &jobs(&text), &mut Vec::new());
        found |= commands.iter().any(|command| command.split(' ').next() == Some(verb));
    }
    Ok(found)
}

/// The values of a word of a workflow's matrix, in all of its jobs.
///
/// # Errors
/// When the workflow cannot be read.
pub fn matrix(root: &Path, file: &str, word: &str) -> Result<Vec<String>, String> {
    let text =
        fs::read_to_string(root.join(".github/workflows").join(file)).map_err(|e| format!("{file}: {e}"))?;
    let rows = jobs(&text).into_iter().flat_map(|job| job.matrix);
    Ok(rows.filter(|(name, _)| name == word).flat_map(|(_, values)| values).collect())
}

/// The words behind `xtask --` in a workflow, every value of a matrix in its place.
fn commands(file: &str, jobs: &[Job], wrong: &mut Vec<String>) -> Vec<String> {
    let mut commands = Vec::new();
    for job in jobs {
        for run in &job.runs {
            let Some(words) = run.strip_prefix(XTASK) else {
                if !SETUP.iter().any(|setup| run.starts_with(setup)) {
                    wrong.push(format!("{file}: {}: `{run}` is no verb", job.name));
                }
                continue;
            };
            let mut each = vec![words.to_owned()];
            for (word, values) in &job.matrix {
                let place = format!("${{{{ matrix.{word} }}}}");
                if words.contains(&place) {
                    let with = |command: &String| {
                        values.iter().map(|v| command.replace(&place, v)).collect::<Vec<_>>()
                    };
                    each = each.iter().flat_map(with).collect();
                }
            }
            commands.extend(each);
        }
    }
    for command in &commands {
        let verb = command.split(' ').next().unwrap_or_default();
        if !crate::VERBS.iter().any(|v| v.name == verb) {
            wrong.push(format!("{file}: there is no verb for `{command}`"));
        }
    }
    commands
}

/// The gate waits for every other job, whatever becomes of them, and lets none pass that did not succeed.
fn gate(file: &str, jobs: &[Job], wrong: &mut Vec<String>) {
    let Some(gate) = jobs.iter().find(|job| job.name == "gate") else {
        wrong.push(format!("{file} has no gate"));
        return;
    };
    for job in jobs.iter().filter(|job| job.name != "gate" && !gate.needs.contains(&job.name)) {
        wrong.push(format!("{file}: the gate does not know {}", job.name));
    }
    for need in gate.needs.iter().filter(|need| !jobs.iter().any(|job| job.name == **need)) {
        wrong.push(format!("{file}: the gate waits for {need}, which is not there"));
    }
    let judges =
        |word: &str| gate.conditions.iter().any(|c| c.contains(&format!("needs.*.result, '{word}'")));
    let holds =
        gate.conditions.iter().any(|c| c == "always()") && gate.runs.iter().any(|run| run == "exit 1");
    if !holds || !["failure", "cancelled", "skipped"].into_iter().all(judges) {
        wrong.push(format!("{file}: the gate lets pass what did not succeed"));
    }
}

/// The jobs of a workflow.
fn jobs(text: &str) -> Vec<Job> {
    let mut jobs: Vec<Job> = Vec::new();
    // The word of a matrix whose values follow, one a line.
    let mut open = None;
    let lines = text.lines().skip_while(|line| *line != "jobs:").skip(1);
    for line in lines.filter(|line| !line.trim_start().starts_with('#')) {
        let indent = line.len() - line.trim_start().len();
        let words = line.trim();
        if let Some(name) = words.strip_suffix(':').filter(|_| indent == 2) {
            jobs.push(Job { name: name.to_owned(), ..Job::default() });
        }
        let Some(job) = jobs.last_mut() else { continue };
        if let (Some(at), Some(value)) = (open, words.strip_prefix("- "))
            && indent > at
        {
            if let Some((_, values)) = job.matrix.last_mut() {
                values.push(value.trim_matches('"').to_owned());
            }
            continue;
        }
        open = None;
        let Some((key, value)) = words.strip_prefix("- ").unwrap_or(words).split_once(':') else { continue };
        let value = value.trim();
        let list = value.strip_prefix('[').and_then(|v| v.strip_suffix(']'));
        let list =
            || list.into_iter().flat_map(|l| l.split(',').map(|v| v.trim().trim_matches('"').to_owned()));
        match key {
            "run" => job.runs.push(value.to_owned()),
            "if" => job.conditions.push(value.to_owned()),
            "needs" => job.needs = list().collect(),
            // Four steps in is the matrix.
            _ if indent == 8 && (value.is_empty() || value.starts_with('[')) && !words.starts_with('-') => {
                job.matrix.push((key.to_owned(), list().collect()));
                open = value.is_empty().then_some(indent);
            }
            _ => {}
        }
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "jobs:
  a:
    strategy:
      matrix:
        step:
          - fmt
          - fixtures --check
        target: [\"x\", y]
    steps:
      - run: cargo run --locked -p xtask -- ${{ matrix.step }}
      - if: failure()
        run: cargo run --locked -p xtask -- fuzz --target ${{ matrix.target }}
  gate:
    if: always()
    needs: [a]
    steps:
      - if: contains(needs.*.result, 'failure') || contains(needs.*.result, 'cancelled') || contains(needs.*.result, 'skipped')
        run: exit 1
";

    fn wrong(text: &str) -> (Vec<String>, Vec<String>) {
        let (jobs, mut wrong) = (jobs(text), Vec::new());
        let commands = commands("f", &jobs, &mut wrong);
        gate("f", &jobs, &mut wrong);
        (commands, wrong)
    }

    #[test]
    fn commands_are_found_with_every_value_of_their_matrix() {
        let expected = ["fmt", "fixtures --check", "fuzz --target x", "fuzz --target y"].map(String::from);
        assert_eq!(wrong(GOOD), (expected.to_vec(), Vec::new()));
    }

    #[test]
    fn what_is_out_of_step_is_named() {
        for (from, to, expected) in [
            ("- fmt", "- format", "f: there is no verb for `format`"),
            ("needs: [a]", "needs: []", "f: the gate does not know a"),
            ("needs: [a]", "needs: [a, b]", "f: the gate waits for b, which is not there"),
            ("if: always()", "if: success()", "f: the gate lets pass what did not succeed"),
            ("'skipped'", "'skippe'", "f: the gate lets pass what did not succeed"),
            ("run: exit 1", "run: ./script", "f: gate: `./script` is no verb"),
            ("  gate:", "  goal:", "f has no gate"),
        ] {
            assert!(wrong(&GOOD.replace(from, to)).1.contains(&expected.to_owned()), "{from} -> {to}");
        }
    }

    #[test]
    fn the_workflows_run_the_verbs() {
        assert_eq!(run(&crate::root()), Ok(()));
    }
}
