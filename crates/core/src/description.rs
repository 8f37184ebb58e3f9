//! Descriptions of kinds of files, for programs that write them in other languages: the marks by which a file is known, its
//! [records](mod@crate::record), and how these follow each other.

pub use crate::bits::{BitRow, BitTable};
use crate::record::Field;
use core::fmt;

/// The layout of a kind of file.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// The order of the bytes of integers.
    pub order: Order,
    /// The order of the bytes of floats.
    pub floats: Order,
    /// Bytes that every file has. None means that only reading a file identifies it.
    pub marks: &'static [Mark],
    /// The records of fixed size.
    pub records: &'static [Table],
    /// The words that are packed bit by bit.
    pub words: &'static [BitTable],
    /// Structures of records; the first of all is the whole file.
    pub structures: &'static [&'static [Structure]],
    /// The meaning of parts that [`structures`](Self::structures) give as bytes or as a list of numbers.
    pub views: &'static [View],
    /// Fields that hold the size of a part.
    pub sizes: &'static [SizeField],
}

impl Description {
    /// The layout of a text, which has no records.
    pub const TEXT: Self = Self {
        order: Order::Little,
        floats: Order::Little,
        marks: &[],
        records: &[],
        words: &[],
        structures: &[],
        views: &[],
        sizes: &[],
    };
}

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The lowest byte first.
    Little,
    /// The highest byte first.
    Big,
}

/// Bytes that every file of a kind has at the same offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The offset.
    pub at: usize,
    /// The bytes.
    pub bytes: &'static [u8],
}

/// A record of fixed size; [`record!`](crate::record!) makes it.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The name.
    pub name: &'static str,
    /// The comment on it.
    pub about: &'static str,
    /// The size in bytes.
    pub size: usize,
    /// All fields, in order.
    pub rows: &'static [Row],
}

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name, offset and width.
    pub field: Field,
    /// The type.
    pub kind: FieldType,
    /// The comment on it.
    pub about: &'static str,
}

/// The type of a field: a value, or several in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldType {
    /// The type of a value.
    pub scalar: Scalar,
    /// The number of values; of a text the number of bytes.
    pub count: usize,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// 8 bits without sign.
    U8,
    /// 16 bits without sign.
    U16,
    /// 32 bits without sign.
    U32,
    /// 64 bits without sign.
    U64,
    /// 32 bits with sign.
    I32,
    /// A float of 32 bits.
    F32,
    /// Characters of one byte, padded with NUL.
    Text,
    /// The record of this name.
    Record(&'static str),
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.scalar {
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::I32 => "i32",
            Scalar::F32 => "f32",
            Scalar::Text => "text",
            Scalar::Record(name) => name,
        })?;
        if self.count == 1 { Ok(()) } else { write!(f, "[{}]", self.count) }
    }
}

/// A type that a field of a record can have.
pub trait Typed {
    /// The description.
    const TYPE: FieldType;
}

macro_rules! typed {
    ($($ty:ty: $scalar:ident;)+) => {$(
        impl Typed for $ty {
            const TYPE: FieldType = FieldType { scalar: Scalar::$scalar, count: 1 };
        }
    )+};
}

typed! { u8: U8; u16: U16; u32: U32; u64: U64; i32: I32; f32: F32; }

impl<T: Typed, const N: usize> Typed for [T; N] {
    const TYPE: FieldType = FieldType { scalar: T::TYPE.scalar, count: T::TYPE.count.saturating_mul(N) };
}

/// A text of `N` bytes, padded with NUL, as the type of a field.
#[derive(Debug)]
pub struct Text<const N: usize>(pub [u8; N]);

impl<const N: usize> Typed for Text<N> {
    const TYPE: FieldType = FieldType { scalar: Scalar::Text, count: N };
}

/// Parts that follow each other, or are at offsets that other parts name.
#[derive(Clone, Copy, Debug)]
pub struct Structure {
    /// The name.
    pub name: &'static str,
    /// The comment on it.
    pub about: &'static str,
    /// The parts, in order.
    pub parts: &'static [Part],
}

/// A part of a [`Structure`]. Expressions name parts by paths: of the same structure, or after `root.` of the file.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The name.
    pub name: &'static str,
    /// The name of a record, of a structure or of a number's type; `bytes` and `text` of `count` bytes, `cstring` up to a NUL.
    pub kind: &'static str,
    /// The comment on it.
    pub about: &'static str,
    /// The number of items. `..` means all up to the end of the file; `to` is followed by the offset at which they end.
    pub count: Option<&'static str>,
    /// The number of bytes to which the part is limited.
    pub limit: Option<&'static str>,
    /// The offset in the file; without one it follows the part before.
    pub at: Option<&'static str>,
    /// The part exists only if this is true.
    pub when: Option<&'static str>,
}

