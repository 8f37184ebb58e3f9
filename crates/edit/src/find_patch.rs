//! The comparison of an edited scene with its original.

use crate::comparison::{Comparison, extent};
use crate::correspond::{joints, marks as marked, meshes as found, space};
use crate::options::{Options, Original, Snap};
use crate::original_mesh::OriginalMesh;
use crate::patch::{Patch, clips, rebuild, skeleton};
use crate::tolerance::Tolerance;
use alloc::vec::Vec;
use meshwright_core::Budget;
use meshwright_scene::{ConvertError, Scene};

impl Patch {
    /// Compares an edited scene with its original. At [`Snap::Default`], small differences from an editor's arithmetic
    /// count as unedited. If nearly all positions of a mesh, or nearly all poses of the clips, are bit-identical, the
    /// tool did not compute: then differences above a few units in the last place are edits.
    ///
    /// # Errors
    /// When a scene is invalid, when the scenes are in different spaces, when `exported` does not have the skeletons,
    /// joints, meshes and clips of `native` in their order, or when the budget does not allow for the result.
    pub fn find(
        edited: &Scene,
        original: &Original<'_>,
        options: &Options<'_>,
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        Self::find_taking_meshes(edited, &mut original.native.clone(), original.exported, options, budget)
    }

    /// Compares like [`find`](Self::find), with less memory: the patch takes the meshes of the native scene, which has none
    /// afterwards, also if the comparison fails.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub fn find_taking_meshes(
        edited: &Scene,
        native: &mut Scene,
        exported: &Scene,
        options: &Options<'_>,
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        let Options { snap, marks, .. } = *options;
        for (scene, name) in [(edited, "edited"), (&*native, "native"), (exported, "exported")] {
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
        let original_meshes = OriginalMesh::all(&native.meshes);
        let meshes = core::mem::take(&mut native.meshes);
        let native = &*native;
        let extent = extent(exported);
        let tolerance = Tolerance::new(snap, extent);
        let mut bones = joints::Bones::new(edited, exported, (extent, marks), budget)?;
        let reach = tolerance.position.max(1e-5 * extent);
        let (marked_meshes, materials) = marks
            .map(|m| (marked::meshes(m, edited, exported), marked::materials(m, edited, exported)))
            .unwrap_or_default();
        let edited = space::modelled(edited, exported, &mut bones, (extent, reach), budget)?;
        let edited = &*edited;
        bones.turns(edited, exported, extent, budget)?;
        let strict = if snap == Snap::Default { tolerance.lossless() } else { tolerance };
        let work = Comparison {
            edited,
            native,
            originals: &original_meshes,
            exported,
            tolerance,
            strict,
            extent,
            options: *options,
            marked: marks.is_some_and(|m| m.meshes.iter().any(Option::is_some)),
            bones,
            budget,
            meshes: marked_meshes,
            materials,
        };
        let mut patch = Self { scene: native.clone().with_meshes(meshes), ..Self::default() };
        patch.correspondence.joints.clone_from(&work.bones.native);
        let placed = skeleton::add_skeletons(&work, &mut patch)?;
        let finds = found::find(&work, &placed)?;
        let exactness = finds.exactness;
        rebuild::meshes(&work, &placed, finds, &mut patch)?;
        clips::add_clips(&work, &placed, exactness, &mut patch)?;
        drop(work);
        patch.original_meshes = original_meshes;
        Ok(patch)
    }
}

fn same_shape(a: &Scene, b: &Scene) -> bool {
    let joints = |s: &Scene| s.skeletons.iter().map(|k| k.joints.len()).collect::<Vec<_>>();
    (a.meshes.len(), a.clips.len(), joints(a)) == (b.meshes.len(), b.clips.len(), joints(b))
        && a.meshes.iter().zip(&b.meshes).all(|(a, b)| a.positions.len() == b.positions.len())
}
