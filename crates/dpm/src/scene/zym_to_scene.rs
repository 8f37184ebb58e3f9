//! ZYM to the exchange model.

use super::axes::{amount, axes};
use super::to_scene::{
    Materials, Part, Parts, Residual, Rig, clips, convertible, extent, list, pose_set, report_unused_frames,
};
use crate::clips::FrameClip;
use crate::pose::weighted;
use crate::zym::rules::check;
use crate::zym::{SceneFlags, Zym, ZymBounds, ZymRun, ZymScene, share};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::{narrow, narrow1};
use meshwright_core::text::latin1;
use meshwright_scene::{
    Budget, ConvertError, Converted, Extra, Loss, Mesh, MeshId, Node, Scene, SceneOptions, Space,
};

/// Marks a vertex that a mesh does not have yet.
const NONE: u32 = u32::MAX;

impl Zym {
    /// The model as a scene: one mesh and node per shader, one skeleton whose rest and bind pose is pose 0, all
    /// poses, and the clips of the file, or the given ones where there are any: those of a `.framegroups` companion.
    ///
    /// In [`Space::File`] every mesh has all vertices of the file; in [`Space::Gltf`] it has those that its
    /// triangles use. Texture coordinates have their origin at the top left in both. Normals are made up as
    /// DarkPlaces does it.
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
        let bind = self.pose(0).unwrap_or_default();
        let rig = Rig::new(&self.bones, bind, &map, options.extras, &budget)?;
        let source = Vertices::new(self, &budget)?;
        let mut used = alloc::vec![false; self.bones.len()];
        let mut materials = Materials::default();
        let mut meshes: Vec<Mesh> = budget.reserve("meshes", self.runs.len())?;
        let mut nodes = budget.reserve("nodes", self.runs.len())?;
        let mut residuals = budget.reserve("meshes", self.runs.len())?;
        let mut numbers = budget.reserve("vertices", self.vertex_count())?;
        numbers.resize(self.vertex_count(), NONE);
        let mut zones = self.trizone.as_slice();
        for (i, run) in self.runs.iter().enumerate() {
            budget.charge_items("names", run.shader.bytes().len() as u64, 6)?;
            let (mut mesh, residual) =
                self.mesh(run, &source, &rig, &mut numbers, &mut used, options.space, &budget)?;
            let (own, rest) = zones.split_at_checked(run.triangles.len()).unwrap_or((zones, &[]));
            zones = rest;
            if options.extras {
                let mut list = budget.reserve("extras", own.len())?;
                list.extend(own.iter().map(|&z| Extra::from(u32::from(z))));
                mesh.extras = Some(Extra::Map(alloc::vec![("trizone".into(), Extra::List(list))]));
            }
            mesh.material = Some(materials.of(&run.shader));
            nodes.push(Node::of_mesh(mesh.name.clone(), MeshId(i)));
            meshes.push(mesh);
            residuals.push(residual);
        }
        let extent = extent(meshes.iter().flat_map(|m| &m.positions));
        for (i, residual) in residuals.iter().enumerate() {
            residual.report(&format!("meshes[{i}]"), extent, &mut losses);
        }
        rig.report_flat(&used, &mut losses);
        losses.push(Loss::new("normals-computed", "verts", "the format stores no normals"));
        let list = self.clip_list(given, &mut losses);
        report_unused_frames(&list, self.pose_count(), &mut losses);
        if options.space == Space::Gltf {
            self.report_unused_vertices(&mut losses);
        }
        let poses = u32::try_from(self.pose_count()).unwrap_or(u32::MAX);
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
            clips: clips(list, |frame| Some(frame).filter(|f| *f < poses), &budget)?,
            levels: Vec::new(),
            extras,
        };
        scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
        Ok(Converted::new(scene, losses))
    }

    #[expect(clippy::too_many_arguments, reason = "one step of a loop, with buffers it reuses")]
    fn mesh(
        &self,
        run: &ZymRun,
        source: &Vertices,
        rig: &Rig,
        numbers: &mut [u32],
        used: &mut [bool],
        space: Space,
        budget: &Budget,
    ) -> Result<(Mesh, Residual), ConvertError> {
        let mut triangles = budget.reserve("triangles", run.triangles.len())?;
        // The vertices of this mesh by their numbers in the file.
        let mut order: Vec<u32> = Vec::new();
        if space == Space::File {
            order = budget.reserve("vertices", self.vertex_count())?;
            order.extend((0..self.vertex_count()).map(|v| u32::try_from(v).unwrap_or(NONE)));
            triangles.extend_from_slice(&run.triangles);
        } else {
            budget.charge_items(
                "vertices",
                self.vertex_count().min(run.triangles.len().saturating_mul(3)) as u64,
                4,
            )?;
            for triangle in &run.triangles {
                triangles.push(triangle.map(|v| {
                    let Some(number) = numbers.get_mut(v as usize) else { return 0 };
                    if *number == NONE {
                        *number = u32::try_from(order.len()).unwrap_or(NONE);
                        order.push(v);
                    }
                    *number
                }));
            }
            for &v in &order {
                if let Some(number) = numbers.get_mut(v as usize) {
                    *number = NONE;
                }
            }
        }
        let influences = order.iter().map(|&v| source.range(v).len()).sum();
        let mut made = Parts::new(space, order.len(), influences, used, budget)?;
        let mut row = Vec::new();
        for &v in &order {
            let range = source.range(v);
            let own = self.influences.get(range.clone()).unwrap_or_default();
            let normals = source.normals.get(range).unwrap_or_default();
            let share = share(own);
            row.clear();
            row.extend(own.iter().zip(normals).filter_map(|(i, normal)| {
                let matrix = rig.matrices.get(i.bone as usize)?;
                let origin = i.origin.map(|c| f64::from(c.get()) * share);
                let weight = narrow1(share);
                Some(Part {
                    bone: i.bone,
                    weight,
                    position: narrow(origin),
                    normal: narrow(*normal),
                    bound: (weighted(matrix, origin, share), matrix.vector(*normal)),
                })
            }));
            let uv = self.texcoords.get(v as usize).copied().unwrap_or_default();
            made.push(&row, [uv[0].get(), 1.0 - uv[1].get()]);
        }
        let mesh = Mesh {
            name: latin1(run.shader.bytes()),
            positions: made.positions,
            normals: made.normals,
            uvs: made.uvs,
            triangles,
            skin: Some(made.skin),
            ..Mesh::default()
        };
        Ok((mesh, made.residual))
    }

    fn clip_list(&self, given: Option<&[FrameClip]>, losses: &mut Vec<Loss>) -> Vec<FrameClip> {
        if let Some(clips) = given.filter(|clips| !clips.is_empty()) {
            return clips.to_vec();
        }
        let clip = |(i, scene): (usize, &ZymScene)| {
            let stored = scene.framerate.get();
            let still = stored == 0.0;
            if still {
                let message = "0 frames per second; 1 is taken";
                losses.push(Loss::new("rate-default", format!("scenes[{i}].framerate"), message));
            }
            FrameClip {
                name: scene.name.bytes().to_vec(),
                start: scene.start,
                length: scene.length,
                fps: if still { 1.0 } else { stored },
                looping: !scene.flags.contains(SceneFlags::NO_LOOP),
            }
        };
        self.scenes.iter().enumerate().map(clip).collect()
    }

    /// In the file's own space every mesh has all vertices.
    fn report_unused_vertices(&self, losses: &mut Vec<Loss>) {
        let mut used = alloc::vec![false; self.vertex_count()];
        for &v in self.runs.iter().flat_map(|r| r.triangles.as_flattened()) {
            if let Some(used) = used.get_mut(v as usize) {
                *used = true;
            }
        }
        let unused = used.iter().filter(|u| !**u).count() as u64;
        if unused > 0 {
            let message = format!("{unused} vertices that no triangle uses are left out");
            losses.push(Loss::measured("vertices-unused", "verts", message, amount(unused)));
        }
    }

    fn report_dropped(&self, losses: &mut Vec<Loss>) {
        let flags = self.bones.iter().filter(|b| b.flags.0 != 0).count() as u64;
        if flags > 0 {
            let message = format!("flags of {flags} bones are kept in extras only");
            losses.push(Loss::measured("bone-flags", "bones", message, amount(flags)));
        }
        let flags = self.scenes.iter().filter(|s| s.flags.unknown() != 0).count() as u64;
        if flags > 0 {
            let message = format!("unknown flags of {flags} scenes are kept in extras only");
            losses.push(Loss::measured("scene-flags", "scenes", message, amount(flags)));
        }
        if self.trizone.iter().any(|&z| z != 0) {
            losses.push(Loss::new("trizone", "trizone", "zones of triangles are kept in extras only"));
        }
    }

    fn extras(&self, budget: &Budget) -> Result<Extra, ConvertError> {
        budget.charge_items("extras", self.scenes.len() as u64, 1024)?;
        let scenes = self.scenes.iter().map(|scene| {
            let mut fields = alloc::vec![("name".into(), Extra::Text(latin1(scene.name.bytes())))];
            fields.extend(bounds(&scene.bounds));
            fields.push(("framerate".into(), scene.framerate.get().into()));
            fields.push(("flags".into(), scene.flags.0.into()));
            fields.push(("start".into(), scene.start.into()));
            fields.push(("length".into(), scene.length.into()));
            Extra::Map(fields)
        });
        let mut fields = alloc::vec![("format".into(), Extra::from("zym")), ("type".into(), 1_u32.into())];
        fields.extend(bounds(&self.bounds));
        fields.push(("scenes".into(), Extra::List(scenes.collect())));
        Ok(Extra::Map(fields))
    }
}

