//! The program's operations on models besides conversion: compare, repair, dump, render.

use crate::error::raised;
use crate::model::Model;
use crate::report::{Finding, Reduced, to_finding};
use meshwright::bmd::EngineSafety;
use meshwright::dump::{Dump, DumpOptions, PoseRef};
use meshwright::render::{Camera, RenderOptions, ScenePose, render as rasterise};
use meshwright::scene::{Budget, SceneOptions};
use meshwright::{DiffOptions, Error, OptimizeOptions, Optimizer, textures};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// A kind of fault that was repaired.
#[pyclass(frozen, get_all, module = "meshwright")]
pub(crate) struct Repair {
    code: String,
    message: String,
    paths: Vec<String>,
    count: u64,
}

#[pymethods]
impl Repair {
    #[new]
    fn new(code: String, message: String, paths: Vec<String>, count: u64) -> Self {
        Self { code, message, paths, count }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&str, &str, &[String], u64)> {
        (py.get_type::<Self>(), (&self.code, &self.message, &self.paths, self.count))
    }

    fn __repr__(&self) -> String {
        format!("<Repair {}: {} ({} times)>", self.code, self.message, self.count)
    }
}

/// The differences of two models, as `meshwright diff --format json` has them.
#[pyfunction]
#[pyo3(signature = (first, second, *, tolerance = None))]
pub(crate) fn diff<'py>(
    py: Python<'py>,
    first: PyRef<'py, Model>,
    second: PyRef<'py, Model>,
    tolerance: Option<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    if tolerance.is_some_and(|length| !length.is_finite() || length < 0.0) {
        return Err(PyValueError::new_err("tolerance is a length, 0 or more"));
    }
    let (first, second) = (&*first, &*second);
    let found = py.detach(|| {
        let memory = first.limits().memory;
        let scene = |model: &Model| {
            model.asset.scene_with(&SceneOptions::default().with_memory(memory)).map(|made| made.value)
        };
        let options = DiffOptions::default().with_length(tolerance).with_memory(memory);
        meshwright::diff(&scene(first)?, &scene(second)?, &options)
    });
    let found = found.map_err(raised)?;
    let finite = |apart: f64| Some(apart).filter(|apart| apart.is_finite());
    let document = PyDict::new(py);
    document.set_item("same", found.is_empty())?;
    document.set_item("tolerance", found.tolerance)?;
    document.set_item("reordered", found.reordered)?;
    document.set_item("rest", finite(found.rest))?;
    let mut clips = Vec::new();
    for (name, apart) in found.clips {
        let clip = PyDict::new(py);
        clip.set_item("name", name)?;
        clip.set_item("apart", finite(apart))?;
        clips.push(clip);
    }
    document.set_item("clips", clips)?;
    let mut differences = Vec::new();
    for found in found.differences {
        let difference = PyDict::new(py);
        difference.set_item("code", found.code)?;
        difference.set_item("path", found.path)?;
        difference.set_item("first", found.first)?;
        difference.set_item("second", found.second)?;
        difference.set_item("apart", found.amount.and_then(finite))?;
        differences.push(difference);
    }
    document.set_item("differences", differences)?;
    Ok(document)
}

/// The bytes of a model's file with all repairs that are safe, the repairs, and the findings that remain.
#[pyfunction]
pub(crate) fn repair<'py>(
    py: Python<'py>,
    model: PyRef<'py, Model>,
) -> PyResult<(Bound<'py, PyBytes>, Vec<Repair>, Vec<Finding>)> {
    let model = &*model;
    let done = py.detach(|| {
        meshwright::repair(model.asset.bytes(), model.asset.format(), model.asset.opener().read_settings())
            .map_err(Error::from)
    });
    let done = done.map_err(raised)?;
    let repairs = done.mended.into_iter();
    let repairs = repairs.map(|m| Repair {
        code: m.code.to_owned(),
        message: m.done.to_owned(),
        paths: m.paths,
        count: m.count,
    });
    let left = done.left.iter().map(to_finding).collect();
    Ok((PyBytes::new(py, &done.bytes), repairs.collect(), left))
}

/// A model as the JSON of `meshwright dump`, with poses: pairs of a clip and a frame.
#[pyfunction]
#[pyo3(signature = (model, poses = Vec::new()))]
pub(crate) fn dump(py: Python<'_>, model: PyRef<'_, Model>, poses: Vec<(usize, u32)>) -> PyResult<String> {
    let model = &*model;
    let poses = poses.into_iter().map(|(clip, frame)| PoseRef::Clip { clip, frame }).collect();
    let text = py.detach(|| {
        let options = DumpOptions::default().with_poses(poses).with_memory(model.limits().memory);
        let asset = &model.asset;
        let source = asset.path().to_string();
        let dump = Dump::new(asset.model(), asset.companions(), &source, asset.bytes(), &options)?;
        Ok(dump.to_json())
    });
    text.map_err(|e: Error| raised(e))
}

/// Names and bytes of files.
type NamedFiles<'py> = Vec<(String, Bound<'py, PyBytes>)>;

