//! Motion that the animation of a clip cannot hold.

use meshwright_scene::Loss;

/// Counts of one clip.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) sheared: usize,
    pub(crate) shear: f64,
    pub(crate) turned: f64,
    pub(crate) nudged: usize,
    pub(crate) unit: usize,
    pub(crate) replaced: usize,
    pub(crate) cut: usize,
}

impl Tally {
    pub(crate) fn report(&self, path: &str, losses: &mut Vec<Loss>) {
        if self.sheared > 0 {
            let loss = Loss::new("joint-shear", path, "joints shear, which glTF cannot express");
            let loss = loss
                .with_count(self.sheared, "pose of a joint", "poses of joints")
                .with_amount(self.shear, "of their size");
            losses.push(loss.noise_below(Loss::NOISE));
        }
        if self.turned > 0.0 {
            let message = "glTF interpolates rotations between keys differently";
            losses.push(Loss::new("interpolation", path, message).with_amount(self.turned, "degrees"));
        }
        if self.nudged > 0 {
            let loss =
                Loss::new("key-times", path, "keys moved to the next time that 32 bits can distinguish");
            losses.push(loss.with_count(self.nudged, "key", "keys"));
        }
        if self.unit > 0 {
            let loss = Loss::note("rotations-scaled", path, "rotations were scaled to length 1");
            losses.push(loss.with_count(self.unit, "key", "keys"));
        }
        if self.replaced > 0 {
            let message = "channels were replaced by later channels of the same joint";
            let loss = Loss::new("channels-replaced", path, message);
            losses.push(loss.with_count(self.replaced, "channel", "channels"));
        }
        if self.cut > 0 {
            let loss = Loss::new("keys-cut", path, "keys after the last frame were dropped");
            losses.push(loss.with_count(self.cut, "key", "keys"));
        }
    }
}
