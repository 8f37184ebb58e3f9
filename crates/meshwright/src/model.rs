//! One model of any format.

use crate::format::Format;
use meshwright_core::{Parsed, ReadError, ReadOptions, Report, WriteError};

#[cfg(feature = "bmd")]
use meshwright_bmd::Bmd;
#[cfg(feature = "dpm")]
use meshwright_dpm::{Dpm, Zym};
#[cfg(feature = "tso")]
use meshwright_tso as tso;

/// Declares [`AnyModel`] and the verbs that every format crate has under the same name.
macro_rules! models {
    ($($variant:ident, $feature:literal, $model:ty;)+) => {
        /// A model of any format.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum AnyModel {
            $(#[cfg(feature = $feature)] #[doc = concat!("A [`Format::", stringify!($variant), "`].")] $variant(Box<$model>),)+
        }

        impl AnyModel {
            /// Reads a file of a known format.
            pub fn parse(bytes: &[u8], format: Format, options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
                match format {
                    $(#[cfg(feature = $feature)]
                    Format::$variant => {
                        Ok(<$model>::parse_with(bytes, options)?.map(|m| Self::$variant(Box::new(m))))
                    })+
                }
            }

            /// The model's format.
            pub const fn format(&self) -> Format {
                match self { $(#[cfg(feature = $feature)] Self::$variant(_) => Format::$variant,)+ }
            }

            /// Everything that is odd about the model.
            pub fn validate(&self) -> Report {
                match self { $(#[cfg(feature = $feature)] Self::$variant(m) => m.validate(),)+ }
            }

            /// The model as a file: byte for byte the one it was read from, unless it was edited.
            pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
                match self { $(#[cfg(feature = $feature)] Self::$variant(m) => m.to_bytes(),)+ }
            }
        }
    };
}

models! {
    Bmd, "bmd", Bmd;
    Dpm, "dpm", Dpm;
    Zym, "dpm", Zym;
    TsoMesh, "tso", tso::Mesh;
    TsoSkeleton, "tso", tso::Skel;
    TsoAnimation, "tso", tso::Anim;
    TsoBinding, "tso", tso::Bnd;
    Bmf, "tso", tso::Bmf;
    Skn, "tso", tso::Skn;
}
