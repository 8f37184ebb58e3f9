//! Compiles records, and texts with their length.

use super::build::{Build, Built};
use super::schema::{FieldKind, PartKind, PartOf};
use super::values::{Misfit, bytes, integer_bits};
use meshwright_core::FieldPath;
use meshwright_core::description::{Row, Table};
use meshwright_core::json::{JsonType, JsonValue};

impl Build<'_, '_> {
    /// Compiles a text with its length.
    pub(super) fn string(
        &mut self,
        json: JsonValue<'_, '_>,
        parts: &[PartOf],
        block: usize,
        path: &FieldPath<'_>,
    ) -> Built {
        let text = bytes(json, path)?;
        let lengths = parts.len().saturating_sub(1);
        for (i, part) in parts.iter().take(lengths).enumerate() {
            let PartKind::Number(number) = part.kind else { continue };
            let is_long = text.len() >= 255 && lengths > 1;
            let value = match (i, is_long) {
                (0, true) => 255,
                (0, false) | (_, true) => text.len(),
                (_, false) => continue,
            };
            let Some(bits) = integer_bits(value as i128, number) else {
                let message = format!("{} bytes do not fit a length of {}", text.len(), number.name());
                return Err(Misfit::for_value(json, path, message));
            };
            let at = self.zeros(block, number.size(), path)?;
            self.set((block, at), number, bits);
        }
        self.push(block, &text, path).map(drop)
    }

    /// Compiles a record. Fields that other parts give may be left out.
    pub(super) fn record(
        &mut self,
        json: Option<JsonValue<'_, '_>>,
        table: &'static Table,
        block: usize,
        path: &FieldPath<'_>,
    ) -> Built {
        if let ([only], Some(json)) = (table.rows, json) {
            return self.field(json, only, block, path);
        }
        if let Some(json) = json {
            if json.kind() != JsonType::Object {
                return Err(Misfit::not(json, path, "an object"));
            }
            let names = || table.rows.iter().map(|row| row.field.name);
            if let Some((key, value)) = json.entries().find(|(key, _)| !names().any(|name| name == key)) {
                let known: Vec<_> = names().map(|name| format!("`{name}`")).collect();
                let message = format!("no field `{key}` here; fields are {}", known.join(", "));
                return Err(Misfit::for_value(value, path, message));
            }
        }
        for row in table.rows {
            let inner = path.field(row.field.name);
            match json.and_then(|json| json.get(row.field.name)) {
                Some(value) => self.field(value, row, block, &inner)?,
                None => match self.schema.field(row) {
                    Some(FieldKind::Numbers(number, 1)) => {
                        let at = self.zeros(block, number.size(), &inner)?;
                        self.leave_out((block, at), &inner)?;
                    }
                    Some(FieldKind::Record(table)) => self.record(None, table, block, &inner)?,
                    _ => return Err(Misfit::new(inner.to_owned(), "is missing")),
                },
            }
        }
        Ok(())
    }

    fn field(&mut self, json: JsonValue<'_, '_>, row: &Row, block: usize, path: &FieldPath<'_>) -> Built {
        match self.schema.field(row) {
            Some(FieldKind::Numbers(number, 1)) => self.number(json, number, block, path),
            Some(FieldKind::Numbers(number, count)) => {
                if json.kind() != JsonType::Array {
                    return Err(Misfit::not(json, path, &format!("a list of {count} numbers")));
                }
                let found = json.items().count();
                if found as u64 != count {
                    return Err(Misfit::for_value(json, path, format!("{found} numbers, expected {count}")));
                }
                json.items()
                    .enumerate()
                    .try_for_each(|(i, value)| self.number(value, number, block, &path.index(i)))
            }
            Some(FieldKind::Text(size)) => {
                let is_whole = json.get("rest").is_some();
                let text = json.get("text").filter(|_| is_whole).unwrap_or(json);
                let mut text = bytes(text, path)?;
                if let Some(rest) = json.get("rest").filter(|_| is_whole) {
                    text.extend(bytes(rest, &path.field("rest"))?);
                }
                let size = usize::try_from(size).unwrap_or(0);
                if text.len() > size {
                    let message = format!("{} bytes, the field has {size}", text.len());
                    return Err(Misfit::for_value(json, path, message));
                }
                text.resize(size, 0);
                self.push(block, &text, path).map(drop)
            }
            Some(FieldKind::Record(table)) => self.record(Some(json), table, block, path),
            None => Ok(()),
        }
    }
}
