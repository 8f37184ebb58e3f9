//! Tables as text.

use crate::render;
use anstyle::Style;
use std::io;
use std::iter;

/// The most columns of characters that are used, even on a wider terminal.
const WIDEST: u16 = 100;

/// The fewest columns of characters that a table is arranged for.
const NARROWEST: u16 = 20;

/// Returns the width of the output in characters: of the terminal, or of `COLUMNS`, within the limits.
pub(crate) fn columns() -> u16 {
    let terminal = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0);
    let stated = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(stated).unwrap_or(WIDEST).clamp(NARROWEST, WIDEST)
}

/// Tables narrower than this have short titles.
const NARROW: u16 = 60;

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    /// Text, which is wrapped between words.
    Text(&'static str),
    /// Numbers, which are aligned to the right and never wrapped, with a short title for narrow tables.
    Number(&'static str, &'static str),
}

impl Column {
    const fn title(self, width: u16) -> &'static str {
        match self {
            Self::Number(_, short) if width < NARROW => short,
            Self::Text(title) | Self::Number(title, _) => title,
        }
    }
}

/// Formats a table with a line under its header, in lines no wider than `width`. Columns that are empty in every row
/// are left out.
pub(crate) fn table(columns: &[Column], rows: &[Vec<String>], width: u16) -> String {
    let used = |at: usize| rows.iter().any(|row| row.get(at).is_some_and(|cell| !cell.is_empty()));
    let shown: Vec<(usize, Column)> =
        columns.iter().copied().enumerate().filter(|(at, _)| used(*at)).collect();
    if shown.is_empty() {
        return String::new();
    }
    let header = shown.iter().map(|(_, column)| column.title(width)).collect();
    let mut grid: Vec<Vec<&str>> = vec![header];
    for row in rows {
        grid.push(shown.iter().map(|(at, _)| row.get(*at).map_or("", String::as_str)).collect());
    }
    let gap = if width < NARROW { 2_usize } else { 3 };
    let spaces = gap.saturating_mul(shown.len());
    let is_text: Vec<bool> = shown.iter().map(|(_, column)| matches!(column, Column::Text(_))).collect();
    let room = usize::from(width).saturating_add(1).saturating_sub(spaces);
    let widths = widths(&grid, &is_text, room);
    let mut lines = grid.iter().map(|row| line(row, &widths, &is_text, gap));
    let header = lines.next().unwrap_or_default();
    let rule = "\u{2500}".repeat(widths.iter().sum::<usize>().saturating_add(spaces).saturating_sub(1));
    iter::once(format!("{header}{rule}\n")).chain(lines).collect()
}

/// Returns the width of each column. If the table is too wide, the widest columns of text are narrowed first. Words are
/// broken only if no column has room to spare.
fn widths(grid: &[Vec<&str>], is_text: &[bool], room: usize) -> Vec<usize> {
    let column = |at: usize| grid.iter().filter_map(move |row| row.get(at));
    let longest_line = |cell: &&str| cell.lines().map(shown_width).max();
    let longest_word = |cell: &&str| cell.split_whitespace().map(shown_width).max();
    // Width, least width, and whether the cells are wrapped.
    let mut columns: Vec<(usize, usize, bool)> = (0..)
        .zip(is_text)
        .map(|(at, is_text)| {
            let least = column(at).filter_map(longest_word).max().unwrap_or(0);
            (column(at).filter_map(longest_line).max().unwrap_or(0), least, *is_text)
        })
        .collect();
    while columns.iter().map(|(width, ..)| width).sum::<usize>() > room {
        let is_spare = |(width, least, _): &(usize, usize, bool)| width > least;
        let any = columns.iter().any(|column| column.2 && is_spare(column));
        let narrowed =
            columns.iter_mut().filter(|column| column.2 && if any { is_spare(column) } else { column.0 > 1 });
        let Some(widest) = narrowed.max_by_key(|(width, ..)| *width) else { break };
        widest.0 = widest.0.saturating_sub(1);
    }
    columns.into_iter().map(|(width, ..)| width).collect()
}

