//! Draws a scene.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "corners of triangles of a scene that was validated; counts that were charged"
)]

use crate::band::{Canvas, Frame, samples_of};
use crate::camera::{Bounds, Eye};
use crate::options::{MAX_SIDE, RenderOptions};
use crate::overlay_lines::{self, Lines};
use crate::pose::ScenePose;
use crate::projection::{Projector, Sides};
use crate::rendering::Rendering;
use crate::shading::{Draw, Shader, Surface};
use crate::texture::Texture;
use crate::triangle::Triangle;
use meshwright_scene::math::{Affine64, wide};
use meshwright_scene::{
    AlphaMode, Budget, ConvertError, DrawOptions, Drawables, Levels, LimitExceeded, Material, Scene,
};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Draws a scene in a pose. `textures` has an entry for each material of the scene; a material without a texture shows
/// its colour.
///
/// # Errors
/// If the scene is invalid or does not have the requested level of detail, if the posed vertices do not fit
/// its meshes, if a side is longer than 16384 pixels, or if the budget does not suffice.
pub fn render(
    scene: &Scene,
    posed: &ScenePose,
    textures: &[Option<Arc<Texture>>],
    options: &RenderOptions,
    budget: &Budget,
) -> Result<Rendering, ConvertError> {
    let (width, height) = (options.width, options.height);
    if width > MAX_SIDE || height > MAX_SIDE {
        let why = format!("{width} x {height} pixels; a side has at most {MAX_SIDE}");
        return Err(ConvertError::unsupported("size", why));
    }
    let surfaces = surfaces(scene, posed, textures, options.levels, budget)?;
    let mut picture = Rendering::filled(width, height, options.background, budget)?;
    let joints = if options.overlays.bones || options.overlays.names {
        overlay_lines::joints(scene, posed, budget)?
    } else {
        Vec::new()
    };
    let drawn = bounds_of(&surfaces, budget)?.or_else(|| Bounds::around(joints.iter().map(|j| j.place)));
    let (Some(bounds), true) = (drawn, width > 0 && height > 0) else { return Ok(picture) };
    let eye = Eye::new(&options.camera, &options.frame.unwrap_or(bounds), width, height);
    let samples = if options.supersample { 4 } else { 1 };
    let mut projector = Projector::new(eye, width, height, samples, budget);
    project(&mut projector, &surfaces, budget)?;
    let mut draws = budget.reserve("surfaces", surfaces.len().saturating_add(8))?;
    draws.extend(surfaces.iter().map(Draw::Surface));
    sort(&mut projector.triangles, &draws, budget)?;
    Lines::new(&mut projector, &mut draws, budget).overlays(
        &options.overlays,
        &surfaces,
        &joints,
        &bounds,
    )?;
    let Projector { eye, triangles, shares, .. } = projector;
    let shader = Shader::new(draws, shares, options.view, samples, &eye);
    let frame = Frame {
        shader,
        triangles,
        width: width as usize,
        samples: samples as usize,
        background: options.background,
    };
    bands(&frame, options, budget, &mut picture)?;
    if options.overlays.names {
        names(scene, &joints, &eye, &mut picture);
    }
    Ok(picture)
}

/// Returns the bounding box of the visible surfaces of a scene in a pose; `None` if nothing is visible.
/// Renderings with the same frame, such as the frames of a clip, fit each other.
///
/// # Errors
/// The same as for [`render`].
pub fn visible_bounds(
    scene: &Scene,
    posed: &ScenePose,
    levels: Levels,
    budget: &Budget,
) -> Result<Option<Bounds>, ConvertError> {
    let surfaces = surfaces(scene, posed, &[], levels, budget)?;
    Ok(bounds_of(&surfaces, budget)?)
}

