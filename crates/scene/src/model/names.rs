//! Converts names to those that a format can store: encoded, cut to its maximum length, and unique if the
//! format needs it.

use crate::convert::ConvertError;
use crate::convert::loss::Loss;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded, SortedMap};

/// The treatment of names that a format cannot hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Naming {
    /// The names are changed, and that is reported.
    #[default]
    Fit,
    /// The names are errors.
    Refuse,
}

/// The encoding of characters as bytes. A character that has no encoding becomes the replacement.
#[derive(Clone, Copy, Debug)]
pub enum Encoding {
    /// UTF-8 without NUL.
    Utf8,
    /// One byte per character, for the characters that have one.
    Bytes(fn(char) -> Option<u8>),
}

impl Encoding {
    /// ISO 8859-1, without NUL.
    pub const LATIN1: Self = Self::Bytes(|c| u8::try_from(u32::from(c)).ok().filter(|b| *b != 0));
    /// Printable ASCII.
    pub const ASCII: Self =
        Self::Bytes(|c| u8::try_from(u32::from(c)).ok().filter(|b| matches!(b, b' '..=b'~')));
}

/// The rules for the names of a format.
#[derive(Clone, Copy, Debug)]
pub struct NameRules {
    /// The encoding of characters as bytes.
    pub encoding: Encoding,
    /// The maximum length of a name in bytes.
    pub longest: usize,
    /// The replacement for characters that the encoding does not have.
    pub stand_in: u8,
    /// True if names must be unique.
    pub unique: bool,
    /// True if names that differ only in ASCII case are equal.
    pub ignores_case: bool,
}

impl NameRules {
    /// Returns rules for names of at most `longest` bytes, which may repeat. The replacement is a question
    /// mark.
    #[must_use]
    pub const fn new(encoding: Encoding, longest: usize) -> Self {
        Self { encoding, longest, stand_in: b'?', unique: false, ignores_case: false }
    }

    /// Requires unique names.
    #[must_use]
    pub const fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    /// Ignores ASCII case in comparisons.
    #[must_use]
    pub const fn ignoring_case(mut self) -> Self {
        self.ignores_case = true;
        self
    }

    /// Sets the replacement.
    #[must_use]
    pub const fn with_stand_in(mut self, byte: u8) -> Self {
        self.stand_in = byte;
        self
    }

    /// Converts a name without regard to others.
    #[must_use]
    pub fn fit(&self, text: &str) -> Fitted {
        let mut fitted = Fitted { bytes: Vec::new(), replaced: 0, cut: 0 };
        for c in text.chars() {
            let mut space = [0; 4];
            let one;
            let bytes: &[u8] = match self.encoding {
                Encoding::Utf8 if c == '\0' => &[],
                Encoding::Utf8 => c.encode_utf8(&mut space).as_bytes(),
                Encoding::Bytes(byte) => {
                    one = byte(c).map(|b| [b]);
                    one.as_ref().map_or(&[], |b| b.as_slice())
                }
            };
            let known = !bytes.is_empty();
            let bytes = if known { bytes } else { core::slice::from_ref(&self.stand_in) };
            if fitted.cut > 0 || fitted.bytes.len().saturating_add(bytes.len()) > self.longest {
                fitted.cut = fitted.cut.saturating_add(1);
            } else {
                fitted.replaced = fitted.replaced.saturating_add(usize::from(!known));
                fitted.bytes.extend_from_slice(bytes);
            }
        }
        fitted
    }
}

/// A name that fits a format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fitted {
    /// The name.
    pub bytes: Vec<u8>,
    /// The number of replaced characters.
    pub replaced: usize,
    /// The number of characters that were cut off.
    pub cut: usize,
}

impl Fitted {
    /// Returns true if the name was not changed.
    #[must_use]
    pub const fn is_exact(&self) -> bool {
        self.replaced == 0 && self.cut == 0
    }
}

/// The names of one kind of part in one file.
#[derive(Debug)]
pub struct Names<'b> {
    rules: NameRules,
    naming: Naming,
    budget: &'b Budget,
    /// The used names, each with the next number to append to it.
    taken: SortedMap<Vec<u8>, u64>,
    /// The names of texts that get the same name each time.
    shared: SortedMap<String, Vec<u8>>,
}

