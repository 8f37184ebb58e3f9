//! One model of any format.

use crate::format::Format;
use meshwright_core::{Parsed, ReadError, ReadOptions, Report, WriteError};

#[cfg(feature = "bmd")]
use meshwright_bmd::Bmd;
#[cfg(feature = "crucible")]
use meshwright_crucible as crucible;
#[cfg(feature = "dpm")]
use meshwright_dpm::{Dpm, Zym};
#[cfg(feature = "fsomodel")]
use meshwright_fsomodel as fsomodel;
#[cfg(feature = "tso")]
use meshwright_tso as tso;

/// How a file is opened: limits and strictness, and what some formats cannot tell from the bytes alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenOptions<'o> {
    /// Limits and strictness.
    pub read: ReadOptions,
    /// The dialect of a Crucible or FSOMODEL file, one of [`Format::dialects`]; `None` lets the bytes decide.
    pub dialect: Option<&'o str>,
    /// Rotations of a Crucible skeleton are stored w first, as its description says but no engine writes.
    pub quaternions_w_first: bool,
    /// The `.json` that goes with an FSOMODEL file of the later dialects.
    pub metadata: Option<&'o [u8]>,
}

impl From<ReadOptions> for OpenOptions<'_> {
    fn from(read: ReadOptions) -> Self {
        Self { read, ..Self::default() }
    }
}

#[cfg(feature = "crucible")]
impl OpenOptions<'_> {
    fn crucible(&self) -> crucible::CrucibleOptions {
        let mut options = crucible::CrucibleOptions::from(self.read);
        options.dialect = crucible::Dialect::ALL.into_iter().find(|d| self.dialect == Some(d.name()));
        if self.quaternions_w_first {
            options.quaternions = crucible::QuaternionOrder::Wxyz;
        }
        options
    }
}

#[cfg(feature = "fsomodel")]
impl OpenOptions<'_> {
    fn fsomodel(&self) -> fsomodel::FsoOptions {
        let mut options = fsomodel::FsoOptions::from(self.read);
        options.metadata = self.metadata.map(Into::into);
        options.dialect = fsomodel::Dialect::ALL.into_iter().find(|d| self.dialect == Some(d.name()));
        options
    }
}

/// Declares [`AnyModel`] and the verbs that every format crate has under the same name.
macro_rules! models {
    ($($variant:ident, $feature:literal, $model:ty, |$bytes:ident, $options:ident| $open:expr;)+) => {
        /// A model of any format.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum AnyModel {
            $(#[cfg(feature = $feature)]
            #[doc = concat!("A [`Format::", stringify!($variant), "`].")]
            $variant(Box<$model>),)+
        }

        impl AnyModel {
            /// Reads a file of a known format.
            ///
            /// # Errors
            /// When the file breaks a rule that the options do not forgive, or would take more memory than
            /// they allow.
            pub fn open(bytes: &[u8], format: Format, options: &OpenOptions<'_>) -> Result<Parsed<Self>, ReadError> {
                match format {
                    $(#[cfg(feature = $feature)]
                    Format::$variant => {
                        let ($bytes, $options) = (bytes, options);
                        Ok($open?.map(|m| Self::$variant(Box::new(m))))
                    })+
                }
            }

            /// The model's format.
            pub const fn format(&self) -> Format {
                match *self { $(#[cfg(feature = $feature)] Self::$variant(_) => Format::$variant,)+ }
            }

            /// Everything that is odd about the model.
            pub fn validate(&self) -> Report {
                match *self { $(#[cfg(feature = $feature)] Self::$variant(ref m) => m.validate(),)+ }
            }

            /// The model as a file: byte for byte the one it was read from, unless it was edited.
            ///
            /// # Errors
            /// When the model breaks a rule of the format, or a number does not fit its field.
            pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
                match *self { $(#[cfg(feature = $feature)] Self::$variant(ref m) => m.to_bytes(),)+ }
            }
        }
    };
}

models! {
    Bmd, "bmd", Bmd, |bytes, options| Bmd::parse_with(bytes, &options.read);
    CrucibleMesh, "crucible", crucible::Chunk<'static>, |bytes, options| {
        crucible::Chunk::parse_with(bytes, &options.crucible()).map(|p| p.map(crucible::Chunk::into_owned))
    };
    CrucibleModel, "crucible", crucible::CModel<'static>, |bytes, options| {
        crucible::CModel::parse_with(bytes, &options.crucible()).map(|p| p.map(crucible::CModel::into_owned))
    };
    CrucibleSkeleton, "crucible", crucible::SkeletonChunk, |bytes, options| {
        crucible::SkeletonChunk::parse_with(bytes, &options.crucible())
    };
    Dpm, "dpm", Dpm, |bytes, options| Dpm::parse_with(bytes, &options.read);
    Zym, "dpm", Zym, |bytes, options| Zym::parse_with(bytes, &options.read);
    Fso, "fsomodel", fsomodel::FsoModel<'static>, |bytes, options| {
        fsomodel::FsoModel::parse_with(bytes, &options.fsomodel()).map(|p| p.map(fsomodel::FsoModel::into_owned))
    };
    TsoMesh, "tso", tso::Mesh, |bytes, options| tso::Mesh::parse_with(bytes, &options.read);
    TsoSkeleton, "tso", tso::Skel, |bytes, options| tso::Skel::parse_with(bytes, &options.read);
    TsoAnimation, "tso", tso::Anim, |bytes, options| tso::Anim::parse_with(bytes, &options.read);
    TsoBinding, "tso", tso::Bnd, |bytes, options| tso::Bnd::parse_with(bytes, &options.read);
    Bmf, "tso", tso::Bmf, |bytes, options| tso::Bmf::parse_with(bytes, &options.read);
    Skn, "tso", tso::Skn, |bytes, options| tso::Skn::parse_with(bytes, &options.read);
}

impl AnyModel {
    /// Reads a file of a known format; [`open`](Self::open) takes more options.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn parse(bytes: &[u8], format: Format, options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        Self::open(bytes, format, &(*options).into())
    }
}
