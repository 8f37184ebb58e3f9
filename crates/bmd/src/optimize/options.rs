//! The tolerances of an optimisation, and its errors.

use crate::write::Arrangement;

/// Protection of the existing engine's loader. It misreads quads, allocates memory for as many triangles as a mesh
/// has vertices, and loses its place in an animation after a key on the last frame unless no bone with keys follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum EngineSafety {
    /// No protection: the fewest bytes.
    Ignored,
    /// No quads and no more primitives than vertices. Keys on the last frame are avoided as far as the
    /// bounds allow.
    #[default]
    WithinBounds,
    /// The same, but keys on the last frame are always moved or removed, whatever changes.
    Always,
}

/// The tolerances of an optimisation. By default the decoded and evaluated values stay the same.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct OptimizeOptions {
    /// The maximum distance that a vertex may move, in units of the model.
    pub position: f64,
    /// The maximum angle that a normal may turn, in degrees.
    pub normal: f64,
    /// The maximum distance that a texture coordinate may move.
    pub st: f64,
    /// The maximum error of the rotation of a bone in the posed model at a whole frame, in degrees,
    /// including the error of its parents. At 0 the keys of rotations stay exact.
    pub angle: f64,
    /// The largest error of the position of a vertex or of a bone's origin in the posed model at a whole frame, in
    /// units of the model. At 0 the keys of translations stay exact. If [`angle`](Self::angle) is given without this,
    /// only the angle limits the errors of rotations.
    pub distance: f64,
    /// The maximum error of a bone's own scale at a whole frame. At 0 the keys of scales stay exact.
    pub scale: f64,
    /// Protection of the existing engine's loader.
    pub engine: EngineSafety,
    /// The arrangement of the file.
    pub arrangement: Arrangement,
    /// The maximum memory in bytes.
    pub memory: u64,
    /// The effort, 0 to 9; each level doubles the work. A low effort makes the result larger, never wrong.
    pub effort: u8,
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
            engine: EngineSafety::WithinBounds,
            arrangement: Arrangement::Compact,
            memory: 256 << 20,
            effort: OptimizeOptions::DEFAULT_EFFORT,
        }
    }
}

impl OptimizeOptions {
    /// The effort of the default options.
    pub const DEFAULT_EFFORT: u8 = 4;
    /// Steps of work at effort 0.
    const STEPS: u64 = 1 << 24;

    /// Returns the maximum number of steps of work.
    pub(super) fn steps(&self) -> u64 {
        Self::STEPS << self.effort.min(9)
    }

    /// Returns true if keys may change.
    pub(super) fn loses_keys(&self) -> bool {
        self.angle > 0.0 || self.distance > 0.0 || self.scale > 0.0
    }

    /// Returns true if no decoded or evaluated value may change.
    pub(super) fn is_exact(&self) -> bool {
        !self.loses_keys() && [self.position, self.normal, self.st].iter().all(|b| *b <= 0.0)
    }

    /// Returns the same options with all tolerances 0.
    pub(super) const fn exact(self) -> Self {
        self.with_vertex_bounds(0.0, 0.0, 0.0).with_key_bounds(0.0, 0.0, 0.0)
    }

    /// Sets the tolerances of vertices: units of the model, degrees of the normal, texture coordinates.
    #[must_use]
    pub const fn with_vertex_bounds(mut self, position: f64, normal: f64, st: f64) -> Self {
        (self.position, self.normal, self.st) = (position, normal, st);
        self
    }

    /// Sets the tolerances of keys: degrees, units of the model, scale.
    #[must_use]
    pub const fn with_key_bounds(mut self, angle: f64, distance: f64, scale: f64) -> Self {
        (self.angle, self.distance, self.scale) = (angle, distance, scale);
        self
    }

    /// Sets the protection of the existing engine's loader.
    #[must_use]
    pub const fn with_engine(mut self, engine: EngineSafety) -> Self {
        self.engine = engine;
        self
    }

    /// Sets the effort, 0 to 9.
    #[must_use]
    pub const fn with_effort(mut self, effort: u8) -> Self {
        self.effort = effort;
        self
    }

    /// Sets the arrangement of the file.
    #[must_use]
    pub const fn with_arrangement(mut self, arrangement: Arrangement) -> Self {
        self.arrangement = arrangement;
        self
    }
}

/// The largest errors of an optimisation, each 0 if nothing changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// The largest distance that a vertex moved, in units of the model.
    pub position: f64,
    /// The largest angle that a normal turned, in degrees.
    pub normal: f64,
    /// The largest distance that a texture coordinate moved.
    pub st: f64,
    /// The largest error of a bone's rotation in the posed model at a whole frame, in degrees.
    pub angle: f64,
    /// The largest error of the position of a vertex or of a bone's origin in the posed model at a whole
    /// frame, caused by keys, in units of the model.
    pub distance: f64,
    /// The largest error of a bone's own scale at a whole frame.
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

/// Returns the distance of two points.
pub(super) fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    if a == b {
        return 0.0;
    }
    meshwright_core::math::distance(a, b)
}