/// The meaning of a part that its structure gives as bytes, or as a list of numbers. Editable text shows it.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The structure and the part: `array_data.data`.
    pub part: &'static str,
    /// The view applies only if this is true. After `setting.` an expression names a setting of the reader.
    pub when: Option<&'static str>,
    /// The type of the items: a number, a record, a structure, or `strings` for bytes that other parts refer to.
    pub kind: &'static str,
    /// The number of values in a row.
    pub columns: Option<&'static str>,
    /// The number of items, for items of varying size.
    pub count: Option<&'static str>,
    /// The bytes are a compressed block.
    pub packed: bool,
}

impl View {
    /// Returns a view of a part as items of a type.
    pub const fn new(part: &'static str, kind: &'static str) -> Self {
        Self { part, when: None, kind, columns: None, count: None, packed: false }
    }

    /// Returns the same view under a condition.
    #[must_use]
    pub const fn when(mut self, when: &'static str) -> Self {
        self.when = Some(when);
        self
    }

    /// Returns the same view with this many values in a row.
    #[must_use]
    pub const fn columns(mut self, columns: &'static str) -> Self {
        self.columns = Some(columns);
        self
    }

    /// Returns the same view with this many items.
    #[must_use]
    pub const fn count(mut self, count: &'static str) -> Self {
        self.count = Some(count);
        self
    }

    /// Returns the same view of a compressed block.
    #[must_use]
    pub const fn packed(mut self) -> Self {
        self.packed = true;
        self
    }
}

/// A field that holds the size of a part in bytes.
#[derive(Clone, Copy, Debug)]
pub struct SizeField {
    /// The structure of the field and the part.
    pub structure: &'static str,
    /// The field.
    pub field: &'static str,
    /// The part. Without one, the field holds the size of the file.
    pub part: Option<&'static str>,
    /// The size is that of the decompressed part.
    pub decoded: bool,
}

impl SizeField {
    /// Returns the field that holds the size of the file.
    pub const fn of_file(field: &'static str) -> Self {
        Self { structure: "file", field, part: None, decoded: false }
    }

    /// Returns a field that holds the size of a part.
    pub const fn of_part(structure: &'static str, field: &'static str, part: &'static str) -> Self {
        Self { structure, field, part: Some(part), decoded: false }
    }

    /// Returns a field that holds the decompressed size of a part.
    pub const fn of_decoded(structure: &'static str, field: &'static str, part: &'static str) -> Self {
        Self { structure, field, part: Some(part), decoded: true }
    }
}

/// Declares [`Structure`]s as a constant.
///
/// ```
/// meshwright_core::structures! {
///     /// A file with one table.
///     pub const FILE = {
///         /// The whole file.
///         file {
///             header: header;
///             /// All bones.
///             bones: bone [header.num_bones] @ (header.ofs_bones) if (header.ofs_bones != 0);
///         }
///     }
/// }
/// assert_eq!(FILE[0].parts[1].at, Some("header.ofs_bones"));
/// ```
#[macro_export]
macro_rules! structures {
    ($(#[$attribute:meta])* $vis:vis const $constant:ident = {
        $($(#[doc = $doc:literal])* $name:ident {
            $($(#[doc = $part_doc:literal])* $part:ident : $kind:ident $([$($count:tt)+])? $(in ($($limit:tt)+))?
                $(@ ($($at:tt)+))? $(if ($($when:tt)+))?;)+
        })+
    }) => {
        $(#[$attribute])*
        $vis const $constant: &[$crate::description::Structure] = &[$($crate::description::Structure {
            name: stringify!($name),
            about: concat!($($doc),*),
            parts: &[$($crate::description::Part {
                name: stringify!($part),
                kind: stringify!($kind),
                about: concat!($($part_doc),*),
                count: $crate::structures!(@text $($($count)+)?),
                limit: $crate::structures!(@text $($($limit)+)?),
                at: $crate::structures!(@text $($($at)+)?),
                when: $crate::structures!(@text $($($when)+)?),
            }),+],
        }),+];
    };
    (@text) => { None };
    (@text $($text:tt)+) => { Some(stringify!($($text)+)) };
}
