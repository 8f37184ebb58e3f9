//! The Sims' files in the facade.

use super::write::single;
use super::{AnyModel, Companions, Kind, Summary, WriteOptions};
use meshwright_core::{Report, Role};
use meshwright_scene::{ConvertError, Converted, OutputFiles, Scene, SceneOptions};
use meshwright_tso::{
    Anim, Assembly, Bmf, Bnd, Geometry, Mesh, MeshForm, Part, ResourceId, Skel, Skn, TsoSceneOptions,
    write_scene,
};

/// A mesh, and the texture that its file names.
struct Shape<'m> {
    geometry: &'m Geometry,
    texture: Option<String>,
}

impl<'m> Shape<'m> {
    fn of(model: &'m AnyModel) -> Option<Self> {
        match model {
            AnyModel::TsoMesh(m) => Some(Self::plain(&m.geometry)),
            AnyModel::Bmf(m) => Some(Self::named(&m.geometry, m.texture.text())),
            AnyModel::Skn(m) => Some(Self::named(&m.geometry, m.texture.text())),
            _ => None,
        }
    }

    const fn plain(geometry: &'m Geometry) -> Self {
        Self { geometry, texture: None }
    }

    fn named(geometry: &'m Geometry, texture: String) -> Self {
        Self { geometry, texture: Some(texture).filter(|t| !t.is_empty()) }
    }
}

/// What The Sims 1 writes for a texture that is chosen by the suit: it names no picture.
const CHOSEN_BY_SUIT: &str = "x";

/// A figure: a file, with the skeleton, animations and further meshes that go with it.
fn figure<'a>(name: &str, lead: Option<Shape<'a>>, companions: &'a Companions) -> Assembly<'a> {
    let mut figure = Assembly::new(name)
        .with_skeleton(companions.one())
        .with_recomputed_normals(companions.recompute_normals);
    figure.animations.extend(companions.all::<Anim>());
    // What the companions say of a texture, they say of the first mesh.
    let bound = || companions.one::<Bnd>().and_then(|b| b.texture.as_ref()).map(ResourceId::tag);
    let lead = lead.map(|shape| (name, shape, companions.texture.clone().or_else(bound)));
    let parts = companions.files.iter().filter(|file| file.role == Role::Part);
    let parts = parts.filter_map(|p| Some((p.name.as_str(), Shape::of(&p.model)?, p.texture.clone())));
    for (name, shape, texture) in lead.into_iter().chain(parts) {
        let part = Part::new(name, shape.geometry);
        figure.parts.push(match shape.texture.or(texture) {
            Some(texture) => part.with_material(texture),
            None => part,
        });
    }
    figure
}

macro_rules! meshes {
    ($($model:ident: |$m:ident| $shape:expr, $form:ident, $strategy:expr;)+) => {$(
        impl Kind for $model {
            fn to_scene(
                &self,
                name: &str,
                companions: &Companions,
                options: &SceneOptions,
            ) -> Result<Converted<Scene>, ConvertError> {
                let $m = self;
                figure(name, Some($shape), companions).to_scene(options)
            }

            fn write_scene(
                scene: &Scene,
                stem: &str,
                options: &WriteOptions,
            ) -> Result<Converted<OutputFiles>, ConvertError> {
                let own = TsoSceneOptions::default().with_meshes(MeshForm::$form);
                write_scene(scene, stem, &options.of(own))
            }

            fn summary(&self) -> Summary {
                let g = &self.geometry;
                Summary {
                    meshes: 1,
                    vertices: g.real.len(),
                    triangles: g.faces.len(),
                    bones: g.bones.len(),
                    notes: vec![format!("{} blend vertices", g.blends.len())],
                    ..Summary::default()
                }
            }

            fn validate_name(&self, file_name: &str) -> Report {
                self.validate_name(file_name)
            }

            fn texture(&self, _: usize, name: &str) -> Option<String> {
                (!name.eq_ignore_ascii_case(CHOSEN_BY_SUIT)).then(|| name.to_owned())
            }

            fn validate_with(&self, companions: &Companions) -> Report {
                let mut report = self.validate();
                if let Some(skeleton) = companions.one::<Skel>() {
                    report.append(self.geometry.validate_with(skeleton));
                }
                report
            }

            #[cfg(feature = "proptest")]
            fn strategies() -> Vec<super::Strategy<Self>> {
                use proptest::strategy::Strategy as _;
                vec![(None, $strategy.boxed())]
            }
        }
    )+};
}

