//! The formats, and which of them some bytes are.

use crate::companions::CompanionKind;
use meshwright_core::Confidence;
use std::fmt;

/// Declares [`Format`] and everything that is said once per format.
macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident, $feature:literal, $id:literal, $family:literal, $title:literal,
        [$($extension:literal),+], $sniff:expr;)+) => {
        /// A file format that this build reads.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Format {
            $(#[cfg(feature = $feature)] $(#[$doc])* $variant,)+
        }

        impl Format {
            /// All formats of this build.
            pub const ALL: &'static [Self] = &[$(#[cfg(feature = $feature)] Self::$variant),+];

            /// The short name used on the command line and in JSON.
            pub const fn id(self) -> &'static str {
                match self { $(#[cfg(feature = $feature)] Self::$variant => $id,)+ }
            }

            /// The name that dumps use; kinds of file may share one.
            pub const fn family(self) -> &'static str {
                match self { $(#[cfg(feature = $feature)] Self::$variant => $family,)+ }
            }

            /// The name for people.
            pub const fn title(self) -> &'static str {
                match self { $(#[cfg(feature = $feature)] Self::$variant => $title,)+ }
            }

            /// File name extensions in use, lower case, the usual one first.
            pub const fn extensions(self) -> &'static [&'static str] {
                match self { $(#[cfg(feature = $feature)] Self::$variant => &[$($extension),+],)+ }
            }

            fn sniff(self, bytes: &[u8]) -> Confidence {
                match self { $(#[cfg(feature = $feature)] Self::$variant => $sniff(bytes),)+ }
            }
        }
    };
}

formats! {
    /// BGBTech BMD1.
    Bmd, "bmd", "bmd", "bmd", "BGBTech BMD", ["bmd"], meshwright_bmd::Bmd::sniff;
    /// A Crucible mesh chunk.
    CrucibleMesh, "crucible", "crucible", "crucible", "Crucible mesh chunk", ["cmesh"], crucible::Chunk::sniff;
    /// A Crucible container of mesh chunks.
    CrucibleModel, "crucible", "cmodel", "crucible", "Crucible model", ["cmodel"], crucible::CModel::sniff;
    /// A Crucible skeleton chunk.
    CrucibleSkeleton, "crucible", "cskel", "crucible", "Crucible skeleton chunk", ["cskel"], crucible::SkeletonChunk::sniff;
    /// DarkPlaces DPM, type 2.
    Dpm, "dpm", "dpm", "dpm", "DarkPlaces DPM", ["dpm"], dpm::Dpm::sniff;
    /// ZYM, type 1.
    Zym, "dpm", "zym", "zym", "DarkPlaces ZYM", ["zym"], dpm::Zym::sniff;
    /// FreeSpace Open's FSOMODEL.
    Fso, "fsomodel", "fso", "fso", "FreeSpace Open FSOMODEL", ["fom", "fso", "fsomodel"], meshwright_fsomodel::FsoModel::sniff;
    /// A mesh of The Sims Online.
    TsoMesh, "tso", "tso", "tso", "The Sims Online mesh", ["mesh"], tso::Mesh::sniff;
    /// A skeleton of The Sims Online.
    TsoSkeleton, "tso", "skel", "tso-skel", "The Sims Online skeleton", ["skel"], tso::Skel::sniff;
    /// An animation of The Sims Online.
    TsoAnimation, "tso", "anim", "tso-anim", "The Sims Online animation", ["anim"], tso::Anim::sniff;
    /// The link from a mesh of The Sims Online to its texture.
    TsoBinding, "tso", "bnd", "tso", "The Sims Online binding", ["bnd"], tso::Bnd::sniff;
    /// A binary mesh of The Sims 1.
    Bmf, "tso", "bmf", "tso", "The Sims mesh (binary)", ["bmf"], tso::Bmf::sniff;
    /// A mesh of The Sims 1 as text.
    Skn, "tso", "skn", "tso", "The Sims mesh (text)", ["skn"], tso::Skn::sniff;
}

#[cfg(feature = "crucible")]
use meshwright_crucible as crucible;
#[cfg(feature = "dpm")]
use meshwright_dpm as dpm;
#[cfg(feature = "tso")]
use meshwright_tso as tso;

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl Format {
    /// The format with this short name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|f| f.id().eq_ignore_ascii_case(id))
    }

    /// The format whose extension a file name has; the first where several share it.
    pub fn from_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        let has = |f: &Self| f.extensions().iter().any(|e| e.eq_ignore_ascii_case(extension));
        Self::ALL.iter().copied().find(has)
    }
}

impl Format {
    /// The dialects that a caller can choose where the bytes do not decide.
    pub fn dialects(self) -> Vec<&'static str> {
        match self {
            #[cfg(feature = "crucible")]
            Self::CrucibleMesh | Self::CrucibleModel => {
                crucible::Dialect::ALL.iter().map(|d| d.name()).collect()
            }
            #[cfg(feature = "fsomodel")]
            Self::Fso => meshwright_fsomodel::Dialect::ALL.iter().map(|d| d.name()).collect(),
            _ => Vec::new(),
        }
    }

    /// The names under which companion files of a model called `name` lie beside it.
    pub fn companion_names(self, name: &str) -> Vec<(CompanionKind, String)> {
        match self {
            #[cfg(feature = "dpm")]
            Self::Dpm | Self::Zym => vec![(CompanionKind::FrameGroups, format!("{name}.framegroups"))],
            #[cfg(feature = "fsomodel")]
            Self::Fso => {
                let stem = name.rsplit_once('.').map_or(name, |n| n.0);
                vec![(CompanionKind::Metadata, format!("{stem}.json"))]
            }
            _ => Vec::new(),
        }
    }
}

/// What some bytes seem to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detection {
    /// The format.
    pub format: Format,
    /// How sure the content makes of it; [`Confidence::No`] where only the file name speaks for it.
    pub confidence: Confidence,
}

/// The format of a file: by content where that says enough, else by name.
///
/// A name decides between equals, and against content that is no more than [`Confidence::Possible`]. So a file
/// whose first bytes are damaged is still answered with the format of its name, and reading it says what is
/// wrong with it. `None` means that neither content nor name is known.
pub fn detect(bytes: &[u8], name: Option<&str>) -> Option<Detection> {
    let named = name.and_then(Format::from_name);
    let best = Format::ALL
        .iter()
        .map(|&format| Detection { format, confidence: format.sniff(bytes) })
        .max_by_key(|d| (d.confidence, named == Some(d.format)))?;
    match named {
        Some(format) if best.confidence <= Confidence::Possible && best.format != format => {
            Some(Detection { format, confidence: format.sniff(bytes) })
        }
        Some(_) => Some(best),
        None => Some(best).filter(|d| d.confidence > Confidence::No),
    }
}