fn bounds_of(surfaces: &[Surface<'_>], budget: &Budget) -> Result<Option<Bounds>, LimitExceeded> {
    let mut all: Option<Bounds> = None;
    for surface in surfaces {
        budget.work("bounds", surface.mesh.triangles.len() as u64 * 3)?;
        let used = surface.mesh.triangles.iter().flatten().map(|v| surface.positions[*v as usize]);
        let own = Bounds::around(used.map(|p| surface.matrix.point(wide(p))));
        all = all.into_iter().chain(own).reduce(Bounds::union);
    }
    Ok(all)
}

/// Returns every visible instance of a mesh.
fn surfaces<'a>(
    scene: &'a Scene,
    posed: &'a ScenePose,
    textures: &'a [Option<Arc<Texture>>],
    levels: Levels,
    budget: &Budget,
) -> Result<Vec<Surface<'a>>, ConvertError> {
    let options = DrawOptions::default().with_levels(levels).with_skip_empty(true);
    let drawables = Drawables::new(scene, &options, budget)?;
    let plain = Material::default();
    let mut surfaces = Vec::new();
    for instance in drawables.instances() {
        let Some(mesh) = scene.meshes.get(instance.mesh.0).filter(|m| !m.triangles.is_empty()) else {
            continue;
        };
        budget.charge_items("surfaces", 1, 2 * size_of::<Surface<'_>>())?;
        let own = posed.meshes.get(instance.mesh.0).filter(|p| !p.positions.is_empty());
        let (positions, normals) =
            own.map_or((&mesh.positions, &mesh.normals), |p| (&p.positions, &p.normals));
        if positions.len() != mesh.positions.len()
            || !(normals.is_empty() || normals.len() == positions.len())
        {
            let path = format!("posed.meshes[{}]", instance.mesh.0);
            return Err(ConvertError::invalid(path, "does not have the vertices of its mesh"));
        }
        let material = mesh.material.and_then(|id| scene.materials.get(id.0));
        if material.is_some_and(Material::is_hidden) {
            continue;
        }
        let texture = mesh.material.and_then(|id| textures.get(id.0)).and_then(Option::as_deref);
        let texture = texture.filter(|_| !mesh.uvs.is_empty());
        let matrix = instance.matrix.wide();
        surfaces.push(Surface {
            mesh,
            positions,
            normals,
            matrix,
            turn: matrix.normals().unwrap_or(Affine64::IDENTITY),
            mirrored: matrix.determinant() < 0.0,
            base: material.unwrap_or(&plain).base_color,
            texture,
            alpha: alpha(material, mesh, texture.is_some()),
            double_sided: material.is_some_and(|m| m.double_sided),
        });
    }
    Ok(surfaces)
}

/// Returns the alpha mode. A texture that was not found does not count.
fn alpha(material: Option<&Material>, mesh: &meshwright_scene::Mesh, textured: bool) -> AlphaMode {
    let Some(material) = material else { return Material::default().alpha_mode(Some(mesh)) };
    if textured {
        material.alpha_mode(Some(mesh))
    } else {
        material.clone().with_image(None).alpha_mode(Some(mesh))
    }
}

