//! Converts a DPM to a scene.

use super::to_scene::{
    Lanes, SceneBuilder, VertexPart, VertexParts, convertible, list, read_from, report_unused_frames,
};
use crate::clips::FrameClip;
use crate::dpm::rules::check;
use crate::dpm::{Bounds, Dpm, Influence, Mesh};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::array::from_fn;
use core::mem::take;
use core::slice;
use meshwright_core::math::Affine64;
use meshwright_core::text::latin1;
use meshwright_core::{kernels, values};
use meshwright_scene::{Budget, ConvertError, Converted, Extra, Loss, Scene, SceneOptions};

impl Dpm {
    /// Converts the model to a scene: one mesh and node per mesh, one skeleton whose rest and bind pose is
    /// frame 0, all poses, and the given clips, such as those of a `.framegroups` companion file. If `clips`
    /// is `None` or empty, clips are derived from the names of the frames. A model with a single frame and
    /// an empty list has none.
    ///
    /// # Errors
    /// If the model breaks a rule that the conversion relies on, or the scene would take more memory than
    /// the options allow.
    pub fn to_scene(
        &self,
        options: &SceneOptions,
        given: Option<&[FrameClip]>,
    ) -> Result<Converted<Scene>, ConvertError> {
        convertible(|findings| check(self, findings))?;
        self.scene(self.meshes.iter().map(Cow::Borrowed), options, given)
    }

    /// Does the same as [`to_scene`](Self::to_scene), but moves the meshes out of the model, which has none
    /// afterwards. Data that a scene stores in the same form is not copied, and each mesh is freed before
    /// the next one is converted.
    ///
    /// # Errors
    /// As [`to_scene`](Self::to_scene). The meshes are lost, unless the error is a broken rule.
    pub fn take_scene(
        &mut self,
        options: &SceneOptions,
        given: Option<&[FrameClip]>,
    ) -> Result<Converted<Scene>, ConvertError> {
        convertible(|findings| check(self, findings))?;
        let meshes = take(&mut self.meshes);
        self.scene(meshes.into_iter().map(Cow::Owned), options, given)
    }

    /// Returns the scene of a valid model with these meshes.
    fn scene<'m>(
        &self,
        meshes: impl ExactSizeIterator<Item = Cow<'m, Mesh>>,
        options: &SceneOptions,
        given: Option<&[FrameClip]>,
    ) -> Result<Converted<Scene>, ConvertError> {
        let budget = options.budget();
        let bind = self.frame_pose(0).unwrap_or_default();
        let mut making = SceneBuilder::new(&self.bones, bind, meshes.len(), options, &budget)?;
        let mut grouped = 0;
        for mesh in meshes {
            let parts = parts_of(&mesh, &making)?;
            grouped += usize::from(mesh.groupids.iter().any(|&g| g != 0));
            let extras = if options.extras {
                let mut groupids = budget.reserve("extras", mesh.groupids.len())?;
                groupids.extend(mesh.groupids.iter().map(|&g| Extra::from(g)));
                Some(Extra::Map(alloc::vec![("groupids".into(), Extra::List(groupids))]))
            } else {
                None
            };
            let shader = mesh.shader;
            making.add(&shader, parts, triangles_of(mesh, &budget)?, extras)?;
        }
        making.report();
        if !options.extras {
            self.report_dropped(grouped, &mut making.losses);
        }
        let extras = if options.extras { Some(self.extras(&budget)?) } else { None };
        if making.is_static(self.frames.len()) {
            return Ok(making.finish_static(&self.bones, extras)?.map(read_from::<Self>));
        }
        let list = self.clip_list(given);
        report_unused_frames(&list, self.frames.len(), &budget, &mut making.losses)?;
        let pose = |frame: u32| self.frames.get(frame as usize).map(|f| f.pose.0);
        Ok(making.finish(&self.poses, &list, pose, extras)?.map(read_from::<Self>))
    }

    fn clip_list<'c>(&self, given: Option<&'c [FrameClip]>) -> Cow<'c, [FrameClip]> {
        match given {
            // The compiler writes a companion file without clips if a model has no motion.
            Some(clips) if !clips.is_empty() || self.frames.len() <= 1 => Cow::Borrowed(clips),
            _ => Cow::Owned(self.clips_from_names()),
        }
    }

    /// Reports dropped data of bones. `grouped` is the number of meshes with group ids.
    fn report_dropped(&self, grouped: usize, losses: &mut Vec<Loss>) {
        let flags = self.bones.iter().filter(|b| b.flags.0 != 0).count();
        if flags > 0 {
            losses.push(
                Loss::new("bone-flags", "bones", "flags of bones")
                    .with_count(flags, "bone", "bones")
                    .kept_in_extras(),
            );
        }
        if grouped > 0 {
            let loss = Loss::new("groupids", "meshes", "group ids of triangles")
                .with_count(grouped, "mesh", "meshes");
            losses.push(loss.kept_in_extras());
        }
    }

    fn extras(&self, budget: &Budget) -> Result<Extra, ConvertError> {
        budget.charge_items("extras", self.frames.len() as u64, 1024)?;
        let frames = self.frames.iter().map(|frame| {
            let mut fields = alloc::vec![("name".into(), Extra::Text(latin1(frame.name.bytes())))];
            fields.extend(bounds(&frame.bounds));
            Extra::Map(fields)
        });
        let mut fields = alloc::vec![("format".into(), Extra::from("dpm")), ("type".into(), 2_u32.into())];
        fields.extend(bounds(&self.bounds));
        fields.push(("frames".into(), Extra::List(frames.collect())));
        Ok(Extra::Map(fields))
    }
}

