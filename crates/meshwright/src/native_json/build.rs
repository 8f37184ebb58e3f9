//! Compiles JSON to the parts of a file. Counts and sizes that the text leaves out are those of its lists.

use super::codec;
use super::expression::{Expression, Value};
use super::schema::{FieldKind, Number, PartKind, PartOf, Repeat, Schema, Settings, ViewOf};
use super::values::{Misfit, bits, bytes, integer_bits};
use meshwright_core::json::{JsonType, JsonValue};
use meshwright_core::{Budget, FieldPath, SortedMap};
use std::collections::HashMap;

/// A byte of a block.
pub(super) type Place = (usize, usize);

/// A run of bytes of the file: a part with an offset of its own, or a gap.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// The offset that the text states.
    pub(super) old: Option<u64>,
    /// The offset is a multiple of this number if the stated one is.
    pub(super) align: u64,
    /// The block is compressed or part of another one.
    pub(super) detached: bool,
    /// No part has the bytes.
    pub(super) is_gap: bool,
    pub(super) new: u64,
}

#[derive(Debug)]
struct Frame {
    structure: usize,
    places: Vec<Option<Place>>,
}

/// A part with an offset of its own, and the block that it became.
pub(super) struct Placed<'s> {
    pub(super) frame: usize,
    pub(super) at: &'s Expression,
    /// None if the text does not have its bytes.
    pub(super) block: Option<usize>,
    /// The text names the part that it is the same as.
    pub(super) same: Option<String>,
    /// The number of bytes of a part that other parts refer to.
    pub(super) size: Option<&'s Expression>,
    pub(super) path: String,
}

/// A file that is being compiled.
pub(super) struct Build<'s, 'b> {
    pub(super) schema: &'s Schema,
    settings: &'s Settings,
    budget: &'b Budget,
    pub(super) blocks: Vec<Block>,
    frames: Vec<Frame>,
    /// Fields that the text leaves out and that no part has given yet.
    pub(super) missing: SortedMap<Place, String>,
    /// Fields that parts gave: the value and the part.
    given: HashMap<Place, (i128, String)>,
    pub(super) conditions: Vec<(usize, &'s Expression, bool, String)>,
    pub(super) placed: Vec<Placed<'s>>,
    /// Blocks by the path of their part.
    pub(super) paths: HashMap<String, usize>,
    texts: HashMap<(Option<u64>, Vec<u8>), usize>,
}

pub(super) type Built<T = ()> = Result<T, Misfit>;

impl<'s, 'b> Build<'s, 'b> {
    pub(super) fn new(schema: &'s Schema, settings: &'s Settings, budget: &'b Budget) -> Self {
        Self {
            schema,
            settings,
            budget,
            blocks: Vec::new(),
            frames: Vec::new(),
            missing: SortedMap::new(),
            given: HashMap::new(),
            conditions: Vec::new(),
            placed: Vec::new(),
            paths: HashMap::new(),
            texts: HashMap::new(),
        }
    }

    /// Compiles the part `file` of a text.
    pub(super) fn file(&mut self, json: JsonValue<'_, '_>) -> Built {
        let block = self.block(Some(0), 1, false)?;
        let path = FieldPath::ROOT.field("file");
        self.structure(json, 0, block, &path).map(drop)
    }

    /// Starts a block.
    pub(super) fn block(&mut self, old: Option<u64>, align: u64, detached: bool) -> Built<usize> {
        self.charge(&FieldPath::ROOT, size_of::<Block>())?;
        self.blocks.push(Block { bytes: Vec::new(), old, align, detached, is_gap: false, new: 0 });
        Ok(self.blocks.len().saturating_sub(1))
    }

    pub(super) fn charge(&self, path: &FieldPath<'_>, size: usize) -> Built {
        let charged = self.budget.charge("parts", size as u64);
        charged.map_err(|e| Misfit::new(path.to_owned(), e.to_string()))
    }

    pub(super) fn push(&mut self, block: usize, bytes: &[u8], path: &FieldPath<'_>) -> Built<usize> {
        self.charge(path, bytes.len())?;
        let Some(block) = self.blocks.get_mut(block) else { return Ok(0) };
        let at = block.bytes.len();
        block.bytes.extend_from_slice(bytes);
        Ok(at)
    }

    fn end(&self, block: usize) -> usize {
        self.blocks.get(block).map_or(0, |b| b.bytes.len())
    }

