//! The edits of a model, for people and for programs.

use meshwright_core::text::counted;
use meshwright_edit::{ClipChange, JointChange, MaterialChange, MeshChange, Part, Recovery, State};
use serde_json::{Map, Value, json};

/// Number of joints of a clip that are named.
const NAMED: usize = 6;

/// Lists the edits as lines for people, one for each kind of part, with at most `most` parts of a kind by name.
///
/// Names are not escaped: see [`visible`](crate::visible).
pub fn recovery_lines(recovery: &Recovery, most: usize) -> Vec<String> {
    if recovery.is_untouched() {
        return vec!["nothing was edited".into()];
    }
    let lines = [
        line("mesh", "meshes", &recovery.meshes, most, mesh),
        line("joint", "joints", &recovery.joints, most, joint),
        line("clip", "clips", &moved_alike(&recovery.clips), most, clip),
        line("material", "materials", &recovery.materials, most, material),
    ];
    lines.into_iter().flatten().collect()
}

fn line<T>(
    one: &str,
    many: &str,
    parts: &[Part<T>],
    most: usize,
    told: impl Fn(&T) -> String,
) -> Option<String> {
    let edited = || parts.iter().filter(|part| part.state != State::Untouched);
    let still = parts.len().saturating_sub(edited().count());
    let mut pieces: Vec<String> = edited()
        .take(most)
        .map(|part| {
            let change = told(&part.change);
            let change = if change.is_empty() { change } else { format!(": {change}") };
            format!("{:?} {}{change}", part.name, part.state.word())
        })
        .collect();
    let left = edited().count().saturating_sub(pieces.len());
    if left > 0 {
        pieces.push(format!("{left} more"));
    }
    if pieces.is_empty() {
        return None;
    }
    if still > 0 {
        pieces.push(format!("{} untouched", counted(still as u64, one, many)));
    }
    Some(format!("{many}: {}", pieces.join("; ")))
}

fn number(value: f64) -> String {
    format!("{}", (value * 1e6).round() / 1e6)
}

