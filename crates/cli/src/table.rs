//! Tables as text.

use crate::render;
use anstyle::Style;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, Width};
use std::io;

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
    let mut table = empty(width);
    table.load_style(NOTHING.header_separator(LineStyle::none().fill('\u{2500}').junction('\u{2500}')));
    table.set_header(shown.iter().map(|(_, column)| column.title(width)).collect::<Vec<_>>());
    for row in rows {
        let cell = |at: &usize| row.get(*at).map_or("", String::as_str).to_owned();
        table.add_row(shown.iter().map(|(at, _)| cell(at)).collect::<Vec<_>>());
    }
    let least = least(&shown, rows, width);
    for ((at, (_, column)), least) in shown.iter().enumerate().zip(least) {
        match (table.column_mut(at), column) {
            (Some(made), Column::Number(..)) => {
                made.set_cell_alignment(CellAlignment::Right);
                made.set_constraint(ColumnConstraint::ContentWidth);
            }
            (Some(made), Column::Text(_)) => {
                let width = least.saturating_add(padding(width));
                made.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
            }
            (None, _) => {}
        }
    }
    lines(&mut table, padding(width))
}

/// Returns the number of spaces after a column, in addition to the one that separates columns.
const fn padding(width: u16) -> u16 {
    if width < NARROW { 1 } else { 2 }
}

/// Returns the least width of each column that breaks no word. If the table is too narrow, the longest words are
/// broken first.
fn least(shown: &[(usize, Column)], rows: &[Vec<String>], width: u16) -> Vec<u16> {
    let longest = |text: &str| text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
    let wanted = |(at, column): &(usize, Column)| {
        let cells = rows.iter().filter_map(|row| row.get(*at)).map(String::as_str);
        let all = cells.chain([column.title(width)]);
        match column {
            Column::Text(_) => all.map(longest).max(),
            Column::Number(..) => all.map(|text| text.chars().count()).max(),
        }
    };
    let mut wide: Vec<usize> = shown.iter().map(|column| wanted(column).unwrap_or(0)).collect();
    let is_text = |at: usize| shown.get(at).is_some_and(|(_, column)| matches!(column, Column::Text(_)));
    let gap = usize::from(padding(width)).saturating_add(1);
    let room = usize::from(width).saturating_sub(gap.saturating_mul(shown.len()));
    while wide.iter().sum::<usize>() > room {
        let texts = wide.iter_mut().enumerate().filter(|(at, wide)| is_text(*at) && **wide > 1);
        let Some((_, widest)) = texts.max_by_key(|(_, wide)| **wide) else { break };
        *widest = widest.saturating_sub(1);
    }
    wide.into_iter().map(|wide| u16::try_from(wide).unwrap_or(u16::MAX)).collect()
}

/// Formats names and values, one pair a line; empty values are left out.
pub(crate) fn facts(facts: &[(&str, String)], width: u16) -> String {
    let mut table = empty(width);
    table.load_style(NOTHING);
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        table.add_row(vec![(*name).to_owned(), value.clone()]);
    }
    lines(&mut table, 2)
}

/// Formats the heading of a part.
pub(crate) fn heading(text: &str) -> String {
    render::painted(text, Style::new().bold(), render::colours(&io::stdout()))
}

fn empty(width: u16) -> Table {
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    table
}

fn lines(table: &mut Table, padding: u16) -> String {
    for column in table.column_iter_mut() {
        column.set_padding((0, padding));
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
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
        let ends: Vec<_> = wide.lines().filter(|l| l.ends_with('5')).map(|l| l.chars().count()).collect();
        assert_eq!(ends.len(), 2, "{wide}");
        assert_eq!(ends[0], ends[1], "{wide}");
    }
}
