//! Values of a dump. Lists are computed while they are written.

use meshwright_core::F32;
use meshwright_scene::Extra;
use serde_core::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::iter;

/// Named values in the order in which they are written.
pub(crate) type Fields<'m> = Vec<(Cow<'m, str>, Item<'m>)>;

/// Returns the next item of a list, `None` after the last one.
type Items<'m> = Box<dyn FnMut() -> Option<Item<'m>> + 'm>;

/// A value.
pub(crate) enum Item<'m> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f32),
    Double(f64),
    Text(Cow<'m, str>),
    /// Bytes, two hexadecimal digits each.
    Hex(Cow<'m, [u8]>),
    /// Up to four whole numbers.
    Ints([u32; 4], usize),
    /// Up to four floats.
    Floats([f32; 4], usize),
    /// Any number of values, computed again each time they are written.
    List(Box<dyn Fn() -> Items<'m> + 'm>),
    Map(Fields<'m>),
}

impl<'m> Item<'m> {
    /// Returns a list of an iterator's items; `make` returns a new iterator each time.
    pub(crate) fn list<I, T>(make: impl Fn() -> I + 'm) -> Self
    where
        I: IntoIterator<Item = T> + 'm,
        I::IntoIter: 'm,
        T: Into<Self> + 'm,
    {
        Self::List(Box::new(move || {
            let mut items = make().into_iter();
            Box::new(move || items.next().map(Into::into))
        }))
    }

    /// Returns a list with an item for each element of a slice.
    pub(crate) fn each<E, T>(elements: &'m [E], item: impl Fn(&'m E) -> T + Copy + 'm) -> Self
    where
        T: Into<Self> + 'm,
    {
        Self::list(move || elements.iter().map(item))
    }

    /// Returns a list of the values of a slice.
    pub(crate) fn values<T: Copy + Into<Self>>(values: &'m [T]) -> Self {
        Self::each(values, |value| *value)
    }

    /// Returns an empty list.
    pub(crate) fn empty() -> Self {
        Self::list(iter::empty::<Self>)
    }

    /// Returns a word of flags or packed bits, with all its digits.
    pub(crate) fn word(word: impl Into<u64>, digits: usize) -> Self {
        Self::Text(format!("{:0digits$x}", word.into()).into())
    }

    /// Merges two values; if both have a field, the first one counts.
    pub(crate) fn merged(self, other: Self) -> Self {
        match (self, other) {
            (Self::Null, other) => other,
            (Self::Map(mut own), Self::Map(others)) => {
                for (name, other) in others {
                    match own.iter_mut().find(|(n, _)| *n == name) {
                        Some((_, value)) => *value = std::mem::replace(value, Self::Null).merged(other),
                        None => own.push((name, other)),
                    }
                }
                Self::Map(own)
            }
            (Self::List(own), Self::List(others)) => Self::List(Box::new(move || {
                let (mut own, mut others) = (own(), others());
                Box::new(move || match (own(), others()) {
                    (Some(own), Some(other)) => Some(own.merged(other)),
                    (own, other) => own.or(other),
                })
            })),
            (own, _) => own,
        }
    }
}

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(v) => serializer.serialize_bool(*v),
            Self::Int(v) => serializer.serialize_i64(*v),
            Self::Uint(v) => serializer.serialize_u64(*v),
            Self::Float(v) => Number(*v).serialize(serializer),
            Self::Double(v) if v.is_finite() => serializer.serialize_f64(*v),
            Self::Double(v) => serializer.serialize_str(no_number(*v)),
            Self::Text(v) => serializer.serialize_str(v),
            Self::Hex(v) => serializer.serialize_str(&hex(v)),
            Self::Ints(row, len) => serializer.collect_seq(row.iter().take(*len)),
            Self::Floats(row, len) => serializer.collect_seq(row.iter().take(*len).map(|v| Number(*v))),
            Self::List(make) => serializer.collect_seq(iter::from_fn(make())),
            Self::Map(fields) => serializer.collect_map(fields.iter().map(|(name, value)| (name, value))),
        }
    }
}

/// A float. NaN and infinity, which JSON cannot express, are written as text.
struct Number(f32);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f32(self.0)
        } else {
            serializer.serialize_str(no_number(self.0.into()))
        }
    }
}

/// Returns the text for NaN or infinity.
const fn no_number(v: f64) -> &'static str {
    if v.is_nan() {
        "NaN"
    } else if v > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, b| {
        let _ = write!(text, "{b:02x}");
        text
    })
}

macro_rules! from {
    ($($from:ty => |$v:ident| $item:expr;)+) => {$(
        impl<'m> From<$from> for Item<'m> {
            fn from($v: $from) -> Self {
                $item
            }
        }
    )+};
}

from! {
    bool => |v| Self::Bool(v);
    u8 => |v| Self::Int(v.into());
    u16 => |v| Self::Int(v.into());
    u32 => |v| Self::Int(v.into());
    i32 => |v| Self::Int(v.into());
    i64 => |v| Self::Int(v);
    u64 => |v| Self::Uint(v);
    usize => |v| Self::Uint(v as u64);
    f32 => |v| Self::Float(v);
    f64 => |v| Self::Double(v);
    F32 => |v| Self::Float(v.get());
    String => |v| Self::Text(v.into());
    &'m str => |v| Self::Text(v.into());
    &'m String => |v| Self::Text(v.as_str().into());
    Fields<'m> => |v| Self::Map(v);
    &'m Extra => |v| match v {
        Extra::Bool(v) => Self::Bool(*v),
        Extra::Int(v) => Self::Int(*v),
        Extra::Float(v) => Self::Double(*v),
        Extra::Text(v) => v.into(),
        Extra::List(v) => Self::list(move || v),
        Extra::Map(v) => Self::Map(v.iter().map(|(k, v)| (k.as_str().into(), v.into())).collect()),
    };
}

impl<'m, T: Into<Self>> From<Option<T>> for Item<'m> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Returns up to four values as a row, padded with zeros, and their number.
fn row<T: Copy + Default, const N: usize>(values: [T; N]) -> ([T; 4], usize) {
    let mut row = [T::default(); 4];
    row.iter_mut().zip(values).for_each(|(to, from)| *to = from);
    (row, N.min(4))
}

impl<const N: usize> From<[f32; N]> for Item<'_> {
    fn from(values: [f32; N]) -> Self {
        const { assert!(N <= 4, "a row has at most four values") };
        let (row, len) = row(values);
        Self::Floats(row, len)
    }
}

impl<const N: usize> From<[F32; N]> for Item<'_> {
    fn from(values: [F32; N]) -> Self {
        values.map(F32::get).into()
    }
}

impl<const N: usize> From<[u32; N]> for Item<'_> {
    fn from(values: [u32; N]) -> Self {
        const { assert!(N <= 4, "a row has at most four values") };
        let (row, len) = row(values);
        Self::Ints(row, len)
    }
}

impl<const N: usize> From<[u8; N]> for Item<'_> {
    fn from(values: [u8; N]) -> Self {
        values.map(u32::from).into()
    }
}

/// Named values: `fields! { name: value, ... }`.
macro_rules! fields {
    ($($name:ident: $value:expr),* $(,)?) => {
        vec![$((
            // Some names are words of Rust's.
            std::borrow::Cow::Borrowed(stringify!($name).strip_prefix("r#").unwrap_or(stringify!($name))),
            $crate::dump::item::Item::from($value),
        )),*]
    };
}
pub(crate) use fields;
