//! Joints and their bind pose.

pub(crate) mod bind;
pub(crate) mod join_skeletons;
mod tags;
pub(crate) mod unscaled;

use crate::model::extra::Extra;
use crate::model::ids::MeshId;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::{Affine, Affine64, Trs, Trs64};

/// A transform relative to a parent, in the form that its format stores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Local {
    /// Translation, rotation, scale.
    Trs(Trs),
    /// Any affine matrix.
    Affine(Affine),
}

impl Default for Local {
    fn default() -> Self {
        Self::Trs(Trs::IDENTITY)
    }
}

impl Local {
    /// Returns the transform as a matrix.
    #[must_use]
    pub fn to_affine(&self) -> Affine {
        match self {
            Self::Trs(t) => t.to_affine(),
            Self::Affine(m) => *m,
        }
    }

    /// Returns the transform as a matrix in 64 bits.
    #[must_use]
    pub fn to_affine64(&self) -> Affine64 {
        match self {
            Self::Trs(t) => t.wide().to_affine(),
            Self::Affine(m) => m.wide(),
        }
    }

    /// Returns the transform as translation, rotation and scale in 64 bits, without shear.
    #[must_use]
    pub fn to_trs64(&self) -> Trs64 {
        match self {
            Self::Trs(t) => t.wide(),
            Self::Affine(m) => Trs64::from_affine(&m.wide()),
        }
    }
}

/// One bone.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The name, which need not be unique.
    pub name: String,
    /// The index of the parent joint. Parents may come after their children.
    pub parent: Option<usize>,
    /// The transform relative to the parent in the rest pose.
    pub rest: Local,
    /// The matrix from model space in the bind pose to the joint's space; the identity if that pose cannot
    /// be inverted.
    pub inverse_bind: Affine,
    /// The joints that this joint follows, with weights: its matrix is the weighted mean of their
    /// model-space matrices. Empty if the joint has its own pose.
    pub follows: Vec<(usize, f32)>,
    /// The mesh that bounds the joint, for collisions. The whole mesh moves with the joint, whether it is
    /// drawn or not. Its positions are in model space in the bind pose, like those of a mesh that is bound
    /// only to this joint.
    pub solid: Option<MeshId>,
    /// Native fields.
    pub extras: Option<Extra>,
}

impl Joint {
    /// Returns a joint whose bind matrix is the identity.
    pub fn new(name: impl Into<String>, parent: Option<usize>, rest: Local) -> Self {
        Self {
            name: name.into(),
            parent,
            rest,
            inverse_bind: Affine::IDENTITY,
            follows: Vec::new(),
            solid: None,
            extras: None,
        }
    }
}

/// A tree of joints, or several trees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    /// The skeleton's name.
    pub name: String,
    /// Joints in the file's order.
    pub joints: Vec<Joint>,
}

