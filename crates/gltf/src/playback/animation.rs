//! Keys and what lies between them.

use crate::math::{Quat, lerp, slerp, unit, wide};
use crate::playback::error::PlaybackError;
use crate::playback::read::Document;
use gltf_json::animation::{Interpolation, Property};
use gltf_json::validation::Checked::Valid;

/// The parts of a node's transform.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) translation: [f64; 3],
    pub(super) rotation: Quat,
    pub(super) scale: [f64; 3],
}

#[derive(Clone, Debug)]
pub(super) struct Motion {
    channels: Vec<Channel>,
}

#[derive(Clone, Debug)]
struct Channel {
    node: usize,
    times: Vec<f32>,
    step: bool,
    values: Values,
}

#[derive(Clone, Debug)]
enum Values {
    Translation(Vec<[f32; 3]>),
    Rotation(Vec<[f32; 4]>),
    Scale(Vec<[f32; 3]>),
}

pub(super) fn read(document: &Document<'_>) -> Result<Vec<Motion>, PlaybackError> {
    let mut motions = Vec::new();
    for (a, animation) in document.root.animations.iter().enumerate() {
        let mut channels = Vec::new();
        for (c, channel) in animation.channels.iter().enumerate() {
            let path = format!("animations[{a}].channels[{c}]");
            let fault = |message: &str| PlaybackError::new(path.as_str(), message);
            let sampler = animation
                .samplers
                .get(channel.sampler.value())
                .ok_or_else(|| fault("names a missing sampler"))?;
            let step = match sampler.interpolation {
                Valid(Interpolation::Linear) => false,
                Valid(Interpolation::Step) => true,
                _ => return Err(fault("cubic splines are not supported")),
            };
            let times: Vec<f32> =
                document.vectors::<1>(sampler.input, &path)?.into_iter().map(|[t]| t).collect();
            if !times.is_sorted_by(|a, b| a < b) {
                return Err(fault("times do not rise"));
            }
            let values = match channel.target.path {
                Valid(Property::Translation) => Values::Translation(document.vectors(sampler.output, &path)?),
                Valid(Property::Rotation) => Values::Rotation(document.vectors(sampler.output, &path)?),
                Valid(Property::Scale) => Values::Scale(document.vectors(sampler.output, &path)?),
                _ => return Err(fault("morph targets are not supported")),
            };
            if values.len() != times.len() {
                return Err(fault("has not one value per time"));
            }
            channels.push(Channel { node: channel.target.node.value(), times, step, values });
        }
        motions.push(Motion { channels });
    }
    Ok(motions)
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Translation(v) | Self::Scale(v) => v.len(),
            Self::Rotation(v) => v.len(),
        }
    }
}

impl Motion {
    pub(super) fn duration(&self) -> f32 {
        self.channels.iter().filter_map(|c| c.times.last()).fold(0.0, |d: f32, t| d.max(*t))
    }

    pub(super) fn targets(&self) -> impl Iterator<Item = usize> {
        self.channels.iter().map(|c| c.node)
    }

    /// Changes the parts of all nodes that move.
    pub(super) fn apply(&self, time: f32, mut change: impl FnMut(usize, &dyn Fn(&mut Parts))) {
        for channel in &self.channels {
            let Some((a, b, t)) = channel.span(time) else { continue };
            match &channel.values {
                Values::Translation(v) => {
                    let value = lerp(wide(v[a]), wide(v[b]), t);
                    change(channel.node, &|parts| parts.translation = value);
                }
                Values::Scale(v) => {
                    let value = lerp(wide(v[a]), wide(v[b]), t);
                    change(channel.node, &|parts| parts.scale = value);
                }
                Values::Rotation(v) => {
                    let of = |i: usize| unit(wide(v[i])).unwrap_or([0.0, 0.0, 0.0, 1.0]);
                    let value = slerp(of(a), of(b), t);
                    change(channel.node, &|parts| parts.rotation = value);
                }
            }
        }
    }
}

impl Channel {
    /// The keys around a time, and how far it is from the one to the other.
    fn span(&self, time: f32) -> Option<(usize, usize, f64)> {
        let last = self.times.len().checked_sub(1)?;
        let n = self.times.partition_point(|t| *t <= time);
        let Some(a) = n.checked_sub(1) else { return Some((0, 0, 0.0)) };
        if a == last || self.step {
            return Some((a, a, 0.0));
        }
        let (before, after) = (f64::from(self.times[a]), f64::from(self.times[a + 1]));
        Some((a, a + 1, (f64::from(time) - before) / (after - before)))
    }
}
