//! Codes of the values of enumerations in JSON: numbers or words.

/// Gives each value of an enumeration its code in JSON: a number or a word.
macro_rules! codes {
    ($name:ident: $code:ty { $($value:ident = $own:expr),+ $(,)? }) => {
        impl $name {
            /// Returns the glTF code of this value.
            pub(crate) const fn code(self) -> $code {
                match self {
                    $(Self::$value => $own,)+
                }
            }
        }

        impl Code for $name {
            type Value = $code;

            fn from_code(code: impl PartialEq<$code>) -> Option<Self> {
                [$(Self::$value),+].into_iter().find(|own| code == own.code())
            }
        }
    };
}

pub(super) use codes;

/// An enumeration whose values have codes in JSON.
pub(super) trait Code: Sized {
    type Value;

    /// Returns the value with this code.
    fn from_code(code: impl PartialEq<Self::Value>) -> Option<Self>;
}
