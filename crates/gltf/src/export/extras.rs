//! Writes native fields as JSON.

use meshwright_core::json::{Quoted, plain_len};
use meshwright_scene::{Budget, Clip, ConvertError, Extra, LayerKind, Scene};
use std::fmt::Write as _;
use std::num::NonZeroU16;

/// Named values in order.
type Fields = Vec<(String, Extra)>;

/// The memory charged for a value in addition to its text: more than the digits of the longest number, and more than
/// its list entry.
const VALUE: usize = 40;

/// Returns the `extras` of an object; a value that is not a map is wrapped into one, as glTF recommends.
pub(crate) fn extras_text(memory: &Budget, extra: Option<&Extra>) -> Result<Option<String>, ConvertError> {
    let Some(extra) = extra else { return Ok(None) };
    memory.charge_items("extras", length(extra) as u64, 1)?;
    Ok(Some(text_of(extra)))
}

/// The number of an object in the model, for the import of an edited document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark<'n> {
    /// The number.
    pub(crate) index: usize,
    /// The number of the skeleton, for a joint.
    pub(crate) of: Option<usize>,
    pub(crate) name: &'n str,
}

impl Mark<'_> {
    /// Returns a text that holds JSON: the only form that common editors and packers keep.
    fn field(self, memory: &Budget) -> Result<(String, Extra), ConvertError> {
        // A name is copied, then escaped twice.
        memory.charge_items("names", self.name.len() as u64, 40)?;
        let number = |n: usize| Extra::Int(i64::try_from(n).unwrap_or(i64::MAX));
        let mut fields: Fields = vec![("v".into(), 1_u32.into()), ("i".into(), number(self.index))];
        fields.extend(self.of.map(|of| ("of".into(), number(of))));
        fields.push(("name".into(), self.name.into()));
        Ok((KEY.into(), Extra::Text(text_of(&Extra::Map(fields)))))
    }
}

/// Returns the `extras` of an object, with its mark if it has one.
pub(crate) fn of_marked(
    memory: &Budget,
    own: Option<&Extra>,
    mark: Option<Mark<'_>>,
) -> Result<Option<String>, ConvertError> {
    match mark {
        Some(mark) => with_front(memory, own, vec![mark.field(memory)?]),
        None => extras_text(memory, own),
    }
}

/// A texture layer of a material, by the number and the name of its image. Names survive editors that renumber images.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer<'n> {
    pub(crate) kind: LayerKind,
    pub(crate) image: usize,
    pub(crate) name: &'n str,
}

/// The memory of the fields of a layer, in addition to its name.
const LAYER: usize = 200;

/// The field of a material's extras with its texture layers.
const LAYERS: &str = "layers";

/// Returns the `extras` of a material, with its texture layers and its mark.
pub(crate) fn of_material(
    memory: &Budget,
    own: Option<&Extra>,
    layers: Vec<Layer<'_>>,
    mark: Option<Mark<'_>>,
) -> Result<Option<String>, ConvertError> {
    if layers.is_empty() {
        return of_marked(memory, own, mark);
    }
    let names = layers.iter().map(|layer| layer.name.len()).fold(0, usize::saturating_add);
    memory.charge_items("layers", names as u64, 1)?;
    memory.charge_items("layers", layers.len() as u64, LAYER)?;
    let field = |layer: &Layer<'_>| {
        let number = Extra::Int(i64::try_from(layer.image).unwrap_or(i64::MAX));
        let image = Extra::Map(vec![("image".into(), number), ("name".into(), layer.name.into())]);
        (layer.kind.name().to_owned(), image)
    };
    let mut front = mark.map(|mark| mark.field(memory)).transpose()?.into_iter().collect::<Fields>();
    front.push((LAYERS.into(), Extra::Map(layers.iter().map(field).collect())));
    with_front(memory, own, front)
}

