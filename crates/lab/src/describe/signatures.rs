//! Signatures for `file`, for the desktop's database and for archivists.

use super::{Described, hex, snake};
use meshwright::SHARED_EXTENSIONS;
use meshwright_core::description::{Order, Row, Scalar};

/// The date that the file of PRONOM's form states.
const DATE: &str = "2026-11-26T00:00:00";

pub(super) fn libmagic(all: &[Described]) -> String {
    let mut text = String::from(
        "# Models of old games, for file(1). Written by `cargo run -p xtask -- describe` of Meshwright.\n",
    );
    for kind in all {
        let marks = kind.marks();
        let Some(last) = marks.len().checked_sub(1) else { continue };
        text += &format!("\n# {}\n", kind.title);
        for (i, mark) in marks.iter().enumerate() {
            let title = if i == last { format!("\t{}", kind.title) } else { String::new() };
            text += &format!("{}{}\t{}{title}\n", ">".repeat(i), mark.at, test(mark.bytes));
        }
        text += &format!("!:mime\t{}\n!:ext\t{}\n", kind.media_type(), kind.extensions.join("/"));
        let rows = kind.header().map(|h| h.rows).unwrap_or_default();
        for row in rows.iter().filter(|row| is_count(row)) {
            let order = if kind.description.order == Order::Big { "be" } else { "le" };
            let name = snake(row.field.name);
            text +=
                &format!("{}{}\t{order}long\tx\t\\b, {name} %d\n", ">".repeat(last + 1), row.field.offset);
        }
    }
    text
}

/// Returns a field of a header that says something to a person.
fn is_count(row: &Row) -> bool {
    let number = matches!(row.kind.scalar, Scalar::U32 | Scalar::I32) && row.kind.count == 1;
    number
        && (row.field.name.starts_with("num")
            || row.field.name.ends_with("_count")
            || row.field.name == "version")
}

/// Returns the test of a mark: a number if it is a word.
fn test(bytes: &[u8]) -> String {
    match bytes.first_chunk::<4>().filter(|_| bytes.len() == 4 && bytes[0] == 0) {
        Some(word) => format!("belong\t{}", u32::from_be_bytes(*word)),
        None => format!("string\t{}", escaped(bytes)),
    }
}

fn escaped(bytes: &[u8]) -> String {
    let letter =
        |b: &u8| if b.is_ascii_alphanumeric() { char::from(*b).to_string() } else { format!("\\x{b:02x}") };
    bytes.iter().map(letter).collect()
}

pub(super) fn mime(all: &[Described]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!-- Models of old games. Written by `xtask describe` of Meshwright. -->\n\
         <mime-info xmlns=\"http://www.freedesktop.org/standards/shared-mime-info\">\n",
    );
    for kind in all {
        let icon = if kind.is_model { "image-x-generic" } else { "text-x-generic" };
        text +=
            &format!("  <mime-type type=\"{}\">\n    <comment>{}</comment>\n", kind.media_type(), kind.title);
        if !kind.is_binary() {
            let parent = if kind.extensions.contains(&"json") { "application/json" } else { "text/plain" };
            text += &format!("    <sub-class-of type=\"{parent}\"/>\n");
        }
        text += &format!("    <generic-icon name=\"{icon}\"/>\n");
        let marks = kind.marks();
        if !marks.is_empty() {
            let letters = marks.iter().any(|m| m.bytes.len() > 4);
            text += &format!("    <magic priority=\"{}\">\n", if letters { 60 } else { 50 });
            for (i, mark) in marks.iter().enumerate() {
                let end = if i + 1 == marks.len() { "/" } else { "" };
                let indent = "  ".repeat(i);
                let value = escaped(mark.bytes);
                text += &format!(
                    "      {indent}<match type=\"string\" offset=\"{}\" value=\"{value}\"{end}>\n",
                    mark.at
                );
            }
            for i in (0..marks.len().saturating_sub(1)).rev() {
                text += &format!("      {}</match>\n", "  ".repeat(i));
            }
            text += "    </magic>\n";
        }
        // Every companion of that kind would take the name of all others.
        for extension in kind.extensions.iter().filter(|e| **e != "json") {
            let weight = match (SHARED_EXTENSIONS.contains(extension), marks.is_empty()) {
                (true, _) => 10,
                (false, true) => 30,
                (false, false) => 50,
            };
            text += &format!("    <glob pattern=\"*.{extension}\" weight=\"{weight}\"/>\n");
        }
        text += "  </mime-type>\n";
    }
    text + "</mime-info>\n"
}

pub(super) fn pronom(all: &[Described]) -> String {
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!-- Models of old games. Written by `xtask describe` of Meshwright. -->\n\
         <FFSignatureFile xmlns=\"http://www.nationalarchives.gov.uk/pronom/SignatureFile\" Version=\"1\" DateCreated=\"{DATE}\">\n  \
         <InternalSignatureCollection>\n"
    );
    for (i, kind) in all.iter().enumerate().filter(|(_, kind)| !kind.marks().is_empty()) {
        text += &format!(
            "    <InternalSignature ID=\"{}\" Specificity=\"Specific\">\n      \
             <ByteSequence Reference=\"BOFoffset\" Sequence=\"{}\" Offset=\"0\"/>\n    </InternalSignature>\n",
            i + 1,
            sequence(kind)
        );
    }
    text += "  </InternalSignatureCollection>\n  <FileFormatCollection>\n";
    for (i, kind) in all.iter().enumerate() {
        let (id, media) = (i + 1, kind.media_type());
        text += &format!(
            "    <FileFormat ID=\"{id}\" Name=\"{}\" PUID=\"dev/{}\" MIMEType=\"{media}\">\n",
            kind.title, kind.id
        );
        if !kind.marks().is_empty() {
            text += &format!("      <InternalSignatureID>{id}</InternalSignatureID>\n");
        }
        for extension in kind.extensions {
            text += &format!("      <Extension>{extension}</Extension>\n");
        }
        text += "    </FileFormat>\n";
    }
    text + "  </FileFormatCollection>\n</FFSignatureFile>\n"
}

/// Returns all marks in one sequence, with the bytes between them free.
fn sequence(kind: &Described) -> String {
    let (mut text, mut end) = (String::new(), 0);
    for mark in kind.marks() {
        if mark.at > end {
            text += &format!("{{{}}}", mark.at - end);
        }
        text += &hex(mark.bytes, "");
        end = mark.at + mark.bytes.len();
    }
    text
}
