//! Scenes and poses.

use crate::arrays;
use crate::error::raised;
use crate::report::{Loss, Reduced};
use meshwright::rig::glam::{DAffine3, DMat4};
use meshwright::rig::{self, Evaluator, Workspace};
use meshwright::scene::{self, MeshId};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadwriteArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// A scene, and of each mesh the joints and the weights of its influences apart.
struct Shown {
    scene: Arc<scene::Scene>,
    influences: Vec<(Vec<u32>, Vec<f32>)>,
}

/// The drawn content of a model.
#[pyclass(frozen, module = "meshwright")]
pub(crate) struct Scene {
    shown: Arc<Shown>,
    losses: Vec<Loss>,
}

/// A mesh in its bind pose.
#[pyclass(frozen, module = "meshwright")]
pub(crate) struct Mesh {
    shown: Arc<Shown>,
    index: usize,
}

/// A material.
#[pyclass(frozen, module = "meshwright")]
pub(crate) struct Material {
    scene: Arc<scene::Scene>,
    index: usize,
}

/// A joint.
#[pyclass(frozen, get_all, module = "meshwright")]
pub(crate) struct Joint {
    name: String,
    parent: Option<usize>,
}

/// A clip.
#[pyclass(frozen, get_all, module = "meshwright")]
pub(crate) struct Clip {
    name: String,
    skeleton: usize,
    frames: u32,
    rate: f32,
    looping: bool,
    seconds: f64,
}

#[pymethods]
impl Joint {
    #[new]
    fn new(name: String, parent: Option<usize>) -> Self {
        Self { name, parent }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&str, Option<usize>)> {
        (py.get_type::<Self>(), (&self.name, self.parent))
    }

    fn __repr__(&self) -> String {
        let parent = self.parent.map_or_else(|| "none".to_owned(), |parent| parent.to_string());
        format!("<Joint {:?}: parent {parent}>", self.name)
    }
}

#[pymethods]
impl Clip {
    #[new]
    fn new(name: String, skeleton: usize, frames: u32, rate: f32, looping: bool, seconds: f64) -> Self {
        Self { name, skeleton, frames, rate, looping, seconds }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&str, usize, u32, f32, bool, f64)> {
        let Self { name, skeleton, frames, rate, looping, seconds } = self;
        (py.get_type::<Self>(), (name, *skeleton, *frames, *rate, *looping, *seconds))
    }

    fn __repr__(&self) -> String {
        format!(
            "<Clip {:?}: {} frames at {}/s{}>",
            self.name,
            self.frames,
            self.rate,
            if self.looping { ", loops" } else { "" }
        )
    }
}

impl Scene {
    pub(crate) fn new(scene: scene::Scene, losses: Vec<Loss>) -> Self {
        let parts = |mesh: &scene::Mesh| {
            let all = mesh.skin.iter().flat_map(|skin| &skin.influences);
            all.map(|i| (i.joint, i.weight)).unzip()
        };
        let influences = scene.meshes.iter().map(parts).collect();
        Self { shown: Arc::new(Shown { scene: Arc::new(scene), influences }), losses }
    }
}

#[pymethods]
impl Scene {
    fn __repr__(&self) -> String {
        let scene = &self.shown.scene;
        let [meshes, clips] = [scene.meshes.len(), scene.clips.len()];
        format!("<Scene {:?}: {meshes} meshes, {clips} clips>", scene.name)
    }

    /// The meshes.
    #[getter]
    fn meshes(&self) -> Vec<Mesh> {
        let all = 0..self.shown.scene.meshes.len();
        all.map(|index| Mesh { shown: Arc::clone(&self.shown), index }).collect()
    }

    /// The materials.
    #[getter]
    fn materials(&self) -> Vec<Material> {
        let all = 0..self.shown.scene.materials.len();
        all.map(|index| Material { scene: Arc::clone(&self.shown.scene), index }).collect()
    }