/// Returns `extras` with more fields at the front, which replace those of the same names.
fn with_front(memory: &Budget, own: Option<&Extra>, front: Fields) -> Result<Option<String>, ConvertError> {
    // The copy takes less than its text may.
    memory.charge_items("extras", own.map_or(0, length) as u64, 1)?;
    let mut fields = front;
    let count = fields.len();
    match own {
        Some(Extra::Map(own)) => fields.extend(own.iter().cloned()),
        Some(other) => fields.push(("value".into(), other.clone())),
        None => {}
    }
    let (front, own) = fields.split_at(count);
    let free = own.iter().filter(|(name, _)| front.iter().all(|(taken, _)| taken != name));
    let fields = front.iter().chain(free).cloned().collect();
    extras_text(memory, Some(&Extra::Map(fields)))
}

/// Returns the `extras` of a joint: the number and name of the mesh that bounds it, and its own. Names survive editors that
/// renumber meshes.
pub(crate) fn of_joint(
    memory: &Budget,
    own: Option<&Extra>,
    solid: Option<(u32, &str)>,
    mark: Option<Mark<'_>>,
) -> Result<Option<String>, ConvertError> {
    let Some((number, name)) = solid else { return of_marked(memory, own, mark) };
    memory.charge_items("names", name.len() as u64, 1)?;
    let mut front: Fields = vec![("solid".into(), number.into())];
    if !name.is_empty() {
        front.push(("solid_mesh".into(), name.into()));
    }
    front.extend(mark.map(|mark| mark.field(memory)).transpose()?);
    with_front(memory, own, front)
}

/// The key of the scene's extras for the data of an import. Its value is a text that holds JSON: editors preserve
/// texts, and drop the extras of animations.
const KEY: &str = "meshwright";

/// The memory of the fields of a clip, in addition to its name.
const CLIP: usize = 800;

/// The data about a file as a whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told<'s> {
    pub(crate) scene: &'s Scene,
    /// The rate of the keys, if it is not the own rate of each clip.
    pub(crate) frames_at: Option<NonZeroU16>,
    /// The embedded native model.
    pub(crate) kept: Option<&'s Extra>,
}

/// Returns the `extras` of a glTF scene: those of the level and, if `file` is given, of the file as a whole.
pub(crate) fn of_scene(
    memory: &Budget,
    file: Option<Told<'_>>,
    max_distance: Option<f32>,
) -> Result<Option<String>, ConvertError> {
    let mut front = Vec::new();
    if let Some(told) = file.map(|file| import_data(memory, file)).transpose()?.flatten() {
        front.push((KEY.into(), Extra::Text(told)));
    }
    if let Some(distance) = max_distance.filter(|d| d.is_finite()) {
        front.push(("max_distance".into(), distance.into()));
    }
    let own = file.and_then(|file| file.scene.extras.as_ref());
    if front.is_empty() { extras_text(memory, own) } else { with_front(memory, own, front) }
}

/// Returns the data about the file that an import needs, if any.
fn import_data(memory: &Budget, file: Told<'_>) -> Result<Option<String>, ConvertError> {
    let Told { scene, frames_at, kept } = file;
    if scene.format.is_empty() && scene.clips.is_empty() && scene.scale == 1.0 && kept.is_none() {
        return Ok(None);
    }
    let names = scene.clips.iter().map(|clip| &clip.name).chain([&scene.name, &scene.format]);
    // A name is copied, then escaped twice.
    memory.charge_items("names", names.map(String::len).fold(0, usize::saturating_add) as u64, 40)?;
    memory.charge_items("extras", scene.clips.len() as u64, CLIP)?;
    let mut fields: Fields = vec![("v".into(), 1_u32.into())];
    if !scene.format.is_empty() {
        fields.push(("format".into(), scene.format.as_str().into()));
    }
    if !scene.name.is_empty() {
        fields.push(("name".into(), scene.name.as_str().into()));
    }
    if scene.scale != 1.0 {
        fields.push(("scale".into(), decimal(scene.scale)));
    }
    if !scene.clips.is_empty() {
        let named = |clip: &Clip| {
            let mut own: Fields = vec![("name".into(), clip.name.as_str().into())];
            own.extend(played(clip, frames_at));
            Extra::Map(own)
        };
        fields.push(("clips".into(), Extra::List(scene.clips.iter().map(named).collect())));
    }
    let mut all: Vec<(&str, &Extra)> = fields.iter().map(|(name, value)| (name.as_str(), value)).collect();
    if let Some(kept) = kept {
        // It exists as text, and as text within text.
        memory.charge_items("kept files", length(kept) as u64, 2)?;
        all.push((KEPT, kept));
    }
    let mut json = String::new();
    put_map(&mut json, all);
    Ok(Some(json))
}