fn parts_of(mesh: &Mesh, making: &SceneBuilder<'_>) -> Result<VertexParts, ConvertError> {
    let mut made = making.parts(mesh.vertices.len(), mesh.vertices.influences.len())?;
    let matrices: Vec<_> = making.rig.matrices.iter().map(Affine64::to_columns).collect();
    bind(mesh, &matrices, &mut made);
    Ok(made)
}

/// Returns the triangles of a mesh: its own if they are not shared, otherwise a copy.
fn triangles_of(mesh: Cow<'_, Mesh>, budget: &Budget) -> Result<Vec<[u32; 3]>, ConvertError> {
    let shared = match mesh {
        Cow::Borrowed(mesh) => Err(Arc::clone(&mesh.triangles)),
        Cow::Owned(mesh) => Arc::try_unwrap(mesh.triangles),
    };
    match shared {
        Ok(own) => {
            budget.charge_items("triangles", own.len() as u64, size_of::<[u32; 3]>())?;
            Ok(own)
        }
        Err(shared) => {
            let mut triangles = budget.reserve("triangles", shared.len())?;
            triangles.extend_from_slice(&shared);
            Ok(triangles)
        }
    }
}

kernels! {
    /// Computes the vertices of a mesh in the bind pose. The matrices are in column order.
    fn bind as bind_portable<'a>(mesh: &'a Mesh, matrices: &'a [[Lanes; 4]], made: &'a mut VertexParts) -> () {
        for (influences, uv) in mesh.vertices.iter().zip(mesh.texcoords.iter()) {
            made.push(PartsOf { influences: influences.iter(), matrices }, values(*uv));
        }
    }
}

/// Iterates over the parts of a vertex. A closure would not be compiled with the kernel's instructions.
#[derive(Clone)]
struct PartsOf<'a> {
    influences: slice::Iter<'a, Influence>,
    matrices: &'a [[Lanes; 4]],
}

impl Iterator for PartsOf<'_> {
    type Item = VertexPart;

    #[allow(clippy::inline_always, reason = "part of a kernel")]
    #[inline(always)]
    fn next(&mut self) -> Option<VertexPart> {
        loop {
            let i = self.influences.next()?;
            if let Some(matrix) = self.matrices.get(i.bone as usize) {
                return Some(part(i, matrix));
            }
        }
    }
}

/// Returns the contribution of an influence to a vertex.
#[allow(clippy::inline_always, reason = "part of a kernel")]
#[inline(always)]
fn part(i: &Influence, [x, y, z, w]: &[Lanes; 4]) -> VertexPart {
    let (position, normal, weight) = (values(i.origin), values(i.normal), i.influence.get());
    let ([a, b, c], [d, e, f]) = (position.map(f64::from), normal.map(f64::from));
    let share = f64::from(weight);
    let bound = [
        from_fn(|k| x[k] * a + y[k] * b + z[k] * c + share * w[k]),
        from_fn(|k| x[k] * d + y[k] * e + z[k] * f),
    ];
    VertexPart { bone: i.bone, weight, position, normal, bound }
}

fn bounds(b: &Bounds) -> [(String, Extra); 4] {
    [
        ("mins".into(), list(b.mins)),
        ("maxs".into(), list(b.maxs)),
        ("yawradius".into(), b.yawradius.get().into()),
        ("allradius".into(), b.allradius.get().into()),
    ]
}
