//! Converts a scene to another unit of length.

use crate::animation::motion::Motion;
use crate::convert::loss::Loss;
use crate::convert::{ConvertError, Converted};
use crate::model::Scene;
use crate::skeleton::Local;
use alloc::format;
use meshwright_core::math::narrow1;

impl Scene {
    /// Multiplies all lengths: positions, bones, clips, distances of levels. [`scale`](Self::scale) keeps
    /// the product of all factors, so that an import can divide by it. For example, 0.0254 converts units of
    /// Quake to metres.
    ///
    /// # Errors
    /// If the factor is not a positive number, or a length or the product of factors would not be finite.
    pub fn rescale(&mut self, factor: f64) -> Result<(), ConvertError> {
        if !(factor.is_finite() && factor > 0.0) {
            return Err(ConvertError::invalid("scale", "is not a positive number"));
        }
        let mut lengths = Lengths { factor, broken: false };
        lengths.one(&mut self.scale);
        lengths.broken |= self.scale == 0.0;
        for node in &mut self.nodes {
            lengths.local(&mut node.local);
        }
        for mesh in &mut self.meshes {
            lengths.each(mesh.positions.as_flattened_mut());
            for local in mesh.skin.iter_mut().flat_map(|s| &mut s.local) {
                lengths.each(&mut local.position);
            }
        }
        for joint in self.skeletons.iter_mut().flat_map(|s| &mut s.joints) {
            lengths.local(&mut joint.rest);
            lengths.each(&mut joint.inverse_bind.w);
        }
        for local in self.pose_sets.iter_mut().flat_map(|s| &mut s.locals) {
            lengths.each(&mut local.w);
        }
        for clip in &mut self.clips {
            if let Motion::Tracks(tracks) = &mut clip.motion {
                for track in tracks {
                    lengths.each(track.translation.values.as_flattened_mut());
                }
            }
        }
        for distance in self.levels.iter_mut().filter_map(|l| l.max_distance.as_mut()) {
            lengths.one(distance);
        }
        if lengths.broken {
            return Err(ConvertError::invalid("scale", "makes lengths that 32-bit floats cannot hold"));
        }
        Ok(())
    }
}

impl Converted<Scene> {
    /// Divides by the factor that the scene's lengths were multiplied with, and reports it as a note.
    ///
    /// # Errors
    /// As [`Scene::rescale`].
    pub fn unscale(&mut self) -> Result<(), ConvertError> {
        let stated = self.value.scale;
        if stated != 1.0 {
            self.value.rescale(1.0 / f64::from(stated))?;
            let message = format!("lengths were divided by {stated}, by which the export multiplied them");
            self.losses.push(Loss::note("scale-undone", "scene", message));
        }
        Ok(())
    }
}

/// The state of multiplying lengths.
struct Lengths {
    factor: f64,
    /// True if some length was finite and no longer is.
    broken: bool,
}

impl Lengths {
    fn one(&mut self, length: &mut f32) {
        let scaled = narrow1(f64::from(*length) * self.factor);
        self.broken |= length.is_finite() && !scaled.is_finite();
        *length = scaled;
    }

    fn each(&mut self, lengths: &mut [f32]) {
        lengths.iter_mut().for_each(|length| self.one(length));
    }

    fn local(&mut self, local: &mut Local) {
        match local {
            Local::Trs(t) => self.each(&mut t.translation),
            Local::Affine(m) => self.each(&mut m.w),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Affine, Channel, Clip, Influence, Joint, Level, LocalVertex, Mesh, Node, PoseSet, Skeleton,
        SkeletonId, Skin, Track, Trs,
    };
    use alloc::string::String;
    use alloc::vec;

    /// Returns a scene in which every length is 2.
    fn scene() -> Scene {
        let (at, moved) = ([2.0; 3], Affine { w: [2.0; 3], ..Affine::IDENTITY });
        let mut skin = Skin::new(SkeletonId(0));
        skin.influences.push(Influence { joint: 0, weight: 1.0 });
        skin.local.push(LocalVertex { position: at, normal: [0.0, 0.0, 1.0] });
        skin.end_vertex();
        let mesh = Mesh::new("m", vec![at], vec![]).with_normals(vec![[0.0, 1.0, 0.0]]).with_skin(skin);
        let trs = Local::Trs(Trs { translation: at, ..Trs::IDENTITY });
        let mut joint = Joint::new("j", None, trs);
        joint.inverse_bind = moved;
        let mut translation = Channel::new();
        translation.push(1.0, at);
        let track = Track { translation, ..Track::default() };
        let tracks = Clip::new("c", SkeletonId(0), 2.0, Motion::Tracks(vec![track]));
        Scene::default()
            .with_nodes(vec![Node { local: Local::Affine(moved), ..Node::default() }])
            .with_meshes(vec![mesh])
            .with_skeletons(vec![Skeleton { name: String::new(), joints: vec![joint] }])
            .with_pose_sets(vec![PoseSet { joints: 1, locals: vec![moved] }])
            .with_clips(vec![tracks])
            .with_levels(vec![Level { max_distance: Some(2.0), ..Level::default() }])
    }

    #[test]
    fn every_length_is_multiplied_and_nothing_else() {
        let mut scaled = scene();
        scaled.rescale(0.25).unwrap();
        assert_eq!(scaled.scale, 0.25);
        let text = alloc::format!("{scaled:?}");
        // Directions, weights, frames, rates and rotations do not have these values.
        assert_eq!(text.matches("0.5").count(), 3 * 7 + 1, "{text}");
        assert_eq!(text.matches("2.0").count(), 1, "the rate: {text}");
        scaled.rescale(4.0).unwrap();
        assert_eq!(scaled, scene());
    }

    #[test]
    fn what_32_bits_cannot_hold_is_refused() {
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e39, 1e-60] {
            assert!(scene().rescale(factor).is_err(), "{factor}");
        }
    }
}
