//! The Sims in the corpus: records as their reference dumps have them, and meshes on their skeletons.

use crate::json::{array, read};
use crate::loaded::Loaded;
use meshwright::dump::{Dump, DumpOptions};
use meshwright::scene::{ConvertError, SceneOptions};
use meshwright::{AnyModel, CompanionFile, Format, ReadSettings, Role};
use serde_json::Value;
use std::path::Path;

/// How far a number may be from that of a reference dump, which is rounded to nine digits.
const NEAR: f64 = 1e-6;

/// What a reference dump says of records that are not drawn by themselves.
pub(crate) fn native(loaded: &Loaded, bytes: &[u8], expected: &Value) -> Result<(), String> {
    use AnyModel::{Apr, Bcf, Cmx, Col, Hag, Oft, Po};
    let records = matches!(loaded.model, Bcf(_) | Cmx(_) | Apr(_) | Oft(_) | Hag(_) | Po(_) | Col(_));
    let Some(theirs) = expected.get("native").filter(|_| records) else { return Ok(()) };
    let dump = Dump::new(&loaded.model, &loaded.companions, &loaded.name, bytes, &DumpOptions::default());
    let json: Value =
        serde_json::from_str(&dump.map_err(|e| e.to_string())?.to_json()).map_err(|e| e.to_string())?;
    same("native", json.get("native").unwrap_or(&Value::Null), theirs)
}

/// Whatever the reference says, our dump says too. What references derive, such as matrices, is not in ours.
fn same(path: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let stored =
                theirs.iter().filter(|(key, _)| !matches!(key.as_str(), "issues" | "world_rest_rows"));
            for (key, theirs) in stored {
                let ours = ours.get(key).ok_or_else(|| format!("{path}.{key} is not there"))?;
                same(&format!("{path}.{key}"), ours, theirs)?;
            }
            Ok(())
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            let mut pairs = ours.iter().zip(theirs).enumerate();
            pairs.try_for_each(|(i, (ours, theirs))| same(&format!("{path}[{i}]"), ours, theirs))
        }
        (ours, theirs) => {
            let near = ours.as_f64().zip(theirs.as_f64()).is_some_and(|(a, b)| (a - b).abs() <= NEAR);
            if near || ours == theirs {
                Ok(())
            } else {
                Err(format!("{path}: {ours}, the reference has {theirs}"))
            }
        }
    }
}

/// False for records that hold nothing to draw by themselves: suits and skills alone, keys, bindings.
pub(crate) fn drawn(loaded: &Loaded) -> bool {
    use AnyModel::{Apr, Bcf, Cfp, Cmx, Col, Hag, Oft, Po};
    let records =
        matches!(loaded.model, Bcf(_) | Cmx(_) | Cfp(_) | Apr(_) | Oft(_) | Hag(_) | Po(_) | Col(_));
    let nothing = || {
        let made = loaded.model.to_scene("", &loaded.companions, &SceneOptions::default());
        matches!(made, Err(ConvertError::Unsupported { .. }))
    };
    !records || !nothing()
}

/// A mesh on its skeleton, at rest and in the poses of skills, with normals as the format blends them.
pub(crate) fn posed(dir: &Path, entry: &Value, mesh: &Loaded) -> Result<Loaded, String> {
    let mut companions = mesh.companions.clone();
    companions.blend_normals = true;
    for skeleton in array(entry, "companions").iter().filter_map(Value::as_str) {
        let added = companions.add(
            mesh.model.format(),
            Role::Skeleton,
            skeleton,
            &read(&dir.join(skeleton))?,
            &ReadSettings::default(),
        );
        added.map_err(|e| format!("{skeleton}: {e}"))?;
    }
    for clip in array(entry, "clips") {
        let (file, index) = (clip[0].as_str().unwrap_or_default(), clip[1].as_u64().unwrap_or(0));
        let anim = skill(&dir.join(file), usize::try_from(index).unwrap_or(usize::MAX))?;
        companions.files.push(CompanionFile::new(Role::Animation, file, anim));
    }
    let figure = Loaded { name: mesh.name.clone(), model: mesh.model.clone(), companions };
    Ok(figure)
}

/// A skill of a file with its keys, which lie beside it.
fn skill(path: &Path, index: usize) -> Result<AnyModel, String> {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let format = Format::from_name(name).ok_or("no format")?;
    let model =
        AnyModel::parse_with(&read(path)?, format, &ReadSettings::default()).map_err(|e| e.to_string())?;
    let character = match model.model {
        AnyModel::Bcf(m) => m.character,
        AnyModel::Cmx(m) => m.character,
        _ => return Err(format!("{name} holds no skills")),
    };
    let skill = character.skills.get(index).ok_or_else(|| format!("{name} has no skill {index}"))?;
    let keys = path.with_file_name(format!("{}.cfp", skill.keys.text()));
    let keys = meshwright::tso::Cfp::parse(&read(&keys)?).map_err(|e| e.to_string())?;
    let anim = skill
        .to_anim(&keys)
        .ok_or_else(|| format!("{name}: the keys are not as many as skill {index} says"))?;
    Ok(anim.into())
}
