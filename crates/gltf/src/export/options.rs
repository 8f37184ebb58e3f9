use std::num::NonZeroU16;

/// The number of influences of a vertex that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Influences {
    /// The four heaviest, which every viewer supports.
    #[default]
    Four,
    /// All, in as many sets of four as the mesh needs. Some viewers ignore all sets but the first.
    All,
}

/// Options of [`export`](crate::export()).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportOptions {
    /// The number of influences of a vertex that are written.
    pub influences: Influences,
    /// Looping clips repeat their first frame at the end of their period.
    pub close_loops: bool,
    /// The number of frames per second at which keys are written, whatever the rates of the clips. The extras of the
    /// clips hold their own rates. An editor that samples at this rate preserves every key.
    pub frames_at: Option<NonZeroU16>,
    /// Texture layers that viewers do not draw (`_pants`, `_shirt`, `_reflect`, and the base texture under mixed
    /// colours) are embedded for the conversion back.
    pub layers: bool,
    /// The memory limit for the conversion and its result, in bytes. By default 256 MiB.
    pub memory: u64,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            influences: Influences::Four,
            close_loops: false,
            frames_at: None,
            layers: true,
            memory: 256 << 20,
        }
    }
}

impl ExportOptions {
    /// Returns the same options with other influences.
    #[must_use]
    pub const fn with_influences(mut self, influences: Influences) -> Self {
        self.influences = influences;
        self
    }

    /// Returns the same options with loops closed or left open.
    #[must_use]
    pub const fn with_close_loops(mut self, close: bool) -> Self {
        self.close_loops = close;
        self
    }

    /// Returns the same options with keys at a rate, or at that of each clip.
    #[must_use]
    pub const fn with_frames_at(mut self, rate: Option<NonZeroU16>) -> Self {
        self.frames_at = rate;
        self
    }

    /// Returns the same options with or without the texture layers that viewers do not draw.
    #[must_use]
    pub const fn with_layers(mut self, layers: bool) -> Self {
        self.layers = layers;
        self
    }

    /// Returns the same options with another limit of bytes.
    #[must_use]
    pub const fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }
}
