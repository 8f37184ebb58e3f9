//! Values of a scene that only one format uses.

use alloc::string::String;
use alloc::vec::Vec;

/// A value for glTF's `extras`.
#[derive(Clone, Debug, PartialEq)]
pub enum Extra {
    /// True or false.
    Bool(bool),
    /// A whole number. Beyond 2^53 it is exported as text, because most readers of JSON would round it.
    Int(i64),
    /// A real number. If it is not finite, it is exported as text.
    Float(f64),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Extra>),
    /// Named values in order.
    Map(Vec<(String, Extra)>),
}

impl Extra {
    /// Returns the value with this name in a map.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(fields) => fields.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Returns the values of a list; empty for other values.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the text; `None` for other types.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a whole number of 32 bits. Editors may store it as a real number, and `true` as 1.
    #[must_use]
    pub fn as_u32(&self) -> Option<u32> {
        match self {
            Self::Int(n) => u32::try_from(*n).ok(),
            Self::Bool(on) => Some(u32::from(*on)),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
            Self::Float(n) if (0.0..=f64::from(u32::MAX)).contains(n) => Some(*n as u32),
            _ => None,
        }
    }

    /// Returns a number as a 32-bit float, if it fits.
    #[must_use]
    pub fn as_f32(&self) -> Option<f32> {
        let wide = match self {
            #[expect(clippy::cast_precision_loss, reason = "as other readers of JSON have it")]
            Self::Int(n) => *n as f64,
            Self::Float(n) => *n,
            _ => return None,
        };
        Some(meshwright_core::math::narrow1(wide)).filter(|narrow| narrow.is_finite())
    }

    /// The maximum depth of nested lists and maps, because code that writes them may recurse. Deeper ones
    /// make a scene invalid.
    pub const MAX_DEPTH: usize = 64;

    /// Returns true if at most [`MAX_DEPTH`](Self::MAX_DEPTH) lists and maps are nested.
    pub(crate) fn is_shallow(&self) -> bool {
        let mut open = alloc::vec![(self, 0_usize)];
        while let Some((value, depth)) = open.pop() {
            if depth > Self::MAX_DEPTH {
                return false;
            }
            let is_nested = |v: &Self| matches!(v, Self::List(_) | Self::Map(_));
            let below = depth.saturating_add(1);
            match value {
                Self::List(items) => {
                    for item in items.iter().filter(|item| is_nested(item)) {
                        open.push((item, below));
                    }
                }
                Self::Map(fields) => {
                    for (_, item) in fields.iter().filter(|(_, item)| is_nested(item)) {
                        open.push((item, below));
                    }
                }
                _ => {}
            }
        }
        true
    }
}

impl From<bool> for Extra {
    fn from(v: bool) -> Self {
        Self::Bool(v)
    }
}

impl From<u32> for Extra {
    fn from(v: u32) -> Self {
        Self::Int(i64::from(v))
    }
}

impl From<i32> for Extra {
    fn from(v: i32) -> Self {
        Self::Int(i64::from(v))
    }
}

impl From<f32> for Extra {
    fn from(v: f32) -> Self {
        Self::Float(f64::from(v))
    }
}

impl From<&str> for Extra {
    fn from(v: &str) -> Self {
        Self::Text(v.into())
    }
}

impl From<String> for Extra {
    fn from(v: String) -> Self {
        Self::Text(v)
    }
}

impl<T: Into<Extra>> From<Vec<T>> for Extra {
    fn from(v: Vec<T>) -> Self {
        Self::List(v.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Extra>, const N: usize> From<[T; N]> for Extra {
    fn from(v: [T; N]) -> Self {
        Self::List(v.into_iter().map(Into::into).collect())
    }
}
