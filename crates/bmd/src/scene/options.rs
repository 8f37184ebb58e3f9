//! Options of [`Bmd::from_scene`](crate::Bmd::from_scene).

/// The kinds of vertices in a new model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum VertexForm {
    /// The kinds that the existing tool uses: 64 bits with a flat colour, 96 bits with a texture. Colours of
    /// vertices on bones are lost. A white mesh with texture coordinates gets 96 bits, which keep them.
    #[default]
    Engine,
    /// 64 bits if colours allow it. With a texture, positions then imply the normals.
    Smallest,
    /// 128 bits: the finest positions, and colours and bones together.
    Widest,
}

/// Options for encoding a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BmdSceneOptions {
    /// Kinds of vertices.
    pub vertices: VertexForm,
    /// The maximum error of a rotation at a whole frame, in degrees.
    pub angle: f64,
    /// The maximum error of a translation, in units of the model (1/40 metre).
    pub distance: f64,
    /// The maximum error of a scale.
    pub scale: f64,
}

impl Default for BmdSceneOptions {
    fn default() -> Self {
        Self { vertices: VertexForm::Engine, angle: 0.75, distance: 0.05, scale: 0.005 }
    }
}

impl BmdSceneOptions {
    /// Sets the kinds of vertices.
    #[must_use]
    pub const fn with_vertices(mut self, vertices: VertexForm) -> Self {
        self.vertices = vertices;
        self
    }

    /// Sets the tolerances of keys: degrees, units of the model, scale.
    #[must_use]
    pub const fn with_key_bounds(mut self, angle: f64, distance: f64, scale: f64) -> Self {
        (self.angle, self.distance, self.scale) = (angle, distance, scale);
        self
    }
}