fn mesh(change: &MeshChange) -> String {
    let of =
        |n: usize, what: &str| (n > 0).then(|| format!("{} {what}", counted(n as u64, "vertex", "vertices")));
    let triangles = |n: usize, what: &str| {
        (n > 0).then(|| format!("{} {what}", counted(n as u64, "triangle", "triangles")))
    };
    let moved = || format!("moved by up to {}", number(change.furthest));
    let pieces = [
        of(change.moved, &moved()),
        of(change.normals, "with other normals"),
        of(change.uvs, "with other texture coordinates"),
        of(change.colors, "with other colours"),
        of(change.weights, "with other weights"),
        of(change.added, "new"),
        of(change.removed, "gone"),
        triangles(change.triangles_added, "new"),
        triangles(change.triangles_removed, "gone"),
        change.material.then(|| "another material".into()),
        change.renamed.as_ref().map(|name| format!("is {name:?} now")),
        change.placed.then(|| "stands elsewhere".into()),
    ];
    pieces.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn joint(change: &JointChange) -> String {
    let nearest = || change.nearest.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" or ");
    let pieces = [
        change.renamed.as_ref().map(|name| format!("is {name:?} now")),
        (change.moved > 0.0).then(|| format!("moved by {}", number(change.moved))),
        change.parent.then(|| "has another parent".into()),
        (!change.nearest.is_empty()).then(|| format!("did you mean {}?", nearest())),
    ];
    pieces.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn material(change: &MaterialChange) -> String {
    let pieces = [
        change.renamed.as_ref().map(|name| format!("is {name:?} now")),
        change.color.then(|| "another colour".into()),
        change.picture.then(|| "another picture".into()),
    ];
    pieces.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Groups clips in which the same joints changed in all frames, for example because an armature was moved. Returns the
/// first clip of each group and the number of the others.
fn moved_alike(clips: &[Part<ClipChange>]) -> Vec<Part<(ClipChange, usize)>> {
    let plain = |state: State, change: &ClipChange| {
        let ClipChange { renamed, length, says, throughout, .. } = change;
        state == State::Edited && *throughout && renamed.is_none() && length.is_none() && !says
    };
    let mut made: Vec<Part<(ClipChange, usize)>> = Vec::new();
    for Part { name, state, change } in clips {
        let alike = |other: &&mut Part<(ClipChange, usize)>| {
            plain(other.state, &other.change.0) && other.change.0.joints == change.joints
        };
        if let Some(first) = made.iter_mut().find(alike).filter(|_| plain(*state, change)) {
            let (all, more) = &mut first.change;
            all.degrees = all.degrees.max(change.degrees);
            all.furthest = all.furthest.max(change.furthest);
            *more = more.saturating_add(1);
            continue;
        }
        made.push(Part { name: name.clone(), state: *state, change: (change.clone(), 0) });
    }
    made
}

/// Joins consecutive numbers to ranges.
fn ranges(frames: &[u32]) -> String {
    let mut text = String::new();
    for run in frames.chunk_by(|a, b| a.checked_add(1) == Some(*b)) {
        let [first, .., last] = run else {
            run.iter().for_each(|one| text.push_str(&format!(", {one}")));
            continue;
        };
        text.push_str(&format!(", {first}-{last}"));
    }
    text.trim_start_matches(", ").to_owned()
}

fn clip((change, more_clips): &(ClipChange, usize)) -> String {
    let names =
        change.joints.iter().take(NAMED).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let left = change.joints.len().saturating_sub(NAMED);
    let more = if left > 0 { format!(" and {left} more") } else { String::new() };
    let frames = match (change.throughout, change.frames.len()) {
        (true, _) => "all frames".to_owned(),
        (false, 1) => format!("frame {}", ranges(&change.frames)),
        (false, _) => format!("frames {}", ranges(&change.frames)),
    };
    let others = counted(*more_clips as u64, "other clip", "other clips");
    let pieces = [
        change.renamed.as_ref().map(|name| format!("is {name:?} now")),
        change.length.map(|frames| format!("has {frames} frames now")),
        (!change.joints.is_empty()).then(|| {
            format!(
                "{names}{more} in {frames}, by up to {} degrees and {}",
                number(change.degrees),
                number(change.furthest)
            )
        }),
        change.says.then(|| "has other extras, such as events".into()),
        (*more_clips > 0).then(|| format!("as in {others}")),
        (change.cut > 0.0).then(|| format!("its last {} s were taken from the original", number(change.cut))),
    ];
    pieces.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Lists the edits for programs.
pub fn recovery_document(recovery: &Recovery) -> Value {
    json!({
        "untouched": recovery.is_untouched(),
        "meshes": list(&recovery.meshes, |c| {
            let mut fields = Map::new();
            let counts = [
                ("moved", c.moved), ("normals", c.normals), ("uvs", c.uvs), ("colors", c.colors),
                ("weights", c.weights), ("added", c.added), ("removed", c.removed),
                ("triangles_added", c.triangles_added), ("triangles_removed", c.triangles_removed),
            ];
            fields.extend(counts.into_iter().filter(|(_, n)| *n > 0).map(|(name, n)| (name.to_owned(), n.into())));
            number_of(&mut fields, "furthest", c.furthest);
            flag(&mut fields, "material", c.material);
            flag(&mut fields, "placed", c.placed);
            renamed(&mut fields, c.renamed.as_ref());
            fields
        }),
        "joints": list(&recovery.joints, |c| {
            let mut fields = Map::new();
            number_of(&mut fields, "moved", c.moved);
            flag(&mut fields, "parent", c.parent);
            renamed(&mut fields, c.renamed.as_ref());
            if !c.nearest.is_empty() {
                fields.insert("nearest".into(), json!(c.nearest));
            }
            fields
        }),
        "clips": list(&recovery.clips, |c| {
            let mut fields = Map::new();
            renamed(&mut fields, c.renamed.as_ref());
            number_of(&mut fields, "degrees", c.degrees);
            number_of(&mut fields, "furthest", c.furthest);
            number_of(&mut fields, "cut", c.cut);
            if !c.joints.is_empty() {
                fields.insert("joints".into(), json!(c.joints));
                fields.insert("frames".into(), json!(c.frames));
            }
            flag(&mut fields, "says", c.says);
            if let Some(length) = c.length {
                fields.insert("length".into(), length.into());
            }
            fields
        }),
        "materials": list(&recovery.materials, |c| {
            let mut fields = Map::new();
            renamed(&mut fields, c.renamed.as_ref());
            flag(&mut fields, "color", c.color);
            flag(&mut fields, "picture", c.picture);
            fields
        }),
    })
}

fn list<T>(parts: &[Part<T>], fields: impl Fn(&T) -> Map<String, Value>) -> Value {
    let one = |part: &Part<T>| {
        let mut object = Map::new();
        object.insert("name".into(), part.name.as_str().into());
        object.insert("state".into(), part.state.word().into());
        object.append(&mut fields(&part.change));
        Value::Object(object)
    };
    Value::Array(parts.iter().map(one).collect())
}

fn number_of(fields: &mut Map<String, Value>, name: &str, value: f64) {
    if value > 0.0 {
        fields.insert(name.into(), value.into());
    }
}

fn flag(fields: &mut Map<String, Value>, name: &str, value: bool) {
    if value {
        fields.insert(name.into(), true.into());
    }
}

fn renamed(fields: &mut Map<String, Value>, name: Option<&String>) {
    if let Some(name) = name {
        fields.insert("renamed".into(), name.as_str().into());
    }
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn frames_that_follow_each_other_are_a_range() {
        assert_eq!(ranges(&[3, 4, 5, 8, 10, 11]), "3-5, 8, 10-11");
        assert_eq!(ranges(&[]), "");
    }
}