impl<'b> Names<'b> {
    /// Starts without names.
    #[must_use]
    pub const fn new(rules: NameRules, naming: Naming, budget: &'b Budget) -> Self {
        Self { rules, naming, budget, taken: SortedMap::new(), shared: SortedMap::new() }
    }

    /// Reserves a name that the format itself uses.
    ///
    /// # Errors
    /// If the budget does not suffice.
    pub fn reserve(&mut self, name: &[u8]) -> Result<(), LimitExceeded> {
        let key = self.key(name);
        self.take(key)
    }

    /// Returns the name of a further part. Changes are reported: `name-changed` for characters that the
    /// format does not have, `name-cut` for length, and `name-renamed` for a name that was used already and
    /// must be unique.
    ///
    /// # Errors
    /// If a name would have to be changed but must not be, or if the budget does not suffice.
    pub fn fit(&mut self, text: &str, path: &str, losses: &mut Vec<Loss>) -> Result<Vec<u8>, ConvertError> {
        self.budget.charge("names", text.len() as u64)?;
        let fitted = self.rules.fit(text);
        let mut changes = Vec::new();
        if fitted.replaced > 0 {
            let loss =
                Loss::new("name-changed", path, "characters that the format does not have were replaced");
            changes.push(loss.with_count(fitted.replaced, "character", "characters"));
        }
        if fitted.cut > 0 {
            let message = format!("the name was cut to {} bytes", fitted.bytes.len());
            changes.push(Loss::new("name-cut", path, message).counted(fitted.cut));
        }
        let mut bytes = fitted.bytes;
        if self.rules.unique {
            let own = self.unused(&bytes)?;
            if own != bytes {
                let message = format!("the name is used twice; renamed to {}", String::from_utf8_lossy(&own));
                changes.push(Loss::new("name-renamed", path, message));
            }
            bytes = own;
            let key = self.key(&bytes);
            self.take(key)?;
        }
        match changes.first() {
            Some(first) if self.naming == Naming::Refuse => {
                Err(ConvertError::unsupported(path, first.message.as_str()))
            }
            _ => {
                losses.append(&mut changes);
                Ok(bytes)
            }
        }
    }

