//! JSON as a flat list of values that borrow their text. Nothing recurses, however deep lists and objects are nested.
//!
//! ```
//! use meshwright_core::json::{Grammar, Json};
//! use meshwright_core::{Budget, Codes, Kind, Limits, FieldPath, Rule, Source};
//!
//! const SYNTAX: &Rule = &Rule::error("json", Kind::Syntax, "", "");
//! const GRAMMAR: Grammar = Grammar::new(SYNTAX, 64);
//!
//! let budget = Budget::new(Limits::default());
//! let codes = Codes { short: SYNTAX, count: SYNTAX, limit: SYNTAX };
//! let text = br#"{"name": "sphere", "lods": [1, 2.5]}"#;
//! let source = Source::file(text, codes, &budget);
//! let json = Json::parse(text, &source, 0, &FieldPath::ROOT, &GRAMMAR)?;
//! assert_eq!(json.root().get("lods").unwrap().items().nth(1).unwrap().as_f64(), Some(2.5));
//! # Ok::<(), meshwright_core::ReadError>(())
//! ```

mod scan;
mod write;

pub use scan::JsonType;
pub use write::{Quoted, plain_len};

use crate::{FieldPath, LimitExceeded, ReadError, Rule, Source};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use scan::{Entry, scan, unescape};

/// The number of keys up to which each key is compared with each other key.
const FEW: usize = 12;

/// The limits of a JSON text, and the rules for its faults.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Grammar {
    /// The rule for text that is not valid JSON.
    pub syntax: &'static Rule,
    /// The rule for a text that is not UTF-8, or escapes half of a surrogate pair.
    pub encoding: &'static Rule,
    /// The rule for lists and objects that are nested deeper than [`max_depth`](Self::max_depth).
    pub depth: &'static Rule,
    /// The rule for a number that does not fit a 64-bit float.
    pub number: &'static Rule,
    /// The rule for a key that occurs twice in an object. `None` allows it.
    pub duplicate: Option<&'static Rule>,
    /// The rule for a string with a NUL character. `None` allows it.
    pub nul: Option<&'static Rule>,
    /// The rule for an integer that does not fit 64 bits. `None` allows it.
    pub wide_integer: Option<&'static Rule>,
    /// The maximum depth of nested lists and objects.
    pub max_depth: usize,
}

impl Grammar {
    /// Returns a grammar with one rule for all faults. Duplicate keys, NUL characters and integers of any
    /// size are allowed.
    #[must_use]
    pub const fn new(rule: &'static Rule, max_depth: usize) -> Self {
        Self {
            syntax: rule,
            encoding: rule,
            depth: rule,
            number: rule,
            duplicate: None,
            nul: None,
            wide_integer: None,
            max_depth,
        }
    }
}

/// The location of a text in its file, for errors, and the budget it is charged to.
#[derive(Clone, Copy)]
struct TextLocation<'p> {
    source: &'p Source<'p>,
    base: u64,
    path: &'p FieldPath<'p>,
}

impl TextLocation<'_> {
    fn broken(&self, rule: &'static Rule, at: usize, message: impl Into<Cow<'static, str>>) -> ReadError {
        self.source.broken(rule, self.path, self.base.saturating_add(at as u64), message)
    }

    fn charge(&self, what: &'static str, count: usize, size: usize) -> Result<(), ReadError> {
        self.source.charge(self.path, self.base, what, count as u64, size)
    }

    fn over_limit(&self, what: &'static str, bytes: usize) -> ReadError {
        let exceeded = LimitExceeded::bytes(what, bytes as u64, self.source.budget().remaining());
        self.source.over_limit(self.path, self.base, exceeded)
    }
}

/// A JSON text with all its values. Keys of an object are strings in front of their values.
#[derive(Debug)]
pub struct Json<'a> {
    text: &'a str,
    /// The offset of the text in its stream.
    base: u64,
    entries: Vec<Entry>,
}

/// A value of a JSON text.
#[derive(Clone, Copy)]
pub struct JsonValue<'d, 'a> {
    json: &'d Json<'a>,
    at: usize,
}

