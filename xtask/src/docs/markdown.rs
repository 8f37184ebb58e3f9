//! The little of Markdown that links need: headings with their anchors, and where links lead.

use std::collections::{BTreeMap, BTreeSet};

/// Anchors, links and titles of a page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Names after `#` that links may have.
    pub(crate) anchors: BTreeSet<String>,
    /// Targets of links and pictures, with their lines.
    pub(crate) links: Vec<(usize, String)>,
    /// The titles of its headings.
    pub(crate) titles: Vec<String>,
}

impl Page {
    pub(crate) fn parse(text: &str) -> Self {
        let mut page = Self::default();
        let mut seen = BTreeMap::new();
        for (number, line) in prose(text) {
            if let Some(title) = heading(line) {
                page.titles.push(title.to_owned());
                let slug = slug(title);
                let count = seen.entry(slug.clone()).or_insert(0_usize);
                page.anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
                *count += 1;
            }
            let line = without_code(line);
            page.links.extend(targets(&line).map(|target| (number, target.to_owned())));
            page.anchors.extend(attributes(&line, "id").map(str::to_owned));
        }
        page
    }
}

/// Lines outside of code and comments, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut fence, mut comment) = (None, false);
    text.lines().enumerate().filter_map(move |(i, line)| {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => {
                let hidden = comment || start.starts_with("<!--");
                comment = hidden && !line.contains("-->");
                return (!hidden).then_some((i + 1, line));
            }
            _ => {}
        }
        None
    })
}

/// Returns the text of a heading.
fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let depth = line.len() - title.len();
    ((1..=6).contains(&depth) && title.starts_with(' ')).then(|| title.trim())
}

/// Returns the anchor that GitHub and mdBook give a heading.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    // The text of a link counts, not its target.
    let mut rest = title;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((text, behind)) = after.split_once("](") else { break };
        slug.push_str(before);
        slug.push_str(text);
        rest = behind.split_once(')').map_or("", |(_, rest)| rest);
    }
    slug.push_str(rest);
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    slug.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the line with blanks in place of code.
fn without_code(line: &str) -> String {
    let parts: Vec<_> = line.split('`').collect();
    // A mark without an end opens nothing.
    let text = |(i, part): (usize, &&str)| {
        if i % 2 == 1 && i + 1 < parts.len() { " ".to_owned() } else { (*part).to_owned() }
    };
    parts.iter().enumerate().map(text).collect::<Vec<_>>().join("`")
}

/// Targets of links and pictures.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let inline = line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
    // A title may follow.
    let inline = inline.map(|target| target.split_once(' ').map_or(target, |(target, _)| target));
    inline.chain(attributes(line, "src")).chain(attributes(line, "href"))
}

/// Returns the values of an attribute of HTML.
fn attributes<'a>(line: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let open = format!(" {name}=\"");
    let starts: Vec<usize> = line.match_indices(&open).map(|(at, _)| at + open.len()).collect();
    starts.into_iter().filter_map(|at| Some(line.get(at..)?.split_once('"')?.0))
}