meshes! {
    Mesh: |m| Shape::plain(&m.geometry), Mesh, meshwright_tso::strategy::mesh();
    Bmf: |m| Shape::named(&m.geometry, m.texture.text()), Bmf, meshwright_tso::strategy::bmf();
    Skn: |m| Shape::named(&m.geometry, m.texture.text()), Skn, meshwright_tso::strategy::skn();
}

impl Kind for Skel {
    fn to_scene(
        &self,
        name: &str,
        companions: &Companions,
        options: &SceneOptions,
    ) -> Result<Converted<Scene>, ConvertError> {
        figure(name, None, companions).with_skeleton(Some(self)).to_scene(options)
    }

    fn write_scene(
        scene: &Scene,
        stem: &str,
        options: &WriteOptions,
    ) -> Result<Converted<OutputFiles>, ConvertError> {
        single(stem, Self::from_scene(scene, &options.of(TsoSceneOptions::default()))?)
    }

    fn validate_name(&self, file_name: &str) -> Report {
        self.validate_name(file_name)
    }

    fn summary(&self) -> Summary {
        Summary { bones: self.bones.len(), ..Summary::default() }
    }

    #[cfg(feature = "proptest")]
    fn strategies() -> Vec<super::Strategy<Self>> {
        use meshwright_tso::strategy::{finite, skel};
        use proptest::strategy::Strategy as _;
        vec![(None, skel(finite()).boxed())]
    }
}

impl Kind for Anim {
    fn to_scene(
        &self,
        name: &str,
        companions: &Companions,
        options: &SceneOptions,
    ) -> Result<Converted<Scene>, ConvertError> {
        if companions.one::<Skel>().is_none() {
            let message = "an animation moves a skeleton, and none goes with it";
            return Err(ConvertError::unsupported("file", message));
        }
        let mut figure = figure(name, None, companions);
        figure.animations.insert(0, self);
        figure.to_scene(options)
    }

    fn write_scene(
        scene: &Scene,
        stem: &str,
        options: &WriteOptions,
    ) -> Result<Converted<OutputFiles>, ConvertError> {
        single(stem, Self::from_scene(scene, &options.of(TsoSceneOptions::default()))?)
    }

    fn validate_name(&self, file_name: &str) -> Report {
        self.validate_name(file_name)
    }

    fn summary(&self) -> Summary {
        Summary {
            bones: self.motions.len(),
            clips: 1,
            frames: Some(self.motions.iter().map(|m| m.frames as usize).max().unwrap_or(0)),
            notes: vec![self.name.text()],
            ..Summary::default()
        }
    }

    #[cfg(feature = "proptest")]
    fn strategies() -> Vec<super::Strategy<Self>> {
        use meshwright_tso::strategy::{anim, finite, name};
        use proptest::strategy::Strategy as _;
        vec![(None, anim(finite(), name()).boxed())]
    }
}

impl Kind for Bnd {
    fn validate_name(&self, file_name: &str) -> Report {
        self.validate_name(file_name)
    }

    fn summary(&self) -> Summary {
        Summary { notes: vec![self.bone.text()], ..Summary::default() }
    }

    #[cfg(feature = "proptest")]
    fn strategies() -> Vec<super::Strategy<Self>> {
        use proptest::strategy::Strategy as _;
        vec![(None, meshwright_tso::strategy::bnd().boxed())]
    }
}