impl core::fmt::Debug for JsonValue<'_, '_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("JsonValue").field("type", &self.kind()).field("offset", &self.offset()).finish()
    }
}

impl<'a> Json<'a> {
    /// Reads a text that begins at offset `base` of the stream of `source`. Errors name `path`.
    ///
    /// # Errors
    /// If the text does not follow the grammar, or its values would take more memory than the budget has
    /// left.
    pub fn parse(
        text: &'a [u8],
        source: &Source<'_>,
        base: u64,
        path: &FieldPath<'_>,
        grammar: &Grammar,
    ) -> Result<Self, ReadError> {
        let place = TextLocation { source, base, path };
        if let [0, _, ..] | [_, 0, ..] | [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = text {
            return Err(place.broken(grammar.encoding, 0, "the text is UTF-16 or UTF-32"));
        }
        let text = core::str::from_utf8(text)
            .map_err(|e| place.broken(grammar.encoding, e.valid_up_to(), "the text is not UTF-8"))?;
        // Entries hold offsets in 32 bits.
        if u32::try_from(text.len()).is_err() {
            return Err(place.over_limit("JSON", text.len()));
        }
        let json = Self { text, base, entries: scan(text, place, grammar)? };
        if let Some(rule) = grammar.duplicate {
            json.check_keys(place, rule)?;
        }
        Ok(json)
    }

    /// Returns the number of values, including the keys of objects.
    pub const fn count(&self) -> usize {
        self.entries.len()
    }

    /// Returns the outermost value.
    pub const fn root(&self) -> JsonValue<'_, 'a> {
        JsonValue { json: self, at: 0 }
    }

    fn text(&self, entry: Entry) -> &'a str {
        self.text.get(entry.start as usize..entry.end as usize).unwrap_or_default()
    }

    /// Returns the index of the entry that follows a value.
    fn behind(&self, at: usize) -> usize {
        match self.entries.get(at) {
            Some(Entry { kind: JsonType::Array | JsonType::Object, end, .. }) => *end as usize,
            _ => at.saturating_add(1),
        }
    }

    /// Returns whether the keys of an object certainly differ: there are few, and none has escapes.
    fn differ(&self, object: usize) -> bool {
        let (mut seen, mut count) = ([""; FEW], 0_usize);
        let end = self.behind(object);
        let mut at = object.saturating_add(1);
        while let Some(key) = self.entries.get(at).filter(|_| at < end) {
            let text = self.text(*key);
            if key.escaped || seen.get(..count).is_none_or(|before| before.contains(&text)) {
                return false;
            }
            let Some(slot) = seen.get_mut(count) else { return false };
            *slot = text;
            count = count.saturating_add(1);
            at = self.behind(at.saturating_add(1));
        }
        true
    }

    /// Checks that no object has a key twice.
    fn check_keys(&self, place: TextLocation<'_>, rule: &'static Rule) -> Result<(), ReadError> {
        let mut keys: Vec<(Cow<'_, str>, usize)> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            if entry.kind != JsonType::Object || self.differ(at) {
                continue;
            }
            keys.clear();
            let object = JsonValue { json: self, at };
            keys.extend(object.entries().map(|(key, value)| (key, value.place())));
            keys.sort_unstable();
            let twice = keys.iter().zip(keys.iter().skip(1)).find(|(a, b)| a.0 == b.0);
            if let Some((_, (key, at))) = twice {
                let message = format!("a second key {:?}", key.chars().take(40).collect::<String>());
                return Err(place.broken(rule, *at, message));
            }
        }
        Ok(())
    }
}

impl<'d, 'a> JsonValue<'d, 'a> {
    fn entry(&self) -> Entry {
        let none = Entry { kind: JsonType::Null, escaped: false, start: 0, end: 0 };
        self.json.entries.get(self.at).copied().unwrap_or(none)
    }

    /// Returns the type of the value.
    pub fn kind(&self) -> JsonType {
        self.entry().kind
    }

    /// Returns the offset in the stream.
    pub fn offset(&self) -> u64 {
        self.json.base.saturating_add(u64::from(self.entry().start))
    }