fn project(
    projector: &mut Projector<'_>,
    surfaces: &[Surface<'_>],
    budget: &Budget,
) -> Result<(), LimitExceeded> {
    let most = surfaces.iter().map(|s| s.positions.len()).max().unwrap_or(0);
    let mut seen: Vec<[f64; 3]> = budget.reserve("vertices", most)?;
    for (draw, surface) in (0_u32..).zip(surfaces) {
        let triangles = &surface.mesh.triangles;
        let sides = Sides { both: surface.double_sided, mirrored: surface.mirrored };
        let eye = projector.eye;
        let see = |p: &[f32; 3]| eye.see(surface.matrix.point(wide(*p)));
        // A mesh may have many vertices that no triangle uses, and be drawn many times.
        if triangles.len().saturating_mul(3) < surface.positions.len() {
            budget.work("triangles", triangles.len() as u64 * 32)?;
            for (source, corners) in (0_u32..).zip(triangles) {
                projector.add(corners.map(|c| see(&surface.positions[c as usize])), sides, draw, source)?;
            }
            continue;
        }
        budget.work("vertices", surface.positions.len() as u64 * 8 + triangles.len() as u64 * 16)?;
        seen.clear();
        seen.extend(surface.positions.iter().map(see));
        for (source, corners) in (0_u32..).zip(triangles) {
            projector.add(corners.map(|c| seen[c as usize]), sides, draw, source)?;
        }
    }
    Ok(())
}

/// Sorts opaque triangles first, in scene order, then blended ones from back to front.
fn sort(triangles: &mut [Triangle], draws: &[Draw<'_>], budget: &Budget) -> Result<(), LimitExceeded> {
    if draws.iter().all(Draw::is_solid) {
        return Ok(());
    }
    let count = triangles.len() as u64;
    budget.charge_items("triangles", count, size_of::<Triangle>())?;
    budget.work("triangles", count.saturating_mul(u64::from(64 - count.leading_zeros())))?;
    let key = |t: &Triangle| {
        let solid = draws[t.draw as usize].is_solid();
        (!solid, if solid { 0.0 } else { t.near.iter().sum::<f32>() })
    };
    triangles.sort_by(|a, b| {
        let ((a_last, a), (b_last, b)) = (key(a), key(b));
        a_last.cmp(&b_last).then(a.total_cmp(&b))
    });
    Ok(())
}

/// The largest number of rows of pixels of a band.
const ROWS: usize = 16;
const SAMPLES: usize = 1 << 20;

/// The triangles of each band, in order.
struct Bins {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Bins {
    fn new(frame: &Frame<'_>, rows: usize, height: usize, budget: &Budget) -> Result<Self, LimitExceeded> {
        let count = height.div_ceil(rows);
        let step = rows * frame.samples;
        let touched = |t: &Triangle| -> Range<usize> {
            let Range { start, end } = t.rows();
            let at = |row: i64| usize::try_from(row.max(0)).unwrap_or(usize::MAX);
            let (start, end) = (at(start).min(height * frame.samples), at(end).min(height * frame.samples));
            if start >= end { 0..0 } else { start / step..(end - 1) / step + 1 }
        };
        let mut starts = budget.filled("bands", count + 1, 0_usize)?;
        for t in &frame.triangles {
            let bands = touched(t);
            budget.work("bands", bands.len() as u64)?;
            for band in bands {
                starts[band + 1] += 1;
            }
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut items = budget.filled("bands", starts[count], 0_u32)?;
        for (i, t) in (0_u32..).zip(&frame.triangles) {
            for band in touched(t) {
                items[next[band]] = i;
                next[band] += 1;
            }
        }
        Ok(Self { starts, items })
    }

    fn triangles_of(&self, band: usize) -> &[u32] {
        &self.items[self.starts[band]..self.starts[band + 1]]
    }
}

/// Charges the samples that are tested and the pixels that are coloured.
fn charge(frame: &Frame<'_>, height: usize, budget: &Budget) -> Result<(), LimitExceeded> {
    let samples = (frame.samples * frame.samples) as u64;
    let pixels = frame.width as u64 * height as u64;
    budget.work("pixels", pixels.saturating_mul(samples + 16))?;
    let side = |pixels: usize| i64::try_from(pixels * frame.samples).unwrap_or(i64::MAX);
    let (columns, rows) = (side(frame.width), side(height));
    for t in &frame.triangles {
        let (x, y) = (t.columns(), t.rows());
        let wide = (x.end.min(columns) - x.start.max(0)).max(0);
        let high = (y.end.min(rows) - y.start.max(0)).max(0);
        let inside = (wide * high).unsigned_abs();
        let area = inside.min(samples_of(Triangle::area(t.x, t.y)) + high.unsigned_abs());
        let each = if frame.shader.draws[t.draw as usize].is_solid() { 1 } else { 8 };
        budget.work("samples", area * each + high.unsigned_abs() * 8 + 16)?;
    }
    Ok(())
}

/// Draws the bands on all threads.
fn bands(
    frame: &Frame<'_>,
    options: &RenderOptions,
    budget: &Budget,
    picture: &mut Rendering,
) -> Result<(), LimitExceeded> {
    let (width, height) = (frame.width, options.height as usize);
    charge(frame, height, budget)?;
    let per_row = width * frame.samples * frame.samples;
    let rows = (SAMPLES / per_row.max(1)).clamp(1, ROWS);
    let bins = Bins::new(frame, rows, height, budget)?;
    let threads = options.threads.clamp(1, height.div_ceil(rows));
    budget.charge_items("bands", (threads * rows * per_row) as u64, Canvas::BYTES)?;
    let queue = Mutex::new(picture.rows_mut().chunks_mut(rows * width).enumerate());
    let work = || {
        let mut canvas = Canvas::default();
        loop {
            let next = match queue.lock() {
                Ok(mut queue) => queue.next(),
                Err(_) => None,
            };
            let Some((band, out)) = next else { break };
            frame.band(band * rows, bins.triangles_of(band), &mut canvas, out);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // If a thread cannot be started, rendering only takes longer.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    Ok(())
}

/// The maximum number of names.
const MOST_NAMES: usize = 400;

/// Draws names of joints; a name that would overlap another is skipped.
fn names(scene: &Scene, joints: &[overlay_lines::Joint], eye: &Eye, picture: &mut Rendering) {
    let mut taken: Vec<[i64; 4]> = Vec::new();
    for joint in joints {
        let Some(about) = scene.skeletons.get(joint.skeleton).and_then(|s| s.joints.get(joint.joint)) else {
            continue;
        };
        let Some(([x, y], _)) = eye.place(joint.place) else { continue };
        if taken.len() >= MOST_NAMES || !(x.abs() < 1e6 && y.abs() < 1e6) {
            continue;
        }
        let (wide, high) = Rendering::text_size(&about.name);
        #[expect(clippy::cast_possible_truncation, reason = "within a million")]
        let (x, y) = (x as i64 + 4, y as i64 - i64::from(high) / 2);
        let place = [x, y, x + i64::from(wide), y + i64::from(high)];
        let meets = |other: &[i64; 4]| {
            place[0] < other[2] && other[0] < place[2] && place[1] < other[3] && other[1] < place[3]
        };
        if about.name.is_empty() || taken.iter().any(meets) {
            continue;
        }
        taken.push(place);
        picture.draw_text(x + 1, y + 1, [0, 0, 0, 255], &about.name);
        picture.draw_text(x, y, [255, 255, 255, 255], &about.name);
    }
}
