//! `meshwright view --site`: the page as files, for any web server and for a disk.

use super::gallery::thumbnail_and_facts;
use crate::batch::Workers;
use crate::destination::Destination;
use crate::input::Input;
use crate::messages::say;
use crate::output::{self, Outputs, content_of};
use crate::reader::Reader;
use crate::refusal::{Fail, Refusal};
use crate::render;
use crate::results::Results;
use crate::status::Status;
use meshwright::files::output::{OutputName, Place, Replace};
use meshwright::page::Page;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const HTML: &str = include_str!("site.html");
/// The text by which `index.html` of a site is known.
const MARK: &str = "<meta name=\"generator\" content=\"meshwright view --site\">";
/// The size of a thumbnail in pixels.
const THUMB: u32 = 192;
/// The most clips that the list links to for each model.
const MOST_CLIPS: usize = 100;

/// A model of the site.
struct Job<'a> {
    input: &'a Input,
    name: String,
    /// The name of its files without an extension.
    file: String,
}

/// The part of the list about a model.
struct Card {
    name: String,
    file: String,
    about: Value,
    clips: Vec<String>,
    has_picture: bool,
}

pub(super) fn write(
    folder: &Path,
    inputs: &[Input],
    reader: Reader,
    mut results: Results,
) -> Result<Status, Fail> {
    // The files of an earlier site are replaced, and no others.
    let is_site = fs::read_to_string(folder.join("index.html")).is_ok_and(|text| text.contains(MARK));
    let replace = if is_site { Replace::All } else { Replace::Nothing };
    let reader = reader.planning(|plan| Ok(plan.with_replace(replace)))?;
    reader.expect(inputs)?;
    let outputs = Outputs::new(&Destination::Folder(folder.to_owned()));
    let jobs = jobs(inputs);
    let mut cards = Vec::new();
    let workers = Workers::new(None, reader.limits().memory);
    results.over(
        workers,
        &jobs,
        |job| job.input,
        |job| model(job, folder, &reader, &outputs),
        |results, job, made| {
            match made {
                Ok(card) => {
                    if let Some(why) = card.about.get("error").and_then(Value::as_str) {
                        say(why);
                    }
                    results.add(Status::Fine, || Value::Null);
                    cards.push(card);
                }
                Err(refusal) => results.refuse(job.input, &refusal),
            }
            Ok(())
        },
    )?;
    let index = index(&cards);
    let place = Place::below(folder, [&OutputName::cleaned("index.html")]);
    let files = [output::main(place, content_of(index.as_bytes()))];
    let written = outputs.write(files.into(), reader.plan());
    let path = folder.join("index.html");
    match written {
        Ok(_) => say(&format!("wrote {} and {} models", render::path(&path), cards.len())),
        Err(refusal) => return Err(Fail::Refused(render::path(&path), refusal)),
    }
    results.finish()
}

/// Gives every input a file name that no other has, whatever the case of letters.
fn jobs(inputs: &[Input]) -> Vec<Job<'_>> {
    let mut taken = BTreeSet::new();
    let job = |input| {
        let name = super::gallery::name_of(input);
        let stem: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' })
            .take(100)
            .collect();
        let mut file = stem.clone();
        let mut n = 1_u64;
        while !taken.insert(file.to_lowercase()) {
            n = n.saturating_add(1);
            file = format!("{stem}-{n}");
        }
        Job { input, name, file }
    };
    inputs.iter().map(job).collect()
}

/// Writes the page and the thumbnail of a model. A model that cannot be shown has a card with the reason.
fn model(job: &Job<'_>, folder: &Path, reader: &Reader, outputs: &Outputs) -> Result<Card, Refusal> {
    let made = thumbnail_and_facts(reader, job.input, &job.name, THUMB);
    let place = |below: &str, extension: &str| {
        let name = OutputName::cleaned(&format!("{}.{extension}", job.file));
        Place::below(folder, [&OutputName::cleaned(below), &name])
    };
    let mut card = Card {
        name: job.name.clone(),
        file: job.file.clone(),
        about: made.about,
        clips: made.clips,
        has_picture: false,
    };
    let Some(glb) = made.glb else { return Ok(card) };
    let mut about = card.about.clone();
    if let Value::Object(about) = &mut about {
        about.insert("back".into(), json!("../index.html"));
    }
    let page = Page::holding(&format!("{} - Meshwright", job.name), &glb, &about).html;
    let mut files = vec![output::main(place("models", "html"), content_of(page.as_bytes()))];
    if let Some(png) = &made.thumbnail {
        card.has_picture = true;
        files.push(output::main(place("pictures", "png"), content_of(png)));
    }
    outputs.write(files, reader.plan())?;
    Ok(card)
}

