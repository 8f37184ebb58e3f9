//! The text and binary forms of a file.

use super::bcf::Bcf;
use super::bmf::Bmf;
use super::cmx::Cmx;
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

impl From<Bcf> for Cmx {
    fn from(bcf: Bcf) -> Self {
        Self::new(bcf.character)
    }
}

impl From<Cmx> for Bcf {
    fn from(cmx: Cmx) -> Self {
        Self::new(cmx.character)
    }
}
