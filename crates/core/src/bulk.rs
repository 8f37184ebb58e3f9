//! Arrays of floats and integers decoded in one pass over one slice.

use crate::float::F32;
use alloc::vec::Vec;

macro_rules! decoders {
    ($($(#[$doc:meta])* $name:ident: $from:ident -> $int:ty => $out:ty, $make:expr;)+) => {$(
        $(#[$doc])*
        ///
        /// A last item that is not whole is left out.
        pub fn $name(bytes: &[u8], out: &mut Vec<$out>) {
            let (items, _) = bytes.as_chunks::<{ size_of::<$int>() }>();
            out.extend(items.iter().map(|b| $make(<$int>::$from(*b))));
        }
    )+};
}

decoders! {
    /// Appends big-endian binary32 values.
    extend_be_f32: from_be_bytes -> u32 => F32, F32::from_bits;
    /// Appends little-endian binary32 values.
    extend_le_f32: from_le_bytes -> u32 => F32, F32::from_bits;
    /// Appends big-endian 32-bit integers.
    extend_be_u32: from_be_bytes -> u32 => u32, core::convert::identity;
    /// Appends little-endian 32-bit integers.
    extend_le_u32: from_le_bytes -> u32 => u32, core::convert::identity;
    /// Appends little-endian 16-bit integers.
    extend_le_u16: from_le_bytes -> u16 => u16, core::convert::identity;
}

/// The index of the first value that is infinite or NaN.
///
/// The common case, that there is none, is one pass without a branch per value.
pub fn first_non_finite(values: &[F32]) -> Option<usize> {
    const EXPONENT: u32 = 0x7f80_0000;
    let any = values.iter().fold(false, |bad, v| bad | (v.to_bits() & EXPONENT == EXPONENT));
    if any { values.iter().position(|v| !v.is_finite()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_byte_orders_keep_every_bit(words: Vec<u32>) {
            let (be, le): (Vec<u8>, Vec<u8>) = (
                words.iter().flat_map(|w| w.to_be_bytes()).collect(),
                words.iter().flat_map(|w| w.to_le_bytes()).collect(),
            );
            let (mut a, mut b, mut c) = (Vec::new(), Vec::new(), Vec::new());
            extend_be_f32(&be, &mut a);
            extend_le_f32(&le, &mut b);
            extend_le_u32(&le, &mut c);
            prop_assert_eq!(&a, &b);
            prop_assert_eq!(a.iter().map(|f| f.to_bits()).collect::<Vec<_>>(), words);
            prop_assert_eq!(first_non_finite(&a), a.iter().position(|f| !f.get().is_finite()));
        }
    }
}
