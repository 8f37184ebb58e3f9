//! Engines and tools that support less than their formats can store.

use crate::convert::ConvertError;
use alloc::format;
use core::fmt;
use core::str::FromStr;

/// A program that reads a format and has its own limits. The conversions to its [formats](Self::formats)
/// observe them if [`FromSceneOptions::engine`](crate::FromSceneOptions::engine) names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// DarkPlaces. It stores bone numbers in bytes, numbers bones and distinct blends together in 16 bits,
    /// and uses four bones per vertex.
    DarkPlaces,
    /// FTE in its usual build.
    Fte,
    /// Daemon, the engine of Unvanquished.
    Daemon,
    /// The compiler `dpmodel`: the limits of the files it writes.
    DpModel,
    /// BGBTech, which allows 1024 vertices per mesh.
    BgbTech,
}

/// The maximum numbers that an engine supports; `usize::MAX` if it has no limit of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineLimits {
    /// Bones of a model.
    pub bones: usize,
    /// Bones plus blends; a blend is a distinct set of bones and weights.
    pub blends: usize,
    /// Bones of a vertex.
    pub influences: usize,
    /// Frames of a model.
    pub frames: usize,
    /// Vertices of a mesh.
    pub mesh_vertices: usize,
    /// Vertices of all meshes.
    pub vertices: usize,
    /// Triangles of all meshes.
    pub triangles: usize,
    /// Meshes with different shaders.
    pub shaders: usize,
}

impl EngineLimits {
    /// No limits other than the format's.
    pub const NONE: Self = Self {
        bones: usize::MAX,
        blends: usize::MAX,
        influences: usize::MAX,
        frames: usize::MAX,
        mesh_vertices: usize::MAX,
        vertices: usize::MAX,
        triangles: usize::MAX,
        shaders: usize::MAX,
    };
}

impl Engine {
    /// All engines.
    pub const ALL: [Self; 5] = [Self::DarkPlaces, Self::Fte, Self::Daemon, Self::DpModel, Self::BgbTech];

    /// Returns its name for options.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::DarkPlaces => "darkplaces",
            Self::Fte => "fte",
            Self::Daemon => "daemon",
            Self::DpModel => "dpmodel",
            Self::BgbTech => "bgbtech",
        }
    }

    /// Returns its name for messages.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::DarkPlaces => "DarkPlaces",
            Self::Fte => "FTE",
            Self::Daemon => "Daemon",
            Self::DpModel => "dpmodel",
            Self::BgbTech => "BGBTech",
        }
    }

    /// Returns the ids of the formats whose conversions observe its limits.
    #[must_use]
    pub const fn formats(self) -> &'static [&'static str] {
        match self {
            Self::DarkPlaces | Self::Fte => &["dpm", "zym", "iqm"],
            Self::Daemon => &["iqm"],
            Self::DpModel => &["dpm"],
            Self::BgbTech => &["bmd"],
        }
    }

    /// Returns the limits of the engine.
    #[must_use]
    pub const fn limits(self) -> EngineLimits {
        let none = EngineLimits::NONE;
        match self {
            Self::DarkPlaces => EngineLimits { bones: 256, blends: 65_536, influences: 4, ..none },
            Self::Fte => EngineLimits { bones: 256, ..none },
            Self::Daemon => EngineLimits { bones: 256, influences: 4, ..none },
            Self::DpModel => EngineLimits {
                bones: 256,
                influences: 16,
                frames: 65_536,
                vertices: 196_608,
                triangles: 65_536,
                shaders: 256,
                ..none
            },
            Self::BgbTech => EngineLimits { mesh_vertices: 1024, ..none },
        }
    }

    /// Returns the error for exceeding a limit: `300 bones, DarkPlaces accepts 256`.
    #[must_use]
    pub fn refuse(self, path: &str, have: usize, most: usize, items: &str) -> ConvertError {
        ConvertError::unsupported(path, format!("{have} {items}, {} accepts {most}", self.title()))
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The error for a name that no engine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown engine; known engines are darkplaces, fte, daemon, dpmodel and bgbtech")]
pub struct UnknownEngine;

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        Self::ALL.into_iter().find(|e| e.id().eq_ignore_ascii_case(name)).ok_or(UnknownEngine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn names_are_read_back() {
        for engine in Engine::ALL {
            assert_eq!(engine.to_string().parse(), Ok(engine));
            assert_eq!(engine.title().parse(), Ok(engine));
            assert!(UnknownEngine.to_string().contains(engine.id()));
        }
        assert_eq!("quake".parse::<Engine>(), Err(UnknownEngine));
    }

    #[test]
    fn an_error_names_the_limit() {
        let e = Engine::DarkPlaces.refuse("skeletons", 300, 256, "bones");
        let text = e.to_string();
        assert!(
            ["skeletons: ", "300 bones", "DarkPlaces", "256"].iter().all(|part| text.contains(part)),
            "{text}"
        );
    }
}
