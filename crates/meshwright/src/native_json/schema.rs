//! The description of a format with names resolved and expressions parsed.

use super::expression::{Expression, Value};
use meshwright_core::description::{Description, Order, Row, Scalar, Table};

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Number {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    F32,
    F64,
}

impl Number {
    const ALL: [Self; 9] =
        [Self::U8, Self::I8, Self::U16, Self::I16, Self::U32, Self::I32, Self::U64, Self::F32, Self::F64];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|number| number.name() == name)
    }

    pub(super) const fn size(self) -> u64 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::F64 => 8,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

/// The content of a field of a record.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldKind {
    Numbers(Number, u64),
    Text(u64),
    Record(&'static Table),
}

/// The type of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PartKind {
    Number(Number),
    CString,
    Bytes,
    Text,
    /// The number of a record.
    Record(usize),
    /// The number of a structure.
    Structure(usize),
    /// Bytes that other parts refer to.
    Strings,
}

/// The number of items of a part.
#[derive(Clone, Debug)]
pub(super) enum Repeat {
    Once,
    Count(Expression),
    ToOffset(Expression),
    ToEnd,
}

/// A view of a part.
#[derive(Clone, Debug)]
pub(super) struct ViewOf {
    pub(super) kind: PartKind,
    pub(super) when: Option<Expression>,
    pub(super) columns: Option<Expression>,
    pub(super) count: Option<Expression>,
    pub(super) packed: bool,
}

/// A part of a structure.
#[derive(Clone, Debug)]
pub(super) struct PartOf {
    pub(super) name: &'static str,
    pub(super) kind: PartKind,
    pub(super) repeat: Repeat,
    pub(super) limit: Option<Expression>,
    pub(super) at: Option<Expression>,
    pub(super) when: Option<Expression>,
    pub(super) views: Vec<ViewOf>,
    /// The fields that hold the size of the part, and whether it is the decompressed size.
    pub(super) sizes: Vec<(Vec<&'static str>, bool)>,
}

/// A structure.
#[derive(Clone, Debug)]
pub(super) struct StructureOf {
    pub(super) parts: Vec<PartOf>,
}

impl StructureOf {
    /// Returns true for a length, or two, and the text of that length.
    pub(super) fn is_string(&self) -> bool {
        let Some((text, lengths)) = self.parts.split_last() else { return false };
        let is_number = |p: &PartOf| matches!(p.kind, PartKind::Number(_)) && p.at.is_none();
        text.kind == PartKind::Text
            && text.at.is_none()
            && !lengths.is_empty()
            && lengths.iter().all(is_number)
    }

    /// Returns true if the JSON has the value of the only part instead of an object.
    pub(super) fn is_transparent(&self) -> bool {
        matches!(self.parts.as_slice(), [only] if only.at.is_none() && only.when.is_none() && only.limit.is_none())
    }
}

/// The layout of a format.
#[derive(Clone, Debug)]
pub(super) struct Schema {
    pub(super) order: Order,
    pub(super) floats: Order,
    pub(super) records: &'static [Table],
    pub(super) structures: Vec<StructureOf>,
    /// The fields of the first structure that hold the size of the file.
    pub(super) file_sizes: Vec<Vec<&'static str>>,
}

/// The value of a setting by its name.
pub(super) type Settings = Vec<(&'static str, i128)>;

impl Schema {
    /// Resolves a description. It is `None` for a text, which has no records.
    pub(super) fn new(description: &Description) -> Option<Self> {
        let all: Vec<_> = description.structures.iter().copied().flatten().collect();
        let kind = |name: &str| {
            let structure = || all.iter().position(|s| s.name == name).map(PartKind::Structure);
            let record = || description.records.iter().position(|t| t.name == name).map(PartKind::Record);
            Some(match name {
                "cstring" => PartKind::CString,
                "bytes" => PartKind::Bytes,
                "text" => PartKind::Text,
                "strings" => PartKind::Strings,
                _ => match Number::named(name) {
                    Some(number) => PartKind::Number(number),
                    None => structure().or_else(record)?,
                },
            })
        };
        let parse = |text: Option<&'static str>| match text {
            Some(text) => Expression::parse(text).map(Some),
            None => Some(None),
        };
        let path = |text: &'static str| text.split('.').collect::<Vec<_>>();
        let mut structures = Vec::new();
        for structure in &all {
            let mut parts = Vec::new();
            for part in structure.parts {
                let repeat = match part.count.map(str::trim) {
                    None => Repeat::Once,
                    Some("..") => Repeat::ToEnd,
                    Some(text) => match text.strip_prefix("to ") {
                        Some(end) => Repeat::ToOffset(Expression::parse(end)?),
                        None => Repeat::Count(Expression::parse(text)?),
                    },
                };
                let mut views = Vec::new();
                let place = format!("{}.{}", structure.name, part.name);
                for view in description.views.iter().filter(|view| view.part == place) {
                    views.push(ViewOf {
                        kind: kind(view.kind)?,
                        when: parse(view.when)?,
                        columns: parse(view.columns)?,
                        count: parse(view.count)?,
                        packed: view.packed,
                    });
                }
                let own = description
                    .sizes
                    .iter()
                    .filter(|s| s.structure == structure.name && s.part == Some(part.name));
                parts.push(PartOf {
                    name: part.name,
                    kind: kind(part.kind)?,
                    repeat,
                    limit: parse(part.limit)?,
                    at: parse(part.at)?,
                    when: parse(part.when)?,
                    views,
                    sizes: own.map(|s| (path(s.field), s.decoded)).collect(),
                });
            }
            structures.push(StructureOf { parts });
        }
        let file_sizes =
            description.sizes.iter().filter(|s| s.part.is_none()).map(|s| path(s.field)).collect();
        (!structures.is_empty()).then_some(Self {
            order: description.order,
            floats: description.floats,
            records: description.records,
            structures,
            file_sizes,
        })
    }

    pub(super) fn structure(&self, number: usize) -> Option<&StructureOf> {
        self.structures.get(number)
    }

    pub(super) fn part(&self, structure: usize, part: usize) -> Option<&PartOf> {
        self.structures.get(structure)?.parts.get(part)
    }

    pub(super) fn record(&self, number: usize) -> Option<&'static Table> {
        self.records.get(number)
    }