/// The files of a model with fewer bytes by name, the main one first, and what was saved.
#[pyfunction]
#[pyo3(signature = (
    model, name, *, max_position = 0.0, max_normal = 0.0, max_st = 0.0, max_angle = 0.0, max_distance = 0.0,
    max_scale = 0.0, compact = false, engine_safe = false, effort = None, unused_bones = None, skip = Vec::new(),
    also = Vec::new()
))]
#[expect(clippy::too_many_arguments, reason = "they have names where they are given")]
pub(crate) fn optimize<'py>(
    py: Python<'py>,
    model: PyRef<'py, Model>,
    name: &str,
    max_position: f64,
    max_normal: f64,
    max_st: f64,
    max_angle: f64,
    max_distance: f64,
    max_scale: f64,
    compact: bool,
    engine_safe: bool,
    effort: Option<u8>,
    unused_bones: Option<&str>,
    skip: Vec<String>,
    also: Vec<String>,
) -> PyResult<(NamedFiles<'py>, Bound<'py, PyAny>)> {
    let bounds = [max_position, max_normal, max_st, max_angle, max_distance, max_scale];
    if bounds.iter().any(|bound| !bound.is_finite() || *bound < 0.0) {
        return Err(PyValueError::new_err("the greatest errors are numbers, 0 or more"));
    }
    let is_for_bmd = bounds.iter().any(|bound| *bound > 0.0) || compact || engine_safe || effort.is_some();
    let is_for_darkplaces = unused_bones.is_some() || !skip.is_empty() || !also.is_empty();
    let format = model.asset.format();
    for (is_given, optimizer, names) in [
        (is_for_bmd, Optimizer::Bmd, "one of max_position and its like, compact, engine_safe and effort"),
        (is_for_darkplaces, Optimizer::DarkPlaces, "one of unused_bones, skip and also"),
    ] {
        if is_given {
            let checked = optimizer.check_option(names, format);
            checked.map_err(|e| PyValueError::new_err(e.message().to_owned()))?;
        }
    }
    let limits = model.limits();
    let mut options = OptimizeOptions::default();
    let engine = match (compact, engine_safe) {
        (true, _) => EngineSafety::Ignored,
        (_, true) => EngineSafety::Always,
        _ => EngineSafety::WithinBounds,
    };
    options.bmd = options
        .bmd
        .with_vertex_bounds(max_position, max_normal, max_st)
        .with_key_bounds(max_angle, max_distance, max_scale)
        .with_engine(engine);
    if let Some(effort) = effort.map(|effort| effort.min(9)) {
        options.bmd = options.bmd.with_effort(effort);
    }
    options.bmd.memory = limits.memory;
    options.darkplaces = options.darkplaces.with_limits(limits);
    if let Some(word) = unused_bones {
        options.darkplaces = options.darkplaces.with_bones(crate::options::unused_bones(word)?);
    }
    for step in &skip {
        *match crate::options::chosen("skip", step, STEPS)? {
            Step::Influences => &mut options.darkplaces.influences,
            Step::Vertices => &mut options.darkplaces.vertices,
            Step::Poses => &mut options.darkplaces.poses,
            Step::Triangles => &mut options.darkplaces.triangles,
            Step::Order => &mut options.darkplaces.order,
        } = false;
    }
    for step in &also {
        if crate::options::chosen("also", step, &[("meshes", true), ("frames", false)])? {
            options.darkplaces = options.darkplaces.with_meshes(true);
        } else {
            options.darkplaces = options.darkplaces.with_frames(true);
        }
    }
    let model = &*model;
    let done = py.detach(|| model.asset.optimize(&options)).map_err(raised)?;
    let mut files = vec![(name.to_owned(), PyBytes::new(py, done.bytes()))];
    if let Some((ending, bytes)) = done.companion() {
        files.push((format!("{name}{ending}"), PyBytes::new(py, bytes)));
    }
    let report = py.import("json")?.call_method1("loads", (done.document().to_string(),))?;
    Ok((files, report))
}

/// A step of the optimizer for DPM and ZYM that can be left out.
#[derive(Clone, Copy)]
enum Step {
    Influences,
    Vertices,
    Poses,
    Triangles,
    Order,
}

const STEPS: &[(&str, Step)] = &[
    ("influences", Step::Influences),
    ("vertices", Step::Vertices),
    ("poses", Step::Poses),
    ("triangles", Step::Triangles),
    ("order", Step::Order),
];

/// A rendering of a model as a PNG.
#[pyfunction]
#[pyo3(signature = (
    model, *, clip = None, frame = 0.0, width = 512, height = 512, camera = "three-quarter", view = "lit",
    background = None
))]
#[expect(clippy::too_many_arguments, reason = "they have names where they are given")]
pub(crate) fn render<'py>(
    py: Python<'py>,
    model: PyRef<'py, Model>,
    clip: Option<usize>,
    frame: f64,
    width: u32,
    height: u32,
    camera: &str,
    view: &str,
    background: Option<[u8; 4]>,
) -> PyResult<Bound<'py, PyBytes>> {
    let camera: Camera = camera.parse().map_err(|_| {
        PyValueError::new_err("camera is front, side, three-quarter, or two angles as in \"120,20\"")
    })?;
    let view = crate::options::view(view)?;
    if !frame.is_finite() {
        return Err(PyValueError::new_err("frame is not a number"));
    }
    let model = &*model;
    let (limits, asset) = (model.limits(), &model.asset);
    let scene =
        py.detach(|| asset.scene_with(&SceneOptions::default().with_limits(limits))).map_err(raised)?.value;
    if clip.is_some_and(|clip| clip >= scene.clips.len()) {
        return Err(PyIndexError::new_err(format!("clip: the model has {} clips", scene.clips.len())));
    }
    let png = py.detach(|| {
        let budget = Budget::new(limits);
        let posed = ScenePose::sample(&scene, clip.map(|clip| (clip, frame)), &budget)?;
        let mut options = RenderOptions::new(width, height).with_camera(camera).with_view(view);
        options.background = background.unwrap_or(RenderOptions::BACKGROUND);
        let textures = textures(&scene, &budget)?;
        rasterise(&scene, &posed, &textures, &options, &budget).map(|picture| picture.to_png())
    });
    let png = png.map_err(|e| raised(Error::from(e)))?;
    Ok(PyBytes::new(py, &png.map_err(|e| PyValueError::new_err(e.to_string()))?))
}
