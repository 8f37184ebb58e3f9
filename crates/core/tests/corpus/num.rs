//! The numeric encodings against values computed outside the project, to the bit.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

use meshwright_core::num::{F8A, F16, QuatF8, Se32, St11, St12, St14, St14Form};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Returns the rows of one table.
fn rows(table: &str) -> Vec<Value> {
    let next = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("MESHWRIGHT_CORPUS").map_or_else(next, PathBuf::from);
    let text = std::fs::read(corpus.join("bmd/golden_numeric.json")).expect("the corpus");
    let golden: Value = serde_json::from_slice(&text).unwrap();
    let rows = golden.pointer(table).unwrap().as_array().unwrap();
    assert!(!rows.is_empty(), "{table}");
    rows.clone()
}

/// Parses a number, or a string for a value that JSON has no number for, such as NaN.
fn float(value: &Value) -> f32 {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.parse().unwrap()
}

fn floats<const N: usize>(value: &Value) -> [f32; N] {
    let floats: Vec<f32> = value.as_array().unwrap().iter().map(float).collect();
    floats.try_into().unwrap()
}

fn hex(value: &Value) -> u32 {
    u32::from_str_radix(value.as_str().unwrap(), 16).unwrap()
}

fn small<T: TryFrom<u64, Error: std::fmt::Debug>>(value: &Value) -> T {
    value.as_u64().unwrap().try_into().unwrap()
}

#[track_caller]
fn assert_bits<const N: usize>(got: [f32; N], want: [f32; N], row: &Value) {
    assert_eq!(got.map(f32::to_bits), want.map(f32::to_bits), "{got:?} instead of {want:?}, {row}");
}

#[test]
fn f8a_decode() {
    for (code, row) in (0..=u8::MAX).zip(rows("/f8a_decode")) {
        assert_bits([F8A::from_bits(code).decode()], [float(&row)], &row);
    }
}

#[test]
fn f8a_encode() {
    for row in rows("/f8a_encode") {
        let code = F8A::encode(float(&row["x"]));
        assert_eq!(code.to_bits(), small::<u8>(&row["nearest"]), "{row}");
        assert_bits([code.decode()], [float(&row["nearest_value"])], &row);
    }
}

#[test]
fn f16_decode() {
    for row in rows("/f16_decode") {
        let (got, want) =
            (F16::from_bits(hex(&row["code"]).try_into().unwrap()).decode(), float(&row["ieee"]));
        if want.is_nan() {
            assert!(got.is_nan(), "{row}");
        } else {
            assert_bits([got], [want], &row);
        }
    }
}

#[test]
fn f16_encode() {
    for row in rows("/f16_encode") {
        let code = F16::encode_saturating(float(&row["x"]));
        assert_eq!(u32::from(code.to_bits()), hex(&row["nearest"]), "{row}");
    }
}

#[test]
fn se32_decode() {
    for row in rows("/se32_decode") {
        let word = Se32::from_bits(hex(&row["word"]));
        assert_eq!(word.exponent(), small::<u8>(&row["e"]), "{row}");
        let fractions: Vec<i64> =
            row["frac"].as_array().unwrap().iter().map(|f| f.as_i64().unwrap()).collect();
        assert_eq!(word.fractions().map(i64::from).as_slice(), fractions, "{row}");
        assert_bits(word.decode(), floats(&row["value"]), &row);
    }
}

#[test]
fn se32_encode() {
    for row in rows("/se32_encode") {
        let value = floats(&row["v"]);
        let word = Se32::encode(value);
        assert_eq!(word.to_bits(), hex(&row["best"]), "{row}");
        assert_bits(word.decode(), floats(&row["best_value"]), &row);
        let error = word.decode().into_iter().zip(value).map(|(a, b)| (f64::from(a) - f64::from(b)).abs());
        let (error, want) = (error.fold(0.0, f64::max), row["best_maxerr"].as_f64().unwrap());
        // serde_json's result may be one unit in the last place off.
        assert!((error - want).abs() <= want * f64::EPSILON, "{error:e}, {row}");
    }
}

#[test]
fn quat() {
    for row in rows("/quat") {
        let word = QuatF8::encode(floats(&row["q"]));
        assert_eq!(word.to_bits(), hex(&row["best"]), "{word:?} {row}");
        assert_bits(word.decode(), floats(&row["best_decoded"]), &row);
        assert_bits(
            QuatF8::from_bits(hex(&row["upstream"])).decode(),
            floats(&row["upstream_decoded"]),
            &row,
        );
    }
}

#[test]
fn quat_decode() {
    for row in rows("/quat_decode") {
        assert_bits(QuatF8::from_bits(hex(&row["word"])).decode(), floats(&row["ijkr"]), &row);
    }
}

#[test]
fn st11() {
    for row in rows("/st/st11") {
        let (word, value) = (St11::from_bits(hex(&row["word24"])), floats(&row["st"]));
        assert_bits(word.decode(), value, &row);
        assert_bits(St11::encode(value).decode(), value, &row);
    }
}

#[test]
fn st12() {
    for row in rows("/st/st12") {
        let (word, value) = (St12::from_bits(hex(&row["word24"])), floats(&row["st"]));
        assert_bits(word.decode(), value, &row);
        assert_eq!(St12::encode(value), word, "{row}");
    }
}

#[test]
fn st14() {
    let forms =
        [(St14Form::Excess, "biased"), (St14Form::TwosComplement, "twos"), (St14Form::Legacy, "legacy")];
    for row in rows("/st/st14") {
        let word = St14::from_bits(hex(&row["word"]));
        for (form, name) in forms {
            let value = floats(&row[name]);
            assert_bits(word.decode(form), value, &row);
            assert_bits(St14::encode(value, form).decode(form), value, &row);
        }
    }
}