fn bounds(b: &ZymBounds) -> [(String, Extra); 3] {
    [
        ("mins".into(), list(b.mins)),
        ("maxs".into(), list(b.maxs)),
        ("radius_squared".into(), b.radius_squared.get().into()),
    ]
}

/// Where the influences of each vertex are, and their normals.
struct Vertices {
    starts: Vec<u32>,
    normals: Vec<[f64; 3]>,
}

impl Vertices {
    fn new(model: &Zym, budget: &Budget) -> Result<Self, ConvertError> {
        let n = model.vertex_count();
        let mut starts = budget.reserve("vertices", n.saturating_add(1))?;
        let mut at = 0_u32;
        starts.push(at);
        for &count in &model.counts {
            at = at.saturating_add(count);
            starts.push(at);
        }
        // Positions, normals and the result, in 64 bits.
        budget.charge_items(
            "normals",
            n.saturating_mul(2).saturating_add(model.influences.len()) as u64,
            24,
        )?;
        Ok(Self { starts, normals: model.local_normals().unwrap_or_default() })
    }

    fn range(&self, vertex: u32) -> core::ops::Range<usize> {
        let at = |v: usize| self.starts.get(v).map_or(0, |&s| s as usize);
        at(vertex as usize)..at((vertex as usize).saturating_add(1))
    }
}
