//! What a tool left as it was of a model that was exported for it.
//!
//! A model goes out as glTF, is edited in a tool and comes back as a plain scene: joints have other axes, vertices another
//! order, clips other keys, and everything lies a little beside where it was. [`recover`] holds the edited scene against the
//! native one and gives a scene in the native order, whose untouched parts are the native values bit for bit, with a
//! [`Recovery`] that says what was edited.
//!
//! Of a material its colour and name are compared, of the extras of a clip those fields that the native clip has. Tangents,
//! pictures, what becomes of alpha, the colour of what is hidden and other extras are not: they stay the native ones. So
//! does an attribute that the edited mesh has not.
//!
//! But for [`Snap::Exact`] these are no edits, since Blender makes them of what nobody touched; an edit that does the same
//! is not seen:
//! - a normal that leans within 0.81 degrees of an edge's way leans along the edge, or is the mean of the faces around at
//!   an edge without length; normals of triangles too thin to be seen say nothing;
//! - influences below 1e-4 are left out, and the others divided by their sum;
//! - bones lean by less than 1e-3 radians, and all poses with them, as their ends are numbers of 32 bits;
//! - colours are those of the corners that have the numbers of the vertices (3.4), of all vertices of a mesh;
//! - clips are sampled between keys by blending the parts of rotations.

mod clips;
mod colors;
mod faces;
mod found;
mod joints;
mod lean;
mod marks;
mod matching;
mod materials;
mod meshes;
mod names;
mod parts;
mod poses;
mod rebuild;
mod report;
mod sampled;
mod shading;
mod skeleton;
mod space;
mod steps;
mod still;
mod twins;
mod vertices;

pub use marks::{Mark, Marks, is_palette};
pub use report::{ClipChange, JointChange, MeshChange, Part, Recovery, State};

use crate::convert::ConvertError;
use crate::model::Scene;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use meshwright_core::Budget;
use meshwright_core::math::wide;

/// How near to the native value a value must be to be that value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Snap {
    /// Equal numbers alone.
    Exact,
    /// What editors change without being asked.
    #[default]
    Default,
    /// What tools change that make files smaller.
    Loose,
}

/// What becomes of native meshes and clips that are not in the edited scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Absent {
    /// They were deleted.
    #[default]
    Gone,
    /// They stay: the edited scene adds to the native one. Meshes stay only where the edited scene has none, and native
    /// joints keep their names.
    Kept,
}

/// The native model.
#[derive(Clone, Copy, Debug)]
pub struct Original<'s> {
    /// The model as its format's `to_scene` gives it.
    pub native: &'s Scene,
    /// The same scene as it reads back after an export without any edit: what exports change is not an edit. The native
    /// scene itself where it did not go through an export.
    pub exported: &'s Scene,
}

/// How a scene is recovered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'m> {
    /// How near to native values others are those.
    pub snap: Snap,
    /// What becomes of what the edited scene does not have.
    pub absent: Absent,
    /// What the parts of the edited scene say that they were.
    pub marks: Option<&'m Marks>,
    /// The native model has no normals, and those of its scene are made of the triangles: they follow from what is edited.
    pub computed_normals: bool,
}

impl<'m> Options<'m> {
    /// Options without marks.
    #[must_use]
    pub const fn new(snap: Snap, absent: Absent) -> Self {
        Self { snap, absent, marks: None, computed_normals: false }
    }

    /// The same options with what the parts of the edited scene say that they were.
    #[must_use]
    pub const fn with_marks(mut self, marks: &'m Marks) -> Self {
        self.marks = Some(marks);
        self
    }

    /// The same options for a native scene whose normals are computed, or are not.
    #[must_use]
    pub const fn with_computed_normals(mut self, computed: bool) -> Self {
        self.computed_normals = computed;
        self
    }
}

/// A joint by its skeleton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct At {
    skeleton: usize,
    joint: usize,
}

