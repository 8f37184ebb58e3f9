//! Strings at absolute offsets. Each is read once, however many records refer to it.

use crate::layout::StringPlace;
use crate::model::Name;
use crate::record::header;
use crate::rules;
use alloc::format;
use meshwright_core::{FieldPath, ReadError, SortedMap, Source};

/// The strings of a file.
pub(crate) struct Strings<'s, 'a> {
    source: &'s Source<'a>,
    names: SortedMap<u32, Name>,
    /// The start and the terminator of every range that was searched. No byte is searched twice, even if
    /// strings overlap.
    ends: SortedMap<usize, usize>,
}

impl<'s, 'a> Strings<'s, 'a> {
    pub(crate) fn new(source: &'s Source<'a>) -> Self {
        Self { source, names: SortedMap::new(), ends: SortedMap::new() }
    }

    /// Returns the string at `at`, which the field at `field` refers to; `None` for offset 0.
    pub(crate) fn get(
        &mut self,
        path: &FieldPath<'_>,
        field: u64,
        at: u32,
    ) -> Result<(Option<Name>, StringPlace), ReadError> {
        if at == 0 {
            return Ok((None, StringPlace::default()));
        }
        if let Some(name) = self.names.get(&at) {
            return Ok((Some(name.clone()), place(at, name)));
        }
        let bytes = self.source.bytes();
        let start = usize::try_from(at).unwrap_or(usize::MAX);
        if start < header::SIZE || start >= bytes.len() {
            let message = format!("string at {at:#x} is outside {:#x}..{:#x}", header::SIZE, bytes.len());
            return Err(self.source.broken(rules::STR_RANGE, path, field, message));
        }
        let Some(end) = self.terminator(bytes, start) else {
            let message = format!("string at {at:#x} has no terminator");
            return Err(self.source.broken(rules::STR_TERM, path, u64::from(at), message));
        };
        let text = bytes.get(start..end).unwrap_or_default();
        let cost = text.len() as u64;
        self.source.charge(path, field, "string", cost.saturating_add(64), 1)?;
        let name = Name::new(text);
        self.names.insert(at, name.clone());
        let place = place(at, &name);
        Ok((Some(name), place))
    }

    fn terminator(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        let before = self.ends.range(..=start).next_back().map(|(_, end)| *end);
        if let Some(end) = before.filter(|end| *end >= start) {
            return Some(end);
        }
        let after = self.ends.range(start..).next().map(|(s, e)| (*s, *e));
        let limit = after.map_or(bytes.len(), |(s, _)| s);
        let found = bytes.get(start..limit)?.iter().position(|b| *b == 0);
        let end = match found {
            Some(n) => start.checked_add(n)?,
            None => after?.1,
        };
        self.ends.insert(start, end);
        Some(end)
    }
}

fn place(at: u32, name: &Name) -> StringPlace {
    StringPlace { at, len: u32::try_from(name.bytes().len()).unwrap_or(u32::MAX) }
}
