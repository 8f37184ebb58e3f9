//! Values of JSON as the bytes of fields.

use super::schema::Number;
use meshwright_core::FieldPath;
use meshwright_core::json::{JsonType, JsonValue};

/// A value that does not fit its place: the JSON path and the reason.
#[derive(Debug)]
pub(super) struct Misfit {
    pub(super) path: String,
    pub(super) message: String,
    pub(super) offset: Option<u64>,
}

impl Misfit {
    pub(super) fn new(path: impl ToString, message: impl Into<String>) -> Self {
        Self { path: path.to_string(), message: message.into(), offset: None }
    }

    /// Returns the fault of a value in the text.
    pub(super) fn for_value(
        json: JsonValue<'_, '_>,
        path: &FieldPath<'_>,
        message: impl Into<String>,
    ) -> Self {
        Self { offset: Some(json.offset()), ..Self::new(path.to_owned(), message) }
    }

    /// Returns the fault of a value of another type.
    pub(super) fn not(json: JsonValue<'_, '_>, path: &FieldPath<'_>, wanted: &str) -> Self {
        Self::for_value(json, path, format!("expected {wanted}, found {}", json.kind()))
    }
}

/// Returns the bits of a number.
pub(super) fn bits(json: JsonValue<'_, '_>, number: Number, path: &FieldPath<'_>) -> Result<u64, Misfit> {
    let size = u32::try_from(number.size().saturating_mul(8)).unwrap_or(64);
    let unused = 64_u32.saturating_sub(size);
    if let Some(text) = json.as_str() {
        let digits = text.strip_prefix("0x").unwrap_or_default();
        let bits =
            u64::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let bits = bits.filter(|bits| bits.leading_zeros() >= unused);
        return bits.ok_or_else(|| {
            Misfit::for_value(
                json,
                path,
                format!("expected a number, or the {size} bits of one as \"0x...\""),
            )
        });
    }
    if json.kind() != JsonType::Number {
        return Err(Misfit::not(json, path, "a number"));
    }
    let raw = json.raw();
    let large = || Misfit::for_value(json, path, format!("{raw} does not fit {}", number.name()));
    match number {
        Number::F32 => {
            let value: f32 = raw.parse().map_err(|_| large())?;
            if value.is_finite() { Ok(u64::from(value.to_bits())) } else { Err(large()) }
        }
        Number::F64 => {
            let value: f64 = raw.parse().map_err(|_| large())?;
            if value.is_finite() { Ok(value.to_bits()) } else { Err(large()) }
        }
        _ => {
            let value: i128 = raw.parse().map_err(|_| {
                Misfit::for_value(
                    json,
                    path,
                    format!("{raw} is not a whole number that fits {}", number.name()),
                )
            })?;
            integer_bits(value, number).ok_or_else(large)
        }
    }
}

/// Returns the bits of an integer, if it fits.
pub(super) fn integer_bits(value: i128, number: Number) -> Option<u64> {
    let size = u32::try_from(number.size().saturating_mul(8)).ok()?;
    let mask = u64::MAX.checked_shr(64_u32.saturating_sub(size))?;
    match number {
        Number::F32 | Number::F64 => None,
        Number::I8 | Number::I16 | Number::I32 => {
            let half = 1_i128.checked_shl(size.saturating_sub(1))?;
            let fits = value < half && value >= half.checked_neg()?;
            fits.then(|| i64::try_from(value).ok().map(|v| v.cast_unsigned() & mask))?
        }
        _ => u64::try_from(value).ok().filter(|v| *v <= mask),
    }
}

/// Returns the bytes of a text, or of `{"hex": ...}`.
pub(super) fn bytes(json: JsonValue<'_, '_>, path: &FieldPath<'_>) -> Result<Vec<u8>, Misfit> {
    if let Some(text) = json.as_str() {
        return Ok(text.into_owned().into_bytes());
    }
    let Some(hex) = json.get("hex") else {
        return Err(Misfit::not(json, path, "a text, or {\"hex\": ...}"));
    };
    let path = &path.field("hex");
    match hex.kind() {
        JsonType::Array => {
            let mut all = Vec::new();
            for (i, line) in hex.items().enumerate() {
                digits(line, &path.index(i), &mut all)?;
            }
            Ok(all)
        }
        _ => {
            let mut all = Vec::new();
            digits(hex, path, &mut all)?;
            Ok(all)
        }
    }
}

fn digits(json: JsonValue<'_, '_>, path: &FieldPath<'_>, all: &mut Vec<u8>) -> Result<(), Misfit> {
    let Some(text) = json.as_str() else { return Err(Misfit::not(json, path, "hexadecimal digits")) };
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|d| u8::try_from(d).ok());
    for pair in text.as_bytes().chunks(2) {
        let byte = match *pair {
            [high, low] => value(high).zip(value(low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        all.push(byte.ok_or_else(|| Misfit::for_value(json, path, "expected pairs of hexadecimal digits"))?);
    }
    Ok(())
}
