//! Splits a mesh that exceeds the size limits of a format.

use super::{DrawOptions, bytes, make_owned};
use crate::convert::ConvertError;
use crate::mesh::{Mesh, Skin};
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded, Order as _};

type SplitPart<'s> = (Cow<'s, Mesh>, Option<Vec<u32>>);

const NONE: u32 = u32::MAX;

/// Returns the mesh itself if it fits, otherwise parts in the order of its triangles, with vertices in the
/// order of their use. If joints are limited, every part has its own ascending list of joints.
pub(super) fn split<'s>(
    mut mesh: Cow<'s, Mesh>,
    options: &DrawOptions,
    path: &str,
    budget: &Budget,
) -> Result<Vec<SplitPart<'s>>, ConvertError> {
    let most_joints = options.max_joints.unwrap_or(usize::MAX);
    let joints = match (&mesh.skin, options.max_joints) {
        (Some(skin), Some(_)) => Some(joints_of(skin, budget)?),
        (None, Some(_)) => Some(Vec::new()),
        (_, None) => None,
    };
    let fits = mesh.positions.len() <= options.max_vertices
        && mesh.triangles.len() <= options.max_triangles
        && joints.as_ref().is_none_or(|j| j.len() <= most_joints);
    if fits {
        if let Some(palette) = joints.as_ref().filter(|p| !is_plain(p)) {
            number(&mut make_owned(&mut mesh, budget)?.skin, palette);
        }
        return Ok(vec![(mesh, joints)]);
    }
    let mut parts = Vec::new();
    let mut part = OpenPart::new(&mesh, options.max_joints.is_some(), budget)?;
    for triangle in &mesh.triangles {
        budget.work("splitting meshes", part.cost(triangle))?;
        let (vertices, joints) = part.wants(triangle);
        let room = |part: &OpenPart<'_>| {
            part.vertices.len().saturating_add(vertices) <= options.max_vertices
                && part.triangles.len() < options.max_triangles
                && part.joints.len().saturating_add(joints) <= most_joints
        };
        if !part.triangles.is_empty() && !room(&part) {
            parts.push(part.close(budget)?);
        }
        let (vertices, joints) = part.wants(triangle);
        if vertices > options.max_vertices || joints > most_joints || options.max_triangles == 0 {
            let message =
                format!("a triangle of {vertices} vertices and {joints} joints is more than a mesh may have");
            return Err(ConvertError::unsupported(path, message));
        }
        part.add(triangle);
    }
    if !part.triangles.is_empty() {
        parts.push(part.close(budget)?);
    }
    Ok(parts)
}

/// Returns whether the indices into the palette equal the joint numbers.
fn is_plain(palette: &[u32]) -> bool {
    palette.iter().zip(0..).all(|(joint, place)| *joint == place)
}

/// Returns the joints that a skin uses, in ascending order.
fn joints_of(skin: &Skin, budget: &Budget) -> Result<Vec<u32>, LimitExceeded> {
    let most = skin.influences.iter().map(|i| i.joint).max().map_or(0, |j| (j as usize).saturating_add(1));
    let mut used = budget.filled("joints of meshes", most, false)?;
    for i in &skin.influences {
        if let Some(u) = used.get_mut(i.joint as usize) {
            *u = true;
        }
    }
    budget.charge_items("joints of meshes", most as u64, 4)?;
    Ok((0..).zip(used).filter(|(_, used)| *used).map(|(joint, _)| joint).collect())
}

/// Replaces joint numbers by indices into an ascending palette.
fn number(skin: &mut Option<Skin>, palette: &[u32]) {
    for influence in skin.iter_mut().flat_map(|s| &mut s.influences) {
        let place = palette.binary_search(&influence.joint).unwrap_or(0);
        influence.joint = u32::try_from(place).unwrap_or(0);
    }
}

/// A part under construction.
struct OpenPart<'m> {
    mesh: &'m Mesh,
    /// The skin, if joints are limited.
    counted: Option<&'m Skin>,
    /// The index in the part of each vertex of the mesh.
    place: Vec<u32>,
    /// The mesh's vertices that are in the part.
    vertices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    /// True for each joint that is in the part.
    known: Vec<bool>,
    joints: Vec<u32>,
    palettes: bool,
}

impl<'m> OpenPart<'m> {
    fn new(mesh: &'m Mesh, palettes: bool, budget: &Budget) -> Result<Self, LimitExceeded> {
        let counted = mesh.skin.as_ref().filter(|_| palettes);
        let joints = counted.and_then(|s| s.influences.iter().map(|i| i.joint).max());
        let joints = joints.map_or(0, |j| (j as usize).saturating_add(1));
        Ok(Self {
            mesh,
            counted,
            place: budget.filled("vertices of parts", mesh.positions.len(), NONE)?,
            vertices: budget.reserve("vertices of parts", mesh.positions.len())?,
            triangles: budget.reserve("triangles of parts", mesh.triangles.len())?,
            known: budget.filled("joints of parts", joints, false)?,
            joints: budget.reserve("joints of parts", joints)?,
            palettes,
        })
    }

