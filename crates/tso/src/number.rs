//! Numbers of the text formats, in the form of C's `printf` and `scanf`.

use alloc::format;
use core::fmt::{self, Write};
use meshwright_core::F32;

/// Writes a number like C's `%g`, with three-digit exponents as in Visual C++. It uses six digits like the game's own
/// files, or nine if six do not give the same float.
pub(crate) fn put_float(w: &mut dyn Write, value: F32) -> fmt::Result {
    if !value.is_finite() {
        return write!(w, "{}", value.get());
    }
    let six = general(value.get(), 6);
    if six.parse::<f32>().is_ok_and(|v| v.to_bits() == value.to_bits()) {
        return w.write_str(&six);
    }
    w.write_str(&general(value.get(), 9))
}

/// Formats a number like `%.<digits>g`.
fn general(value: f32, digits: usize) -> alloc::string::String {
    let wide = f64::from(value);
    let scientific = format!("{wide:.*e}", digits.saturating_sub(1));
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let power: i64 = exponent.parse().unwrap_or(0);
    let bare = |text: &str| {
        if text.contains('.') {
            alloc::string::String::from(text.trim_end_matches('0').trim_end_matches('.'))
        } else {
            text.into()
        }
    };
    let most = i64::try_from(digits).unwrap_or(i64::MAX);
    if (-4..most).contains(&power) {
        let decimals = usize::try_from(most.saturating_sub(1).saturating_sub(power)).unwrap_or(0);
        return bare(&format!("{wide:.decimals$}"));
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{}e{sign}{:03}", bare(mantissa), power.unsigned_abs())
}

/// A word of text where a number is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Word {
    /// A number.
    Number(F32),
    /// A number too large for a float, or Visual C++'s words for NaN and infinity.
    NotFinite,
    /// A word that is not a number.
    Other,
}

/// Parses a real number, rounded to the nearest float.
pub(crate) fn float(word: &[u8]) -> Word {
    let Ok(text) = str::from_utf8(word) else { return Word::Other };
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    // "1.#QNAN", "-1.#IND", "1.#INF", and the words of other runtimes.
    let named = ["1.#", "nan", "inf"]
        .iter()
        .any(|w| unsigned.get(..w.len()).is_some_and(|start| start.eq_ignore_ascii_case(w)));
    if named {
        return Word::NotFinite;
    }
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() => Word::Number(F32::new(value)),
        Ok(_) => Word::NotFinite,
        Err(_) => Word::Other,
    }
}

/// Parses an integer. A value beyond 64 bits is clamped.
pub(crate) fn parse_integer(word: &[u8]) -> Option<i64> {
    let text = str::from_utf8(word).ok()?;
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let far = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(text.parse().unwrap_or(far))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn text(value: f32) -> String {
        let mut out = String::new();
        put_float(&mut out, F32::new(value)).unwrap();
        out
    }

    #[test]
    fn numbers_look_like_the_games() {
        for (value, want) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (700_000.0, "700000"),
            (1_000_000.0, "1e+006"),
            (0.05, "0.05"),
            (-1.72489e-8, "-1.72489e-008"),
            (1e-5, "1e-005"),
            (0.0001, "0.0001"),
            (-0.706_899, "-0.706899"),
            (1.0 / 3.0, "0.333333343"),
            (f32::MAX, "3.40282347e+038"),
            (f32::from_bits(1), "1.4013e-045"),
            (16_777_216.0, "16777216"),
        ] {
            assert_eq!(text(value), want);
        }
    }

    #[test]
    fn words_are_numbers_or_say_why_not() {
        for word in ["1.#QNAN", "-1.#IND", "1.#INF", "1e39", "-inf", "NaN"] {
            assert_eq!(float(word.as_bytes()), Word::NotFinite, "{word}");
        }
        for word in ["", "x", "0x10", "1,5", "--1"] {
            assert_eq!(float(word.as_bytes()), Word::Other, "{word}");
        }
        assert_eq!(float(b"1e-0005"), Word::Number(F32::new(1e-5)));
        assert_eq!(
            (parse_integer(b"-1"), parse_integer(b"3.0"), parse_integer(b""), parse_integer(b"-")),
            (Some(-1), None, None, None)
        );
        assert_eq!(parse_integer(b"99999999999999999999"), Some(i64::MAX));
    }

    proptest! {
        #[test]
        fn every_float_comes_back(bits: u32) {
            let value = f32::from_bits(bits);
            prop_assume!(value.is_finite());
            prop_assert_eq!(text(value).parse::<f32>().unwrap().to_bits(), bits);
        }
    }
}
