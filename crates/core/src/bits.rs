//! Bit-fields of packed words, written `hi..lo` as the formats' documents write them.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "constants, proven at compile time"
)]

/// Bits `hi` down to `lo` of a word, both included, bit 0 the least significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    hi: u8,
    lo: u8,
}

impl BitField {
    /// Returns the field `hi..lo`.
    ///
    /// # Panics
    /// When `hi < lo` or `hi > 63`; in a constant that is a compile error.
    pub const fn new(hi: u8, lo: u8) -> Self {
        assert!(hi >= lo && hi < 64, "a bit-field is written hi..lo within 64 bits");
        Self { hi, lo }
    }

    /// Returns the lowest bit.
    pub const fn low(self) -> u8 {
        self.lo
    }

    /// Returns the width of the field in bits.
    pub const fn width(self) -> u8 {
        self.hi - self.lo + 1
    }

    /// Returns the largest unsigned value that fits.
    pub const fn max(self) -> u64 {
        u64::MAX >> (64 - self.width())
    }

    /// Returns the bits that the field covers.
    pub const fn mask(self) -> u64 {
        self.max() << self.lo
    }

    /// Returns the bits that the field covers, in a word of 32 bits.
    ///
    /// # Panics
    /// When the field goes beyond; in a constant that is a compile error.
    #[expect(clippy::cast_possible_truncation, reason = "the field is within 32 bits")]
    pub const fn mask32(self) -> u32 {
        assert!(self.hi < 32, "the field is within 32 bits");
        self.mask() as u32
    }

    /// Returns the field's value in `word`.
    pub const fn get(self, word: u64) -> u64 {
        (word >> self.lo) & self.max()
    }

    /// Returns the field's value in `word`, read as two's complement.
    pub const fn get_signed(self, word: u64) -> i64 {
        (word << (63 - self.hi)).cast_signed() >> (64 - self.width())
    }

    /// `word` with the field replaced; bits of `value` beyond the field are cut off.
    #[must_use]
    pub const fn set_in(self, word: u64, value: u64) -> u64 {
        (word & !self.mask()) | ((value & self.max()) << self.lo)
    }
}

/// Returns true if the fields cover every bit of a word of `width` bits exactly once.
pub const fn tiles(fields: &[BitField], width: u8) -> bool {
    let mut seen = 0_u64;
    let mut i = 0;
    while i < fields.len() {
        let mask = fields[i].mask();
        if fields[i].hi >= width || seen & mask != 0 {
            return false;
        }
        seen |= mask;
        i += 1;
    }
    seen == u64::MAX >> (64 - width)
}

/// A word of bit-fields; [`bit_fields!`](crate::bit_fields!) makes it.
#[derive(Clone, Copy, Debug)]
pub struct BitTable {
    /// The name.
    pub name: &'static str,
    /// The comment on it.
    pub about: &'static str,
    /// The width in bits.
    pub width: usize,
    /// All fields, the highest bits first.
    pub rows: &'static [BitRow],
}

/// A bit-field of a word.
#[derive(Clone, Copy, Debug)]
pub struct BitRow {
    /// The name, in capitals.
    pub name: &'static str,
    /// The bits.
    pub field: BitField,
    /// The comment on it.
    pub about: &'static str,
}

/// Declares the [`BitField`]s of one word and proves at compile time that they tile it.
///
/// ```
/// meshwright_core::bit_fields! {
///     /// The packed origin of a bone.
///     pub mod origin: 32 {
///         /// Shared exponent.
///         EXPONENT = 31..27;
///         /// Third fraction.
///         Z = 26..18;
///         /// Second fraction.
///         Y = 17..9;
///         /// First fraction.
///         X = 8..0;
///     }
/// }
/// assert_eq!(origin::EXPONENT.get(0x7801_0080), 15);
/// ```
///
/// Fields that leave a gap or overlap do not compile:
///
/// ```compile_fail
/// meshwright_core::bit_fields! {
///     /// Bit 3 is missing.
///     mod broken: 8 { HIGH = 7..4; LOW = 2..0; }
/// }
/// ```
#[macro_export]
macro_rules! bit_fields {
    ($(#[doc = $doc:literal])* $vis:vis mod $name:ident : $width:literal {
        $($(#[doc = $field_doc:literal])* $field:ident = $hi:literal .. $lo:literal;)+
    }) => {
        $(#[doc = $doc])*
        $vis mod $name {
            $($(#[doc = $field_doc])* pub const $field: $crate::bits::BitField = $crate::bits::BitField::new($hi, $lo);)+
            /// The word's description.
            #[allow(dead_code, unreachable_pub, reason = "descriptions name the words that they show")]
            pub const TABLE: $crate::bits::BitTable = $crate::bits::BitTable {
                name: stringify!($name),
                about: concat!($($doc),*),
                width: $width,
                rows: &[$($crate::bits::BitRow {
                    name: stringify!($field),
                    field: $field,
                    about: concat!($($field_doc),*),
                }),+],
            };
            const _: () = assert!(
                $crate::bits::tiles(&[$($field),+], $width),
                concat!("the fields of ", stringify!($name), " do not tile its ", stringify!($width), " bits"),
            );
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_put_in_comes_out(hi in 0_u8..64, span in 0_u8..64, word: u64, value: u64) {
            let field = BitField::new(hi, hi.saturating_sub(span));
            let packed = field.set_in(word, value);
            prop_assert_eq!(field.get(packed), value & field.max());
            prop_assert_eq!(packed & !field.mask(), word & !field.mask());
            let sign = field.get(packed) >> (field.width() - 1);
            prop_assert_eq!(field.get_signed(packed) < 0, sign == 1);
            prop_assert_eq!(field.get_signed(packed).cast_unsigned() & field.max(), field.get(packed));
        }
    }

    #[test]
    fn gaps_overlaps_and_overruns_are_seen() {
        let f = BitField::new;
        assert!(tiles(&[f(7, 4), f(3, 0)], 8));
        assert!(tiles(&[f(63, 0)], 64));
        assert!(!tiles(&[f(7, 4), f(2, 0)], 8), "gap");
        assert!(!tiles(&[f(7, 3), f(3, 0)], 8), "overlap");
        assert!(!tiles(&[f(8, 4), f(3, 0)], 8), "overrun");
    }
}
