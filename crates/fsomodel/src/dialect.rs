//! The dialects: layouts of vertices and indices. No file states its dialect.

use crate::record::{vertex_44, vertex_56, vertex_60};
use core::fmt;
use core::str::FromStr;

/// The layout of vertices and indices. The format changed twice while its version stayed 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// The description's layout: vertices of 44 bytes, 32-bit indices, a MESH chunk with offsets in bytes.
    #[default]
    Seed44,
    /// The layout of the description's later revision: vertices of 56 bytes with a bitangent, 16-bit
    /// indices.
    Doc56,
    /// The layout of the engine's code: vertices of 60 bytes with three texture coordinates, 16-bit indices,
    /// and meshes in the companion file with offsets in indices.
    Gl3,
}

impl Dialect {
    /// All dialects, in the order of preference if the bytes do not decide.
    pub const ALL: [Self; 3] = [Self::Seed44, Self::Gl3, Self::Doc56];

    /// The names of all dialects.
    pub const NAMES: &'static [&'static str] = &[Self::Seed44.name(), Self::Gl3.name(), Self::Doc56.name()];

    /// Returns the name of the dialect for options and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seed44 => "seed44",
            Self::Doc56 => "doc56",
            Self::Gl3 => "gl3_60",
        }
    }

    /// Returns the size of a vertex in bytes.
    pub const fn vertex_size(self) -> usize {
        match self {
            Self::Seed44 => vertex_44::SIZE,
            Self::Doc56 => vertex_56::SIZE,
            Self::Gl3 => vertex_60::SIZE,
        }
    }

    /// Returns the size of an index in bytes.
    pub const fn index_size(self) -> usize {
        match self {
            Self::Seed44 => 4,
            Self::Doc56 | Self::Gl3 => 2,
        }
    }

    /// Returns the offset of the normal in a vertex.
    pub(crate) const fn normal_at(self) -> usize {
        match self {
            Self::Seed44 => vertex_44::NORMAL.offset,
            Self::Doc56 => vertex_56::NORMAL.offset,
            Self::Gl3 => vertex_60::NORMAL.offset,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        Self::ALL.into_iter().find(|d| d.name().eq_ignore_ascii_case(name)).ok_or(UnknownDialect)
    }
}

/// The error for a name that no [`Dialect`] has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownDialect;

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such dialect; known are ")?;
        for (i, dialect) in Dialect::ALL.iter().enumerate() {
            write!(f, "{}{dialect}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownDialect {}