/// The field of that text which holds the native model.
pub(crate) const KEPT: &str = "kept";

/// Returns the `extras` of an animation: the properties of a clip that glTF lacks, and the clip's own extras.
pub(crate) fn of_clip(
    memory: &Budget,
    clip: &Clip,
    frames_at: Option<NonZeroU16>,
) -> Result<Option<String>, ConvertError> {
    memory.charge_items("extras", 1, CLIP)?;
    let mut front = played(clip, frames_at);
    if clip.looping {
        front.push(("period".into(), Extra::Float(rounded(clip.duration_seconds()))));
    }
    with_front(memory, clip.extras.as_ref(), front)
}

/// Returns the playback of a clip in its game.
fn played(clip: &Clip, frames_at: Option<NonZeroU16>) -> Fields {
    let mut fields: Fields = vec![
        ("rate".into(), decimal(clip.rate)),
        ("loop".into(), clip.looping.into()),
        ("start".into(), clip.start.into()),
        ("frames".into(), clip.frames.into()),
    ];
    fields.extend(frames_at.map(|rate| ("frames_at".into(), u32::from(rate.get()).into())));
    fields
}

/// Rounds seconds to a millionth, because rates are stored in 32 bits.
pub(crate) fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// Returns a number of 32 bits with no more digits than it needs.
fn decimal(value: f32) -> Extra {
    Extra::Float(value.to_string().parse().unwrap_or(f64::from(value)))
}

/// Returns the maximum size of a value as text and as a copy, in bytes.
fn length(extra: &Extra) -> usize {
    // An escape takes six bytes for one.
    let escaped = |b: &u8| b.is_ascii_control() || matches!(b, b'"' | b'\\');
    let text = |t: &str| {
        // Most texts have none, and the record of an embedded original is long.
        let plain = plain_len(t.as_bytes());
        let escapes = t.bytes().skip(plain).filter(|b| escaped(b)).count();
        t.len().saturating_add(escapes.saturating_mul(5)).saturating_add(2)
    };
    let all = |parts: &mut dyn Iterator<Item = usize>| parts.fold(0, usize::saturating_add);
    let parts = match extra {
        Extra::Bool(_) | Extra::Int(_) | Extra::Float(_) => 0,
        Extra::Text(t) => text(t),
        Extra::List(items) => all(&mut items.iter().map(length)),
        Extra::Map(fields) => all(&mut fields
            .iter()
            .map(|(name, v)| text(name).saturating_add(VALUE).saturating_add(length(v)))),
    };
    parts.saturating_add(VALUE)
}

fn text_of(extra: &Extra) -> String {
    let mut json = String::new();
    match extra {
        Extra::Map(_) => put_value(&mut json, extra),
        _ => {
            json.push_str("{\"value\":");
            put_value(&mut json, extra);
            json.push('}');
        }
    }
    json
}

/// Whole numbers up to this survive readers that keep all numbers as doubles.
const EXACT: u64 = (1 << 53) - 1;

fn put_value(json: &mut String, extra: &Extra) {
    match extra {
        Extra::Bool(b) => json.push_str(if *b { "true" } else { "false" }),
        Extra::Int(i) if i.unsigned_abs() <= EXACT => json.push_str(&i.to_string()),
        // A number here is a double to most readers, which would round this one without a word.
        Extra::Int(i) => text(json, &i.to_string()),
        Extra::Float(f) if f.is_finite() => json.push_str(zmij::Buffer::new().format_finite(*f)),
        Extra::Float(f) => text(json, &f.to_string()),
        Extra::Text(t) => text(json, t),
        Extra::List(items) => {
            json.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    json.push(',');
                }
                put_value(json, item);
            }
            json.push(']');
        }
        Extra::Map(fields) => put_map(json, last_of_each(fields)),
    }
}

