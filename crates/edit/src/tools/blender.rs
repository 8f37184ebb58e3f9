//! Blender drops small influences, thins constant channels and names what has no name (measured with 3.4.1 and 5.0.1).

/// Blender drops influences below this, and divides the others by their sum.
pub(crate) const LEFT_OUT: f64 = 1e-4;

/// Largest difference in a channel for which Blender 5 writes only the first and the last key.
pub(crate) const STILL: f64 = 1e-4;

/// The name that a material without one gets.
pub(crate) const UNNAMED: &str = "Material_0";

/// The mesh that Blender displays for bones. An FBX export writes it too (240 vertices).
pub(crate) const BONE_SHAPE: &str = "Icosphere";