    /// Returns the content of a field.
    pub(super) fn field(&self, row: &Row) -> Option<FieldKind> {
        let count = row.kind.count as u64;
        Some(match row.kind.scalar {
            Scalar::U8 => FieldKind::Numbers(Number::U8, count),
            Scalar::U16 => FieldKind::Numbers(Number::U16, count),
            Scalar::U32 => FieldKind::Numbers(Number::U32, count),
            Scalar::U64 => FieldKind::Numbers(Number::U64, count),
            Scalar::I32 => FieldKind::Numbers(Number::I32, count),
            Scalar::F32 => FieldKind::Numbers(Number::F32, count),
            Scalar::Text => FieldKind::Text(count),
            Scalar::Record(name) => FieldKind::Record(self.records.iter().find(|t| t.name == name)?),
        })
    }

    /// Returns the offset and type of a field in a record, by its path.
    pub(super) fn find(&self, table: &'static Table, path: &[&str]) -> Option<(u64, FieldKind)> {
        let (name, rest) = path.split_first()?;
        let row = table.rows.iter().find(|row| row.field.name == *name)?;
        let (at, kind) = (row.field.offset as u64, self.field(row)?);
        match (kind, rest) {
            (kind, []) => Some((at, kind)),
            (FieldKind::Record(inner), rest) => {
                let (inner, kind) = self.find(inner, rest)?;
                Some((at.saturating_add(inner), kind))
            }
            _ => None,
        }
    }

    /// Returns the offset and type of a path in a part.
    pub(super) fn find_in_part(&self, part: &PartOf, path: &[&str]) -> Option<(u64, FieldKind)> {
        match (part.kind, path) {
            (PartKind::Number(number), []) if matches!(part.repeat, Repeat::Once) => {
                Some((0, FieldKind::Numbers(number, 1)))
            }
            (PartKind::Record(record), path) => self.find(self.record(record)?, path),
            _ => None,
        }
    }

    /// Returns true if the highest byte of a number is the first.
    pub(super) fn is_big(&self, is_float: bool) -> bool {
        (if is_float { self.floats } else { self.order }) == Order::Big
    }

    /// Returns the bits of a number.
    pub(super) fn bits(&self, bytes: &[u8], number: Number) -> Option<u64> {
        let is_float = matches!(number, Number::F32 | Number::F64);
        let size = usize::try_from(number.size()).ok()?;
        let bytes = bytes.get(..size)?;
        let big = self.is_big(is_float);
        let step = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
        Some(if big { bytes.iter().fold(0, step) } else { bytes.iter().rev().fold(0, step) })
    }

    /// Returns the value of a field for expressions.
    pub(super) fn value(&self, bytes: &[u8], at: u64, kind: FieldKind) -> Option<Value> {
        let rest = bytes.get(usize::try_from(at).ok()?..)?;
        match kind {
            FieldKind::Numbers(number, 1) => Some(Value::Int(integer(self.bits(rest, number)?, number))),
            FieldKind::Text(size) => {
                let text = rest.get(..usize::try_from(size).ok()?)?;
                Some(Value::Text(text.to_vec()))
            }
            _ => None,
        }
    }
}

/// Returns the value of an integer with these bits.
pub(super) fn integer(bits: u64, number: Number) -> i128 {
    let unused = 64_u64.saturating_sub(number.size().saturating_mul(8));
    match number {
        Number::I8 | Number::I16 | Number::I32 => {
            let unused = u32::try_from(unused).unwrap_or(0);
            i128::from(bits.checked_shl(unused).unwrap_or(0).cast_signed() >> unused)
        }
        _ => i128::from(bits),
    }
}
