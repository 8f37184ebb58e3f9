//! The treatment of alpha.

/// The treatment of a surface's alpha: the product of the alpha of its base colour, its texture and its
/// vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum AlphaMode {
    /// The content decides: a mask if every value is 0 or 255, otherwise blending.
    #[default]
    Content,
    /// Alpha is ignored.
    Opaque,
    /// Pixels with at least this alpha are drawn, the others are not.
    Mask(f32),
    /// Transparent pixels show the background.
    Blend,
}

/// The threshold of a mask that was derived from the content.
const CUTOFF: f32 = 0.5;

impl AlphaMode {
    /// Replaces [`Content`](Self::Content) by the mode that fits these alpha values. The result is
    /// [`Opaque`](Self::Opaque) if nothing is transparent. Alpha that is 0 everywhere is ignored as a
    /// mistake, unless the surface states its mode.
    #[must_use]
    pub fn resolved(self, levels: AlphaLevels) -> Self {
        match (self, levels) {
            (Self::Opaque, _) | (_, AlphaLevels::Full) | (Self::Content, AlphaLevels::None) => Self::Opaque,
            (Self::Content, AlphaLevels::Two) => Self::Mask(CUTOFF),
            (Self::Content, AlphaLevels::Many) => Self::Blend,
            (own, _) => own,
        }
    }
}

/// The alpha values of an image or a mesh, as a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AlphaLevels {
    /// All values are 255, or the image has no alpha.
    #[default]
    Full,
    /// All values are 0.
    None,
    /// Only 0 and 255.
    Two,
    /// Other values too.
    Many,
}

impl AlphaLevels {
    /// Classifies alpha values.
    pub fn classify(values: impl IntoIterator<Item = u8>) -> Self {
        let (mut zero, mut full) = (false, false);
        for value in values {
            match value {
                0 => zero = true,
                u8::MAX => full = true,
                _ => return Self::Many,
            }
        }
        match (zero, full) {
            (true, true) => Self::Two,
            (true, false) => Self::None,
            (false, _) => Self::Full,
        }
    }

    /// Classifies the products of two alphas.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, _) | (_, Self::None) => Self::None,
            (a, b) => a.max(b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_levels_are_a_mask_and_more_are_blended() {
        use AlphaLevels::{Full, Many, None, Two};
        for (values, levels, mode) in [
            (&[][..], Full, AlphaMode::Opaque),
            (&[255, 255], Full, AlphaMode::Opaque),
            (&[0, 0], None, AlphaMode::Opaque),
            (&[0, 255, 0], Two, AlphaMode::Mask(0.5)),
            (&[0, 254], Many, AlphaMode::Blend),
            (&[128], Many, AlphaMode::Blend),
        ] {
            assert_eq!(AlphaLevels::classify(values.iter().copied()), levels);
            assert_eq!(AlphaMode::Content.resolved(levels), mode);
            assert_eq!(AlphaMode::Opaque.resolved(levels), AlphaMode::Opaque);
            let blended = if levels == Full { AlphaMode::Opaque } else { AlphaMode::Blend };
            assert_eq!(AlphaMode::Blend.resolved(levels), blended);
        }
        for (a, b, product) in [(Full, Two, Two), (Two, Two, Two), (Two, Many, Many), (Many, None, None)] {
            assert_eq!((a.times(b), b.times(a)), (product, product));
        }
    }
}
