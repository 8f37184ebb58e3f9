//! Converts a ZYM to a scene.

use super::to_scene::{
    SceneBuilder, VertexPart, VertexParts, convertible, list, read_from, report_unused_frames,
};
use crate::clips::FrameClip;
use crate::pose::weighted;
use crate::zym::rules::check;
use crate::zym::{SceneFlags, Zym, ZymBounds, ZymRun, ZymScene, share};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::{narrow, narrow1};
use meshwright_core::text::latin1;
use meshwright_scene::{
    Budget, ConvertError, Converted, Extra, LimitExceeded, Loss, Scene, SceneOptions, Space,
};

/// Vertex numbers of the file, and triangles that refer to this list.
type Picked = (Vec<u32>, Vec<[u32; 3]>);

/// Marks a vertex that a mesh does not have yet.
const NONE: u32 = u32::MAX;

impl Zym {
    /// Converts the model to a scene: one mesh and node per shader, one skeleton whose rest and bind pose is
    /// pose 0, all poses, and the clips of the file. If clips are given, such as those of a `.framegroups`
    /// companion file, they replace the file's.
    ///
    /// In [`Space::File`] every mesh has all vertices of the file; in [`Space::Gltf`] it has only those that
    /// its triangles use. Texture coordinates have their origin at the top left in both. Normals are
    /// computed as in DarkPlaces.
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
        let budget = options.budget();
        let bind = self.pose(0).unwrap_or_default();
        let mut making = SceneBuilder::new(&self.bones, bind, self.runs.len(), options, &budget)?;
        let mut source = Vertices::new(self, &budget)?;
        let mut zones = self.trizone.as_slice();
        for run in &self.runs {
            let (order, triangles) = source.pick(run, options.space, &budget)?;
            let parts = self.parts(&order, &source, &making)?;
            let (own, rest) = zones.split_at_checked(run.triangles.len()).unwrap_or((zones, &[]));
            zones = rest;
            let extras = if options.extras {
                let mut list = budget.reserve("extras", own.len())?;
                list.extend(own.iter().map(|&z| Extra::from(u32::from(z))));
                Some(Extra::Map(alloc::vec![("trizone".into(), Extra::List(list))]))
            } else {
                None
            };
            making.add(&run.shader, parts, triangles, extras)?;
        }
        making.report();
        let losses = &mut making.losses;
        losses.push(Loss::note(
            "normals-computed",
            "verts",
            "the format stores no normals; made from the triangles",
        ));
        if options.space == Space::Gltf {
            self.report_unused_vertices(losses);
        }
        if !options.extras {
            self.report_dropped(losses);
        }
        let extras = if options.extras { Some(self.extras(&budget)?) } else { None };
        if making.is_static(self.pose_count()) {
            return Ok(making.finish_static(&self.bones, extras)?.map(read_from::<Self>));
        }
        let losses = &mut making.losses;
        let list = self.clip_list(given, losses);
        report_unused_frames(&list, self.pose_count(), &budget, losses)?;
        let poses = u32::try_from(self.pose_count()).unwrap_or(u32::MAX);
        let pose = |frame| Some(frame).filter(|f| *f < poses);
        Ok(making.finish(&self.poses, &list, pose, extras)?.map(read_from::<Self>))
    }

    /// Returns the vertices of a mesh. `order` has their numbers in the file.
    fn parts(
        &self,
        order: &[u32],
        source: &Vertices,
        making: &SceneBuilder<'_>,
    ) -> Result<VertexParts, ConvertError> {
        let influences = order.iter().map(|&v| source.range(v).len()).sum();
        let mut made = making.parts(order.len(), influences)?;
        for &v in order {
            let range = source.range(v);
            let own = self.influences.get(range.clone()).unwrap_or_default();
            let normals = source.normals.get(range).unwrap_or_default();
            let share = share(own);
            let lanes = |[x, y, z]: [f64; 3]| [x, y, z, 0.0];
            let parts = own.iter().zip(normals).filter_map(|(i, normal)| {
                let matrix = making.rig.matrices.get(i.bone as usize)?;
                let origin = i.origin.map(|c| f64::from(c.get()) * share);
                Some(VertexPart {
                    bone: i.bone,
                    weight: narrow1(share),
                    position: narrow(origin),
                    normal: narrow(*normal),
                    bound: [lanes(weighted(matrix, origin, share)), lanes(matrix.vector(*normal))],
                })
            });
            let uv = self.texcoords.get(v as usize).copied().unwrap_or_default();
            made.push(parts, [uv[0].get(), 1.0 - uv[1].get()]);
        }
        Ok(made)
    }

    pub(super) fn clip_list<'c>(
        &self,
        given: Option<&'c [FrameClip]>,
        losses: &mut Vec<Loss>,
    ) -> Cow<'c, [FrameClip]> {
        if let Some(clips) = given.filter(|clips| !clips.is_empty()) {
            return Cow::Borrowed(clips);
        }
        let clip = |(i, scene): (usize, &ZymScene)| {
            let stored = scene.framerate.get();
            let still = stored == 0.0;
            if still {
                let message = "0 frames per second; 1 is taken";
                losses.push(Loss::note("rate-default", format!("scenes[{i}].framerate"), message));
            }
            FrameClip {
                name: scene.name.bytes().to_vec(),
                start: scene.start,
                length: scene.length,
                fps: if still { 1.0 } else { stored },
                looping: !scene.flags.contains(SceneFlags::NO_LOOP),
            }
        };
        Cow::Owned(self.scenes.iter().enumerate().map(clip).collect())
    }

    /// Reports unused vertices, except in file space, where every mesh has all vertices.
    fn report_unused_vertices(&self, losses: &mut Vec<Loss>) {
        let mut used = alloc::vec![false; self.vertex_count()];
        for &v in self.runs.iter().flat_map(|r| r.triangles.as_flattened()) {
            if let Some(used) = used.get_mut(v as usize) {
                *used = true;
            }
        }
        let unused = used.iter().filter(|u| !**u).count();
        if unused > 0 {
            let loss = Loss::note("vertices-unused", "verts", "vertices that no triangle uses are left out");
            losses.push(loss.with_count(unused, "vertex", "vertices"));
        }
    }

    fn report_dropped(&self, losses: &mut Vec<Loss>) {
        let flags = self.bones.iter().filter(|b| b.flags.0 != 0).count();
        if flags > 0 {
            losses.push(
                Loss::new("bone-flags", "bones", "flags of bones")
                    .with_count(flags, "bone", "bones")
                    .kept_in_extras(),
            );
        }
        let mut zones = Vec::new();
        self.report_zones(&mut zones);
        losses.extend(zones.into_iter().map(Loss::kept_in_extras));
    }

    /// Reports vertex data that only this format has.
    pub(super) fn report_zones(&self, losses: &mut Vec<Loss>) {
        let flags = self.scenes.iter().filter(|s| s.flags.unknown() != 0).count();
        if flags > 0 {
            let loss = Loss::new("scene-flags", "scenes", "unknown flags of scenes");
            losses.push(loss.with_count(flags, "scene", "scenes"));
        }
        let zones = self.trizone.iter().filter(|z| **z != 0).count();
        if zones > 0 {
            let loss = Loss::new("trizone", "trizone", "zones of triangles");
            losses.push(loss.with_count(zones, "triangle", "triangles"));
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

/// The first influence of each vertex, and the end of the last one's.
pub(super) struct Starts(Vec<u32>);

impl Starts {
    pub(super) fn new(counts: &[u32], budget: &Budget) -> Result<Self, LimitExceeded> {
        let mut starts = budget.reserve("vertices", counts.len().saturating_add(1))?;
        let mut at = 0_u32;
        starts.push(at);
        for &count in counts {
            at = at.saturating_add(count);
            starts.push(at);
        }
        Ok(Self(starts))
    }

    /// Returns the influences of a vertex.
    pub(super) fn range(&self, vertex: usize) -> core::ops::Range<usize> {
        let at = |v: usize| self.0.get(v).map_or(0, |&s| s as usize);
        at(vertex)..at(vertex.saturating_add(1))
    }
}

/// The influences of each vertex, and their normals.
struct Vertices {
    starts: Starts,
    normals: Vec<[f64; 3]>,
    /// The number of each vertex in the mesh under construction.
    numbers: Vec<u32>,
}

impl Vertices {
    fn new(model: &Zym, budget: &Budget) -> Result<Self, ConvertError> {
        let n = model.vertex_count();
        let starts = Starts::new(&model.counts, budget)?;
        // Memory for positions, normals and the result, in 64 bits.
        let all = n.saturating_mul(2).saturating_add(model.influences.len());
        budget.charge_items("normals", all as u64, size_of::<[f64; 3]>())?;
        let numbers = budget.filled("vertices", n, NONE)?;
        Ok(Self { starts, normals: model.local_normals().unwrap_or_default(), numbers })
    }

    fn range(&self, vertex: u32) -> core::ops::Range<usize> {
        self.starts.range(vertex as usize)
    }

    /// Returns the vertices of a mesh as file indices, and its triangles. In the file's own space it has all vertices,
    /// otherwise those that its triangles use, in order of use.
    fn pick(&mut self, run: &ZymRun, space: Space, budget: &Budget) -> Result<Picked, ConvertError> {
        let mut triangles = budget.reserve("triangles", run.triangles.len())?;
        let all = self.numbers.len();
        if space == Space::File {
            let mut order = budget.reserve("vertices", all)?;
            order.extend(0..u32::try_from(all).unwrap_or(NONE));
            triangles.extend_from_slice(&run.triangles);
            return Ok((order, triangles));
        }
        let most = all.min(run.triangles.len().saturating_mul(3));
        budget.charge_items("vertices", most as u64, size_of::<u32>())?;
        let mut order = Vec::new();
        triangles.extend(run.triangles.iter().map(|triangle| {
            triangle.map(|v| {
                let Some(number) = self.numbers.get_mut(v as usize) else { return 0 };
                if *number == NONE {
                    *number = u32::try_from(order.len()).unwrap_or(NONE);
                    order.push(v);
                }
                *number
            })
        }));
        for &v in &order {
            if let Some(number) = self.numbers.get_mut(v as usize) {
                *number = NONE;
            }
        }
        Ok((order, triangles))
    }
}
