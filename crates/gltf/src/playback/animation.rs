//! Interpolates keys.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "keys whose numbers were compared when the document was read"
)]

use crate::document::{Animation, Document, Interpolation, Property};
use crate::math::{lerp, slerp, unit, wide};
use crate::playback::error::PlaybackError;
use meshwright_core::math::Trs64;

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

impl Motion {
    pub(super) fn read(
        document: &Document<'_>,
        a: usize,
        animation: &Animation<'_>,
    ) -> Result<Self, PlaybackError> {
        let mut channels = Vec::new();
        for (c, channel) in animation.channels.iter().enumerate() {
            let fault =
                |message: &str| Err(PlaybackError::new(format!("animations[{a}].channels[{c}]"), message));
            let (Some(node), Some(sampler)) = (channel.node, animation.samplers.get(channel.sampler)) else {
                continue;
            };
            let step = match sampler.interpolation {
                Interpolation::Linear => false,
                Interpolation::Step => true,
                Interpolation::CubicSpline => return fault("cubic splines are not supported"),
            };
            let times = document.read_f32::<1>(sampler.input)?.into_flattened();
            if !times.is_sorted_by(|a, b| a < b) {
                return fault("times do not rise");
            }
            let values = match channel.property {
                Property::Translation => Values::Translation(document.read_f32(sampler.output)?),
                Property::Rotation => Values::Rotation(document.read_f32(sampler.output)?),
                Property::Scale => Values::Scale(document.read_f32(sampler.output)?),
                Property::Weights | Property::Pointer => return fault("only parts of nodes are played"),
            };
            channels.push(Channel { node, times, step, values });
        }
        Ok(Self { channels })
    }

    pub(super) fn duration(&self) -> f32 {
        self.channels.iter().filter_map(|c| c.times.last()).fold(0.0, |d: f32, t| d.max(*t))
    }

    /// Changes the transforms of all animated nodes.
    pub(super) fn apply(&self, time: f32, mut change: impl FnMut(usize, &dyn Fn(&mut Trs64))) {
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
    /// Returns the keys around a time, and its position between them from 0 to 1.
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
