//! What an optimisation may give up, and what it gave up.

use crate::write::Arrangement;

/// What an optimisation may change. By default nothing that decoding or evaluation shows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct OptimizeOptions {
    /// How far a vertex may move, in units of the model.
    pub position: f64,
    /// How far a normal may turn, in degrees.
    pub normal: f64,
    /// How far a texture coordinate may move.
    pub st: f64,
    /// How far a bone's rotation may be off at a whole frame, in degrees.
    pub angle: f64,
    /// How far a bone's translation may be off at a whole frame, in units of the model.
    pub distance: f64,
    /// How far a bone's scale may be off at a whole frame.
    pub scale: f64,
    /// Avoid what the existing engine's loader gets wrong: no quads, no more primitives than vertices in a
    /// mesh, no key on the last frame of a clip, which moves or drops keys that are there.
    pub engine_safe: bool,
    /// How the file is arranged.
    pub arrangement: Arrangement,
    /// Bytes that the work may take.
    pub memory: u64,
}

impl Default for OptimizeOptions {
    fn default() -> Self {
        Self {
            position: 0.0,
            normal: 0.0,
            st: 0.0,
            angle: 0.0,
            distance: 0.0,
            scale: 0.0,
            engine_safe: false,
            arrangement: Arrangement::Compact,
            memory: 256 << 20,
        }
    }
}

impl OptimizeOptions {
    /// Bounds for vertices: units of the model, degrees of the normal, texture coordinates.
    #[must_use]
    pub const fn with_vertex_bounds(mut self, position: f64, normal: f64, st: f64) -> Self {
        (self.position, self.normal, self.st) = (position, normal, st);
        self
    }

    /// Bounds for keys: degrees, units of the model, scale.
    #[must_use]
    pub const fn with_key_bounds(mut self, angle: f64, distance: f64, scale: f64) -> Self {
        (self.angle, self.distance, self.scale) = (angle, distance, scale);
        self
    }

    /// The same options for files that the existing engine's loader reads rightly, or not.
    #[must_use]
    pub const fn with_engine_safe(mut self, engine_safe: bool) -> Self {
        self.engine_safe = engine_safe;
        self
    }

    /// The same options with another arrangement of the file.
    #[must_use]
    pub const fn with_arrangement(mut self, arrangement: Arrangement) -> Self {
        self.arrangement = arrangement;
        self
    }
}

/// The largest errors of an optimisation, each 0 where nothing changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Units of the model that a vertex moved.
    pub position: f64,
    /// Degrees that a normal turned.
    pub normal: f64,
    /// How far a texture coordinate moved.
    pub st: f64,
    /// Degrees that a bone's rotation is off at a whole frame.
    pub angle: f64,
    /// Units of the model that a bone's translation is off at a whole frame.
    pub distance: f64,
    /// How far a bone's scale is off at a whole frame.
    pub scale: f64,
}

impl Errors {
    pub(super) fn max(self, other: Self) -> Self {
        Self {
            position: self.position.max(other.position),
            normal: self.normal.max(other.normal),
            st: self.st.max(other.st),
            angle: self.angle.max(other.angle),
            distance: self.distance.max(other.distance),
            scale: self.scale.max(other.scale),
        }
    }
}

/// The distance of two points.
pub(super) fn apart(a: [f64; 3], b: [f64; 3]) -> f64 {
    if a == b {
        return 0.0;
    }
    meshwright_core::math::distance(a, b)
}
