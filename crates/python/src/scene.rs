//! Scenes and poses.

use crate::arrays;
use crate::error::raised;
use crate::report::Loss;
use meshwright::rig::{Evaluator, Workspace};
use meshwright::scene::{self, MeshId};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadwriteArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// What a model draws.
#[pyclass(frozen, module = "meshwright")]
pub(crate) struct Scene {
    scene: Arc<scene::Scene>,
    /// The joints and weights of each mesh's influences.
    influences: Arc<Vec<(Vec<u32>, Vec<f32>)>>,
    losses: Vec<Loss>,
}

/// A mesh in its bind pose.
#[pyclass(frozen, module = "meshwright")]
pub(crate) struct Mesh {
    scene: Arc<scene::Scene>,
    influences: Arc<Vec<(Vec<u32>, Vec<f32>)>>,
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
impl Clip {
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
        let influences = Arc::new(scene.meshes.iter().map(parts).collect());
        Self { scene: Arc::new(scene), influences, losses }
    }
}

#[pymethods]
impl Scene {
    /// The meshes.
    #[getter]
    fn meshes(&self) -> Vec<Mesh> {
        let mesh =
            |index| Mesh { scene: Arc::clone(&self.scene), influences: Arc::clone(&self.influences), index };
        (0..self.scene.meshes.len()).map(mesh).collect()
    }

    /// The materials.
    #[getter]
    fn materials(&self) -> Vec<Material> {
        let all = 0..self.scene.materials.len();
        all.map(|index| Material { scene: Arc::clone(&self.scene), index }).collect()
    }

    /// The joints of each skeleton.
    #[getter]
    fn skeletons(&self) -> Vec<Vec<Joint>> {
        let joint = |joint: &scene::Joint| Joint { name: joint.name.clone(), parent: joint.parent };
        self.scene.skeletons.iter().map(|s| s.joints.iter().map(joint).collect()).collect()
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
        self.scene.clips.iter().map(clip).collect()
    }

    /// What the scene does not hold of the model.
    #[getter]
    fn losses(&self) -> Vec<Loss> {
        self.losses.clone()
    }

    /// The scene in a pose.
    fn player(&self, py: Python<'_>) -> PyResult<Player> {
        let evaluator = py.detach(|| Evaluator::new(Arc::clone(&self.scene))).map_err(raised)?;
        Ok(Player { evaluator, scene: Arc::clone(&self.scene), work: Workspace::new() })
    }
}

impl Mesh {
    fn mesh(&self) -> PyResult<&scene::Mesh> {
        self.scene.meshes.get(self.index).ok_or_else(|| PyIndexError::new_err("there is no such mesh"))
    }
}

type Rows<'py, T> = Bound<'py, PyArray2<T>>;
type Numbers<'py, T> = Bound<'py, PyArray1<T>>;

/// Rows of the mesh that `this` is.
fn rows<'py, T: numpy::Element, const N: usize>(
    this: Bound<'py, Mesh>,
    of: impl Fn(&scene::Mesh) -> &[[T; N]],
) -> PyResult<Rows<'py, T>> {
    let mesh = this.get().mesh()?;
    // SAFETY: `this` holds the scene, which nothing changes.
    unsafe { arrays::rows(of(mesh), this.clone().into_any()) }
}

#[pymethods]
impl Mesh {
    #[getter]
    fn name(&self) -> PyResult<&str> {
        Ok(&self.mesh()?.name)
    }

    #[getter]
    fn material(&self) -> PyResult<Option<usize>> {
        Ok(self.mesh()?.material.map(|m| m.0))
    }

    #[getter]
    fn skeleton(&self) -> PyResult<Option<usize>> {
        Ok(self.mesh()?.skin.as_ref().map(|s| s.skeleton.0))
    }