/// Returns the list of all models.
fn index(cards: &[Card]) -> String {
    let mut list = String::new();
    for card in cards {
        let text = |key: &str| card.about.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, format, error) = (escaped(&card.name), escaped(text("format")), escaped(text("error")));
        let file = &card.file;
        let picture = match card.has_picture {
            true => format!(
                "<img src=\"pictures/{file}.png\" alt=\"\" width=\"{THUMB}\" height=\"{THUMB}\" loading=\"lazy\">"
            ),
            false => "<span class=\"none\" aria-hidden=\"true\">!</span>".to_owned(),
        };
        if !error.is_empty() {
            let _ = writeln!(
                list,
                "<li data-name=\"{name}\">{picture}<strong>{name}</strong><p class=\"error\">{error}</p></li>"
            );
            continue;
        }
        let findings = card.about.get("count").and_then(Value::as_u64).unwrap_or_default();
        let findings = if findings > 0 {
            format!(", {}", meshwright::counted(findings, "finding", "findings"))
        } else {
            String::new()
        };
        let _ = write!(
            list,
            "<li data-name=\"{name}\"><a href=\"models/{file}.html\">{picture}<strong>{name}</strong></a><p>{format}{findings}</p>"
        );
        if !card.clips.is_empty() {
            let count = meshwright::counted(card.clips.len() as u64, "clip", "clips");
            let _ = write!(list, "<details><summary>{count}</summary>");
            for clip in card.clips.iter().take(MOST_CLIPS) {
                let link = in_address(clip);
                let _ = write!(
                    list,
                    "<a href=\"models/{file}.html#clip={link}&amp;frame=0\">{}</a> ",
                    escaped(clip)
                );
            }
            list.push_str("</details>");
        }
        list.push_str("</li>\n");
    }
    let count = meshwright::counted(cards.len() as u64, "model", "models");
    // The marks come in this order, so that nothing that was filled in is searched.
    let (before, rest) = HTML.split_once("{{count}}").unwrap_or((HTML, ""));
    let (between, after) = rest.split_once("{{list}}").unwrap_or((rest, ""));
    format!("{before}{count}{between}{list}{after}")
}

/// Escapes text for HTML; control characters are dropped.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().filter(|c| !meshwright::acts_on_terminal(*c)) {
        match c {
            '&' | '<' | '>' | '"' | '\'' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Escapes text for the part of an address after `#`.
fn in_address(text: &str) -> String {
    let mut out = String::new();
    for b in text.bytes() {
        if b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.') {
            out.push(char::from(b));
        } else {
            let _ = write!(out, "%{b:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_differ_and_lists_escape_names() {
        let inputs = ["a/x y.dpm", "b/X y.dpm", "c/\u{202e}<b>.dpm"].map(Input::named);
        let files: Vec<_> = jobs(&inputs).into_iter().map(|job| job.file).collect();
        assert_eq!(files, ["x-y.dpm", "X-y.dpm-2", "--b-.dpm"]);
        let card = Card {
            name: "<script>".into(),
            file: "f".into(),
            about: json!({ "format": "DPM", "count": 1 }),
            clips: vec!["a&b \u{e9}".into()],
            has_picture: true,
        };
        let page = index(&[card]);
        assert!(page.contains(MARK) && !page.contains("<script>&") && page.contains("&#60;script&#62;"));
        assert!(page.contains("models/f.html#clip=a%26b%20%C3%A9&amp;frame=0\">a&#38;b"), "{page}");
        assert!(page.contains("DPM, 1 finding") && page.contains("1 model"));
    }
}
