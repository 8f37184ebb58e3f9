//! Operations on whole arrays in one pass, with the widest vector instructions that the machine has.
//!
//! With the feature `simd`, every [`Kernel`] is compiled a second time for machines with AVX2. The version
//! to run is chosen at run time. aarch64 has its vector instructions on every machine.
//! Both ways give the same bits.
//!
//! `fill_` functions write into a slice, as many items as both sides hold, and are the fastest; `extend_` functions
//! append to a vector and spare it being filled with zeros before.

use crate::float::F32;
use crate::num::{F8A, F16, Q1_15, Q2_12, QuatF8, Se32, St11, St12, St14, St14Form};
use alloc::vec::Vec;

/// An operation on arrays that is worth compiling for wide vectors. [`kernels!`](crate::kernels) implements
/// it for a function.
pub trait Kernel {
    /// The type that the operation returns.
    type Output;

    /// Runs the operation. It must be `#[inline(always)]` and call only functions that are inlined too: only
    /// inlined code is compiled for wide vectors.
    fn run(self) -> Self::Output;
}

/// Runs a kernel with the widest vector instructions that the machine has.
#[inline]
#[cfg_attr(
    feature = "simd",
    multiversion::multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt", "aarch64+neon"))
)]
pub fn wide<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

/// Declares functions that [`wide`](crate::bulk::wide) runs. The name after `as` is the same function
/// compiled without special instructions.
///
/// ```
/// meshwright_core::kernels! {
///     /// The sum of all words.
///     pub fn sum as sum_portable<'a>(words: &'a [u32]) -> u32 {
///         words.iter().fold(0, |sum, w| u32::wrapping_add(sum, *w))
///     }
/// }
/// # fn main() {
/// assert_eq!(sum(&[1, 2, 3]), sum_portable(&[1, 2, 3]));
/// # }
/// ```
#[macro_export]
macro_rules! kernels {
    ($(
        $(#[$doc:meta])*
        $vis:vis fn $name:ident as $portable:ident<$life:lifetime>($($arg:ident: $type:ty),+ $(,)?) -> $out:ty $body:block
    )+) => {$(
        $(#[$doc])*
        $vis fn $name<$life>($($arg: $type),+) -> $out {
            struct Work<$life>($($type,)+ ::core::marker::PhantomData<&$life ()>);
            impl<$life> $crate::bulk::Kernel for Work<$life> {
                type Output = $out;

                #[inline(always)]
                fn run(self) -> $out {
                    let Self($($arg,)+ _) = self;
                    $portable($($arg),+)
                }
            }
            $crate::bulk::wide(Work($($arg,)+ ::core::marker::PhantomData))
        }

        #[allow(clippy::inline_always, reason = "compiled for the instructions of its caller")]
        #[inline(always)]
        $(#[$doc])*
        $vis fn $portable<$life>($($arg: $type),+) -> $out $body
    )+};
}

/// All bits of a binary32 except its sign.
pub const MAGNITUDE: u32 = 0x7fff_ffff;
/// The magnitude of infinity. The magnitudes of NaN are greater.
pub const INFINITE: u32 = 0x7f80_0000;

/// Collects the greatest value of each word of a record, under a mask. With the mask [`MAGNITUDE`], all
/// floats of a word are finite if its greatest value is below [`INFINITE`].
///
/// ```
/// use meshwright_core::bulk::{Lanes, MAGNITUDE};
/// let mut lanes = Lanes::new([u32::MAX, MAGNITUDE]);
/// lanes.see([7, f32::MIN.to_bits()]);
/// assert!(lanes.most()[0] == 7 && lanes.is_finite(1));
/// lanes.see([9, f32::NAN.to_bits()]);
/// assert!(lanes.most()[0] == 9 && !lanes.is_finite(1));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lanes<const N: usize> {
    masks: [u32; N],
    most: [u32; N],
}

#[allow(clippy::inline_always, reason = "part of kernels")]
impl<const N: usize> Lanes<N> {
    /// Starts before any element: the greatest value of every word is 0.
    #[inline(always)]
    pub const fn new(masks: [u32; N]) -> Self {
        Self { masks, most: [0; N] }
    }

    /// Takes the words of one record into account.
    #[inline(always)]
    pub fn see(&mut self, words: [u32; N]) {
        for ((most, word), mask) in self.most.iter_mut().zip(words).zip(self.masks) {
            *most = (*most).max(word & mask);
        }
    }

    /// Returns the greatest value of each word, under its mask.
    #[inline(always)]
    pub const fn most(&self) -> [u32; N] {
        self.most
    }

    /// Returns true if all floats of a word were finite; false if the word does not exist.
    pub fn is_finite(&self, lane: usize) -> bool {
        self.most.get(lane).is_some_and(|most| *most < INFINITE)
    }
}

/// Splits a record into words. `from` is `u32::from_be_bytes` or a similar function.
#[allow(clippy::inline_always, reason = "part of kernels")]
#[inline(always)]
pub fn words<const B: usize, const N: usize>(record: &[u8; B], from: impl Fn([u8; 4]) -> u32) -> [u32; N] {
    const { assert!(B / 4 >= N, "the record has the words") };
    let (all, _) = record.as_chunks::<4>();
    core::array::from_fn(|i| all.get(i).map_or(0, |word| from(*word)))
}

/// Splits both slices in two, such that the second output slice is aligned to the widest registers. A store
/// across the end of a cache line costs twice as much.
#[allow(clippy::inline_always, reason = "part of kernels")]
#[inline(always)]
fn aligned<'a, S, T>(from: &'a [S], to: &'a mut [T]) -> [(&'a [S], &'a mut [T]); 2] {
    let n = from.len().min(to.len());
    let (from, to) = (from.get(..n).unwrap_or_default(), to.get_mut(..n).unwrap_or_default());
    let first = to.as_ptr().align_offset(32).min(n);
    let ((from, from_rest), (to, to_rest)) = (from.split_at(first), to.split_at_mut(first));
    [(from, to), (from_rest, to_rest)]
}

/// Defines functions that decode integers of one width and byte order.
macro_rules! fills {
    ($($(#[$doc:meta])* $fill:ident as $portable:ident: $from:ident -> $int:ty;)+) => {
        $crate::kernels! {$(
            $(#[$doc])*
            pub fn $fill as $portable<'a>(bytes: &'a [u8], out: &'a mut [$int]) -> () {
                for (from, to) in aligned(bytes.as_chunks().0, out) {
                    for (from, to) in from.iter().zip(to) {
                        *to = <$int>::$from(*from);
                    }
                }
            }
        )+}
    };
}

fills! {
    /// Decodes big-endian 32-bit integers.
    fill_be_u32 as fill_be_u32_portable: from_be_bytes -> u32;
    /// Decodes little-endian 32-bit integers.
    fill_le_u32 as fill_le_u32_portable: from_le_bytes -> u32;
    /// Decodes little-endian 16-bit integers.
    fill_le_u16 as fill_le_u16_portable: from_le_bytes -> u16;
}

macro_rules! float_fills {
    ($($(#[$doc:meta])* $fill:ident as $portable:ident: $from:ident;)+) => {
        $crate::kernels! {$(
            $(#[$doc])*
            pub fn $fill as $portable<'a>(bytes: &'a [u8], out: &'a mut [F32]) -> bool {
                let mut most = 0;
                for (from, to) in aligned(bytes.as_chunks().0, out) {
                    for (from, to) in from.iter().zip(to) {
                        let word = u32::$from(*from);
                        most = most.max(word & MAGNITUDE);
                        *to = F32::from_bits(word);
                    }
                }
                most < INFINITE
            }
        )+}
    };
}

float_fills! {
    /// Decodes big-endian binary32 values. Returns whether all are finite.
    fill_be_f32 as fill_be_f32_portable: from_be_bytes;
    /// Decodes little-endian binary32 values. Returns whether all are finite.
    fill_le_f32 as fill_le_f32_portable: from_le_bytes;
}

/// Defines functions that append numbers to a vector. They decode a block at a time, because uninitialised
/// room of a vector is not a slice.
macro_rules! extends {
    ($($(#[$doc:meta])* $extend:ident: $fill:ident -> $int:ty;)+) => {$(
        $(#[$doc])*
        ///
        /// The numbers are appended to `out`. Bytes after the last whole number are ignored.
        pub fn $extend(bytes: &[u8], out: &mut Vec<$int>) {
            let mut block = [<$int>::default(); 256];
            for bytes in bytes.chunks(size_of_val(&block)) {
                let whole = bytes.as_chunks::<{ size_of::<$int>() }>().0.len();
                let items = block.get_mut(..whole).unwrap_or_default();
                $fill(bytes, items);
                out.extend_from_slice(items);
            }
        }
    )+};
}

extends! {
    /// Decodes big-endian 32-bit integers.
    extend_be_u32: fill_be_u32 -> u32;
    /// Decodes little-endian 32-bit integers.
    extend_le_u32: fill_le_u32 -> u32;
    /// Decodes little-endian 16-bit integers.
    extend_le_u16: fill_le_u16 -> u16;
    /// Decodes big-endian binary32 values.
    extend_be_f32: fill_be_f32 -> F32;
    /// Decodes little-endian binary32 values.
    extend_le_f32: fill_le_f32 -> F32;
}

/// Defines decoders for the encodings of [`num`](crate::num), from their raw bits.
macro_rules! encodings {
    ($($(#[$doc:meta])* $name:ident as $portable:ident: $type:ident, $int:ty => $out:ty;)+) => {
        $crate::kernels! {$(
            $(#[$doc])*
            pub fn $name as $portable<'a>(codes: &'a [$int], out: &'a mut [$out]) -> () {
                for (to, from) in out.iter_mut().zip(codes) {
                    *to = $type::from_bits(*from).decode();
                }
            }
        )+}
    };
}

encodings! {
    /// Decodes [`F16`] codes.
    fill_f16 as fill_f16_portable: F16, u16 => f32;
    /// Decodes [`Q2_12`] codes.
    fill_q2_12 as fill_q2_12_portable: Q2_12, u16 => f32;
    /// Decodes [`Q1_15`] words.
    fill_q1_15 as fill_q1_15_portable: Q1_15, u32 => f32;
    /// Decodes [`Se32`] words.
    fill_se32 as fill_se32_portable: Se32, u32 => [f32; 3];
    /// Decodes [`St11`] words.
    fill_st11 as fill_st11_portable: St11, u32 => [f32; 2];
    /// Decodes [`St12`] words.
    fill_st12 as fill_st12_portable: St12, u32 => [f32; 2];
    /// Decodes [`QuatF8`] words to unit quaternions.
    fill_quat_f8 as fill_quat_f8_portable: QuatF8, u32 => [f32; 4];
}

kernels! {
    /// Decodes [`F8A`] codes.
    pub fn fill_f8a as fill_f8a_portable<'a>(codes: &'a [u8], out: &'a mut [f32]) -> () {
        // Only the upper halves of the floats: a register holds twice as many, and one step widens them.
        let mut block = [0_u16; 256];
        for (codes, out) in aligned(codes, out) {
            for (codes, out) in codes.chunks(block.len()).zip(out.chunks_mut(block.len())) {
                for (to, from) in block.iter_mut().zip(codes) {
                    *to = F8A::upper(*from);
                }
                for (to, upper) in out.iter_mut().zip(&block) {
                    *to = f32::from_bits(u32::from(*upper) << 16);
                }
            }
        }
    }

    /// Decodes [`St14`] words.
    pub fn fill_st14 as fill_st14_portable<'a>(codes: &'a [u32], form: St14Form, out: &'a mut [[f32; 2]]) -> () {
        for (to, from) in out.iter_mut().zip(codes) {
            *to = St14::from_bits(*from).decode(form);
        }
    }

    /// Returns whether no value is infinite or NaN.
    pub fn all_finite as all_finite_portable<'a>(values: &'a [F32]) -> bool {
        values.iter().fold(0, |most: u32, v| most.max(v.to_bits() & MAGNITUDE)) < INFINITE
    }

    /// Returns whether no number is infinite or NaN.
    pub fn are_finite as are_finite_portable<'a>(numbers: &'a [f32]) -> bool {
        numbers.iter().fold(0, |most: u32, v| most.max(v.to_bits() & MAGNITUDE)) < INFINITE
    }

    /// Copies the lower halves of words, as many as both slices hold.
    pub fn fill_low_u16 as fill_low_u16_portable<'a>(words: &'a [u32], out: &'a mut [u16]) -> () {
        for (to, word) in out.iter_mut().zip(words) {
            let [a, b, ..] = word.to_le_bytes();
            *to = u16::from_le_bytes([a, b]);
        }
    }

    /// Returns the greatest number; 0 for an empty slice.
    pub fn greatest as greatest_portable<'a>(values: &'a [u32]) -> u32 {
        values.iter().fold(0, |most, v| most.max(*v))
    }
}

/// The number of items that are decoded on the stack at a time: few enough to be in the cache when they are
/// appended.
const BLOCK: usize = 64;

/// Appends `make(item)` for each item. It is for kernels: neither `push` nor a vector's own `extend`, whose
/// loop is not inlined, turns into vector instructions.
#[allow(clippy::inline_always, reason = "part of kernels")]
#[inline(always)]
pub fn append<S, T: Copy + Default>(items: &[S], out: &mut Vec<T>, mut make: impl FnMut(&S) -> T) {
    let mut block = [T::default(); BLOCK];
    for items in items.chunks(block.len()) {
        for (to, from) in block.iter_mut().zip(items) {
            *to = make(from);
        }
        out.extend_from_slice(block.get(..items.len()).unwrap_or_default());
    }
}

/// Returns whether the floats that `bits` extracts from each item are finite. It is for kernels: comparing
/// whole arrays turns into vector instructions, comparing fields of records does not.
#[allow(clippy::inline_always, reason = "part of kernels")]
#[inline(always)]
pub fn finite_in<T, const N: usize>(items: &[T], mut bits: impl FnMut(&T) -> [u32; N]) -> bool {
    let (mut block, mut most) = ([[0; N]; BLOCK], 0);
    for items in items.chunks(BLOCK) {
        for (to, from) in block.iter_mut().zip(items) {
            *to = bits(from);
        }
        let words = block.get(..items.len()).unwrap_or_default();
        most = words.as_flattened().iter().fold(most, |most, word| most.max(word & MAGNITUDE));
    }
    most < INFINITE
}

/// Appends items of `N` words each. `fill` decodes one block at a time.
fn in_blocks<T: Copy + Default, const N: usize>(
    bytes: &[u8],
    out: &mut Vec<[T; N]>,
    mut fill: impl FnMut(&[u8], &mut [T]),
) {
    let mut block = [[T::default(); N]; BLOCK];
    let size = N.saturating_mul(4).max(1);
    for bytes in bytes.chunks(size.saturating_mul(BLOCK)) {
        let items = block.get_mut(..bytes.len().checked_div(size).unwrap_or(0)).unwrap_or_default();
        fill(bytes, items.as_flattened_mut());
        out.extend_from_slice(items);
    }
}

/// Defines functions that append items of several numbers each.
macro_rules! items {
    (
        floats { $($float:ident, $order:literal: $fill_floats:ident;)+ }
        integers { $($integer:ident, $integer_order:literal: $fill_integers:ident;)+ }
    ) => {
        $(
            #[doc = concat!("Appends ", $order, "-endian binary32 values, `N` an item; true when all are finite. A last item that is not whole is left out.")]
            pub fn $float<const N: usize>(bytes: &[u8], out: &mut Vec<[F32; N]>) -> bool {
                let mut finite = true;
                in_blocks(bytes, out, |bytes, block| finite &= $fill_floats(bytes, block));
                finite
            }
        )+
        $(
            #[doc = concat!("Appends ", $integer_order, "-endian 32-bit integers, `N` an item, and returns the greatest; 0 of none. A last item that is not whole is left out.")]
            pub fn $integer<const N: usize>(bytes: &[u8], out: &mut Vec<[u32; N]>) -> u32 {
                let mut most = 0;
                in_blocks(bytes, out, |bytes, block| {
                    $fill_integers(bytes, block);
                    most = most.max(greatest(block));
                });
                most
            }
        )+
    };
}

items! {
    floats {
        extend_be_f32s, "big": fill_be_f32;
        extend_le_f32s, "little": fill_le_f32;
    }
    integers {
        extend_be_u32s, "big": fill_be_u32;
        extend_le_u32s, "little": fill_le_u32;
    }
}

/// Returns the index of the first value that is infinite or NaN.
///
/// The common case without such a value is one pass without a branch per value.
pub fn first_non_finite(values: &[F32]) -> Option<usize> {
    if all_finite(values) { None } else { values.iter().position(|v| !v.is_finite()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;
    use std::vec;

    /// Checks that the vector version, the portable version and the decoder of one value give the same bits
    /// for every code.
    macro_rules! encodings_agree {
        ($($test:ident: $wide:ident, $portable:ident, $codes:expr, $zero:expr, $one:expr;)+) => {$(
            #[test]
            fn $test() {
                let codes = $codes.collect::<Vec<_>>();
                for start in [0, 1, 5] {
                    let codes = &codes[start..];
                    let (mut wide, mut portable) = (vec![$zero; codes.len()], vec![$zero; codes.len()]);
                    $wide(codes, &mut wide);
                    $portable(codes, &mut portable);
                    for ((code, a), b) in codes.iter().zip(&wide).zip(&portable) {
                        let expected = $one(*code);
                        assert!(same(a, &expected) && same(b, &expected), "{code:#x}");
                    }
                }
            }
        )+};
    }

    /// Lists the numbers of a decoded value.
    trait Numbers {
        fn bits(&self) -> Vec<u32>;
    }

    impl Numbers for f32 {
        fn bits(&self) -> Vec<u32> {
            vec![self.to_bits()]
        }
    }

    impl<const N: usize> Numbers for [f32; N] {
        fn bits(&self) -> Vec<u32> {
            self.iter().map(|v| v.to_bits()).collect()
        }
    }

    fn same<T: Numbers>(a: &T, b: &T) -> bool {
        a.bits() == b.bits()
    }

    /// Words in which every bit occurs set and clear next to every other bit.
    fn words() -> impl Iterator<Item = u32> {
        (0..1_u32 << 17).map(|i| i.wrapping_mul(0x9e37_79b1) ^ i)
    }

    encodings_agree! {
        every_f8a: fill_f8a, fill_f8a_portable, 0..=u8::MAX, 0.0_f32, |c| F8A::from_bits(c).decode();
        every_f16: fill_f16, fill_f16_portable, 0..=u16::MAX, 0.0_f32, |c| F16::from_bits(c).decode();
        every_q2_12: fill_q2_12, fill_q2_12_portable, 0..=u16::MAX, 0.0_f32, |c| Q2_12::from_bits(c).decode();
        weights: fill_q1_15, fill_q1_15_portable, words().chain(0..=0x8000), 0.0_f32, |c| Q1_15::from_bits(c).decode();
        triples: fill_se32, fill_se32_portable, words(), [0.0_f32; 3], |c| Se32::from_bits(c).decode();
        pairs_11: fill_st11, fill_st11_portable, words(), [0.0_f32; 2], |c| St11::from_bits(c).decode();
        pairs_12: fill_st12, fill_st12_portable, words(), [0.0_f32; 2], |c| St12::from_bits(c).decode();
        quaternions: fill_quat_f8, fill_quat_f8_portable, words(), [0.0_f32; 4], |c| QuatF8::from_bits(c).decode();
    }

    #[test]
    fn pairs_14_in_every_form() {
        let codes: Vec<u32> = words().collect();
        for form in [St14Form::Excess, St14Form::TwosComplement, St14Form::Legacy] {
            let (mut wide, mut portable) = (vec![[0.0; 2]; codes.len()], vec![[0.0; 2]; codes.len()]);
            fill_st14(&codes, form, &mut wide);
            fill_st14_portable(&codes, form, &mut portable);
            for ((code, a), b) in codes.iter().zip(&wide).zip(&portable) {
                let expected = St14::from_bits(*code).decode(form);
                assert!(same(a, &expected) && same(b, &expected), "{code:#x}");
            }
        }
    }

    /// Generates floats around the edges of the finite range.
    fn float() -> impl Strategy<Value = u32> {
        const EDGES: [u32; 6] = [0x7f80_0000, 0xff80_0000, 0x7f80_0001, 0xffff_ffff, 0x7f7f_ffff, 0];
        // `any::<f32>()` would seed several random generators for each float.
        (any::<u32>(), 0..21 * EDGES.len()).prop_map(|(bits, i)| EDGES.get(i).copied().unwrap_or(bits))
    }

    proptest! {
        #[test]
        fn words_of_both_orders(words in prop::collection::vec(any::<u32>(), 0..200), cut in 0_usize..4, room in 0_usize..220) {
            let be: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
            let le: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let (be, le) = (&be[..be.len() - cut.min(be.len())], &le[..le.len() - cut.min(le.len())]);
            let whole = &words[..be.len() / 4];
            let mut expected = vec![7; room];
            for (to, from) in expected.iter_mut().zip(whole) {
                *to = *from;
            }
            for (fill, bytes) in [
                (fill_be_u32 as fn(&[u8], &mut [u32]), be),
                (fill_be_u32_portable, be),
                (fill_le_u32, le),
                (fill_le_u32_portable, le),
            ] {
                let mut out = vec![7; room];
                fill(bytes, &mut out);
                prop_assert_eq!(&out, &expected);
            }
            for (extend, bytes) in [
                (extend_be_u32 as fn(&[u8], &mut Vec<u32>), be),
                (extend_le_u32, le),
            ] {
                let mut out = vec![7];
                extend(bytes, &mut out);
                prop_assert_eq!(&out[1..], whole);
            }
            let low = |word: &u32| u16::try_from(word & 0xffff).unwrap();
            for fill in [fill_low_u16, fill_low_u16_portable] {
                let mut out = vec![7; room];
                fill(&words, &mut out);
                let expected: Vec<_> = words.iter().map(low).chain(core::iter::repeat(7)).take(room).collect();
                prop_assert_eq!(out, expected);
            }
            prop_assert_eq!(greatest(&words), words.iter().copied().max().unwrap_or(0));
            prop_assert_eq!(greatest_portable(&words), greatest(&words));
        }

        #[test]
        fn halves_of_words(halves in prop::collection::vec(any::<u16>(), 0..200)) {
            let bytes: Vec<u8> = halves.iter().flat_map(|w| w.to_le_bytes()).collect();
            let (mut a, mut b, mut c) = (vec![0; halves.len()], vec![0; halves.len()], Vec::new());
            fill_le_u16(&bytes, &mut a);
            fill_le_u16_portable(&bytes, &mut b);
            extend_le_u16(&bytes, &mut c);
            prop_assert_eq!(&a, &halves);
            prop_assert_eq!(&b, &halves);
            prop_assert_eq!(&c, &halves);
        }

        #[test]
        fn floats_of_both_orders_say_whether_they_are_finite(words in prop::collection::vec(float(), 0..200)) {
            let finite = words.iter().all(|w| f32::from_bits(*w).is_finite());
            let be: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
            let le: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let bits = |v: &[F32]| v.iter().map(|f| f.to_bits()).collect::<Vec<_>>();
            for (fill, bytes) in [
                (fill_be_f32 as fn(&[u8], &mut [F32]) -> bool, &be),
                (fill_be_f32_portable, &be),
                (fill_le_f32, &le),
                (fill_le_f32_portable, &le),
            ] {
                let mut out = vec![F32::default(); words.len()];
                prop_assert_eq!(fill(bytes, &mut out), finite);
                let plain: Vec<_> = words.iter().map(|w| f32::from_bits(*w)).collect();
                prop_assert_eq!((are_finite(&plain), are_finite_portable(&plain)), (finite, finite));
                prop_assert_eq!(&bits(&out), &words);
            }
            for (extend, bytes) in [(extend_be_f32 as fn(&[u8], &mut Vec<F32>), &be), (extend_le_f32, &le)] {
                let mut out = Vec::new();
                extend(bytes, &mut out);
                prop_assert_eq!(&bits(&out), &words);
                prop_assert_eq!(all_finite(&out), finite);
                prop_assert_eq!(all_finite_portable(&out), finite);
                prop_assert_eq!(first_non_finite(&out), out.iter().position(|f| !f.get().is_finite()));
            }
        }

        #[test]
        fn items_of_several_words(words in prop::collection::vec(float(), 0..2000)) {
            let whole = &words[..words.len() / 3 * 3];
            for big in [true, false] {
                let bytes = |w: &u32| if big { w.to_be_bytes() } else { w.to_le_bytes() };
                let bytes: Vec<u8> = words.iter().flat_map(bytes).collect();
                let (mut floats, mut integers) = (vec![[F32::default(); 3]], vec![[0; 3]]);
                let (finite, most) = if big {
                    (extend_be_f32s(&bytes, &mut floats), extend_be_u32s(&bytes, &mut integers))
                } else {
                    (extend_le_f32s(&bytes, &mut floats), extend_le_u32s(&bytes, &mut integers))
                };
                let bits = floats[1..].as_flattened().iter().map(|f| f.to_bits());
                prop_assert_eq!(bits.collect::<Vec<_>>(), whole);
                prop_assert_eq!(integers[1..].as_flattened(), whole);
                prop_assert_eq!(finite, whole.iter().all(|w| f32::from_bits(*w).is_finite()));
                prop_assert_eq!(most, whole.iter().copied().max().unwrap_or(0));
            }
            let mut appended = vec![7];
            append(&words, &mut appended, |w| w.wrapping_add(1));
            prop_assert_eq!(&appended[1..], words.iter().map(|w| w.wrapping_add(1)).collect::<Vec<_>>());
        }
    }
}
