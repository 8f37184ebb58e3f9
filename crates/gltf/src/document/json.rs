//! JSON as a flat list of values that borrow the text. Nothing recurses, whatever lies in each other.

use super::ledger::Ledger;
use super::rules::{JSON_BOM, JSON_DUPLICATE, JSON_ENCODING, LIMIT};
use super::scan::{Entry, JsonType, scan, unescape};
use meshwright_core::{Path, ReadError};
use std::borrow::Cow;

/// So many keys are compared each with each.
const FEW: usize = 12;

/// A text with all its values. The keys of an object are strings before their values.
#[derive(Debug)]
pub(super) struct Json<'a> {
    text: &'a str,
    /// Where the text begins in the file.
    base: u64,
    entries: Vec<Entry>,
}

/// A value of a document's JSON.
#[derive(Clone, Copy)]
pub struct JsonValue<'d, 'a> {
    json: &'d Json<'a>,
    at: usize,
}

impl std::fmt::Debug for JsonValue<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JsonValue").field("type", &self.kind()).field("offset", &self.offset()).finish()
    }
}

impl<'a> Json<'a> {
    /// Reads the text that begins at `base` of the file.
    pub(super) fn parse(bytes: &'a [u8], base: u64, ledger: &Ledger) -> Result<Self, ReadError> {
        let fault = |rule, at: usize, message: &'static str| {
            Err(ReadError::broken(rule, &Path::ROOT.field("json"), base.saturating_add(at as u64), message))
        };
        if let [0, _, ..] | [_, 0, ..] | [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = bytes {
            return fault(JSON_ENCODING, 0, "the text is UTF-16 or UTF-32");
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(e) => return fault(JSON_ENCODING, e.valid_up_to(), "the text is not UTF-8"),
        };
        let (text, base) = match text.strip_prefix('\u{feff}') {
            Some(rest) => {
                ledger.warn(JSON_BOM, &Path::ROOT.field("json"), || base, || "a byte order mark");
                (rest, base.saturating_add(3))
            }
            None => (text, base),
        };
        // Places are kept in 32 bits.
        if u32::try_from(text.len()).is_err() {
            return fault(LIMIT, 0, "the text is longer than 4 GiB");
        }
        let json = Self { text, base, entries: scan(text, base, ledger)? };
        json.check_keys()?;
        Ok(json)
    }

    pub(super) const fn root(&self) -> JsonValue<'_, 'a> {
        JsonValue { json: self, at: 0 }
    }

