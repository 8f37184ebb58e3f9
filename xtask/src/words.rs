//! `xtask words [--write] [--list AREA]`: phrases that a reader may have to read twice, counted, with a budget that only falls.
//!
//! A place is a block of comments, a message in the code, a function's name, or a sentence of a page. `xtask/words.txt` has the
//! most that each area may have of each; `--write` lowers it to what is there, and adds areas that are new. A file of code
//! whose name does not say what is in it is an error.

use crate::fixtures;
use crate::sh::{self, Given};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const BUDGET: &str = "xtask/words.txt";
const HEAD: &str = "# Places with a phrase that a reader may have to read twice. `xtask words --write` lowers these figures.\n";
const KINDS: [&str; 4] = ["comments", "messages", "functions", "sentences"];

/// Phrases, a word or several in turn; a bar is between words that are as bad.
const PHRASES: &str = "\
    behind; alone; beside; anew; nobody; somebody;
    whoever; stand|stands|stood|lies|lay|hang|hangs; mend|mends|mended|mending; of which|whom; so many; none where;
    where there is|are none; is|are none|no; that is no; is|are told|said|there; made|come|comes|become|becomes of; as it was;
    called like; otherwise than; go|goes along; come|comes back; looked for in vain";
/// Words that no statement begins with.
const OPENINGS: &[&str] = &["What", "Where", "Who", "How", "Whether", "Of", "For"];
/// Names of functions without a verb and an object.
const BARE: &str = "\
    of own at shown refused kept drawn made told found given taken seen said left put held begun by on onto \
    into with here there again also apart alike near far whole free still meant stated called asked wanted \
    met let shared placed turned moved";
/// Names of files of code that do not say what is in the file.
const VAGUE_FILES: &str = "\
    any common done dropped found helpers loaded look looks made many misc missing near named onto part \
    parts pieces place placed places recovered shown still stuff things util utils watched whole work";

/// Numbers of places of each kind, by area.
type Counts = BTreeMap<String, [usize; 4]>;

/// A place: its kind, its line, and its text.
type Place = (usize, usize, String);

pub(crate) fn run(root: &Path, given: &Given) -> Result<(), String> {
    let (found, vague) = counted(root, given.value::<String>("list")?.as_deref())?;
    let path = root.join(BUDGET);
    let budget = parse(&fs::read_to_string(&path).unwrap_or_default())?;
    let (fallen, mut over) = compared(&found, &budget);
    if given.has("write") {
        let row = |(area, counts): (&String, &[usize; 4])| {
            format!("{area:<24}{}\n", counts.iter().map(|n| format!("{n:>10}")).collect::<String>())
        };
        let heads = KINDS.map(|kind| format!("{kind:>10}")).concat();
        let text = format!("{HEAD}{:<24}{heads}\n{}", "# area", fallen.iter().map(row).collect::<String>());
        sh::write(&path, text)?;
    }
    let sum = found.values().fold([0; 4], |sum, counts| std::array::from_fn(|k| sum[k] + counts[k]));
    println!(
        "{}",
        KINDS.iter().zip(sum).map(|(kind, n)| format!("{n} {kind}")).collect::<Vec<_>>().join(", ")
    );
    over.extend(vague.into_iter().map(|name| format!("{name}: the name does not say what is in the file")));
    if over.is_empty() { Ok(()) } else { Err(over.join("\n")) }
}

/// Returns whether a path is that of a file of code whose name does not say what is in it.
fn is_vague(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    format!("{folder}/").contains("/src/")
        && name.strip_suffix(".rs").is_some_and(|stem| lists(VAGUE_FILES, stem))
}

/// Returns whether a word is in a list.
fn lists(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

/// Returns the budget as it may become, and what is over it.
fn compared(found: &Counts, budget: &Counts) -> (Counts, Vec<String>) {
    let (mut fallen, mut over) = (Counts::new(), Vec::new());
    for (area, counts) in found {
        let most = budget.get(area).unwrap_or(counts);
        for (k, kind) in KINDS.iter().enumerate().filter(|(k, _)| counts[*k] > most[*k]) {
            let list = format!("`xtask words --list {area}` lists them");
            over.push(format!("{area}: {} {kind} have such a phrase, {} may: {list}", counts[k], most[k]));
        }
        fallen.insert(area.clone(), std::array::from_fn(|k| counts[k].min(most[k])));
    }
    (fallen, over)
}

fn parse(text: &str) -> Result<Counts, String> {
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut words = line.split_whitespace();
        let area = words.next().unwrap_or_default().to_owned();
        let counts: Vec<usize> = words.filter_map(|n| n.parse().ok()).collect();
        Ok((area, counts.try_into().map_err(|_| format!("{BUDGET}: not a row: {line:?}"))?))
    });
    rows.collect()
}

