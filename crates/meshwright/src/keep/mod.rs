//! Native models that go along with what is made of them, and what comes back of them.

mod error;
mod fields;
#[cfg(feature = "tso")]
mod onto;
mod record;
mod recovered;
mod report;
mod restored;
mod times;

pub use error::KeptError;
pub use record::Keeping;
pub use recovered::{RecoverOptions, Recovered};
pub use report::{recovery_document, recovery_lines};
pub use restored::Restored;

use crate::asset::{Asset, Part, PartRole};
use crate::kinds::{AnyModel, CompanionFile};
use meshwright_core::{Companion, Role, WriteError};
use meshwright_gltf::ExportOptions;
use meshwright_scene::OutputFiles;
use std::borrow::Cow;

/// A native model, as it went into an export or as it lies there, that what comes back is held against.
///
/// ```
/// use meshwright::{Asset, Keeping, OpenOptions, Original, RecoverOptions, Target, WriteOptions, convert};
/// use meshwright::files::Tree;
/// use meshwright::scene::SceneOptions;
///
/// # fn demo() -> Result<(), Box<dyn std::error::Error>> {
/// let open = OpenOptions::default();
/// let knight = Asset::open(&Tree::open("models/")?, "knight.dpm", &open)?;
/// let scene = knight.to_scene(&SceneOptions::default())?.value;
/// let kept = WriteOptions::default().with_kept(knight.record(&Keeping::new(&open))?);
/// let glb = convert(&scene, Target::Glb, &kept)?;
/// // ... an editor changes it ...
/// let edited = Asset::open(&Tree::open("edited/")?, "knight.glb", &OpenOptions::default())?;
/// if let Some(original) = Original::kept_in(&edited, &Default::default())? {
///     let recovered = original.recover(&edited, &RecoverOptions::default())?;
///     let files = original.write(&recovered, original.asset().format(), "knight.dpm", &WriteOptions::default())?;
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Original {
    asset: Asset,
    /// How it was exported; nothing where it was not kept.
    export: Option<ExportOptions>,
    solids: bool,
}

impl Original {
    /// A model that what is edited is held against, or added to.
    pub const fn new(asset: Asset) -> Self {
        Self { asset, export: None, solids: false }
    }

    /// The same model with meshes that bound bones drawn too, or not.
    #[must_use]
    pub const fn with_solids(mut self, solids: bool) -> Self {
        self.solids = solids;
        self
    }

    /// The model.
    pub fn asset(&self) -> &Asset {
        &self.asset
    }

    /// True where it was found in what was made of it: then what is missing there was deleted.
    pub fn is_kept(&self) -> bool {
        self.export.is_some()
    }

    /// Its files as they are, byte for byte: the model's own under this name, then its companions: those whose names
    /// follow from it, and others under their own.
    ///
    /// # Errors
    /// When a companion breaks a rule of its format.
    pub fn files(&self, name: &str) -> Result<OutputFiles, WriteError> {
        let mut files = OutputFiles::default();
        for file in self.asset.own_files()? {
            // Of a record the file that holds it.
            if let Some(source) = file.companion.and_then(|own| own.source.as_deref()) {
                let name = plain(&source.name);
                if files.iter().all(|other| other.name != name) {
                    files.push(name, source.model.to_bytes()?);
                }
                continue;
            }
            let companion = file.role.and_then(|role| {
                let named = |c: &&Companion| c.role == role && !c.many;
                self.asset.format().companions().iter().find(named)?.beside.first()
            });
            let beside = match (file.role, companion) {
                (None, _) => name.to_owned(),
                (_, Some(beside)) => String::from_utf8_lossy(&beside.name(name.as_bytes())).into_owned(),
                (_, None) => file.name,
            };
            if files.iter().all(|other| other.name != beside) {
                files.push(beside, file.bytes.into_owned());
            }
        }
        Ok(files)
    }
}

/// A file of an asset.
struct OwnFile<'a> {
    /// What it is for the model; nothing for the model itself.
    role: Option<Role>,
    /// A name without folders.
    name: String,
    bytes: Cow<'a, [u8]>,
    /// Nothing for the model, and for what took part in reading it.
    companion: Option<&'a CompanionFile>,
}

/// The last part of a name, for a file of its own.
fn plain(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    if matches!(last, "" | "." | "..") { "file".into() } else { last.into() }
}

impl Asset {
    /// The files that the model is read from, pictures aside: the model's own first.
    fn own_files(&self) -> Result<Vec<OwnFile<'_>>, WriteError> {
        let name = plain(&String::from_utf8_lossy(self.path().name()));
        let bytes = Cow::Borrowed(self.bytes());
        let mut files = vec![OwnFile { role: None, name: name.clone(), bytes, companion: None }];
        for companion in self.format().companions().iter().filter(|c| c.part_of_reading) {
            if let Some(bytes) = self.model().attached(companion.role) {
                let role = Some(companion.role);
                let name = plain(companion.role.name());
                files.push(OwnFile { role, name, bytes: bytes?.into(), companion: None });
            }
        }
        for own in &self.companions().files {
            // Of several that came out of one file each is one here.
            let called = |part: &&Part| part.role == PartRole::Companion(own.role) && part.took_part();
            let parts = || self.parts().iter().filter(called);
            let all = || self.companions().files.iter().filter(|file| file.role == own.role);
            let place = all().position(|file| std::ptr::eq(file, own));
            let is_file = own.source.is_none() && parts().count() == all().count();
            let part = place.filter(|_| is_file).and_then(|n| parts().nth(n));
            let extension = own.model.format().extensions().first().copied().unwrap_or_default();
            let name = match part {
                Some(part) => plain(&part.name),
                None => plain(&format!("{}.{extension}", own.name)),
            };
            let bytes = own.model.to_bytes()?.into();
            files.push(OwnFile { role: Some(own.role), name, bytes, companion: Some(own) });
        }
        Ok(files)
    }

    /// The glTF document that it is.
    pub(crate) fn gltf(&self) -> Option<&meshwright_gltf::GltfFile> {
        match self.model() {
            AnyModel::Gltf(file) => Some(file),
            #[allow(unreachable_patterns, reason = "a build with glTF alone")]
            _ => None,
        }
    }
}