    /// The joints of each skeleton.
    #[getter]
    fn skeletons(&self) -> Vec<Vec<Joint>> {
        let joint = |joint: &scene::Joint| Joint { name: joint.name.clone(), parent: joint.parent };
        self.shown.scene.skeletons.iter().map(|s| s.joints.iter().map(joint).collect()).collect()
    }

    /// The clips.
    #[getter]
    fn clips(&self) -> Vec<Clip> {
        let clip = |clip: &scene::Clip| Clip {
            name: clip.name.clone(),
            skeleton: clip.skeleton.0,
            frames: clip.frames,
            rate: clip.rate,
            looping: clip.looping,
            seconds: clip.duration_seconds(),
        };
        self.shown.scene.clips.iter().map(clip).collect()
    }

    /// The data of the model that the scene does not hold.
    #[getter]
    fn losses(&self) -> Vec<Loss> {
        self.losses.clone()
    }

    /// The instances of meshes: each with a matrix of rows from its space to the scene's. A mesh may be drawn several
    /// times, or not at all; one with a skeleton follows only that.
    fn drawn<'py>(&self, py: Python<'py>) -> PyResult<Vec<(usize, Rows<'py, f64>)>> {
        let scene = &self.shown.scene;
        let worlds = rig::world_transforms(scene).map_err(raised)?;
        let nodes = scene.nodes.iter().zip(&worlds);
        let all = nodes.flat_map(|(node, world)| node.meshes.iter().map(move |mesh| (mesh.0, world)));
        all.map(|(mesh, world)| {
            let rows = PyArray1::from_slice(py, &by_rows(world)).reshape([4, 4])?;
            Ok((mesh, rows))
        })
        .collect()
    }

    /// The scene in a pose.
    fn player(&self, py: Python<'_>) -> PyResult<Player> {
        let scene = Arc::clone(&self.shown.scene);
        let evaluator = py.detach(|| Evaluator::new(Arc::clone(&scene))).map_err(raised)?;
        Ok(Player { evaluator, scene, work: Workspace::new() })
    }
}

impl Shown {
    fn mesh(&self, index: usize) -> PyResult<&scene::Mesh> {
        self.scene.meshes.get(index).ok_or_else(|| PyIndexError::new_err("there is no such mesh"))
    }
}

impl Mesh {
    fn mesh(&self) -> PyResult<&scene::Mesh> {
        self.shown.mesh(self.index)
    }

    /// Rows of the mesh.
    fn rows<'py, T: numpy::Element, const N: usize>(
        &self,
        py: Python<'py>,
        of: impl Fn(&scene::Mesh) -> &[[T; N]],
    ) -> PyResult<Rows<'py, T>> {
        arrays::rows(py, &self.shown, |shown| shown.mesh(self.index).map_or(&[][..], of))
    }
}

type Rows<'py, T> = Bound<'py, PyArray2<T>>;
type Numbers<'py, T> = Bound<'py, PyArray1<T>>;

#[pymethods]
impl Mesh {
    #[getter]
    fn name(&self) -> PyResult<&str> {
        Ok(&self.mesh()?.name)
    }

    /// The place of its material in the scene.
    #[getter]
    fn material(&self) -> PyResult<Option<usize>> {
        Ok(self.mesh()?.material.map(|m| m.0))
    }

    /// The place of its skeleton in the scene.
    #[getter]
    fn skeleton(&self) -> PyResult<Option<usize>> {
        Ok(self.mesh()?.skin.as_ref().map(|s| s.skeleton.0))
    }

    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, f32>> {
        self.rows(py, |mesh| &mesh.positions)
    }

    /// Normalised; empty if the mesh has no normals.
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, f32>> {
        self.rows(py, |mesh| &mesh.normals)
    }

