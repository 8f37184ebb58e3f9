//! Bytes as a model with its companions, through everything that can be done with one.

use super::gauntlet::{self, Subject};
use meshwright::Format;

macro_rules! scenes {
    ($($name:ident: $format:ident;)+) => {$(
        #[doc = concat!("As `.", stringify!($name), "`.")]
        #[inline]
        pub fn $name(bytes: &[u8]) {
            gauntlet::run(&Subject::split(Format::$format, bytes));
        }
    )+};
}

scenes! {
    bmd: Bmd;
    cmesh: CrucibleMesh;
    cmodel: CrucibleModel;
    cskel: CrucibleSkeleton;
    dpm: Dpm;
    zym: Zym;
    fom: Fso;
    mesh: TsoMesh;
    skel: TsoSkeleton;
    anim: TsoAnimation;
    bmf: Bmf;
    skn: Skn;
}
