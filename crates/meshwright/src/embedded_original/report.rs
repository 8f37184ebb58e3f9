//! The edits of a model, for people and for programs.

use meshwright_core::text::counted;
use meshwright_edit::{ClipChange, JointChange, MaterialChange, MeshChange, Part, Recovery, State};
use serde_json::{Map, Value, json};

/// Number of joints of a clip that are named.
const NAMED: usize = 6;

/// A fact about a change: its field and value in the document, and its words in a line. Either may be empty.
type Fact = Option<(&'static str, Value, String)>;

/// A part of a model, and a function that returns the facts about its change.
struct Edit<'r> {
    name: &'r str,
    state: State,
    facts: Box<dyn Fn() -> Vec<Fact> + 'r>,
}

fn edits<'r, T>(parts: &'r [Part<T>], facts: fn(&T) -> Vec<Fact>) -> Vec<Edit<'r>> {
    let edit = |Part { name, state, change }: &'r Part<T>| Edit {
        name,
        state: *state,
        facts: Box::new(move || facts(change)),
    };
    parts.iter().map(edit).collect()
}

/// Lists the edits as lines for people, one for each kind of part, with at most `most` parts of a kind by name.
///
/// Names are not escaped: see [`visible`](crate::visible).
pub fn recovery_lines(recovery: &Recovery, most: usize) -> Vec<String> {
    if recovery.is_untouched() {
        return vec!["nothing was edited".into()];
    }
    let clips = moved_alike(&recovery.clips);
    let mut lines = Vec::new();
    lines.extend(line(["mesh", "meshes"], &edits(&recovery.meshes, mesh), most));
    lines.extend(line(["joint", "joints"], &edits(&recovery.joints, joint), most));
    lines.extend(line(["clip", "clips"], &edits(&clips, |(change, more)| clip(change, *more)), most));
    lines.extend(line(["material", "materials"], &edits(&recovery.materials, material), most));
    lines
}

fn line([one, many]: [&str; 2], parts: &[Edit<'_>], most: usize) -> Option<String> {
    let mut pieces = Vec::new();
    let (mut left, mut still) = (0_usize, 0_usize);
    for Edit { name, state, facts } in parts {
        if *state == State::Untouched {
            still = still.saturating_add(1);
        } else if pieces.len() < most {
            let mut words: Vec<String> = facts().into_iter().flatten().map(|(.., words)| words).collect();
            words.retain(|words| !words.is_empty());
            let colon = if words.is_empty() { "" } else { ": " };
            pieces.push(format!("{name:?} {}{colon}{}", state.word(), words.join(", ")));
        } else {
            left = left.saturating_add(1);
        }
    }
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

fn fact(holds: bool, field: &'static str, value: impl Into<Value>, words: impl Into<String>) -> Fact {
    holds.then(|| (field, value.into(), words.into()))
}

fn renamed(name: Option<&String>) -> Fact {
    name.and_then(|name| fact(true, "renamed", name.as_str(), format!("is {name:?} now")))
}

fn mesh(change: &MeshChange) -> Vec<Fact> {
    let of = |n: usize, field, [one, many]: [&str; 2], what: &str| {
        fact(n > 0, field, n, format!("{} {what}", counted(n as u64, one, many)))
    };
    let (vertex, triangle) = (["vertex", "vertices"], ["triangle", "triangles"]);
    vec![
        of(change.moved, "moved", vertex, &format!("moved by up to {}", number(change.furthest))),
        fact(change.furthest > 0.0, "furthest", change.furthest, ""),
        of(change.normals, "normals", vertex, "with other normals"),
        of(change.uvs, "uvs", vertex, "with other texture coordinates"),
        of(change.colors, "colors", vertex, "with other colours"),
        of(change.weights, "weights", vertex, "with other weights"),
        of(change.added, "added", vertex, "new"),
        of(change.removed, "removed", vertex, "gone"),
        of(change.triangles_added, "triangles_added", triangle, "new"),
        of(change.triangles_removed, "triangles_removed", triangle, "gone"),
        fact(change.material, "material", true, "another material"),
        renamed(change.renamed.as_ref()),
        fact(change.placed, "placed", true, "stands elsewhere"),
    ]
}

fn joint(change: &JointChange) -> Vec<Fact> {
    let nearest = || change.nearest.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" or ");
    vec![
        renamed(change.renamed.as_ref()),
        fact(change.moved > 0.0, "moved", change.moved, format!("moved by {}", number(change.moved))),
        fact(change.parent, "parent", true, "has another parent"),
        fact(
            !change.nearest.is_empty(),
            "nearest",
            json!(change.nearest),
            format!("did you mean {}?", nearest()),
        ),
    ]
}

fn material(change: &MaterialChange) -> Vec<Fact> {
    vec![
        renamed(change.renamed.as_ref()),
        fact(change.color, "color", true, "another colour"),
        fact(change.picture, "picture", true, "another picture"),
    ]
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

/// Returns the facts about a clip, in which as many other clips changed alike.
fn clip(change: &ClipChange, others: usize) -> Vec<Fact> {
    let ClipChange { joints, frames, degrees, furthest, cut, .. } = change;
    let names = joints.iter().take(NAMED).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let left = joints.len().saturating_sub(NAMED);
    let more = if left > 0 { format!(" and {left} more") } else { String::new() };
    let which = match (change.throughout, frames.len()) {
        (true, _) => "all frames".to_owned(),
        (false, 1) => format!("frame {}", ranges(frames)),
        (false, _) => format!("frames {}", ranges(frames)),
    };
    let by = format!("by up to {} degrees and {}", number(*degrees), number(*furthest));
    let moved = !joints.is_empty();
    let length = change.length.unwrap_or_default();
    let alike = counted(others as u64, "other clip", "other clips");
    vec![
        renamed(change.renamed.as_ref()),
        fact(change.length.is_some(), "length", length, format!("has {length} frames now")),
        fact(moved, "joints", json!(joints), format!("{names}{more} in {which}, {by}")),
        fact(moved, "frames", json!(frames), ""),
        fact(*degrees > 0.0, "degrees", *degrees, ""),
        fact(*furthest > 0.0, "furthest", *furthest, ""),
        fact(change.says, "says", true, "has other extras, such as events"),
        fact(others > 0, "", Value::Null, format!("as in {alike}")),
        fact(*cut > 0.0, "cut", *cut, format!("its last {} s were taken from the original", number(*cut))),
    ]
}

/// Lists the edits for programs.
pub fn recovery_document(recovery: &Recovery) -> Value {
    json!({
        "untouched": recovery.is_untouched(),
        "meshes": list(&edits(&recovery.meshes, mesh)),
        "joints": list(&edits(&recovery.joints, joint)),
        "clips": list(&edits(&recovery.clips, |change| clip(change, 0))),
        "materials": list(&edits(&recovery.materials, material)),
    })
}

fn list(parts: &[Edit<'_>]) -> Value {
    let one = |part: &Edit<'_>| {
        let mut object = Map::new();
        object.insert("name".into(), part.name.into());
        object.insert("state".into(), part.state.word().into());
        for (field, value, _) in (part.facts)().into_iter().flatten() {
            object.insert(field.into(), value);
        }
        Value::Object(object)
    };
    Value::Array(parts.iter().map(one).collect())
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