/// Formats a row, in as many lines as its highest cell needs.
fn line(row: &[&str], widths: &[usize], is_text: &[bool], gap: usize) -> String {
    let cells: Vec<Vec<String>> = row.iter().zip(widths).map(|(cell, width)| wrapped(cell, *width)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for at in 0..height {
        let mut line = String::new();
        for ((cell, width), is_text) in cells.iter().zip(widths).zip(is_text) {
            let cell = cell.get(at).map_or("", String::as_str);
            let space = " ".repeat(width.saturating_sub(shown_width(cell)));
            line += &if *is_text { format!("{cell}{space}") } else { format!("{space}{cell}") };
            line += &" ".repeat(gap);
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Breaks text into lines of at most this width: between words, and within words that are longer.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    if shown_width(text) <= width && !text.contains('\n') {
        return vec![text.trim_end().to_owned()];
    }
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let (mut line, mut used) = (String::new(), 0_usize);
        for word in paragraph.split_inclusive(' ') {
            let word_width = shown_width(word.trim_end());
            if used > 0 && used.saturating_add(word_width) > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            for character in word.chars() {
                let next = used.saturating_add(character_width(character));
                if next > width && used > 0 && character != ' ' {
                    lines.push(std::mem::take(&mut line));
                    used = character_width(character);
                } else {
                    used = next;
                }
                line.push(character);
            }
        }
        lines.push(line);
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

fn shown_width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars().map(character_width).sum()
}

/// Returns the columns of a terminal that a character takes: 2 for the scripts of East Asia, 0 for combining marks.
const fn character_width(character: char) -> usize {
    match character as u32 {
        0x300..=0x36f | 0x200b..=0x200f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// Formats names and values, one pair a line; empty values are left out.
pub(crate) fn facts(facts: &[(&str, String)], width: u16) -> String {
    let facts = facts.iter().filter(|(_, value)| !value.is_empty());
    let grid: Vec<Vec<&str>> = facts.map(|(name, value)| vec![*name, value.as_str()]).collect();
    // Names are never wrapped; both columns are aligned to the left.
    let widths = widths(&grid, &[false, true], usize::from(width).saturating_sub(4));
    grid.iter().map(|row| line(row, &widths, &[true, true], 2)).collect()
}

/// Formats the heading of a part.
pub(crate) fn heading(text: &str) -> String {
    render::painted(text, Style::new().bold(), render::colours(&io::stdout()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_keep_their_width_and_leave_out_what_is_empty() {
        let columns = [Column::Text("name"), Column::Number("number", "n"), Column::Text("none")];
        let rows = [("a", 5), ("a rather long name that takes several lines of a narrow table", 12345)];
        let rows = rows.map(|(name, n)| vec![name.to_owned(), n.to_string(), String::new()]);
        for width in [20, 40, 100] {
            let text = table(&columns, &rows, width);
            assert!(text.lines().all(|line| line.chars().count() <= usize::from(width)), "{width}: {text}");
            assert!(!text.contains("none") && text.lines().all(|line| line.trim_end() == line), "{text}");
        }
        let wide = table(&columns, &rows, 100);
        let short = ["clip", "loops", "named by"];
        let row = |cells: [&str; 3]| vec![cells.map(str::to_owned).to_vec()];
        let text = table(&short.map(Column::Text), &row(["sway", "no", "the file"]), 22);
        assert!(text.contains("loops") && text.contains("named"), "a word is broken: {text}");
        assert_eq!(table(&short.map(Column::Text), &row([""; 3]), 40), "");
        let names = table(&short.map(Column::Text), &row(["\u{6a21}\u{578b}", "e\u{301}", "x"]), 40);
        assert!(names.ends_with("\u{6a21}\u{578b}  e\u{301}      x\n"), "{names}");
        let ends: Vec<_> = wide.lines().filter(|l| l.ends_with('5')).map(|l| l.chars().count()).collect();
        assert_eq!(ends.len(), 2, "{wide}");
        assert_eq!(ends[0], ends[1], "{wide}");
    }
}
