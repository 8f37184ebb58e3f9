//! Fields of a record, and the hashes in them.

use meshwright_scene::Extra;
use sha2::{Digest as _, Sha256};

/// Named values in order.
pub(super) type Fields = Vec<(String, Extra)>;

/// A value of a record, or nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value<'e>(pub(super) Option<&'e Extra>);

impl<'e> Value<'e> {
    pub(super) fn get(self, name: &str) -> Self {
        Self(self.0.and_then(|value| value.get(name)))
    }

    pub(super) fn items(self) -> impl Iterator<Item = Self> {
        self.0.map_or(&[][..], Extra::items).iter().map(|item| Self(Some(item)))
    }

    pub(super) fn entries(self) -> impl Iterator<Item = (&'e str, Self)> {
        let fields: &'e [(String, Extra)] = match self.0 {
            Some(Extra::Map(fields)) => fields,
            _ => &[],
        };
        fields.iter().map(|(key, value)| (key.as_str(), Self(Some(value))))
    }

    pub(super) fn text(self) -> Option<&'e str> {
        self.0.and_then(Extra::as_str)
    }

    pub(super) fn as_integer(self) -> Option<i64> {
        match self.0 {
            Some(Extra::Int(i)) => Some(*i),
            _ => None,
        }
    }

    pub(super) fn is(self) -> bool {
        matches!(self.0, Some(Extra::Bool(true)))
    }
}

/// Returns the hash of a file.
pub(super) fn hash(bytes: &[u8]) -> String {
    text_of_hash(Sha256::digest(bytes))
}

/// Returns a hash in hexadecimal digits.
pub(super) fn text_of_hash(digest: impl AsRef<[u8]>) -> String {
    digest.as_ref().iter().map(|b| format!("{b:02x}")).collect()
}