    /// Returns the offset in the text.
    fn place(&self) -> usize {
        self.entry().start as usize
    }

    /// Returns the values of a list or object, including the keys of an object.
    fn within(self) -> Items<'d, 'a> {
        let entry = self.entry();
        let end = match entry.kind {
            JsonType::Array | JsonType::Object => entry.end as usize,
            _ => 0,
        };
        Items { json: self.json, at: self.at.saturating_add(1), end }
    }

    /// Returns the values of a list. For other types the iterator is empty.
    #[inline(never)] // Many places call it, none of them often.
    pub fn items(self) -> Items<'d, 'a> {
        match self.kind() {
            JsonType::Array => self.within(),
            _ => Items { json: self.json, at: 0, end: 0 },
        }
    }

    /// Returns the keys of an object with their values, in the order of the text. For other types the
    /// iterator is empty.
    pub fn entries(self) -> impl Iterator<Item = (Cow<'a, str>, Self)> + 'd
    where
        'a: 'd,
    {
        let object = self.kind() == JsonType::Object;
        let mut within = self.within().filter(move |_| object);
        core::iter::from_fn(move || {
            let key = within.next()?.as_str()?;
            Some((key, within.next()?))
        })
    }

    /// Returns the value of a key of an object.
    pub fn get(self, name: &str) -> Option<Self> {
        if self.kind() != JsonType::Object {
            return None;
        }
        let (json, end) = (self.json, self.json.behind(self.at));
        let mut at = self.at.saturating_add(1);
        while let Some(key) = json.entries.get(at).filter(|_| at < end) {
            let value = at.saturating_add(1);
            // Most keys differ in length, so this test avoids reading the text.
            let length = key.end.saturating_sub(key.start) as usize;
            let is = match key.escaped {
                true => unescape(json.text(*key)) == name,
                false => length == name.len() && json.text(*key) == name,
            };
            if is {
                return Some(Self { json, at: value });
            }
            at = json.behind(value);
        }
        None
    }

    /// Returns the text of a string with its escapes decoded.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        let entry = self.entry();
        let text = || self.json.text(entry);
        (entry.kind == JsonType::String)
            .then(|| if entry.escaped { unescape(text()) } else { Cow::Borrowed(text()) })
    }

    /// Returns a string as it is written, escapes included, or the characters of a number, bool or null.
    pub fn raw(self) -> &'a str {
        match self.entry().kind {
            JsonType::Array | JsonType::Object => "",
            _ => self.json.text(self.entry()),
        }
    }

    /// Returns the value if it is `true` or `false`.
    pub fn as_bool(self) -> Option<bool> {
        (self.kind() == JsonType::Bool).then(|| self.raw() == "true")
    }

    /// Returns the value if it is a number.
    pub fn as_f64(self) -> Option<f64> {
        if self.kind() != JsonType::Number {
            return None;
        }
        self.raw().parse().ok()
    }

    /// Returns the value if it is a number written as an integer.
    pub fn as_i64(self) -> Option<i64> {
        (self.kind() == JsonType::Number).then(|| self.raw().parse().ok())?
    }

    /// Returns the value if it is a whole number that is not negative. `1.0` and `1e1` count as whole.
    pub fn as_u64(self) -> Option<u64> {
        if self.kind() != JsonType::Number {
            return None;
        }
        let raw = self.raw();
        raw.parse().ok().or_else(|| parse_whole_number(raw))
    }
}

/// The values of a list.
#[derive(Clone, Debug)]
pub struct Items<'d, 'a> {
    json: &'d Json<'a>,
    at: usize,
    end: usize,
}

impl<'d, 'a> Iterator for Items<'d, 'a> {
    type Item = JsonValue<'d, 'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let value = (self.at < self.end).then_some(JsonValue { json: self.json, at: self.at })?;
        self.at = self.json.behind(self.at);
        Some(value)
    }
}

