//! DPM to the exchange model.

use super::axes::{amount, axes};
use super::to_scene::{
    Materials, Part, Parts, Residual, Rig, clips, convertible, extent, list, pose_set, report_unused_frames,
};
use crate::clips::FrameClip;
use crate::dpm::rules::check;
use crate::dpm::{Bounds, Dpm, Mesh, parts};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::text::latin1;
use meshwright_scene::{Budget, ConvertError, Converted, Extra, Loss, MeshId, Node, Scene, SceneOptions};

impl Dpm {
    /// The model as a scene: one mesh and node per mesh, one skeleton whose rest and bind pose is frame 0, all
    /// poses, and the given clips, such as those of a `.framegroups` companion. Without them, or where the list is
    /// empty, clips are guessed from the names of the frames; a model of a single frame with an empty list has none.
    ///
    /// # Errors
    /// When the model breaks a rule that the conversion relies on, or the scene would take more memory than the
    /// options allow.
    pub fn to_scene(
        &self,
        options: &SceneOptions,
        given: Option<&[FrameClip]>,
    ) -> Result<Converted<Scene>, ConvertError> {
        convertible(|findings| check(self, findings))?;
        let budget = options.budget();
        let map = axes(options.space);
        let mut losses = Vec::new();
        let bind = self.frame_pose(0).unwrap_or_default();
        let rig = Rig::new(&self.bones, bind, &map, options.extras, &budget)?;
        let mut used = alloc::vec![false; self.bones.len()];
        let mut materials = Materials::default();
        let mut meshes = budget.reserve("meshes", self.meshes.len())?;
        let mut nodes = budget.reserve("nodes", self.meshes.len())?;
        let mut residuals = budget.reserve("meshes", self.meshes.len())?;
        for (i, mesh) in self.meshes.iter().enumerate() {
            // Names come again with node, mesh and material.
            budget.charge_items("names", mesh.shader.bytes().len() as u64, 6)?;
            let (mut made, residual) = self.mesh(mesh, &rig, &mut used, options, &budget)?;
            made.material = Some(materials.of(&mesh.shader));
            nodes.push(Node::of_mesh(made.name.clone(), MeshId(i)));
            meshes.push(made);
            residuals.push(residual);
        }
        let extent = extent(meshes.iter().flat_map(|m: &meshwright_scene::Mesh| &m.positions));
        for (i, residual) in residuals.iter().enumerate() {
            residual.report(&format!("meshes[{i}]"), extent, &mut losses);
        }
        rig.report_flat(&used, &mut losses);
        let list = self.clip_list(given);
        let pose = |frame: u32| self.frames.get(frame as usize).map(|f| f.pose.0);
        report_unused_frames(&list, self.frames.len(), &mut losses);
        if !options.extras {
            self.report_dropped(&mut losses);
        }
        let extras = if options.extras { Some(self.extras(&budget)?) } else { None };
        let scene = Scene {
            name: String::new(),
            space: options.space,
            nodes,
            meshes,
            skeletons: alloc::vec![rig.skeleton],
            materials: materials.list,
            pose_sets: alloc::vec![pose_set(&self.poses, self.bones.len(), &map, &budget)?],
            clips: clips(list, pose, &budget)?,
            levels: Vec::new(),
            extras,
        };
        scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
        Ok(Converted::new(scene, losses))
    }

    fn mesh(
        &self,
        mesh: &Mesh,
        rig: &Rig,
        used: &mut [bool],
        options: &SceneOptions,
        budget: &Budget,
    ) -> Result<(meshwright_scene::Mesh, Residual), ConvertError> {
        let (vertices, influences) = (mesh.vertices.len(), mesh.vertices.influences.len());
        let mut made = Parts::new(options.space, vertices, influences, used, budget)?;
        let mut row = Vec::new();
        for (influences, uv) in mesh.vertices.iter().zip(mesh.texcoords.iter()) {
            row.clear();
            row.extend(influences.iter().filter_map(|i| {
                let matrix = rig.matrices.get(i.bone as usize)?;
                Some(Part {
                    bone: i.bone,
                    weight: i.influence.get(),
                    position: meshwright_core::values(i.origin),
                    normal: meshwright_core::values(i.normal),
                    bound: parts(i, matrix),
                })
            }));
            made.push(&row, meshwright_core::values(*uv));
        }
        let mut triangles = budget.reserve("triangles", mesh.triangles.len())?;
        triangles.extend_from_slice(&mesh.triangles);
        let extras = if options.extras {
            let mut groupids = budget.reserve("extras", mesh.groupids.len())?;
            groupids.extend(mesh.groupids.iter().map(|&g| Extra::from(g)));
            Some(Extra::Map(alloc::vec![("groupids".into(), Extra::List(groupids))]))
        } else {
            None
        };
        let made_mesh = meshwright_scene::Mesh {
            name: latin1(mesh.shader.bytes()),
            positions: made.positions,
            normals: made.normals,
            uvs: made.uvs,
            triangles,
            skin: Some(made.skin),
            extras,
            ..meshwright_scene::Mesh::default()
        };
        Ok((made_mesh, made.residual))
    }

    fn clip_list(&self, given: Option<&[FrameClip]>) -> Vec<FrameClip> {
        match given {
            Some(clips) if !clips.is_empty() => clips.to_vec(),
            // The compiler writes a companion without a clip for a model that does not move.
            Some(_) if self.frames.len() <= 1 => Vec::new(),
            _ => self.clips_from_names(),
        }
    }

    fn report_dropped(&self, losses: &mut Vec<Loss>) {
        let flags = self.bones.iter().filter(|b| b.flags.0 != 0).count() as u64;
        if flags > 0 {
            let message = format!("flags of {flags} bones are kept in extras only");
            losses.push(Loss::measured("bone-flags", "bones", message, amount(flags)));
        }
        let groupids = self.meshes.iter().filter(|m| m.groupids.iter().any(|&g| g != 0)).count() as u64;
        if groupids > 0 {
            let message = format!("group ids of {groupids} meshes are kept in extras only");
            losses.push(Loss::measured("groupids", "meshes", message, amount(groupids)));
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

fn bounds(b: &Bounds) -> [(String, Extra); 4] {
    [
        ("mins".into(), list(b.mins)),
        ("maxs".into(), list(b.maxs)),
        ("yawradius".into(), b.yawradius.get().into()),
        ("allradius".into(), b.allradius.get().into()),
    ]
}