impl Skeleton {
    /// Returns the joints; parents, and joints that another follows, come first. `None` if they form a cycle
    /// or refer to a missing joint.
    pub fn order(&self) -> Option<Vec<usize>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let n = self.joints.len();
        let mut marks = alloc::vec![Mark::New; n];
        let mut order = Vec::with_capacity(n);
        let mut stack = Vec::new();
        for start in 0..n {
            stack.push(start);
            while let Some(&at) = stack.last() {
                let joint = self.joints.get(at)?;
                match marks.get(at)? {
                    Mark::Done => {
                        stack.pop();
                    }
                    Mark::Open => {
                        *marks.get_mut(at)? = Mark::Done;
                        order.push(at);
                        stack.pop();
                    }
                    Mark::New => {
                        *marks.get_mut(at)? = Mark::Open;
                        for before in joint.parent.iter().chain(joint.follows.iter().map(|(j, _)| j)) {
                            match marks.get(*before)? {
                                Mark::Open => return None,
                                Mark::New => stack.push(*before),
                                Mark::Done => {}
                            }
                        }
                    }
                }
            }
        }
        Some(order)
    }

    /// Converts local matrices to model space. `None` as in [`order`](Self::order), or if the number of
    /// matrices differs from the number of joints.
    pub fn to_model(&self, locals: &[Affine]) -> Option<Vec<Affine>> {
        if locals.len() != self.joints.len() {
            return None;
        }
        let mut model = locals.to_vec();
        for i in self.order()? {
            let joint = self.joints.get(i)?;
            let matrix = if joint.follows.is_empty() {
                match joint.parent {
                    Some(p) => model.get(p)?.after(locals.get(i)?),
                    None => *locals.get(i)?,
                }
            } else {
                mean(joint.follows.iter().filter_map(|&(j, w)| Some((model.get(j)?, w))))
            };
            *model.get_mut(i)? = matrix;
        }
        Some(model)
    }

    /// Returns the rest pose in model space; `None` as in [`to_model`](Self::to_model).
    pub fn rest_model(&self) -> Option<Vec<Affine>> {
        let locals: Vec<_> = self.joints.iter().map(|j| j.rest.to_affine()).collect();
        self.to_model(&locals)
    }

    /// Makes the rest pose the bind pose. Returns the joints whose matrix cannot be inverted; they get the
    /// identity as bind matrix. `None` as in [`to_model`](Self::to_model).
    pub fn bind_rest(&mut self) -> Option<Vec<usize>> {
        let model = self.rest_model()?;
        let mut singular = Vec::new();
        for (i, (joint, m)) in self.joints.iter_mut().zip(&model).enumerate() {
            joint.inverse_bind = m.inverse().unwrap_or_else(|| {
                singular.push(i);
                Affine::IDENTITY
            });
        }
        Some(singular)
    }
}

/// Returns the weighted mean of matrices; the identity if the weights sum to zero.
fn mean<'a>(parts: impl Iterator<Item = (&'a Affine, f32)>) -> Affine {
    let (mut sum, mut total) = ([0.0_f64; 12], 0.0_f64);
    for (m, w) in parts {
        let w = f64::from(w);
        for (s, c) in sum.iter_mut().zip(m.to_array()) {
            *s += w * f64::from(c);
        }
        total += w;
    }
    if total == 0.0 {
        return Affine::IDENTITY;
    }
    #[expect(clippy::cast_possible_truncation, reason = "rounded to the stored precision")]
    let [a, b, c, d, e, f, g, h, i, j, k, l] = sum.map(|s| (s / total) as f32);
    Affine { x: [a, b, c], y: [d, e, f], z: [g, h, i], w: [j, k, l] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn joint(parent: Option<usize>, x: f32) -> Joint {
        let rest = Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY };
        Joint::new("j", parent, Local::Trs(rest))
    }

    #[test]
    fn parents_may_come_later() {
        let s = Skeleton {
            name: String::new(),
            joints: vec![joint(Some(2), 1.0), joint(Some(0), 1.0), joint(None, 1.0)],
        };
        assert_eq!(s.order().unwrap(), [2, 0, 1]);
        assert_eq!(s.rest_model().unwrap()[1].w, [3.0, 0.0, 0.0]);
    }

    #[test]
    fn cycles_and_strangers_are_refused() {
        let cycle = Skeleton { name: String::new(), joints: vec![joint(Some(1), 0.0), joint(Some(0), 0.0)] };
        assert_eq!(cycle.order(), None);
        let own = Skeleton { name: String::new(), joints: vec![joint(Some(0), 0.0)] };
        assert_eq!(own.order(), None);
        let stranger = Skeleton { name: String::new(), joints: vec![joint(Some(7), 0.0)] };
        assert_eq!(stranger.order(), None);
    }

    #[test]
    fn a_deep_chain_needs_no_stack() {
        let joints =
            (0..200_000_usize).map(|i| joint(i.checked_add(1).filter(|p| *p < 200_000), 0.0)).collect();
        let s = Skeleton { name: String::new(), joints };
        assert_eq!(s.order().unwrap().first(), Some(&199_999));
    }

    #[test]
    fn a_follower_takes_the_mean() {
        let mut s = Skeleton {
            name: String::new(),
            joints: vec![joint(None, 2.0), joint(None, 4.0), joint(None, 0.0)],
        };
        s.joints[2].follows = vec![(0, 1.0), (1, 3.0)];
        assert_eq!(s.rest_model().unwrap()[2].w, [3.5, 0.0, 0.0]);
    }
}