    fn locate(&self, frame: usize, path: &[&'static str]) -> Option<(Place, FieldKind)> {
        let (name, rest) = path.split_first()?;
        if *name == "root" {
            return self.locate(0, rest);
        }
        let held = self.frames.get(frame)?;
        let structure = self.schema.structure(held.structure)?;
        let number = structure.parts.iter().position(|part| part.name == *name)?;
        let (block, at) = held.places.get(number).copied()??;
        let (within, kind) = self.schema.find_in_part(structure.parts.get(number)?, rest)?;
        Some(((block, at.checked_add(usize::try_from(within).ok()?)?), kind))
    }

    fn lookup(&self, frame: usize, path: &[&'static str]) -> Option<Value> {
        if let ["setting", name] = path {
            return self.settings.iter().find(|(n, _)| n == name).map(|(_, value)| Value::Int(*value));
        }
        let (place, kind) = self.locate(frame, path)?;
        if self.missing.contains_key(&place) {
            return None;
        }
        self.schema.value(&self.blocks.get(place.0)?.bytes, place.1 as u64, kind)
    }

    pub(super) fn int(&self, frame: usize, expression: &Expression) -> Option<i128> {
        expression.int(&|path| self.lookup(frame, path))
    }

    /// Sets the field of a path in an expression such that the expression has a value.
    pub(super) fn solve(
        &mut self,
        frame: usize,
        expression: &Expression,
        unknown: &[&'static str],
        value: i128,
        (part, replaces): (&str, bool),
    ) -> Built {
        match expression.solve(value, unknown, &|path| self.lookup(frame, path)) {
            Some(solved) => self.give(frame, unknown, solved, (part, replaces)),
            None => Ok(()),
        }
    }

    /// Sets a field that the text leaves out, or with `replaces` any field.
    pub(super) fn give(
        &mut self,
        frame: usize,
        path: &[&'static str],
        value: i128,
        (part, replaces): (&str, bool),
    ) -> Built {
        let Some((place, FieldKind::Numbers(number, 1))) = self.locate(frame, path) else { return Ok(()) };
        if let Some((before, by)) = self.given.get(&place).filter(|_| !replaces) {
            if *before == value {
                return Ok(());
            }
            let name = path.join(".");
            return Err(Misfit::new(part, format!("`{name}` is {value} here and {before} for {by}")));
        }
        if self.missing.remove(&place).is_none() && !replaces {
            return Ok(());
        }
        let Some(bits) = integer_bits(value, number) else {
            return Err(Misfit::new(
                part,
                format!("{value} does not fit `{}` ({})", path.join("."), number.name()),
            ));
        };
        self.set(place, number, bits);
        if !replaces {
            self.given.insert(place, (value, part.to_owned()));
        }
        Ok(())
    }

    pub(super) fn set(&mut self, (block, at): Place, number: Number, bits: u64) {
        let is_float = matches!(number, Number::F32 | Number::F64);
        let size = usize::try_from(number.size()).unwrap_or(0);
        let mut little = bits.to_le_bytes();
        let Some(little) = little.get_mut(..size) else { return };
        if self.schema.is_big(is_float) {
            little.reverse();
        }
        let to = self.blocks.get_mut(block).and_then(|b| b.bytes.get_mut(at..at.saturating_add(size)));
        if let Some(to) = to {
            to.copy_from_slice(little);
        }
    }

    pub(super) fn number(
        &mut self,
        json: JsonValue<'_, '_>,
        number: Number,
        block: usize,
        path: &FieldPath<'_>,
    ) -> Built {
        let bits = bits(json, number, path)?;
        let at = self.zeros(block, number.size(), path)?;
        self.set((block, at), number, bits);
        Ok(())
    }

    pub(super) fn zeros(&mut self, block: usize, size: u64, path: &FieldPath<'_>) -> Built<usize> {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        self.charge(path, size)?;
        let Some(block) = self.blocks.get_mut(block) else { return Ok(0) };
        let at = block.bytes.len();
        block.bytes.resize(at.saturating_add(size), 0);
        Ok(at)
    }

    fn structure(
        &mut self,
        json: JsonValue<'_, '_>,
        number: usize,
        block: usize,
        path: &FieldPath<'_>,
    ) -> Built<usize> {
        let schema = self.schema;
        let Some(structure) = schema.structure(number) else { return Ok(0) };
        let frame = self.frames.len();
        self.charge(path, size_of::<Frame>().saturating_add(structure.parts.len().saturating_mul(24)))?;
        self.frames.push(Frame { structure: number, places: vec![None; structure.parts.len()] });
        if structure.is_transparent()
            && let Some(part) = structure.parts.first()
        {
            self.note(frame, 0, (block, self.end(block)));
            self.part(json, frame, part, block, path)?;
            return Ok(frame);
        }
        if structure.is_string() && (json.kind() == JsonType::String || json.get("hex").is_some()) {
            self.string(json, &structure.parts, block, path)?;
            return Ok(frame);
        }
        if json.kind() != JsonType::Object {
            return Err(Misfit::not(json, path, "an object"));
        }
        let names = || structure.parts.iter().map(|p| p.name);
        if let Some((key, value)) = json.entries().find(|(key, _)| !names().any(|name| name == key)) {
            let known: Vec<_> = names().map(|name| format!("`{name}`")).collect();
            let message = format!("no part `{key}` here; parts are {}", known.join(", "));
            return Err(Misfit::for_value(value, path, message));
        }
        for (i, part) in structure.parts.iter().enumerate() {
            let inner = path.field(part.name);
            match json.get(part.name) {
                Some(value) if value.kind() == JsonType::Null => self.unread(frame, part, &inner),
                Some(value) => {
                    if let Some(when) = &part.when {
                        self.conditions.push((frame, when, true, inner.to_owned().to_string()));
                    }
                    if part.at.is_some() {
                        self.place(value, frame, part, &inner)?;
                    } else {
                        self.note(frame, i, (block, self.end(block)));
                        self.part(value, frame, part, block, &inner)?;
                    }
                }
                None => self.absent(json, frame, (i, part), block, &inner)?,
            }
        }
        Ok(frame)
    }

    fn note(&mut self, frame: usize, part: usize, place: Place) {
        if let Some(to) = self.frames.get_mut(frame).and_then(|f| f.places.get_mut(part)) {
            *to = Some(place);
        }
    }

    /// Notes a part whose bytes the text does not have.
    fn unread(&mut self, frame: usize, part: &'s PartOf, path: &FieldPath<'_>) {
        if let Some(at) = &part.at {
            let path = path.to_owned().to_string();
            self.placed.push(Placed { frame, at, block: None, same: None, size: None, path });
        }
    }

    /// Handles a part that the text leaves out.
    fn absent(
        &mut self,
        json: JsonValue<'_, '_>,
        frame: usize,
        (number, part): (usize, &'s PartOf),
        block: usize,
        path: &FieldPath<'_>,
    ) -> Built {
        if part.views.iter().any(|view| view.kind == PartKind::Strings) {
            if let (Some(at), Repeat::Count(size)) = (&part.at, &part.repeat) {
                let path = path.to_owned().to_string();
                self.placed.push(Placed { frame, at, block: None, same: None, size: Some(size), path });
            }
            return Ok(());
        }
        if let Some(when) = &part.when
            && self.int(frame, when).is_none_or(|v| v == 0)
        {
            self.conditions.push((frame, when, false, path.to_owned().to_string()));
            return Ok(());
        }
        let missing = || Err(Misfit::for_value(json, path, "is missing"));
        if part.at.is_some() || !matches!(part.repeat, Repeat::Once) {
            return missing();
        }
        self.note(frame, number, (block, self.end(block)));
        match part.kind {
            PartKind::Number(number) => {
                let at = self.zeros(block, number.size(), path)?;
                self.leave_out((block, at), path)
            }
            PartKind::Record(record) => match self.schema.record(record) {
                Some(table) => self.record(None, table, block, path),
                None => missing(),
            },
            _ => missing(),
        }
    }

    /// Notes a field that the text leaves out.
    pub(super) fn leave_out(&mut self, place: Place, path: &FieldPath<'_>) -> Built {
        let name = path.to_owned().to_string();
        self.charge(path, name.len().saturating_add(64))?;
        self.missing.insert(place, name);
        Ok(())
    }

    /// Compiles a part that is at an offset of its own.
    fn place(
        &mut self,
        json: JsonValue<'_, '_>,
        frame: usize,
        part: &'s PartOf,
        path: &FieldPath<'_>,
    ) -> Built {
        let Some(at) = &part.at else { return Ok(()) };
        let name = path.to_owned().to_string();
        self.charge(path, name.len().saturating_mul(2).saturating_add(size_of::<Placed<'_>>()))?;
        if let Some(target) = json.get("same_as").and_then(JsonValue::as_str) {
            let same = Some(target.into_owned());
            self.placed.push(Placed { frame, at, block: None, same, size: None, path: name });
            return Ok(());
        }
        let old = self.int(frame, at).and_then(|old| u64::try_from(old).ok());
        let is_text = matches!(part.kind, PartKind::CString | PartKind::Bytes | PartKind::Text)
            && part.views.is_empty();
        let align = match old {
            _ if is_text => 1,
            Some(old) if old.is_multiple_of(4) => 4,
            Some(old) if old.is_multiple_of(2) => 2,
            Some(_) => 1,
            None => 4,
        };
        let block = self.block(old, align, false)?;
        self.part(json, frame, part, block, path)?;
        let block = match part.kind {
            PartKind::CString => self.share_text(block, old),
            _ => block,
        };
        self.paths.insert(name.clone(), block);
        self.placed.push(Placed { frame, at, block: Some(block), same: None, size: None, path: name });
        Ok(())
    }

    /// Returns the block of an equal text at the same offset instead of the last block, if there is one.
    fn share_text(&mut self, block: usize, old: Option<u64>) -> usize {
        let text = self.blocks.get(block).map(|b| b.bytes.clone()).unwrap_or_default();
        match self.texts.get(&(old, text.clone())) {
            Some(&first) => {
                self.blocks.pop();
                first
            }
            None => {
                self.texts.insert((old, text), block);
                block
            }
        }
    }

    fn part(
        &mut self,
        json: JsonValue<'_, '_>,
        frame: usize,
        part: &'s PartOf,
        block: usize,
        path: &FieldPath<'_>,
    ) -> Built {
        let start = self.end(block);
        let is_whole = json.kind() == JsonType::Object && json.get("rest").is_some() && part.limit.is_some();
        let content = if is_whole { json.get("content") } else { Some(json) };
        let Some(content) = content else {
            return Err(Misfit::for_value(json, &path.field("content"), "is missing"));
        };
        let items = self.items(content, frame, part, block, path)?;
        if let Some(rest) = json.get("rest").filter(|_| is_whole) {
            let rest = bytes(rest, &path.field("rest"))?;
            self.push(block, &rest, path)?;
        }
        let size = self.end(block).saturating_sub(start) as i128;
        let name = path.to_owned().to_string();
        for (field, decoded) in &part.sizes {
            if !decoded {
                self.give(frame, field, size, (&name, false))?;
            }
        }
        if let Some(limit) = &part.limit {
            self.give_first(frame, limit, size, &name)?;
        }
        match &part.repeat {
            Repeat::Count(count) => {
                let items = if part.kind == PartKind::Bytes { size } else { items };
                self.counted(frame, count, items, &name, content)?;
            }
            Repeat::ToOffset(end) => {
                if let (Some(path), Some(at)) = (end.paths().last().map(|p| p.to_vec()), part.at.as_ref()) {
                    // The end is the offset plus the size.
                    let stop = self.int(frame, at).and_then(|at| at.checked_add(size));
                    self.solve(frame, end, &path, stop.unwrap_or(size), (&name, false))?;
                }
            }
            Repeat::Once | Repeat::ToEnd => {}
        }
        Ok(())
    }

    /// Gives the number of items, or checks it if the number is fixed.
    fn counted(
        &mut self,
        frame: usize,
        count: &Expression,
        items: i128,
        name: &str,
        json: JsonValue<'_, '_>,
    ) -> Built {
        if count.paths().is_empty()
            && let Some(fixed) = self.int(frame, count)
            && fixed != items
        {
            return Err(Misfit {
                offset: Some(json.offset()),
                ..Misfit::new(name, format!("{items} items, expected {fixed}"))
            });
        }
        self.give_first(frame, count, items, name)
    }

    fn give_first(&mut self, frame: usize, expression: &Expression, value: i128, name: &str) -> Built {
        match expression.paths().first().map(|p| p.to_vec()) {
            Some(path) => self.solve(frame, expression, &path, value, (name, false)),
            None => Ok(()),
        }
    }

    /// Compiles the items of a part and returns their number.
    fn items(
        &mut self,
        json: JsonValue<'_, '_>,
        frame: usize,
        part: &'s PartOf,
        block: usize,
        path: &FieldPath<'_>,
    ) -> Built<i128> {
        let single = matches!(part.repeat, Repeat::Once);
        match part.kind {
            PartKind::CString => {
                let text = bytes(json, path)?;
                if text.contains(&0) {
                    return Err(Misfit::for_value(
                        json,
                        path,
                        "the text has a NUL, which ends it in the file",
                    ));
                }
                self.push(block, &text, path)?;
                self.push(block, &[0], path)?;
                Ok(1)
            }
            PartKind::Text => {
                let text = bytes(json, path)?;
                self.push(block, &text, path)?;
                Ok(text.len() as i128)
            }
            PartKind::Bytes | PartKind::Strings => self.viewed(json, frame, part, block, path),
            PartKind::Number(number) if single => self.number(json, number, block, path).map(|()| 1),
            PartKind::Record(record) if single => match self.schema.record(record) {
                Some(table) => self.record(Some(json), table, block, path).map(|()| 1),
                None => Ok(0),
            },
            PartKind::Structure(inner) if single => self.structure(json, inner, block, path).map(|_| 1),
            kind => self.list(json, kind, block, path),
        }
    }

    fn list(
        &mut self,
        json: JsonValue<'_, '_>,
        kind: PartKind,
        block: usize,
        path: &FieldPath<'_>,
    ) -> Built<i128> {
        if json.kind() != JsonType::Array {
            return Err(Misfit::not(json, path, "a list"));
        }
        let mut items = 0_i128;
        for (i, item) in json.items().enumerate() {
            let path = &path.index(i);
            match kind {
                PartKind::Number(number) if item.kind() == JsonType::Array => {
                    for (j, value) in item.items().enumerate() {
                        self.number(value, number, block, &path.index(j))?;
                        items = items.saturating_add(1);
                    }
                    continue;
                }
                PartKind::Number(number) => self.number(item, number, block, path)?,
                PartKind::Record(record) => {
                    if let Some(table) = self.schema.record(record) {
                        self.record(Some(item), table, block, path)?;
                    }
                }
                PartKind::Structure(inner) => {
                    self.structure(item, inner, block, path)?;
                }
                PartKind::CString | PartKind::Bytes | PartKind::Text | PartKind::Strings => {}
            }
            items = items.saturating_add(1);
        }
        Ok(items)
    }

    /// Compiles bytes with the view that applies.
    fn viewed(
        &mut self,
        json: JsonValue<'_, '_>,
        frame: usize,
        part: &'s PartOf,
        block: usize,
        path: &FieldPath<'_>,
    ) -> Built<i128> {
        let applies =
            |view: &&ViewOf| view.when.as_ref().is_none_or(|w| self.int(frame, w).is_some_and(|v| v != 0));
        let packed = json.get("packed");
        let content = json.get("content").filter(|_| packed.is_some());
        let value = content.unwrap_or(json);
        let view = part.views.iter().find(applies).filter(|_| value.kind() == JsonType::Array);
        let Some(view) = view else {
            let raw = bytes(json, path)?;
            self.push(block, &raw, path)?;
            return Ok(raw.len() as i128);
        };
        let (start, to) = (self.end(block), if view.packed { self.block(None, 1, true)? } else { block });
        let items = self.list(value, view.kind, to, path)?;
        if let Some(count) = &view.count {
            let name = path.to_owned().to_string();
            self.counted(frame, count, items, &name, json)?;
        }
        if view.packed {
            let data = self.blocks.get_mut(to).map(|b| std::mem::take(&mut b.bytes)).unwrap_or_default();
            let name = path.to_owned().to_string();
            for (field, decoded) in &part.sizes {
                if *decoded {
                    self.give(frame, field, data.len() as i128, (&name, false))?;
                }
            }
            let kept = packed.map(|packed| bytes(packed, &path.field("packed"))).transpose()?;
            self.charge(path, data.len())?;
            // The packed bytes of an edited block are not used.
            let kept = kept.filter(|kept| codec::decode(kept, data.len()).is_some_and(|held| held == data));
            let coded = kept.unwrap_or_else(|| codec::encode(&data));
            self.push(block, &coded, path)?;
        }
        Ok(self.end(block).saturating_sub(start) as i128)
    }
}