/// Parses a whole number that is written with an exponent or with zeros after the point. Returns `None`
/// above 2^53, the exact range of floats.
fn parse_whole_number(raw: &str) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number: f64 = raw.parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "seen to be whole and in range"
    )]
    ((0.0..=EXACT).contains(&number) && libm::trunc(number) == number).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Codes, Kind, Limits};
    use alloc::string::ToString;
    use alloc::vec;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;
    use serde_json::Value;

    const fn rule(code: &'static str) -> Rule {
        Rule::error(code, Kind::Syntax, "", "")
    }

    const CODES: Codes = Codes { short: &rule("limit"), count: &rule("limit"), limit: &rule("limit") };

    const DEPTH: usize = 128;

    const GRAMMAR: Grammar = Grammar {
        encoding: &rule("encoding"),
        depth: &rule("depth"),
        number: &rule("number"),
        duplicate: Some(&rule("duplicate")),
        ..Grammar::new(&rule("syntax"), DEPTH)
    };

    fn parse<T>(text: &[u8], base: u64, read: impl FnOnce(&Json<'_>) -> T) -> Result<T, ReadError> {
        parse_as(text, base, &GRAMMAR, Limits::default(), read)
    }

    fn parse_as<T>(
        text: &[u8],
        base: u64,
        grammar: &Grammar,
        limits: Limits,
        read: impl FnOnce(&Json<'_>) -> T,
    ) -> Result<T, ReadError> {
        let budget = Budget::new(limits);
        let source = Source::file(text, CODES, &budget);
        Json::parse(text, &source, base, &FieldPath::ROOT, grammar).map(|json| read(&json))
    }

    fn code(text: &[u8]) -> &'static str {
        parse(text, 0, |_| ()).map_or_else(|e| e.code(), |()| "")
    }

    /// Converts a value to a `serde_json` tree.
    fn tree(value: JsonValue<'_, '_>) -> Value {
        match value.kind() {
            JsonType::Null => Value::Null,
            JsonType::Bool => value.as_bool().unwrap().into(),
            JsonType::Number => value.as_u64().map_or_else(
                || value.raw().parse::<i64>().map_or_else(|_| value.as_f64().unwrap().into(), Value::from),
                Value::from,
            ),
            JsonType::String => value.as_str().unwrap().into_owned().into(),
            JsonType::Array => value.items().map(tree).collect(),
            JsonType::Object => {
                Value::Object(value.entries().map(|(k, v)| (k.into_owned(), tree(v))).collect())
            }
        }
    }

    #[test]
    fn values_of_every_type() {
        let text = r#" {"a": [1, -2.5, "x\n\u00e9\ud83d\ude00\/", true, null, {}, []], "b\u0063": {"d": 18446744073709551615}} "#;
        let checked = parse(text.as_bytes(), 20, |json| {
            let root = json.root();
            assert_eq!(tree(root), serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(root.get("bc").unwrap().get("d").unwrap().as_u64(), Some(u64::MAX));
            assert_eq!(root.get("a").unwrap().items().nth(2).unwrap().as_str().unwrap(), "x\né😀/");
            assert_eq!(root.get("a").unwrap().offset(), 20 + 7);
            assert!(root.get("c").is_none() && root.as_str().is_none() && root.items().next().is_none());
        });
        checked.unwrap();
    }

    #[test]
    fn whole_numbers_are_whole_however_they_are_written() {
        let whole = |text: &str| parse(text.as_bytes(), 0, |json| json.root().as_u64()).unwrap();
        for (text, number) in
            [("12.0", 12), ("1e1", 10), ("2.5E+1", 25), ("0e5", 0), ("-0.0", 0), ("100e-2", 1)]
        {
            assert_eq!(whole(text), Some(number), "{text}");
        }
        for text in ["1.5", "1e-1", "-1", "-1.0", "1e300", "\"1\"", "true"] {
            assert_eq!(whole(text), None, "{text}");
        }
    }

    #[test]
    fn a_format_may_refuse_nul_and_wide_integers() {
        let wide = [&b"9223372036854775808"[..], b"[-9223372036854775809]"];
        for text in wide.into_iter().chain([&b"\"\\u0000\""[..]]) {
            assert_eq!(code(text), "");
            const STRICT: &Rule = &rule("strict");
            let strict = Grammar { nul: Some(STRICT), wide_integer: Some(STRICT), ..GRAMMAR };
            let refused = parse_as(text, 0, &strict, Limits::default(), |_| ()).unwrap_err();
            assert_eq!(refused.code(), "strict", "{}", text.escape_ascii());
            for fine in
                [&b"9223372036854775807"[..], b"-9223372036854775808", b"9223372036854775808.0", b"1e30"]
            {
                parse_as(fine, 0, &strict, Limits::default(), |_| ()).unwrap();
            }
        }
    }

    #[test]
    fn faults_have_codes() {
        for (text, expected) in [
            (&b"{\"a\":1,\"\\u0061\":2}"[..], "duplicate"),
            (b"\"\\ud800\"", "encoding"),
            (b"\"\\ud800\\u0041\"", "encoding"),
            (b"\"\\udc00\"", "encoding"),
            (b"\"\xff\"", "encoding"),
            (b"{\0", "encoding"),
            (b"1e999", "number"),
            (b"NaN", "syntax"),
            (b"[1,]", "syntax"),
            (b"{\"a\":1,}", "syntax"),
            (b"{} x", "syntax"),
            (b"{}\0", "syntax"),
            (b"", "syntax"),
            (b"01", "syntax"),
            (b"\"\\u+123\"", "syntax"),
            (b"\"\x01\"", "syntax"),
        ] {
            assert_eq!(code(text), expected, "{}", text.escape_ascii());
        }
        let nested = |n: usize| [vec![b'['; n], vec![b']'; n]].concat();
        assert_eq!(code(&nested(DEPTH)), "");
        assert_eq!(code(&nested(DEPTH + 1)), "depth");
        assert_eq!(code(&vec![b'['; 1 << 20]), "depth");
    }

    #[test]
    fn a_key_that_is_there_twice_is_found_among_few_and_many() {
        for count in [1, 2, FEW - 1, FEW, FEW + 1, 40] {
            let keys: Vec<_> = (0..count).map(|k| format!("\"k{k}\":{{\"v\":[{k}]}}")).collect();
            let text = |more: &str| format!("{{{}{more}}}", keys.join(","));
            assert_eq!(code(text("").as_bytes()), "");
            assert_eq!(code(text(",\"K0\":0").as_bytes()), "");
            for (twice, named) in [("k0", 0), ("\\u006b0", 0), (&*format!("k{}", count - 1), count - 1)] {
                let text = text(&format!(", \"{twice}\":0"));
                let error = parse(text.as_bytes(), 9, |_| ()).unwrap_err();
                assert_eq!(error.code(), "duplicate", "{text}");
                assert!(error.to_string().contains(&format!("\"k{named}\"")), "{error}");
            }
            let text = text(",\"\\u006cast\":5");
            let checked = parse(text.as_bytes(), 0, |json| {
                assert_eq!(json.root().get("last").and_then(JsonValue::as_u64), Some(5));
                assert_eq!(
                    json.root().entries().last().map(|(key, _)| key.into_owned()),
                    Some("last".into())
                );
                assert!(json.root().get("kast").is_none() && json.root().get("\\u006cast").is_none());
            });
            checked.unwrap();
        }
    }

    #[test]
    fn values_are_charged() {
        let many = [b"[".to_vec(), b"0,".repeat(1000), b"0]".to_vec()].concat();
        let small = Limits::default().with_memory(4000);
        assert_eq!(parse_as(&many, 0, &GRAMMAR, small, |_| ()).unwrap_err().code(), "limit");
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1e9..1e9_f64).prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(".{0,4}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_serde_writes_is_read(value in any_json(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) }.unwrap();
            prop_assert_eq!(parse(&text, 0, |json| tree(json.root())).unwrap(), value);
        }

        #[test]
        fn texts_are_taken_as_serde_takes_them(text in r#"[\[\]{}",:0-9eE.+\\ utrfalsn-]{0,12}"#) {
            let sound = serde_json::from_str::<Value>(&text).is_ok();
            let own = code(text.as_bytes());
            prop_assert!(own == "duplicate" || own.is_empty() == sound, "{text:?}: {own}");
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            code(&bytes);
        }
    }
}
