//! Compares faces with their stored normals.

use super::model::Geometry;
use super::view::Owners;
use core::fmt;
use meshwright_core::F32;
use meshwright_core::math::{facing, wide};

/// The cosine of 75 degrees. In a sound file, the mean normal of a face differs less from the face. In a file whose
/// importer did not rotate normals, many differ by a right angle.
const ASKEW: f64 = 0.258_819_045_102_520_76;

/// A comparison of faces with the normals of their corners, which are wrong in many files that FreeSO wrote.
///
/// Only faces whose corners belong to one bone count: the result is the same in every pose and needs no skeleton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facing {
    /// The measured faces: their corners belong to one bone, and they are not slivers.
    pub faces: usize,
    /// Faces that differ by more than 75 degrees from the mean of their normals.
    pub askew: usize,
    /// Faces that differ by more than 90 degrees.
    pub against: usize,
    /// The first face that differs by more than 75 degrees.
    pub first: Option<usize>,
}

impl Facing {
    /// Returns true if the normals cannot belong to the faces: a face differs by more than 90 degrees, or one in a
    /// hundred by more than 75.
    pub const fn disagrees(&self) -> bool {
        self.against > 0 || self.askew.saturating_mul(100) > self.faces
    }
}

impl fmt::Display for Facing {
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = 100.0 * self.askew as f64 / self.faces.max(1) as f64;
        let (askew, faces, against) = (self.askew, self.faces, self.against);
        write!(
            f,
            "{askew} of {faces} faces ({share:.1} %) are more than 75 degrees off their normals, {against} face the \
             opposite way"
        )
    }
}

impl Geometry {
    /// Compares the faces with the normals of their corners.
    pub fn facing(&self) -> Facing {
        self.facing_of(&self.owners())
    }

    pub(crate) fn facing_of(&self, owners: &Owners) -> Facing {
        let mut all = Facing::default();
        let real =
            |v: u32| usize::try_from(v).ok().and_then(|v| Some((self.real.get(v)?, *owners.real.get(v)?)));
        for (i, [a, b, c]) in self.sound_faces() {
            let (Some(a), Some(b), Some(c)) = (real(a), real(b), real(c)) else { continue };
            if a.1 != b.1 || b.1 != c.1 {
                continue;
            }
            let corners = [a.0, b.0, c.0];
            let positions = corners.map(|v| wide(v.position.map(F32::get)));
            let Some(cosine) = facing(positions, corners.map(|v| wide(v.normal.map(F32::get)))) else {
                continue;
            };
            all.faces = all.faces.saturating_add(1);
            if cosine < ASKEW {
                all.askew = all.askew.saturating_add(1);
                all.against = all.against.saturating_add(usize::from(cosine < 0.0));
                all.first.get_or_insert(i);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Binding, RealVertex};
    use alloc::string::ToString;
    use alloc::vec::Vec;
    use meshwright_core::f32s;

    /// Returns a fan of faces in the plane z = 0, counter-clockwise seen from +Z. The faces share no vertices.
    fn fan(normals: &[[f32; 3]]) -> Geometry {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(f32s);
        let vertex = |(position, normal): ([F32; 3], [f32; 3])| RealVertex {
            position,
            normal: f32s(normal),
            ..RealVertex::default()
        };
        let real: Vec<_> = normals.iter().flat_map(|n| corners.map(|p| (p, *n))).map(vertex).collect();
        let count = u32::try_from(real.len()).unwrap();
        Geometry {
            bones: ["A".into()].into(),
            faces: (0..count / 3).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect(),
            bindings: [Binding { real_count: count, ..Binding::default() }].into(),
            real,
            ..Geometry::default()
        }
    }

    #[test]
    fn stored_normals_are_held_against_the_faces() {
        let (up, side, down) = ([0.0, 0.0, 3.0], [0.0, 3.0, 0.0], [0.0, 0.0, -3.0]);
        let sound = fan(&[up, up, [0.0, 0.6, 0.8]]).facing();
        assert_eq!((sound.faces, sound.askew, sound.disagrees()), (3, 0, false));
        let odd = fan(&[up, side, down, up]).facing();
        assert_eq!((odd.faces, odd.askew, odd.against, odd.first), (4, 2, 1, Some(1)));
        assert!(odd.disagrees());
        assert_eq!(
            odd.to_string(),
            "2 of 4 faces (50.0 %) are more than 75 degrees off their normals, 1 face the opposite way"
        );
        let mut few = alloc::vec![up; 100];
        few.push(side);
        assert!(!fan(&few).facing().disagrees());
        few.push(down);
        assert!(fan(&few).facing().disagrees());
    }

    #[test]
    fn faces_between_bones_say_nothing() {
        let mut split = fan(&[[0.0, 0.0, -1.0]]);
        split.bones.push("B".into());
        split.bindings = [
            Binding { real_count: 2, ..Binding::default() },
            Binding { bone: 1, first_real: 2, real_count: 1, ..Binding::default() },
        ]
        .into();
        assert_eq!(split.facing(), Facing::default());
    }
}