    /// Empty where the mesh has none.
    #[getter]
    fn uvs<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, f32>> {
        self.rows(py, |mesh| &mesh.uvs)
    }

    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Rows<'py, u32>> {
        self.rows(py, |mesh| &mesh.triangles)
    }

    /// The start of the influences of each vertex, and the end of all; empty for a mesh without skeleton.
    #[getter]
    fn influence_starts<'py>(&self, py: Python<'py>) -> PyResult<Numbers<'py, u32>> {
        arrays::numbers(py, &self.shown, |shown| {
            let skin = shown.mesh(self.index).ok().and_then(|mesh| mesh.skin.as_ref());
            skin.map_or(&[][..], |skin| &skin.starts)
        })
    }

    /// The joint of each influence.
    #[getter]
    fn influence_joints<'py>(&self, py: Python<'py>) -> PyResult<Numbers<'py, u32>> {
        arrays::numbers(py, &self.shown, |shown| shown.influences.get(self.index).map_or(&[][..], |p| &p.0))
    }

    /// The weight of each influence.
    #[getter]
    fn influence_weights<'py>(&self, py: Python<'py>) -> PyResult<Numbers<'py, f32>> {
        arrays::numbers(py, &self.shown, |shown| shown.influences.get(self.index).map_or(&[][..], |p| &p.1))
    }

    fn __repr__(&self) -> PyResult<String> {
        let mesh = self.mesh()?;
        Ok(format!(
            "<Mesh {:?}: {} vertices, {} triangles>",
            mesh.name,
            mesh.positions.len(),
            mesh.triangles.len()
        ))
    }
}

impl Material {
    fn material(&self) -> PyResult<&scene::Material> {
        self.scene.materials.get(self.index).ok_or_else(|| PyIndexError::new_err("there is no such material"))
    }
}

#[pymethods]
impl Material {
    fn __repr__(&self) -> PyResult<String> {
        let material = self.material()?;
        Ok(format!(
            "<Material {:?}{}>",
            material.name,
            if material.image.is_some() { ", with a texture" } else { "" }
        ))
    }

    #[getter]
    fn name(&self) -> PyResult<&str> {
        Ok(&self.material()?.name)
    }

    #[getter]
    fn base_color(&self) -> PyResult<[f32; 4]> {
        Ok(self.material()?.base_color)
    }

    #[getter]
    fn double_sided(&self) -> PyResult<bool> {
        Ok(self.material()?.double_sided)
    }

    /// The type and the bytes of its picture.
    #[getter]
    fn image<'py>(&self, py: Python<'py>) -> PyResult<Option<(&'static str, Bound<'py, PyBytes>)>> {
        Ok(self.material()?.image.as_ref().map(|image| (image.mime, PyBytes::new(py, &image.bytes))))
    }
}

/// A scene in a pose.
#[pyclass(module = "meshwright")]
pub(crate) struct Player {
    evaluator: Evaluator<Arc<scene::Scene>>,
    scene: Arc<scene::Scene>,
    work: Workspace,
}

impl Player {
    /// Checks a place in a clip.
    fn check(&self, clip: usize, what: &str, place: f64) -> PyResult<()> {
        let clips = self.scene.clips.len();
        if clip >= clips {
            return Err(PyIndexError::new_err(format!("clip {clip}: the scene has {clips} clips")));
        }
        if place.is_finite() { Ok(()) } else { Err(PyValueError::new_err(format!("{what} is {place}"))) }
    }
}

