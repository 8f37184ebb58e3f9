//! Options of [`Bmd::from_scene`](crate::Bmd::from_scene).

/// Which kinds of vertices a new model gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum VertexForm {
    /// As the existing tool: 64 bits under a flat colour, 96 under a texture. Colours of vertices on bones are
    /// lost.
    #[default]
    Engine,
    /// 64 bits wherever colours allow it. Under a texture normals are then implied by positions.
    Smallest,
    /// 128 bits: the finest positions, colours and bones together.
    Widest,
}

/// Options for encoding a scene in the format's numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BmdSceneOptions {
    /// Kinds of vertices.
    pub vertices: VertexForm,
    /// Degrees that a rotation may be off at a whole frame.
    pub angle: f64,
    /// Units of the model, 1/40 metre, that a translation may be off.
    pub distance: f64,
    /// The error that a scale may have.
    pub scale: f64,
}

impl Default for BmdSceneOptions {
    fn default() -> Self {
        Self { vertices: VertexForm::Engine, angle: 0.75, distance: 0.05, scale: 0.005 }
    }
}

impl BmdSceneOptions {
    /// The same options with other kinds of vertices.
    #[must_use]
    pub const fn with_vertices(mut self, vertices: VertexForm) -> Self {
        self.vertices = vertices;
        self
    }

    /// The same options with other bounds for keys: degrees, units of the model, scale.
    #[must_use]
    pub const fn with_key_bounds(mut self, angle: f64, distance: f64, scale: f64) -> Self {
        (self.angle, self.distance, self.scale) = (angle, distance, scale);
        self
    }
}
