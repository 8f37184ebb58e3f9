//! Writes numbers as OBJ text.

use alloc::string::String;

/// Appends the shortest decimal that gives the same 32-bit number when read, without an exponent. The number
/// must be finite.
pub(super) fn push_float(text: &mut String, number: f32) {
    let mut buffer = zmij::Buffer::new();
    let printed = buffer.format_finite(number);
    // Such a number is printed with a fraction and without an exponent. This check is faster than formatting
    // it.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "seen to be small")]
    let is_part = |number: f32| number != number as i32 as f32;
    if (1e-3..1e6).contains(&number.abs()) && is_part(number) {
        return text.push_str(printed);
    }
    if let Some(whole) = printed.strip_suffix(".0") {
        return text.push_str(whole);
    }
    // At most two digits and a sign follow the `e`.
    let bytes = printed.as_bytes();
    if !bytes.iter().rev().take(4).any(|b| *b == b'e') {
        return text.push_str(printed);
    }
    spread(text, printed);
}

/// Writes `1.25e-7` as `0.000000125`.
fn spread(text: &mut String, printed: &str) {
    let (mantissa, exponent) = printed.split_once('e').unwrap_or((printed, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits = match mantissa.strip_prefix('-') {
        Some(digits) => {
            text.push('-');
            digits
        }
        None => mantissa,
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    // The position of the point among the digits.
    let point = exponent.saturating_add(i32::try_from(whole.len()).unwrap_or(0));
    let zeros = |text: &mut String, n: i32| (0..n).for_each(|_| text.push('0'));
    if point <= 0 {
        text.push_str("0.");
        zeros(text, point.saturating_neg());
        text.push_str(whole);
        return text.push_str(part);
    }
    let count = i32::try_from(whole.len().saturating_add(part.len())).unwrap_or(0);
    for (at, digit) in (0..).zip(whole.chars().chain(part.chars())) {
        if at == point {
            text.push('.');
        }
        text.push(digit);
    }
    zeros(text, point.saturating_sub(count));
}

/// Appends a whole number.
pub(super) fn push_whole(text: &mut String, number: u64) {
    text.push_str(itoa::Buffer::new().format(number));
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn assert_printed(bits: u32) {
        let number = f32::from_bits(bits);
        if number.is_finite() {
            let mut text = String::new();
            push_float(&mut text, number);
            assert_eq!(text.parse::<f32>().unwrap().to_bits(), bits, "{text}");
            // The standard library rounds ties up, which is equally near.
            let shortest = number.to_string();
            assert_eq!(text.len(), shortest.len(), "{text} {shortest}");
            assert!(!text.contains('e'), "{text}");
        }
    }

    #[test]
    fn numbers_are_as_short_as_the_language_prints_them_and_read_back() {
        let odd =
            [0.0, -0.0, 1.0, -1.5, 1e-45, -3e38, f32::MAX, f32::MIN_POSITIVE, 16_777_216.0, 1e7, 1e16, 1e-5];
        odd.map(f32::to_bits).into_iter().for_each(assert_printed);
        // Test all exponents with short and long mantissas, and a walk through all bits.
        for exponent in 0..255_u32 {
            for mantissa in [0, 1, 0x40_0000, 0x7f_ffff, 0x2a_aaaa, 0x19_999a] {
                assert_printed(exponent << 23 | mantissa);
            }
        }
        (0..40_000_u32).for_each(|i| assert_printed(i.wrapping_mul(0x9e37_79b9)));
        // Test numbers in the range of lengths and texture coordinates.
        (0..40_000_u16).for_each(|i| assert_printed((f32::from(i) / 1000.0 - 20.0).to_bits()));
    }
}
