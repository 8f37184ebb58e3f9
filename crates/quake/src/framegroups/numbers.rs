//! Reads numbers like the C library.

fn skip_c_space(text: &[u8]) -> &[u8] {
    let n = text.iter().take_while(|b| matches!(b, b' ' | 9..=13)).count();
    text.get(n..).unwrap_or_default()
}

/// Reads a number like `atoi`: a sign and digits; the rest is ignored. Without digits it is 0. Values beyond 32 bits
/// are clamped.
pub(super) fn integer(text: &[u8]) -> i32 {
    let text = skip_c_space(text);
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut value = 0_i64;
    for b in digits.iter().take_while(|b| b.is_ascii_digit()) {
        let digit = i64::from(b.saturating_sub(b'0'));
        value = value.saturating_mul(10).saturating_add(digit).min(u32::MAX.into());
    }
    let value = if negative { value.saturating_neg() } else { value };
    i32::try_from(value).unwrap_or(if negative { i32::MIN } else { i32::MAX })
}

/// Reads a number like `atof`: the longest decimal number at the front, or 0 if there is none.
pub(crate) fn number(text: &[u8]) -> f32 {
    let text = skip_c_space(text);
    let digits = |from: usize| text.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
    let sign = |at: usize| usize::from(matches!(text.get(at), Some(b'-' | b'+')));
    let start = sign(0);
    let mut end = start.saturating_add(digits(start));
    let mut any = end > start;
    if text.get(end) == Some(&b'.') {
        let fraction = end.saturating_add(1);
        end = fraction.saturating_add(digits(fraction));
        any |= end > fraction;
    }
    if !any {
        return 0.0;
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let mark = end.saturating_add(1);
        let exponent = mark.saturating_add(sign(mark));
        if digits(exponent) > 0 {
            end = exponent.saturating_add(digits(exponent));
        }
    }
    let text = text.get(..end).and_then(|t| core::str::from_utf8(t).ok()).unwrap_or("0");
    // The engine reads 64 bits and rounds to 32.
    #[expect(clippy::cast_possible_truncation, reason = "rounding to the stored precision is the purpose")]
    let value = text.parse::<f64>().unwrap_or(0.0) as f32;
    value
}

/// Returns true if all of a token is a whole number.
pub(super) fn is_integer(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_c_does() {
        for (text, expected) in [
            ("1.9", 1),
            ("abc", 0),
            ("0x10", 0),
            ("-5x", -5),
            ("+7", 7),
            ("99999999999999999999999", i32::MAX),
            ("-99999999999999999999999", i32::MIN),
            ("", 0),
        ] {
            assert_eq!(integer(text.as_bytes()), expected, "{text}");
        }
        for (text, expected) in [
            ("1e1", 10.0),
            ("1e", 1.0),
            (".5x", 0.5),
            (".", 0.0),
            ("-.5e-1", -0.05),
            ("5.", 5.0),
            ("e5", 0.0),
        ] {
            assert_eq!(number(text.as_bytes()), expected, "{text}");
        }
    }
}
