//! Records of fixed size. A table states name, offset and type of each field once; the parser, the findings, the writer and
//! [descriptions](crate::description) use it.

use crate::fault::Fault;
use crate::float::F32;
use crate::path::FieldPath;
use crate::writer::ByteWriter;
use nom::error::{ContextError as _, ErrorKind, ParseError as _};

/// A field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the field in the format's description.
    pub name: &'static str,
    /// The offset in the record.
    pub offset: usize,
    /// The number of bytes.
    pub width: usize,
}

impl Field {
    /// Returns the field's offset in a file whose record starts at `record`.
    pub const fn offset_in(self, record: u64) -> u64 {
        record.saturating_add(self.offset as u64)
    }

    /// Returns the field's path in the record at `record`.
    pub const fn path<'p>(self, record: &'p FieldPath<'p>) -> FieldPath<'p> {
        record.field(self.name)
    }
}

/// Returns a parser of one field. The inner parser gets exactly the field's bytes, and its faults name the
/// field.
pub fn field<'a, T>(
    field: Field,
    mut parser: impl nom::Parser<&'a [u8], Output = T, Error = Fault<'a>>,
) -> impl nom::Parser<&'a [u8], Output = T, Error = Fault<'a>> {
    move |input: &'a [u8]| {
        let named = |e| Fault::add_context(input, field.name, e);
        let short = || nom::Err::Error(named(Fault::from_error_kind(input, ErrorKind::Eof)));
        let (own, rest) = input.split_at_checked(field.width).ok_or_else(short)?;
        let (left, value) = parser.parse(own).map_err(|e| e.map(named))?;
        debug_assert!(left.is_empty(), "{} has {} bytes, {} were read", field.name, field.width, own.len());
        Ok((rest, value))
    }
}

/// Returns whether the fields cover a record of `size` bytes one after the other, without gaps.
pub const fn tiles(fields: &[Field], size: usize) -> bool {
    let mut at: usize = 0;
    let mut rest = fields;
    while let [first, others @ ..] = rest {
        if first.offset != at || first.width == 0 {
            return false;
        }
        at = at.saturating_add(first.width);
        rest = others;
    }
    at == size
}

/// Declares the [`Field`]s of one record as a module with its `SIZE`, `FIELDS` and [`TABLE`](crate::description::Table), and
/// proves at compile time that they tile it. The type of a field is a number, an array, `Text<N>`, or the type `Whole` of
/// another record.
///
/// ```
/// meshwright_core::record! {
///     /// A bone.
///     pub mod bone: 40 {
///         NAME = "name": 0, Text<32>;
///         /// The number of a bone, -1 for none.
///         PARENT = "parent": 32, i32;
///         FLAGS = "flags": 36, u32;
///     }
/// }
/// assert_eq!((bone::SIZE, bone::PARENT.offset_in(0x100)), (40, 0x120));
/// assert_eq!(bone::TABLE.rows[1].kind.to_string(), "i32");
/// ```
///
/// Fields that leave a gap or overlap do not compile:
///
/// ```compile_fail
/// meshwright_core::record! {
///     /// Byte 4 is missing.
///     mod broken: 8 { A = "a": 0, u32; B = "b": 5, [u8; 3]; }
/// }
/// ```
#[macro_export]
macro_rules! record {
    ($(#[doc = $doc:literal])* $vis:vis mod $name:ident : $size:literal {
        $($(#[doc = $field_doc:literal])* $field:ident = $text:literal : $offset:literal, $ty:ty;)+
    }) => {
        $(#[doc = $doc])*
        #[allow(
            dead_code,
            unreachable_pub,
            unused_imports,
            reason = "a table of all fields, of which a user may need only some"
        )]
        $vis mod $name {
            use $crate::description::{FieldType, Row, Scalar, Table, Text, Typed};
            use $crate::record::Field;

            $(#[doc = concat!("`", $text, "`, `", stringify!($ty), "` at ", $offset, ".")] $(#[doc = $field_doc])*
            pub const $field: Field = Field { name: $text, offset: $offset, width: size_of::<$ty>() };)+
            /// The size of the record in bytes.
            pub const SIZE: usize = $size;
            /// All fields, in order.
            pub const FIELDS: &[Field] = &[$($field),+];
            /// The record's description.
            pub const TABLE: Table = Table {
                name: stringify!($name),
                about: concat!($($doc),*),
                size: SIZE,
                rows: &[$(Row {
                    field: $field,
                    kind: <$ty as Typed>::TYPE,
                    about: concat!($($field_doc),*),
                }),+],
            };
            /// The record as the type of a field of another one.
            #[derive(Debug)]
            pub struct Whole([u8; SIZE]);
            impl Typed for Whole {
                const TYPE: FieldType = FieldType { scalar: Scalar::Record(stringify!($name)), count: 1 };
            }
            const _: () = assert!(
                $crate::record::tiles(FIELDS, SIZE),
                concat!("the fields of ", stringify!($name), " do not tile its ", stringify!($size), " bytes"),
            );
        }
    };
}

/// One record being written. All bytes are zero until its fields are set.
#[derive(Debug)]
pub struct Record<'w>(&'w mut [u8]);