fn put_map(json: &mut String, fields: Vec<(&str, &Extra)>) {
    json.push('{');
    for (i, (name, value)) in fields.into_iter().enumerate() {
        if i > 0 {
            json.push(',');
        }
        text(json, name);
        json.push(':');
        put_value(json, value);
    }
    json.push('}');
}

/// Returns each name of a map once. Of equal names the last counts, as in JSON readers.
fn last_of_each(fields: &[(String, Extra)]) -> Vec<(&str, &Extra)> {
    let mut seen = meshwright_core::SortedSet::new();
    let mut kept: Vec<_> =
        fields.iter().rev().filter(|(n, _)| seen.insert(n)).map(|(n, v)| (n.as_str(), v)).collect();
    kept.reverse();
    kept
}

/// Appends a text in quotes. Writing to memory does not fail.
fn text(json: &mut String, t: &str) {
    let _ = write!(json, "{}", Quoted(t));
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_scene::Limits;

    fn json(extra: &Extra) -> String {
        extras_text(&Budget::new(Limits::default().with_memory(1 << 20)), Some(extra)).unwrap().unwrap()
    }

    #[test]
    fn values_become_json() {
        let map = Extra::Map(vec![
            ("z".into(), Extra::Float(f64::NAN)),
            ("a".into(), Extra::List(vec![Extra::Int(i64::MIN), 0.5_f32.into(), true.into()])),
            ("n".into(), Extra::List(vec![Extra::Int(1 << 53), Extra::Int(1 - (1 << 53))])),
            ("q\"\n".into(), "\u{1}é".into()),
        ]);
        let expected = r#"{"z":"NaN","a":["-9223372036854775808",0.5,true],"n":["9007199254740992",-9007199254740991],"q\"\n":"\u0001é"}"#;
        assert_eq!(json(&map), expected);
        assert_eq!(json(&Extra::Int(3)), r#"{"value":3}"#);
    }

    #[test]
    fn of_equal_names_the_last_counts() {
        let twice = Extra::Map(vec![
            ("a".into(), 1_u32.into()),
            ("b".into(), true.into()),
            ("a".into(), 2_u32.into()),
        ]);
        assert_eq!(json(&twice), r#"{"b":true,"a":2}"#);
    }

    #[test]
    fn a_level_adds_its_distance() {
        let mut file = Scene::default().with_extras(Extra::Map(vec![("a".into(), 1_u32.into())]));
        let memory = Budget::new(Limits::default().with_memory(1 << 20));
        fn import_data(scene: &Scene) -> Told<'_> {
            Told { scene, frames_at: None, kept: None }
        }
        let both = of_scene(&memory, Some(import_data(&file)), Some(2.5)).unwrap().unwrap();
        assert_eq!(both, r#"{"max_distance":2.5,"a":1}"#);
        file.format = "dpm".into();
        let told = of_scene(&memory, Some(import_data(&file)), None).unwrap().unwrap();
        assert_eq!(told, r#"{"meshwright":"{\"v\":1,\"format\":\"dpm\"}","a":1}"#);
        assert!(of_scene(&memory, None, Some(f32::INFINITY)).unwrap().is_none());
    }

    #[test]
    fn text_is_charged_before_it_is_made() {
        let extras = [
            Extra::Text("\u{1}".repeat(1000)),
            Extra::List(vec![Extra::Float(-1.797_693_134_862_315_7e308); 100]),
            Extra::Map(vec![("\n".repeat(50), Extra::Int(i64::MIN)); 3]),
            Extra::List(vec![Extra::List(vec![]); 100]),
        ];
        for extra in extras {
            let length = json(&extra).len();
            let memory = Budget::new(Limits::default().with_memory(1 << 20));
            extras_text(&memory, Some(&extra)).unwrap();
            assert!(length as u64 <= (1 << 20) - memory.remaining(), "{length}");
            assert!(extras_text(&Budget::new(Limits::default().with_memory(39)), Some(&extra)).is_err());
        }
    }
}