    #[getter]
    fn positions(this: Bound<'_, Self>) -> PyResult<Rows<'_, f32>> {
        rows(this, |mesh| &mesh.positions)
    }

    #[getter]
    fn normals(this: Bound<'_, Self>) -> PyResult<Rows<'_, f32>> {
        rows(this, |mesh| &mesh.normals)
    }

    #[getter]
    fn uvs(this: Bound<'_, Self>) -> PyResult<Rows<'_, f32>> {
        rows(this, |mesh| &mesh.uvs)
    }

    #[getter]
    fn triangles(this: Bound<'_, Self>) -> PyResult<Rows<'_, u32>> {
        rows(this, |mesh| &mesh.triangles)
    }

    /// Where the influences of each vertex begin, and where all end.
    #[getter]
    fn influence_starts(this: Bound<'_, Self>) -> PyResult<Numbers<'_, u32>> {
        let starts = this.get().mesh()?.skin.as_ref().map_or(&[][..], |skin| &skin.starts);
        // SAFETY: `this` holds the scene, which nothing changes.
        unsafe { arrays::numbers(starts, this.clone().into_any()) }
    }

    /// The joint of each influence.
    #[getter]
    fn influence_joints(this: Bound<'_, Self>) -> PyResult<Numbers<'_, u32>> {
        let parts = this.get().influences.get(this.get().index);
        // SAFETY: `this` holds the influences, which nothing changes.
        unsafe { arrays::numbers(parts.map_or(&[][..], |p| &p.0), this.clone().into_any()) }
    }

    /// The weight of each influence.
    #[getter]
    fn influence_weights(this: Bound<'_, Self>) -> PyResult<Numbers<'_, f32>> {
        let parts = this.get().influences.get(this.get().index);
        // SAFETY: `this` holds the influences, which nothing changes.
        unsafe { arrays::numbers(parts.map_or(&[][..], |p| &p.1), this.clone().into_any()) }
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

#[pymethods]
impl Player {
    /// Moves to the rest pose.
    fn rest(&mut self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.evaluator.pose(None)).map_err(raised)
    }

    /// Moves to a frame of a clip.
    fn frame(&mut self, py: Python<'_>, clip: usize, frame: f64) -> PyResult<()> {
        py.detach(|| self.evaluator.pose(Some((clip, frame)))).map_err(raised)
    }

    /// Moves to a time of a clip, in seconds.
    fn seconds(&mut self, py: Python<'_>, clip: usize, seconds: f64) -> PyResult<()> {
        py.detach(|| self.evaluator.pose_seconds(clip, seconds)).map_err(raised)
    }

    /// The positions, and where the mesh has them the normals, of a mesh in the pose: into arrays of the caller's where
    /// they are given.
    #[pyo3(signature = (mesh, positions = None, normals = None))]
    fn vertices<'py>(
        &mut self,
        py: Python<'py>,
        mesh: usize,
        positions: Option<Rows<'py, f32>>,
        normals: Option<Rows<'py, f32>>,
    ) -> PyResult<(Rows<'py, f32>, Option<Rows<'py, f32>>)> {
        let Self { evaluator, scene, work } = self;
        let found = scene.meshes.get(mesh).ok_or_else(|| PyIndexError::new_err("there is no such mesh"))?;
        let count = found.positions.len();
        let array =
            |given: Option<Rows<'py, f32>>| given.unwrap_or_else(|| PyArray2::zeros(py, [count, 3], false));
        let positions = array(positions);
        let normals = (!found.normals.is_empty()).then(|| array(normals));
        let mut into = writable(&positions, count)?;
        let mut normals_into = normals.as_ref().map(|n| writable(n, count)).transpose()?;
        let (into, normals_into) = (places(&mut into)?, normals_into.as_mut().map(places).transpose()?);
        py.detach(|| evaluator.mesh_into(MeshId(mesh), work, into, normals_into)).map_err(raised)?;
        Ok((positions, normals))
    }

    /// Where the joints of a skeleton stand: a matrix of rows for each, from the joint's space to the model's.
    fn joints<'py>(&self, py: Python<'py>, skeleton: usize) -> PyResult<Bound<'py, numpy::PyArray3<f64>>> {
        let found = self.evaluator.skeleton(skeleton);
        let (_, pose) = found.ok_or_else(|| PyIndexError::new_err("there is no such skeleton"))?;
        let rows = |m: &meshwright::rig::glam::DAffine3| {
            meshwright::rig::glam::DMat4::from(*m).transpose().to_cols_array()
        };
        let all: Vec<f64> = pose.model().iter().flat_map(rows).collect();
        PyArray1::from_vec(py, all).reshape([pose.model().len(), 4, 4])
    }
}

fn writable<'py>(array: &Rows<'py, f32>, count: usize) -> PyResult<PyReadwriteArray2<'py, f32>> {
    if array.shape() != [count, 3] {
        return Err(PyValueError::new_err(format!(
            "the array has the shape {:?}, not [{count}, 3]",
            array.shape()
        )));
    }
    Ok(array.try_readwrite()?)
}

fn places<'a>(array: &'a mut PyReadwriteArray2<'_, f32>) -> PyResult<&'a mut [[f32; 3]]> {
    Ok(array.as_slice_mut()?.as_chunks_mut().0)
}
