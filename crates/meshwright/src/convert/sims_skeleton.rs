//! The skeleton in another file that files of The Sims are made for.

use super::Target;
use super::options::ConvertOptions;
use crate::error::Error;
use crate::formats::{Companions, Format};
use crate::model::Model;
use meshwright_core::Role;

/// Returns true if files of a format use a skeleton of The Sims.
fn has_sims_skeleton(format: Format) -> bool {
    use meshwright_core::FileFormat;
    let is = |kind: &str| kind == <meshwright_tso::Skel as FileFormat>::ID;
    let format = format.traits().owner.unwrap_or(format);
    format.companions().iter().any(|c| c.role == Role::Skeleton && is(c.kind))
}

impl Target {
    /// Returns true if files of this target are made for a skeleton of The Sims in another file.
    pub fn is_made_for_skeleton(self) -> bool {
        matches!(self, Self::Native(format) if has_sims_skeleton(format))
    }
}

/// Returns the skeleton that a target is made for: that of the model to which the scene was moved, otherwise the one
/// that the caller named. If the model uses the skeleton itself, it is in the scene, and this returns `None`.
pub(super) fn made_for(
    model: &Model,
    target: Target,
    options: &ConvertOptions,
) -> Result<Option<meshwright_tso::Skel>, Error> {
    let Target::Native(to) = target else { return Ok(None) };
    if !has_sims_skeleton(to) {
        return Ok(None);
    }
    #[cfg(feature = "retarget")]
    if let Some(retarget) = &options.retarget {
        let own = retarget.onto.model();
        let of_records = || Some(own.character()?.skeletons.first()?.to_skel());
        return Ok(<meshwright_tso::Skel as crate::formats::Registered>::from_any(own)
            .cloned()
            .or_else(of_records));
    }
    let _ = options;
    let opener = model.opener();
    let mut named = opener.named.iter().filter(|file| file.role == Role::Skeleton);
    let Some(file) = named.next().filter(|_| !has_sims_skeleton(model.format())) else { return Ok(None) };
    let mut read = Companions::default();
    // A file of keys has no companions; the animation that it belongs to has.
    let owner = to.traits().owner.unwrap_or(to);
    let added = read.add(owner, Role::Skeleton, &*file.name, &file.bytes, &opener.settings);
    added.map_err(|e| Error::from(e).of_file(&file.name))?;
    let found = read.all::<meshwright_tso::Skel>().next().cloned();
    Ok(found)
}
