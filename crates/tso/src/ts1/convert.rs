//! The two forms of one mesh.

use super::bmf::Bmf;
use super::skn::Skn;

impl From<Bmf> for Skn {
    fn from(bmf: Bmf) -> Self {
        Self::new(bmf.skin, bmf.texture, bmf.geometry)
    }
}

impl From<Skn> for Bmf {
    fn from(skn: Skn) -> Self {
        Self::new(skn.skin, skn.texture, skn.geometry)
    }
}
