//! What conversions are asked for and what they answer.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

/// Which axes, units, winding and texture origin a scene has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Space {
    /// glTF's: right-handed, +Y up, +Z front, metres, counter-clockwise, texture origin top left, unit normals.
    #[default]
    Gltf,
    /// The file's own, normals as its evaluation gives them.
    File,
}

/// Options of every `to_scene`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SceneOptions {
    /// The space of the result.
    pub space: Space,
    /// Native fields that glTF has no place for are kept as extras.
    pub extras: bool,
    /// Bytes that the scene may take.
    pub memory: u64,
}

impl Default for SceneOptions {
    fn default() -> Self {
        Self { space: Space::Gltf, extras: false, memory: 256 << 20 }
    }
}

impl SceneOptions {
    /// Default options in the given space.
    #[must_use]
    pub fn in_space(space: Space) -> Self {
        Self { space, ..Self::default() }
    }

    /// The same options with native fields kept or dropped.
    #[must_use]
    pub const fn with_extras(mut self, extras: bool) -> Self {
        self.extras = extras;
        self
    }

    /// The same options with another limit of bytes.
    #[must_use]
    pub const fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }
}

/// Something of the source that the result does not hold, or not exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// A stable code in kebab case.
    pub code: &'static str,
    /// Where in the source, as a field path.
    pub path: String,
    /// What was lost, in one line.
    pub message: String,
    /// How much, where it can be measured; the message names the unit.
    pub amount: Option<f64>,
}

impl Loss {
    /// A loss that cannot be measured.
    pub fn new(code: &'static str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code, path: path.into(), message: message.into(), amount: None }
    }

    /// A loss of a known amount.
    pub fn measured(
        code: &'static str,
        path: impl Into<String>,
        message: impl Into<String>,
        amount: f64,
    ) -> Self {
        Self { code, path: path.into(), message: message.into(), amount: Some(amount) }
    }
}

/// A converted value with what the conversion lost.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Converted<T> {
    /// The result.
    pub value: T,
    /// What it does not hold.
    pub losses: Vec<Loss>,
}

impl<T> Converted<T> {
    /// A result with its losses.
    pub const fn new(value: T, losses: Vec<Loss>) -> Self {
        Self { value, losses }
    }

    /// Another value with the same losses.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Converted<U> {
        Converted { value: f(self.value), losses: self.losses }
    }
}

/// Why a conversion is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The source breaks a rule that the conversion relies on.
    #[error("{path}: {message}")]
    Invalid {
        /// The field at fault.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// The target has no way to express the source.
    #[error("{path}: {message}")]
    Unsupported {
        /// The field that cannot be expressed.
        path: String,
        /// Why not.
        message: String,
    },
    /// The result would exceed the caller's limit.
    #[error("{what}: {wanted} bytes wanted, the limit leaves {limit}")]
    Limit {
        /// What would have been allocated.
        what: &'static str,
        /// Bytes wanted.
        wanted: u64,
        /// Bytes left.
        limit: u64,
    },
}

impl ConvertError {
    /// A source that breaks a rule.
    pub fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid { path: path.into(), message: message.into() }
    }

    /// A source that the target cannot express.
    pub fn unsupported(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Unsupported { path: path.into(), message: message.into() }
    }
}

/// The account that a conversion charges before it allocates.
#[derive(Debug)]
pub struct Memory(Cell<u64>);

impl Memory {
    /// An account of `bytes`.
    pub const fn new(bytes: u64) -> Self {
        Self(Cell::new(bytes))
    }

    /// Bytes that have not been charged yet.
    pub const fn left(&self) -> u64 {
        self.0.get()
    }

    /// Charges `count` items of `size` bytes.
    pub fn charge(&self, what: &'static str, count: usize, size: usize) -> Result<(), ConvertError> {
        let wanted = (count as u64).saturating_mul(size as u64);
        let limit = self.0.get();
        match limit.checked_sub(wanted) {
            Some(rest) => {
                self.0.set(rest);
                Ok(())
            }
            None => Err(ConvertError::Limit { what, wanted, limit }),
        }
    }

    /// An empty vector with room for `count` items, charged.
    pub fn reserve<T>(&self, what: &'static str, count: usize) -> Result<Vec<T>, ConvertError> {
        self.charge(what, count, size_of::<T>())?;
        let mut items = Vec::new();
        let wanted = (count as u64).saturating_mul(size_of::<T>() as u64);
        items.try_reserve_exact(count).map_err(|_| ConvertError::Limit {
            what,
            wanted,
            limit: self.0.get(),
        })?;
        Ok(items)
    }
}