/// An index into lists of lists.
trait Place {
    fn of<T>(self, lists: &[Vec<T>]) -> Option<&T>;
    fn of_mut<T>(self, lists: &mut [Vec<T>]) -> Option<&mut T>;
}

/// Distances within which values are equal.
#[derive(Clone, Copy, Debug)]
struct Tolerance {
    /// Lengths, in the scene's unit.
    position: f64,
    /// Degrees between unit normals, and where the native normal was not of unit length.
    normal: [f64; 2],
    uv: f64,
    /// Linear light.
    color: f64,
    weight: f64,
    /// Radians between rotations of joints.
    rotation: f64,
    /// Lengths of translations of joints, in the scene's unit.
    translation: f64,
    /// The same in parts of a translation's own largest number.
    reach: f64,
    scale: f64,
    /// What hardly moves may stand still.
    still: bool,
    /// Materials that look alike may be one.
    joined: bool,
}

impl Tolerance {
    /// The same where bits were kept: some units in the last place of the whole model's numbers.
    fn lossless(self) -> Self {
        Self {
            position: self.position / 16.0,
            rotation: self.rotation / 16.0,
            translation: self.translation / 64.0,
            reach: 0.0,
            scale: self.scale / 16.0,
            still: false,
            ..self
        }
    }

    /// Figures of `spec/gltf-in.md`, section 2: what editors and packers were measured to change.
    fn new(snap: Snap, extent: f64) -> Self {
        match snap {
            Snap::Exact => Self {
                position: 0.0,
                normal: [0.0; 2],
                uv: 0.0,
                color: 0.0,
                weight: 0.0,
                rotation: 0.0,
                translation: 0.0,
                reach: 0.0,
                scale: 0.0,
                still: false,
                joined: false,
            },
            Snap::Default => Self {
                position: 4e-6 * extent,
                normal: [0.2, 0.7],
                uv: 1e-6,
                color: 1e-6,
                weight: 1e-6,
                rotation: 2e-5,
                translation: 3e-5 * extent,
                reach: 0.0,
                scale: 1e-5,
                still: true,
                joined: false,
            },
            Snap::Loose => Self {
                position: 1e-4 * extent,
                normal: [1.5, 1.5],
                // Half a step of 12 bits, of coordinates a little beyond 1.
                uv: 1.5e-4,
                color: 4e-3,
                // Steps of eight bits, where the largest takes what the others leave.
                weight: 8e-3,
                rotation: 4e-3,
                translation: 4e-4 * extent,
                // Half a step of 12 bits in each number, the first of which is the sign of the largest.
                reach: 8.5e-4,
                scale: 1e-3,
                still: true,
                joined: true,
            },
        }
    }
}

/// How many of the values that nobody edited came back as the bits that went out.
#[derive(Clone, Copy, Debug, Default)]
struct Exactness {
    near: usize,
    exact: usize,
}

impl Exactness {
    /// Of a tool that is known to compute.
    const COMPUTED: Self = Self { near: 20, exact: 0 };

    fn add(&mut self, exact: bool) {
        self.near = self.near.saturating_add(1);
        self.exact = self.exact.saturating_add(usize::from(exact));
    }

    const fn and(self, other: Self) -> Self {
        Self { near: self.near.saturating_add(other.near), exact: self.exact.saturating_add(other.exact) }
    }

    /// All but one.
    const fn is_near(self) -> bool {
        self.near.saturating_sub(self.exact) <= 1
    }

    /// So few that they do not tell.
    const fn is_few(self) -> bool {
        self.near < 20
    }

    /// Nearly all of them, or all but one: a tool that keeps bits brought them, and what is off is an edit.
    const fn is_lossless(self) -> bool {
        let off = self.near.saturating_sub(self.exact);
        off.saturating_mul(20) <= self.near && self.exact > 0 || off == 1 && self.exact > 1
    }
}