#[pymethods]
impl Player {
    /// Moves to the rest pose.
    fn rest(&mut self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.evaluator.pose(None)).map_err(raised)
    }

    /// Moves to a frame of a clip, which may be fractional. A looping clip repeats, another one is held at its ends.
    fn frame(&mut self, py: Python<'_>, clip: usize, frame: f64) -> PyResult<()> {
        self.check(clip, "frame", frame)?;
        py.detach(|| self.evaluator.pose(Some((clip, frame)))).map_err(raised)
    }

    /// Moves to a time of a clip, in seconds.
    fn seconds(&mut self, py: Python<'_>, clip: usize, seconds: f64) -> PyResult<()> {
        self.check(clip, "seconds", seconds)?;
        py.detach(|| self.evaluator.pose_seconds(clip, seconds)).map_err(raised)
    }

    /// The positions, and where the mesh has them the normals, of a mesh in the pose: into arrays of the caller's where
    /// they are given.
    #[pyo3(signature = (mesh, positions = None, normals = None))]
    fn vertices<'py>(
        &mut self,
        py: Python<'py>,
        mesh: usize,
        positions: Option<Bound<'py, PyAny>>,
        normals: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Rows<'py, f32>, Option<Rows<'py, f32>>)> {
        let positions = positions.map(|array| float32("positions", &array)).transpose()?;
        let normals = normals.map(|array| float32("normals", &array)).transpose()?;
        let Self { evaluator, scene, work } = self;
        let found = scene.meshes.get(mesh).ok_or_else(|| PyIndexError::new_err("there is no such mesh"))?;
        let (count, has_normals) = (found.positions.len(), !found.normals.is_empty());
        let mut posed = vec![[0.0; 3]; count];
        let mut turned = has_normals.then(|| vec![[0.0; 3]; count]);
        // Arrays that do not fit, or are one, are refused before the work.
        let given = positions.iter().chain(normals.iter().filter(|_| has_normals));
        given.map(|array| writable(array, count)).collect::<PyResult<Vec<_>>>()?;
        // Another thread may resize an array of the caller's whatever it is borrowed for, so that none is written to while
        // the interpreter's lock is released.
        let pose = || evaluator.mesh_into(MeshId(mesh), work, &mut posed, turned.as_deref_mut());
        py.detach(pose).map_err(raised)?;
        let filled = |given: Option<Rows<'py, f32>>, rows: &[[f32; 3]]| {
            let Some(array) = given else {
                return PyArray1::from_slice(py, rows.as_flattened()).reshape([count, 3]);
            };
            writable(&array, count)?.as_slice_mut()?.copy_from_slice(rows.as_flattened());
            Ok(array)
        };
        let positions = filled(positions, &posed)?;
        Ok((positions, turned.map(|turned| filled(normals, &turned)).transpose()?))
    }

    fn __repr__(&self) -> String {
        format!("<Player of {:?}>", self.scene.name)
    }

    /// The poses of the joints of a skeleton: a matrix of rows for each, from the joint's space to the model's.
    fn joints<'py>(&self, py: Python<'py>, skeleton: usize) -> PyResult<Bound<'py, numpy::PyArray3<f64>>> {
        let found = self.evaluator.skeleton(skeleton);
        let (_, pose) = found.ok_or_else(|| PyIndexError::new_err("there is no such skeleton"))?;
        let all: Vec<f64> = pose.model_matrices().iter().flat_map(by_rows).collect();
        PyArray1::from_vec(py, all).reshape([pose.model_matrices().len(), 4, 4])
    }
}

fn by_rows(matrix: &DAffine3) -> [f64; 16] {
    DMat4::from(*matrix).transpose().to_cols_array()
}

/// An array of the caller's.
fn float32<'py>(what: &str, array: &Bound<'py, PyAny>) -> PyResult<Rows<'py, f32>> {
    array.cast::<PyArray2<f32>>().cloned().map_err(|_| {
        let kind = array.getattr("dtype").unwrap_or_else(|_| array.get_type().into_any());
        PyTypeError::new_err(format!(
            "{what} is a numpy array of float32 with a row of 3 for each vertex, not {kind}"
        ))
    })
}

fn writable<'py>(array: &Rows<'py, f32>, count: usize) -> PyResult<PyReadwriteArray2<'py, f32>> {
    if array.shape() != [count, 3] {
        return Err(PyValueError::new_err(format!(
            "the array has the shape {:?}, not [{count}, 3]",
            array.shape()
        )));
    }
    // Rows of numbers would be columns in any other order.
    if !array.is_c_contiguous() {
        return Err(PyValueError::new_err("the array is not contiguous, row by row"));
    }
    Ok(array.try_readwrite()?)
}