    fn text(&self, entry: Entry) -> &'a str {
        self.text.get(entry.start as usize..entry.end as usize).unwrap_or_default()
    }

    /// The number of the entry behind a value.
    fn behind(&self, at: usize) -> usize {
        match self.entries.get(at) {
            Some(Entry { kind: JsonType::Array | JsonType::Object, end, .. }) => *end as usize,
            _ => at.saturating_add(1),
        }
    }

    /// Whether the keys of an object differ for certain: a few that are written without escapes.
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

    /// No object has a key twice.
    fn check_keys(&self) -> Result<(), ReadError> {
        let mut keys: Vec<(Cow<'_, str>, u64)> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            if entry.kind != JsonType::Object || self.differ(at) {
                continue;
            }
            keys.clear();
            let object = JsonValue { json: self, at };
            keys.extend(object.entries().map(|(key, value)| (key, value.offset())));
            keys.sort_unstable();
            let twice = keys.iter().zip(keys.iter().skip(1)).find(|(a, b)| a.0 == b.0);
            if let Some((_, (key, offset))) = twice {
                let message =
                    format!("the key {:?} is there twice", key.chars().take(40).collect::<String>());
                return Err(ReadError::broken(JSON_DUPLICATE, &Path::ROOT.field("json"), *offset, message));
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

    /// What it is.
    pub fn kind(&self) -> JsonType {
        self.entry().kind
    }

    /// Where in the file it begins.
    pub fn offset(&self) -> u64 {
        self.json.base.saturating_add(u64::from(self.entry().start))
    }

    /// The values within, the keys of an object included.
    fn within(self) -> impl Iterator<Item = Self> + 'd
    where
        'a: 'd,
    {
        let entry = self.entry();
        let end = match entry.kind {
            JsonType::Array | JsonType::Object => entry.end as usize,
            _ => 0,
        };
        let mut at = self.at.saturating_add(1);
        std::iter::from_fn(move || {
            let value = (at < end).then_some(Self { json: self.json, at })?;
            at = self.json.behind(at);
            Some(value)
        })
    }

    /// The values of a list; none of anything else.
    pub fn items(self) -> impl Iterator<Item = Self> + 'd
    where
        'a: 'd,
    {
        let list = self.kind() == JsonType::Array;
        self.within().filter(move |_| list)
    }

    /// The names of an object with their values, in the order of the text; none of anything else.
    pub fn entries(self) -> impl Iterator<Item = (Cow<'a, str>, Self)> + 'd
    where
        'a: 'd,
    {
        let object = self.kind() == JsonType::Object;
        let mut within = self.within().filter(move |_| object);
        std::iter::from_fn(move || {
            let key = within.next()?.as_str()?;
            Some((key, within.next()?))
        })
    }

    /// The value of a name of an object.
    pub fn get(self, name: &str) -> Option<Self> {
        if self.kind() != JsonType::Object {
            return None;
        }
        let (json, end) = (self.json, self.json.behind(self.at));
        let mut at = self.at.saturating_add(1);
        while let Some(key) = json.entries.get(at).filter(|_| at < end) {
            let value = at.saturating_add(1);
            // Most names differ in length, which is seen without looking at the text.
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

    /// The text of a string.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        let entry = self.entry();
        let text = || self.json.text(entry);
        (entry.kind == JsonType::String)
            .then(|| if entry.escaped { unescape(text()) } else { Cow::Borrowed(text()) })
    }

    /// A string as it is written, escapes included, or the characters of a number, bool or null.
    pub(super) fn raw(self) -> &'a str {
        match self.entry().kind {
            JsonType::Array | JsonType::Object => "",
            _ => self.json.text(self.entry()),
        }
    }

    /// `true` or `false`.
    pub fn as_bool(self) -> Option<bool> {
        (self.kind() == JsonType::Bool).then(|| self.raw() == "true")
    }

    /// A number.
    pub fn as_f64(self) -> Option<f64> {
        if self.kind() != JsonType::Number {
            return None;
        }
        self.raw().parse().ok()
    }

    /// A number that is whole and written so.
    pub fn as_i64(self) -> Option<i64> {
        (self.kind() == JsonType::Number).then(|| self.raw().parse().ok())?
    }

    /// A number that is whole and not negative, also where it is written as `1.0`.
    pub fn as_u64(self) -> Option<u64> {
        if self.kind() != JsonType::Number {
            return None;
        }
        let raw = self.raw();
        let whole = match raw.split_once('.') {
            Some((whole, part)) if part.bytes().all(|b| b == b'0') => whole,
            _ => raw,
        };
        whole.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::DEPTH;
    use super::*;
    use meshwright_core::Limits;
    use proptest::prelude::*;
    use serde_json::Value;

    fn ledger() -> Ledger {
        Ledger::new(Limits::default())
    }

    fn code(text: &[u8]) -> &'static str {
        Json::parse(text, 0, &ledger()).map_or_else(|e| e.code(), |_| "")
    }

    /// The same as a tree.
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
        let ledger = ledger();
        let json = Json::parse(text.as_bytes(), 20, &ledger).unwrap();
        let root = json.root();
        assert_eq!(tree(root), serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(root.get("bc").unwrap().get("d").unwrap().as_u64(), Some(u64::MAX));
        assert_eq!(root.get("a").unwrap().items().nth(2).unwrap().as_str().unwrap(), "x\né😀/");
        assert_eq!(root.get("a").unwrap().offset(), 20 + 7);
        assert!(root.get("c").is_none() && root.as_str().is_none() && root.items().next().is_none());
        assert_eq!(code(b"12.0"), "");
        let twelve = Json::parse(b"12.0", 0, &ledger).unwrap();
        assert_eq!(twelve.root().as_u64(), Some(12));
    }

    #[test]
    fn faults_have_codes() {
        for (text, expected) in [
            (&b"{\"a\":1,\"\\u0061\":2}"[..], "json-duplicate"),
            (b"\"\\ud800\"", "json-encoding"),
            (b"\"\\ud800\\u0041\"", "json-encoding"),
            (b"\"\\udc00\"", "json-encoding"),
            (b"\"\xff\"", "json-encoding"),
            (b"{\0", "json-encoding"),
            (b"1e999", "json-number"),
            (b"NaN", "json-syntax"),
            (b"[1,]", "json-syntax"),
            (b"{\"a\":1,}", "json-syntax"),
            (b"{} x", "json-syntax"),
            (b"{}\0", "json-syntax"),
            (b"", "json-syntax"),
            (b"01", "json-syntax"),
            (b"\"\\u+123\"", "json-syntax"),
            (b"\"\x01\"", "json-syntax"),
        ] {
            assert_eq!(code(text), expected, "{}", text.escape_ascii());
        }
        let nested = |n: usize| [vec![b'['; n], vec![b']'; n]].concat();
        assert_eq!(code(&nested(DEPTH)), "");
        assert_eq!(code(&nested(DEPTH + 1)), "json-depth");
        assert_eq!(code(&vec![b'['; 1 << 20]), "json-depth");
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
                let error = Json::parse(text.as_bytes(), 9, &ledger()).unwrap_err();
                assert_eq!(error.code(), "json-duplicate", "{text}");
                assert!(error.to_string().contains(&format!("\"k{named}\"")), "{error}");
            }
            let ledger = ledger();
            let text = text(",\"\\u006cast\":5");
            let json = Json::parse(text.as_bytes(), 0, &ledger).unwrap();
            assert_eq!(json.root().get("last").and_then(JsonValue::as_u64), Some(5));
            assert_eq!(json.root().entries().last().map(|(key, _)| key.into_owned()), Some("last".into()));
            assert!(json.root().get("kast").is_none() && json.root().get("\\u006cast").is_none());
        }
    }

    #[test]
    fn values_are_charged() {
        let many = [b"[".to_vec(), b"0,".repeat(1000), b"0]".to_vec()].concat();
        let small = Ledger::new(Limits::default().with_memory(4000));
        assert_eq!(Json::parse(&many, 0, &small).unwrap_err().code(), "limit");
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
            let ledger = ledger();
            let json = Json::parse(&text, 0, &ledger).unwrap();
            prop_assert_eq!(tree(json.root()), value);
        }

        #[test]
        fn texts_are_taken_as_serde_takes_them(text in r#"[\[\]{}",:0-9eE.+\\ utrfalsn-]{0,12}"#) {
            let sound = serde_json::from_str::<Value>(&text).is_ok();
            let own = code(text.as_bytes());
            prop_assert!(own == "json-duplicate" || own.is_empty() == sound, "{text:?}: {own}");
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            code(&bytes);
        }
    }
}