    fn is_new(&self, vertex: u32) -> bool {
        self.place.get(vertex as usize) == Some(&NONE)
    }

    /// Returns the steps of work to find what a triangle adds.
    fn cost(&self, triangle: &[u32; 3]) -> u64 {
        let influences = |v: &u32| self.counted.map_or(0, |s| s.range(*v as usize).len() as u64);
        triangle.iter().map(influences).sum::<u64>().saturating_mul(3).saturating_add(8)
    }

    /// Returns the number of vertices and joints that a triangle would add.
    fn wants(&mut self, triangle: &[u32; 3]) -> (usize, usize) {
        let [a, b, c] = *triangle;
        let new = |v: u32, before: &[u32]| usize::from(self.is_new(v) && !before.contains(&v));
        let vertices = [new(a, &[]), new(b, &[a]), new(c, &[a, b])].into_iter().sum();
        let start = self.joints.len();
        self.mark(triangle);
        let joints = self.joints.len().saturating_sub(start);
        for joint in self.joints.drain(start..) {
            if let Some(k) = self.known.get_mut(joint as usize) {
                *k = false;
            }
        }
        (vertices, joints)
    }

    /// Adds the joints of a triangle's vertices.
    fn mark(&mut self, triangle: &[u32; 3]) {
        let Some(skin) = self.counted else { return };
        for &v in triangle {
            for i in skin.influences(v as usize) {
                if let Some(known) = self.known.get_mut(i.joint as usize)
                    && !core::mem::replace(known, true)
                {
                    self.joints.push(i.joint);
                }
            }
        }
    }

    fn add(&mut self, triangle: &[u32; 3]) {
        self.mark(triangle);
        self.triangles.push(triangle.map(|v| {
            let next = u32::try_from(self.vertices.len()).unwrap_or(NONE);
            match self.place.get_mut(v as usize) {
                Some(place) if *place == NONE => {
                    *place = next;
                    self.vertices.push(v);
                    next
                }
                Some(place) => *place,
                None => 0,
            }
        }));
    }

    /// Returns the part as a mesh, and starts an empty one.
    fn close(&mut self, budget: &Budget) -> Result<SplitPart<'static>, LimitExceeded> {
        let source = self.mesh;
        // Estimates the memory per vertex and triangle from that of the whole mesh.
        let influences = source
            .skin
            .as_ref()
            .map_or(0, |s| self.vertices.iter().map(|v| s.range(*v as usize).len() as u64).sum::<u64>());
        let size =
            (self.vertices.len() as u64).saturating_mul(56).saturating_add(influences.saturating_mul(32));
        let size = size.saturating_add((self.triangles.len() as u64).saturating_mul(12));
        budget.charge("parts of meshes", size.min(bytes(source)).saturating_add(size_of::<Mesh>() as u64))?;
        let used = core::mem::take(&mut self.vertices);
        let mut mesh = Mesh {
            name: source.name.clone(),
            material: source.material,
            positions: select_values(&source.positions, &used),
            normals: select_values(&source.normals, &used),
            tangents: select_values(&source.tangents, &used),
            uvs: select_values(&source.uvs, &used),
            colors: select_values(&source.colors, &used),
            color_encoding: source.color_encoding,
            triangles: self.triangles.clone(),
            skin: source.skin.as_ref().map(|s| part_of(s, &used)),
            extras: None,
        };
        for v in &used {
            if let Some(place) = self.place.get_mut(*v as usize) {
                *place = NONE;
            }
        }
        self.triangles.clear();
        self.vertices = used;
        self.vertices.clear();
        let mut palette = self.joints.clone();
        for joint in self.joints.drain(..) {
            if let Some(k) = self.known.get_mut(joint as usize) {
                *k = false;
            }
        }
        palette.order();
        if self.palettes {
            number(&mut mesh.skin, &palette);
        }
        Ok((Cow::Owned(mesh), self.palettes.then_some(palette)))
    }
}

/// Returns the values of some vertices.
fn select_values<T: Copy>(values: &[T], vertices: &[u32]) -> Vec<T> {
    vertices.iter().filter_map(|v| values.get(*v as usize).copied()).collect()
}

fn part_of(skin: &Skin, vertices: &[u32]) -> Skin {
    let mut part = Skin::new(skin.skeleton);
    for v in vertices {
        let range = skin.range(*v as usize);
        part.influences.extend(skin.influences(*v as usize));
        part.local.extend(skin.local.get(range).unwrap_or_default());
        part.end_vertex();
    }
    part
}