/// Returns the number of places with a phrase, by area, and the files with vague names. Places of the area `list` are
/// printed.
fn counted(root: &Path, list: Option<&str>) -> Result<(Counts, Vec<String>), String> {
    let (mut counts, mut vague) = (Counts::new(), Vec::new());
    let mut files = fixtures::walk_to(root, 1).map_err(|e| e.to_string())?;
    for folder in ["crates", "xtask", "docs"] {
        files.extend(fixtures::walk(&root.join(folder)).map_err(|e| e.to_string())?);
    }
    for path in files {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let built = name.split('/').any(|part| matches!(part, "target" | "node_modules" | ".venv"));
        let Some((_, extension @ ("rs" | "md"))) = name.rsplit_once('.').filter(|_| !built) else { continue };
        vague.extend(is_vague(&name).then(|| name.clone()));
        let text = sh::read_text(&path)?;
        let depth = if name.starts_with("crates/") { 2 } else { 1 };
        let area = name.splitn(3, '/').take(depth).collect::<Vec<_>>().join("/");
        let entry = counts.entry(area.clone()).or_default();
        let places = if extension == "rs" { places_of_code(&text) } else { places_of_page(&text) };
        for (kind, line, place) in places {
            entry[kind] += 1;
            if list == Some(&*area) {
                println!("{name}:{line}: {}", place.chars().take(160).collect::<String>());
            }
        }
    }
    Ok((counts, vague))
}

/// Comments, messages and functions with a phrase.
fn places_of_code(text: &str) -> Vec<Place> {
    let (mut places, mut block) = (Vec::new(), (0, String::new()));
    for (number, line) in text.lines().chain([""]).enumerate().map(|(i, line)| (i + 1, line.trim_start())) {
        if let Some(comment) = line.strip_prefix("//").filter(|_| !line.starts_with("////")) {
            if block.1.is_empty() {
                block.0 = number;
            }
            let comment = comment.strip_prefix(['/', '!']).unwrap_or(comment);
            block.1 = format!("{} {}", block.1, comment.trim()).trim().to_owned();
            continue;
        }
        let (start, comment) = std::mem::take(&mut block);
        places.extend(is_hard(&comment).then_some((0, start, comment)));
        for message in messages(line).into_iter().filter(|m| is_hard(m)) {
            places.push((1, number, message.to_owned()));
        }
        let name =
            line.split_once("fn ").map_or("", |(_, rest)| rest.split(['(', '<']).next().unwrap_or_default());
        places.extend(lists(BARE, name).then(|| (2, number, format!("fn {name}"))));
    }
    places
}

/// String literals of a line that have four words or more.
fn messages(line: &str) -> Vec<&str> {
    let (mut found, mut start, mut escaped) = (Vec::new(), None, false);
    for (at, byte) in line.bytes().enumerate() {
        match (byte, start) {
            (b'\\', _) => escaped = !escaped,
            (b'"', Some(from)) if !escaped => {
                found.extend(line.get(from..at));
                start = None;
            }
            (b'"', None) if !escaped => start = Some(at + 1),
            _ => escaped = false,
        }
    }
    found.retain(|text| text.len() >= 16 && text.matches(' ').count() >= 3);
    found
}

/// Sentences with a phrase, outside of code.
fn places_of_page(text: &str) -> Vec<Place> {
    let (mut places, mut code) = (Vec::new(), false);
    for (number, line) in text.lines().enumerate() {
        code ^= line.starts_with("```");
        if code || line.starts_with(['#', '`']) || line.starts_with("<!--") {
            continue;
        }
        let ends = line.match_indices([';', '.', ':', '!', '?', '|']).map(|(at, _)| at + 1);
        let ends =
            ends.filter(|at| line[*at..].starts_with(' ') || line[..*at].ends_with('|')).chain([line.len()]);
        let mut start = 0;
        for end in ends {
            let sentence = line[start..end].trim_matches(['|', ' ']);
            start = end;
            if sentence.split_whitespace().count() >= 4 && is_hard(sentence) {
                places.push((3, number + 1, sentence.to_owned()));
            }
        }
    }
    places
}

/// Returns whether a text has one of the phrases, or begins with one of the openings.
fn is_hard(text: &str) -> bool {
    let words: Vec<_> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    let opening =
        text.split_whitespace().next().is_some_and(|first| OPENINGS.contains(&first)) && !text.ends_with('?');
    let phrase = |phrase: &str| {
        let wanted: Vec<Vec<&str>> =
            phrase.split_whitespace().map(|word| word.split('|').collect()).collect();
        words.windows(wanted.len()).any(|part| part.iter().zip(&wanted).all(|(word, any)| any.contains(word)))
    };
    opening || PHRASES.split(';').any(phrase)
}
