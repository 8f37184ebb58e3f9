//! The clip that shows a model at rest.

use crate::Scene;

/// Words of clip names that show a model at rest, the best first.
const IDLE: [&str; 3] = ["idle", "stand", "wait"];
/// Words of clip names in which a model falls.
const DEATH: [&str; 5] = ["die", "dead", "death", "dying", "kill"];

impl Scene {
    /// Returns the clip that shows the model at rest: one with a word such as `idle2`, `Standing` or `waits` in its name,
    /// in this order of preference. It never returns a clip that is named for dying. `None` means the rest pose.
    ///
    /// ```
    /// use meshwright_scene::{Clip, Motion, Scene, SkeletonId};
    /// let clip = |name| Clip::new(name, SkeletonId(0), 10.0, Motion::Tracks(Vec::new()));
    /// let scene = Scene::new("marine").with_clips(["die1", "standDead", "run", "wait", "a2o-Idle2"].map(clip).into());
    /// assert_eq!(scene.idle_clip(), Some(4));
    /// ```
    #[must_use]
    pub fn idle_clip(&self) -> Option<usize> {
        let alive = |name: &str| !DEATH.iter().any(|death| has_word(name, death));
        let named =
            |wanted: &str| self.clips.iter().position(|c| has_word(&c.name, wanted) && alive(&c.name));
        IDLE.into_iter().find_map(named)
    }
}

/// Returns whether a word of a name begins with `wanted`, which is in lower case. Words end at capitals, and at
/// characters that are not letters.
fn has_word(name: &str, wanted: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.windows(wanted.len()).enumerate().any(|(at, own)| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let starts = |first: &u8| {
            before.is_none_or(|before| {
                !before.is_ascii_alphabetic() || before.is_ascii_lowercase() && first.is_ascii_uppercase()
            })
        };
        own.eq_ignore_ascii_case(wanted.as_bytes()) && own.first().is_some_and(starts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Clip, Motion, SkeletonId};

    #[test]
    fn the_idle_clip_is_found_by_a_word_of_its_name() {
        let idle = |names: &[&str]| {
            let clip = |name: &&str| Clip::new(*name, SkeletonId(0), 10.0, Motion::Tracks(alloc::vec![]));
            Scene::new("x").with_clips(names.iter().map(clip).collect()).idle_clip()
        };
        assert_eq!(idle(&["die1", "draw", "idle", "idle2"]), Some(2));
        assert_eq!(idle(&["waiting", "STAND_1"]), Some(1));
        assert_eq!(idle(&["playerIdle"]), Some(0));
        assert_eq!(idle(&["diestand", "dead_idle", "idleDeath"]), None);
        assert_eq!(idle(&["bridle", "upstanding", "await", "walk", ""]), None);
        assert_eq!(idle(&["diet_idle"]), None, "a word that begins like one of dying counts as one");
    }
}
