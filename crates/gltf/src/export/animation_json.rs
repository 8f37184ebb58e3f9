//! Animations as JSON.

use crate::export::extras::text;
use crate::export::output::Output;
use gltf_json::{Accessor, Extras, Index, Node};
use meshwright_scene::ConvertError;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// An animation while it grows: as text from the start, for channels are most of what a file with many clips says.
#[derive(Debug)]
pub(crate) struct Animation {
    name: String,
    channels: String,
    samplers: String,
    /// The samplers that exist, by their accessors.
    known: BTreeMap<(usize, usize), usize>,
}

impl Animation {
    pub(crate) fn new(out: &Output<'_>, name: &str) -> Result<Self, ConvertError> {
        out.charge_objects(1, name.len())?;
        let (channels, samplers) = (String::new(), String::new());
        Ok(Self { name: name.to_owned(), channels, samplers, known: BTreeMap::new() })
    }

    /// Adds a channel. Channels with the same times and values share a sampler, whose interpolation is linear, as it is
    /// where nothing else is said.
    pub(crate) fn channel(
        &mut self,
        out: &Output<'_>,
        (input, output): (Index<Accessor>, Index<Accessor>),
        node: Index<Node>,
        path: &str,
    ) -> Result<(), ConvertError> {
        out.charge_objects(1, 0)?;
        let (input, output, next) = (input.value(), output.value(), self.known.len());
        let sampler = *self.known.entry((input, output)).or_insert(next);
        // Writing to a string does not fail.
        if sampler == next {
            let comma = if self.samplers.is_empty() { "" } else { "," };
            let _ = write!(self.samplers, "{comma}{{\"input\":{input},\"output\":{output}}}");
        }
        let (node, comma) = (node.value(), if self.channels.is_empty() { "" } else { "," });
        let _ = write!(
            self.channels,
            "{comma}{{\"sampler\":{sampler},\"target\":{{\"node\":{node},\"path\":\"{path}\"}}}}"
        );
        Ok(())
    }

    /// Puts it behind the others.
    pub(crate) fn end(self, out: &mut Output<'_>, extras: Extras) {
        let json = &mut out.animations;
        json.push_str(if json.is_empty() { "{" } else { ",{" });
        if !self.name.is_empty() {
            json.push_str("\"name\":");
            text(json, &self.name);
            json.push(',');
        }
        let _ = write!(json, "\"channels\":[{}],\"samplers\":[{}]", self.channels, self.samplers);
        if let Some(extras) = extras {
            let _ = write!(json, ",\"extras\":{}", extras.get());
        }
        json.push('}');
    }
}