    /// Returns the name of a part that is referred to by name, such as a material: the same text always gets
    /// the same name. If names must be unique, different texts get different names, even if they are equal
    /// after cutting.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_shared(
        &mut self,
        text: &str,
        path: &str,
        losses: &mut Vec<Loss>,
    ) -> Result<Vec<u8>, ConvertError> {
        if let Some(known) = self.shared.get(text) {
            return Ok(known.clone());
        }
        let bytes = self.fit(text, path, losses)?;
        self.budget
            .charge("names", (text.len() as u64).saturating_add(bytes.len() as u64).saturating_add(64))?;
        self.shared.insert(text.into(), bytes.clone());
        Ok(bytes)
    }

    fn key(&self, name: &[u8]) -> Vec<u8> {
        if self.rules.ignores_case { name.to_ascii_lowercase() } else { name.to_vec() }
    }

    fn take(&mut self, key: Vec<u8>) -> Result<(), LimitExceeded> {
        self.budget.charge("names", (key.len() as u64).saturating_add(64))?;
        self.taken.entry(key).or_insert(2);
        Ok(())
    }

    /// Returns the name itself if it is unused, otherwise the name with the first number that makes it
    /// unused.
    fn unused(&mut self, name: &[u8]) -> Result<Vec<u8>, ConvertError> {
        let key = self.key(name);
        let Some(mut number) = self.taken.get(&key).copied() else { return Ok(name.to_vec()) };
        loop {
            self.budget.work("names compared", name.len() as u64)?;
            let suffix = format!("_{number}");
            let room = self.rules.longest.checked_sub(suffix.len()).ok_or_else(|| {
                let message =
                    format!("{} bytes do not suffice for so many different names", self.rules.longest);
                ConvertError::unsupported("names", message)
            })?;
            let mut tried = name.get(..room).unwrap_or(name).to_vec();
            // A character of several bytes is cut as a whole.
            if matches!(self.rules.encoding, Encoding::Utf8) {
                let whole = core::str::from_utf8(&tried).map_or_else(|e| e.valid_up_to(), str::len);
                tried.truncate(whole);
            }
            tried.extend_from_slice(suffix.as_bytes());
            number = number.saturating_add(1);
            let free = !self.taken.contains_key(&self.key(&tried));
            if free {
                self.taken.insert(key, number);
                return Ok(tried);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::Limits;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn budget() -> Budget {
        Budget::new(Limits::default())
    }

    #[test]
    fn one_text_has_one_name_and_different_ones_stay_different() {
        let budget = budget();
        let rules = NameRules::new(Encoding::LATIN1, 6).unique().ignoring_case();
        let (mut names, mut losses) = (Names::new(rules, Naming::Fit, &budget), Vec::new());
        let mut of = |text: &str| names.fit_shared(text, "m", &mut losses).unwrap();
        assert_eq!(of("textures/a"), b"textur");
        assert_eq!(of("textures/b"), b"text_2");
        assert_eq!(of("textures/a"), b"textur");
        assert_eq!(of("TEXTUR"), b"TEXT_3");
        assert_eq!(losses.iter().filter(|l| l.code == "name-renamed").count(), 2);
        assert_eq!(losses.iter().filter(|l| l.code == "name-cut").count(), 2);
    }

    #[test]
    fn names_are_encoded_and_cut() {
        let rules = NameRules::new(Encoding::LATIN1, 5);
        assert_eq!(rules.fit("Bär").bytes, b"B\xe4r");
        assert_eq!(rules.fit("a→b"), Fitted { bytes: b"a?b".to_vec(), replaced: 1, cut: 0 });
        assert_eq!(rules.fit("abcdefg"), Fitted { bytes: b"abcde".to_vec(), replaced: 0, cut: 2 });
        let utf8 = NameRules::new(Encoding::Utf8, 4).with_stand_in(b'_');
        assert_eq!(utf8.fit("aäöb").bytes, "aä".as_bytes(), "no character is cut in half");
        assert_eq!(utf8.fit("a\0").bytes, b"a_");
        assert!(rules.fit("Bär").is_exact() && !utf8.fit("\0").is_exact());
    }

    #[test]
    fn repeated_names_get_numbers() {
        let budget = budget();
        let rules = NameRules::new(Encoding::ASCII, 6).unique().ignoring_case();
        let mut names = Names::new(rules, Naming::Fit, &budget);
        names.reserve(b"NULL").unwrap();
        let mut losses = Vec::new();
        let made: Vec<_> = ["arm", "Arm", "arm_2", "arm", "longname", "longname", "null"]
            .iter()
            .map(|n| String::from_utf8(names.fit(n, "joints", &mut losses).unwrap()).unwrap())
            .collect();
        assert_eq!(made, ["arm", "Arm_2", "arm__2", "arm_3", "longna", "long_2", "null_2"]);
        let codes: Vec<_> = losses.iter().map(|l| l.code).collect();
        let (renamed, cut) = ("name-renamed", "name-cut");
        assert_eq!(codes, [renamed, renamed, renamed, cut, cut, renamed, renamed]);
    }

    #[test]
    fn names_that_may_not_change_are_refused() {
        let budget = budget();
        let mut names = Names::new(NameRules::new(Encoding::ASCII, 4), Naming::Refuse, &budget);
        let mut losses = Vec::new();
        assert_eq!(names.fit("abcd", "x", &mut losses), Ok(b"abcd".to_vec()));
        assert!(matches!(names.fit("abcde", "x", &mut losses), Err(ConvertError::Unsupported { .. })));
        assert!(losses.is_empty());
    }

    #[test]
    fn a_flood_of_names_ends_at_the_budget() {
        let budget = Budget::new(Limits::default().with_memory(10_000));
        let mut names = Names::new(NameRules::new(Encoding::Utf8, 8).unique(), Naming::Fit, &budget);
        let made = (0..1000).find_map(|_| names.fit("same", "", &mut Vec::new()).err());
        assert!(matches!(made, Some(ConvertError::Limit(_))));
    }

    proptest! {
        #[test]
        fn unique_names_are_unique(texts in prop::collection::vec("[a-bä_2]{0,6}", 0..40), longest in 3_usize..9) {
            let budget = budget();
            let rules = NameRules::new(Encoding::Utf8, longest).unique();
            let mut names = Names::new(rules, Naming::Fit, &budget);
            let mut seen = meshwright_core::SortedSet::new();
            for text in &texts {
                let name = names.fit(text, "", &mut Vec::new()).unwrap();
                prop_assert!(name.len() <= longest && core::str::from_utf8(&name).is_ok());
                prop_assert!(seen.insert(name));
            }
        }
    }
}
