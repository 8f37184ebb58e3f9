//! Channels of an animation, whose samplers are shared.

use crate::document::{Animation, Channel, Interpolation, Property, Sampler};
use crate::export::output::Output;
use meshwright_core::SortedMap;
use meshwright_scene::ConvertError;

/// An animation while it grows.
#[derive(Debug)]
pub(crate) struct Channels {
    animation: Animation<'static>,
    /// The samplers that exist, by their accessors.
    known: SortedMap<(usize, usize), usize>,
}

impl Channels {
    pub(crate) fn new(out: &Output<'_>, name: &str, extras: Option<String>) -> Result<Self, ConvertError> {
        out.charge_objects(1, name.len())?;
        let (channels, samplers) = (Vec::new(), Vec::new());
        let animation = Animation { name: name.to_owned().into(), channels, samplers, extras };
        Ok(Self { animation, known: SortedMap::new() })
    }

    /// Adds a channel. Channels with the same times and values share a sampler.
    pub(crate) fn add(
        &mut self,
        out: &Output<'_>,
        (input, output): (usize, usize),
        node: usize,
        property: Property,
    ) -> Result<(), ConvertError> {
        out.charge_objects(1, 0)?;
        let next = self.known.len();
        let sampler = *self.known.entry((input, output)).or_insert(next);
        if sampler == next {
            self.animation.samplers.push(Sampler { input, output, interpolation: Interpolation::Linear });
        }
        self.animation.channels.push(Channel { sampler, node: Some(node), property });
        Ok(())
    }

    /// Appends it to the others.
    pub(crate) fn end(self, out: &mut Output<'_>) {
        out.tables.animations.push(self.animation);
    }
}
