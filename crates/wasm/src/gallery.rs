//! The models among the files that were dropped.

use meshwright::files::FilesError;
use meshwright::page::{
    Assembly, Dropped, about, dropped, failure_facts, glb, limited, saved, textured_scene,
};
use meshwright::scene::Scene;
use meshwright::{Error, ErrorKind, Finder, Limits, Opener, Target, thumbnail};
use serde_json::{Value, json};

/// The most models of the list.
const MOST_MODELS: usize = 20_000;
/// The size of a thumbnail in pixels.
const THUMB: u32 = 96;

/// The message about a model, or about files, that cannot be read.
pub(crate) fn failed(name: &str, why: &Error) -> Value {
    let facts = failure_facts(name, why.code(), why.path(), why.offset(), why.message());
    if why.kind() == ErrorKind::Limit { limited(facts) } else { facts }
}

/// The models, by their numbers in the list, and the one that was looked at last.
#[derive(Debug)]
pub struct Gallery {
    limits: Limits,
    models: Vec<Dropped>,
    /// The files that a person chose for each model.
    assemblies: Vec<Assembly>,
    /// The trees of all drops, the last first.
    finders: Vec<Finder>,
    last: Option<(usize, Shown)>,
}

/// The data of a model for the page; the model itself is freed.
#[derive(Debug)]
struct Shown {
    about: Value,
    scene: Scene,
}

impl Gallery {
    /// Creates an empty list. The limits are those of one file with its results.
    pub fn new(limits: Limits) -> Self {
        Self { limits, models: Vec::new(), assemblies: Vec::new(), finders: Vec::new(), last: None }
    }

    /// Sets the limits of one file with its results.
    pub fn set_limits(&mut self, limits: Limits) {
        (self.limits, self.last) = (limits, None);
    }

    /// Takes files that were dropped together: `ids` are the numbers of the models among them, or `error` says why there
    /// are none.
    pub fn add(&mut self, files: Vec<(String, Vec<u8>)>) -> Value {
        let found = match dropped(files, self.limits) {
            Ok(found) => found,
            Err(e) => return failed("these files", &e.into()),
        };
        let first = self.models.len();
        let mut joined = false;
        for model in &mut self.models {
            if let Some(finder) = found.join(&model.finder) {
                (model.finder, joined, self.last) = (finder, true, None);
            }
        }
        self.finders.splice(0..0, found.finders);
        self.models.extend(found.models.into_iter().take(MOST_MODELS.saturating_sub(first)));
        self.assemblies.resize(self.models.len(), Assembly::default());
        json!({ "ids": (first..self.models.len()).collect::<Vec<_>>(), "joined": joined })
    }

    /// The number and name of every model, and the limit in bytes.
    pub fn list(&self) -> Value {
        let models =
            self.models.iter().enumerate().map(|(id, model)| json!({ "id": id, "name": model.name }));
        json!({ "models": models.collect::<Vec<_>>(), "limit": self.limits.memory })
    }

    /// The facts about a model for the page; `error` if it cannot be shown.
    pub fn about(&mut self, id: usize) -> Value {
        let name = self.models.get(id).map(|model| model.name.clone()).unwrap_or_default();
        let mut about = match self.opened(id) {
            Ok(shown) => shown.about.clone(),
            Err(why) => failed(&name, &why),
        };
        let found = self.models.get(id).and_then(|model| model.format(self.limits).ok());
        let choices =
            found.zip(self.assemblies.get(id)).map(|(format, own)| own.choices(format, &self.finders));
        if let (Value::Object(about), Some(choices)) = (&mut about, choices) {
            about.insert("parts".into(), choices);
        }
        about
    }

    /// Chooses the skeleton and the clips of a model: an object with a list of paths for each role.
    pub fn assemble(&mut self, id: usize, parts: &Value) {
        self.last = None;
        if let Some(own) = self.assemblies.get_mut(id) {
            *own = Assembly::from_json(parts);
        }
    }

    /// The GLB that the page draws.
    ///
    /// # Errors
    /// When the model cannot be read, or takes more than it may.
    pub fn glb(&mut self, id: usize) -> Result<Vec<u8>, Error> {
        let limits = self.limits;
        Ok(glb(&self.opened(id)?.scene, limits)?)
    }

    /// The thumbnail, as PNG.
    ///
    /// # Errors
    /// As [`glb`](Self::glb).
    pub fn thumb(&self, id: usize) -> Result<Vec<u8>, Error> {
        if let Some((_, shown)) = self.last.as_ref().filter(|(of, _)| *of == id) {
            return thumbnail(&shown.scene, THUMB, self.limits);
        }
        let (model, options) = self.model(id)?;
        let scene = textured_scene(&mut options.open_in(&model.finder, &model.path)?)?;
        thumbnail(&scene.value, THUMB, self.limits)
    }

    /// Converts a model to a file of a target, preceded by its name and losses: see [`saved`].
    ///
    /// # Errors
    /// As [`glb`](Self::glb); or if the target cannot hold it.
    pub fn save(&mut self, id: usize, target: Target) -> Result<Vec<u8>, Error> {
        self.last = None;
        let (model, options) = self.model(id)?;
        saved(options.open_in(&model.finder, &model.path)?, target)
    }

    fn model(&self, id: usize) -> Result<(&Dropped, Opener), Error> {
        let model = self.models.get(id).ok_or_else(|| FilesError::NotFound { path: id.to_string() })?;
        let options = Opener::new().limits(self.limits).format(model.format(self.limits)?);
        let chosen = self.assemblies.get(id).map(|own| own.options(&options, &self.finders));
        Ok((model, chosen.unwrap_or(Ok(options))?))
    }

    /// A model as it is shown; the one that was asked for last is kept.
    fn opened(&mut self, id: usize) -> Result<&Shown, Error> {
        let kept = self.last.take().filter(|(of, _)| *of == id);
        let opened = match kept {
            Some((_, opened)) => opened,
            None => {
                let name = self.models.get(id).map(|model| model.name.as_str()).unwrap_or_default();
                let (model, options) = self.model(id)?;
                let mut asset = options.open_in(&model.finder, &model.path)?;
                let scene = textured_scene(&mut asset)?;
                Shown { about: about(&asset, &scene.value, name), scene: scene.value }
            }
        };
        Ok(&self.last.insert((id, opened)).1)
    }
}
