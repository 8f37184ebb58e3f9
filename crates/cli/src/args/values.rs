//! Parsers for values of options.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use meshwright::scene::Engine;
use meshwright::{Dialect, Format, Target};
use std::num::{NonZeroU16, NonZeroUsize};

/// Values of an option: names, lines of help, and what they mean.
pub(super) type Choices<T> = &'static [(&'static str, &'static str, T)];

/// Returns the parser for one of several values.
pub(super) fn choice<T: Copy + Send + Sync>(all: Choices<T>) -> impl TypedValueParser<Value = T> {
    let mut values = Vec::new();
    for (name, help, _) in all {
        values.push(PossibleValue::new(*name).help(*help));
    }
    PossibleValuesParser::new(values)
        .try_map(|name| all.iter().find(|row| row.0 == name).map(|row| row.2).ok_or("unknown"))
}

/// Returns the parser for the name of a format.
pub(super) fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.iter().map(|f| f.id())).try_map(|name| name.parse::<Format>())
}

/// Returns the parser for the name of a conversion target.
pub(super) fn target() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(Target::all_named().map(Target::id)).try_map(|name| name.parse::<Target>())
}

/// Returns the parser for the name of an engine whose limits are known.
pub(super) fn engine() -> impl TypedValueParser<Value = Engine> {
    PossibleValuesParser::new(Engine::ALL.map(Engine::id)).try_map(|name| name.parse::<Engine>())
}

/// The value of `convert --for`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Editing in Blender, with an import into the game's format afterwards.
    Blender,
    /// An engine whose limits the output keeps.
    Engine(Engine),
}

/// Returns the parser for the name of a [`Purpose`].
pub(super) fn purpose() -> impl TypedValueParser<Value = Purpose> {
    let names = ["blender"].into_iter().chain(Engine::ALL.map(Engine::id));
    PossibleValuesParser::new(names.collect::<Vec<_>>()).try_map(|name| match &*name {
        "blender" => Ok(Purpose::Blender),
        name => name.parse().map(Purpose::Engine),
    })
}

/// Returns the parser for the name of a dialect of any format.
pub(super) fn dialect() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::all().map(Dialect::name)).try_map(|name| name.parse::<Dialect>())
}

pub(super) fn parse_bound(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|v: &f64| v.is_finite() && *v >= 0.0);
    number.ok_or_else(|| "not a number of at least 0".into())
}

pub(super) fn parse_jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "not a whole number from 1".into())
}

pub(super) fn parse_rate(text: &str) -> Result<f32, String> {
    let rate = text.parse().ok().filter(|v| (0.01..=1000.0).contains(v));
    rate.ok_or_else(|| "not a number from 0.01 to 1000".into())
}

pub(super) fn parse_frames(text: &str) -> Result<NonZeroU16, String> {
    let rate = text.parse().ok().filter(|rate: &NonZeroU16| rate.get() <= 1000);
    rate.ok_or_else(|| "not a whole number from 1 to 1000".into())
}

pub(super) fn parse_id(text: &str) -> Result<u32, String> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let number = hexadecimal.map_or_else(|| text.parse(), |digits| u32::from_str_radix(digits, 16));
    number.map_err(|_| "not a 32-bit number".into())
}

pub(super) fn parse_factor(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|v: &f64| v.is_finite() && *v > 0.0);
    number.ok_or_else(|| "not a positive number".into())
}

pub(super) fn parse_shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    parts.filter(|(k, n)| *k >= 1 && k <= n).ok_or_else(|| "not K/N, such as 2/8".into())
}

pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text.get(digits.len()..).unwrap_or_default().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        unit => return Err(format!("unknown unit {unit}; use K, M or G")),
    };
    let number: u64 = digits.parse().map_err(|_| "not a whole number".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "too large".into())
}

pub(super) fn parse_pixels(text: &str) -> Result<(u32, u32), String> {
    let side = |part: &str| match part.parse::<u32>() {
        Ok(n) if (1..=16_384).contains(&n) => Ok(n),
        _ => Err("not a number of pixels from 1 to 16384".to_owned()),
    };
    match text.split_once('x') {
        Some((width, height)) => Ok((side(width)?, side(height)?)),
        None => side(text).map(|n| (n, n)),
    }
}

pub(super) fn parse_colour(text: &str) -> Result<[u8; 4], String> {
    if text == "none" {
        return Ok([0; 4]);
    }
    let digits = text.strip_prefix('#').unwrap_or(text);
    let value =
        u32::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    match (digits.len(), value) {
        (6, Some(value)) => Ok((value << 8 | 0xff).to_be_bytes()),
        (8, Some(value)) => Ok(value.to_be_bytes()),
        _ => Err("not a colour such as #336699 or none".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_pixels() {
        assert_eq!(parse_colour("#336699"), Ok([0x33, 0x66, 0x99, 0xff]));
        assert_eq!(parse_colour("33669980"), Ok([0x33, 0x66, 0x99, 0x80]));
        assert_eq!(parse_colour("none"), Ok([0; 4]));
        assert!(["", "#12345", "#+12345", "red", "#1234567"].iter().all(|c| parse_colour(c).is_err()));
        assert_eq!((parse_pixels("64"), parse_pixels("640x480")), (Ok((64, 64)), Ok((640, 480))));
        assert!(["0", "x", "8x", "16385", "1x1x1"].iter().all(|c| parse_pixels(c).is_err()));
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("256M"), Ok(256 << 20));
        assert_eq!(parse_size("1GiB"), Ok(1 << 30));
        assert_eq!(parse_size("17"), Ok(17));
        assert!(parse_size("1T").is_err() && parse_size("M").is_err() && parse_size("99999999999G").is_err());
    }
}