macro_rules! putters {
    ($($(#[$doc:meta])* $name:ident: $ty:ty, $to:ident;)+) => {$(
        $(#[$doc])*
        pub fn $name(&mut self, field: Field, value: $ty) {
            self.bytes(field, &value.$to());
        }
    )+};
}

impl Record<'_> {
    /// Sets the bytes of a field.
    pub fn bytes(&mut self, field: Field, bytes: &[u8]) {
        debug_assert_eq!(bytes.len(), field.width, "{}", field.name);
        let to = self.0.get_mut(field.offset..).unwrap_or_default();
        for (to, from) in to.iter_mut().take(field.width).zip(bytes) {
            *to = *from;
        }
    }

    putters! {
        /// Sets one byte.
        u8: u8, to_le_bytes;
        /// Sets 16 bits, little endian.
        le_u16: u16, to_le_bytes;
        /// Sets 32 bits, little endian.
        le_u32: u32, to_le_bytes;
        /// Sets 64 bits, little endian.
        le_u64: u64, to_le_bytes;
        /// Sets 32 signed bits, little endian.
        le_i32: i32, to_le_bytes;
        /// Sets 16 bits, big endian.
        be_u16: u16, to_be_bytes;
        /// Sets 32 bits, big endian.
        be_u32: u32, to_be_bytes;
        /// Sets 32 signed bits, big endian.
        be_i32: i32, to_be_bytes;
    }

    /// Sets floats, little endian, with their bits unchanged.
    pub fn le_f32s(&mut self, field: Field, values: &[F32]) {
        self.words(field, values.iter().map(|v| v.to_bits().to_le_bytes()));
    }

    /// Sets floats, big endian, with their bits unchanged.
    pub fn be_f32s(&mut self, field: Field, values: &[F32]) {
        self.words(field, values.iter().map(|v| v.to_bits().to_be_bytes()));
    }

    fn words(&mut self, field: Field, words: impl ExactSizeIterator<Item = [u8; 4]>) {
        debug_assert_eq!(words.len().saturating_mul(4), field.width, "{}", field.name);
        let to = self.0.get_mut(field.offset..).unwrap_or_default().as_chunks_mut::<4>().0;
        for (to, word) in to.iter_mut().zip(words) {
            *to = word;
        }
    }
}

impl ByteWriter {
    /// Appends a record of `size` bytes. `fill` sets its fields.
    pub fn record(&mut self, size: usize, fill: impl FnOnce(&mut Record<'_>)) {
        fill(&mut Record(self.extend_zeros(size)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use nom::Parser as _;
    use nom::number::complete::{be_u16, le_u32};

    crate::record! {
        /// A record.
        mod sample: 8 {
            A = "a": 0, u16;
            B = "b": 2, u32;
            C = "c": 6, u16;
        }
    }

    fn parse(i: &[u8]) -> nom::IResult<&[u8], (u16, u32, u16), Fault<'_>> {
        (field(sample::A, be_u16), field(sample::B, le_u32), field(sample::C, be_u16)).parse(i)
    }

    #[test]
    fn what_is_written_is_read() {
        let mut w = ByteWriter::new();
        w.record(sample::SIZE, |r| {
            r.be_u16(sample::C, 3);
            r.le_u32(sample::B, 2);
            r.be_u16(sample::A, 1);
        });
        assert_eq!(w.as_bytes(), [0, 1, 2, 0, 0, 0, 0, 3]);
        assert_eq!(parse(w.as_bytes()).unwrap().1, (1, 2, 3));
    }

    #[test]
    fn a_fault_has_the_name_and_offset_of_its_field() {
        use crate::{Budget, Codes, Limits, Source};
        const SHORT: &crate::Rule = &crate::Rule::error("short", crate::Kind::Truncated, "", "");
        let budget = Budget::new(Limits::default());
        let codes = Codes { short: SHORT, count: SHORT, limit: SHORT };
        let e =
            Source::file(&[0, 1, 2, 0], codes, &budget).start().read(&FieldPath::ROOT, parse).unwrap_err();
        assert_eq!(e.to_string(), "b: cut short: 2 bytes left in the file (offset 0x2)");
        assert_eq!(e.kind(), crate::Kind::Truncated);
    }

    #[test]
    fn gaps_overlaps_and_overruns_are_seen() {
        let f = |offset, width| Field { name: "f", offset, width };
        assert!(tiles(&[f(0, 4), f(4, 4)], 8));
        assert!(!tiles(&[f(0, 4), f(5, 3)], 8));
        assert!(!tiles(&[f(0, 4), f(3, 5)], 8));
        assert!(!tiles(&[f(0, 4), f(4, 5)], 8));
        assert!(!tiles(&[f(0, 4), f(4, 3)], 8));
    }
}