/// Holds an edited scene against the native one. At [`Snap::Default`] what editors change by computing with it counts as
/// untouched; where nearly all positions of a mesh, or nearly all poses of the clips, come back bit for bit, nobody computed,
/// and the few that are off by more than some units in the last place are edits.
///
/// # Errors
/// When a scene breaks its own rules, when the two are not in the same space, when `exported` has not the skeletons,
/// joints, meshes and clips of `native` in their order, or when the budget does not allow for the result.
pub fn recover(
    edited: &Scene,
    original: &Original<'_>,
    options: &Options<'_>,
    budget: &Budget,
) -> Result<(Scene, Recovery), ConvertError> {
    let Original { native, exported } = *original;
    let Options { snap, absent, marks, computed_normals } = *options;
    for (scene, name) in [(edited, "edited"), (native, "native"), (exported, "exported")] {
        scene
            .validate()
            .map_err(|e| ConvertError::invalid(alloc::format!("{name}.{}", e.path), e.message))?;
    }
    if edited.space != native.space || exported.space != native.space {
        return Err(ConvertError::invalid("space", "the scenes are in different spaces"));
    }
    if !same_shape(native, exported) {
        return Err(ConvertError::invalid("exported", "it is not the native scene"));
    }
    let extent = extent(exported);
    let tolerance = Tolerance::new(snap, extent);
    let mut bones = joints::Bones::new(edited, exported, (extent, marks, absent), budget)?;
    let reach = tolerance.position.max(1e-5 * extent);
    let (meshes, materials) =
        marks.map(|m| (m.meshes(edited, exported), m.materials(edited, exported))).unwrap_or_default();
    let edited = space::modelled(edited, exported, &bones, (extent, reach), budget)?;
    let edited = &*edited;
    bones.turns(edited, exported, extent, budget)?;
    let mut report = Recovery::default();
    let strict = if snap == Snap::Default { tolerance.lossless() } else { tolerance };
    let work = Work {
        edited,
        native,
        exported,
        tolerance,
        strict,
        extent,
        absent,
        computed_normals,
        bones,
        budget,
        meshes,
        materials,
    };
    let mut scene = native.clone();
    let placed = skeleton::recover(&work, &mut scene, &mut report)?;
    let finds = meshes::find(&work, &placed)?;
    rebuild::meshes(&work, &placed, &finds, &mut scene, &mut report)?;
    clips::recover(&work, &placed, finds.exactness, &mut scene, &mut report)?;
    Ok((scene, report))
}

/// What all parts of the recovery look at.
struct Work<'s, 'b> {
    edited: &'s Scene,
    native: &'s Scene,
    exported: &'s Scene,
    tolerance: Tolerance,
    /// Where bits were kept.
    strict: Tolerance,
    extent: f64,
    absent: Absent,
    computed_normals: bool,
    bones: joints::Bones,
    budget: &'b Budget,
    /// The native mesh and material that edited ones say they are.
    meshes: BTreeMap<usize, usize>,
    materials: BTreeMap<usize, usize>,
}

fn same_shape(a: &Scene, b: &Scene) -> bool {
    let joints = |s: &Scene| s.skeletons.iter().map(|k| k.joints.len()).collect::<Vec<_>>();
    (a.meshes.len(), a.clips.len(), joints(a)) == (b.meshes.len(), b.clips.len(), joints(b))
        && a.meshes.iter().zip(&b.meshes).all(|(a, b)| a.positions.len() == b.positions.len())
}

/// The longest side of the box around all vertices and joints.
fn extent(scene: &Scene) -> f64 {
    let binds = scene.skeletons.iter().flat_map(|s| (0..s.joints.len()).filter_map(|j| joints::bind(s, j)));
    let points = scene.meshes.iter().flat_map(|m| m.positions.iter().map(|p| wide(*p)));
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for point in points.chain(binds.map(|b| b.w)) {
        for ((low, high), c) in low.iter_mut().zip(&mut high).zip(point) {
            *low = low.min(c);
            *high = high.max(c);
        }
    }
    let sides = high.iter().zip(low).map(|(h, l)| h - l).fold(0.0, f64::max);
    if sides.is_finite() && sides > 0.0 { sides } else { 1.0 }
}

#[cfg(test)]
mod tests;
