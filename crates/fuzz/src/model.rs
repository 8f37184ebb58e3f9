//! Models made from the bytes: each is written and read, then broken and read.

use super::formats::comes_back;
use super::gauntlet;
use meshwright_bmd::{Bmd, strategy as bmds};
use meshwright_core::ReadOptions;
use meshwright_crucible::{CModel, Chunk, CrucibleOptions, Dialect, SkeletonChunk, strategy as crucibles};
use meshwright_dpm::{Dpm, Zym, strategy as dpms};
use meshwright_fsomodel::{self as fso, FsoModel, FsoOptions, Metadata, strategy as fsos};
use meshwright_scene::strategy as scenes;
use meshwright_testkit::laws::Format;
use meshwright_testkit::mutate::{Rng, mutant};
use meshwright_tso::{Anim, Bmf, Bnd, Mesh, Skel, Skn, strategy as tsos};
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::fmt::Debug;

/// What a generator makes of the first bytes, and the bytes behind them.
fn made<'b, S: Strategy>(bytes: &'b [u8], strategy: &S) -> Option<(S::Value, &'b [u8])> {
    let (seed, rest) = bytes.split_first_chunk::<16>()?;
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let tree = strategy.new_tree(&mut runner).ok()?;
    Some((tree.current(), rest))
}

/// The bytes behind those of the model say how its file is broken.
fn model<S>(bytes: &[u8], strategy: &S, format: &Format<S::Value>)
where
    S: Strategy<Value: PartialEq + Debug>,
{
    let Some((model, rest)) = made(bytes, strategy) else { return };
    format.model_round_trip(&model);
    let file = (format.to_bytes)(&model).unwrap_or_else(|e| panic!("written before, and now: {e}"));
    format.byte_round_trip("what was written", &file);
    let Some((seed, other)) = rest.split_first_chunk() else { return };
    let mut rng = Rng::new(u32::from_le_bytes(*seed).into());
    comes_back(format, &mutant(&file, other, &mut rng));
}

macro_rules! models {
    ($($name:ident: $model:ty, $strategy:expr;)+) => {
        models! { $($name: $model, $strategy, <$model>::parse_with;)+ }
    };
    ($($name:ident: $model:ty, $strategy:expr, $parse:expr;)+) => {$(
        #[doc = concat!("As `.", stringify!($name), "`.")]
        #[inline]
        pub fn $name(bytes: &[u8]) {
            let (validate, to_bytes) = (<$model>::validate, <$model>::to_bytes);
            model(bytes, &$strategy, &Format { parse_with: $parse, validate, to_bytes });
        }
    )+};
}

models! {
    bmd: Bmd, bmds::model();
    cskel: SkeletonChunk, crucibles::skeleton();
    dpm: Dpm, dpms::dpm();
    zym: Zym, dpms::zym();
    mesh: Mesh, tsos::mesh();
    skel: Skel, tsos::skel(tsos::finite());
    anim: Anim, tsos::anim(tsos::finite(), tsos::name());
    bnd: Bnd, tsos::bnd();
    bmf: Bmf, tsos::bmf();
    skn: Skn, tsos::skn();
}

models! {
    json: Metadata, fsos::metadata(), Metadata::parse_with;
}

/// Models of a dialect that the reader is told, one of three by the last byte.
macro_rules! dialects {
    ($($name:ident: $model:ident::$parse:ident, $strategy:path, $options:ident, [$($dialect:expr),+];)+) => {$(
        #[doc = concat!("As `.", stringify!($name), "`.")]
        #[inline]
        pub fn $name(bytes: &[u8]) {
            let one_of: &[fn(&[u8])] = &[$(|bytes| {
                let parse_with = |bytes: &[u8], options: &ReadOptions| {
                    let options = $options::from(*options).with_dialect($dialect);
                    $model::$parse(bytes, &options).map(|p| p.map($model::into_owned))
                };
                let (validate, to_bytes) = ($model::validate, $model::to_bytes);
                model(bytes, &$strategy($dialect), &Format { parse_with, validate, to_bytes });
            }),+];
            let Some((last, bytes)) = bytes.split_last() else { return };
            one_of[usize::from(*last) % one_of.len()](bytes);
        }
    )+};
}

dialects! {
    cmesh: Chunk::parse_with, crucibles::chunk, CrucibleOptions, [Dialect::Seed, Dialect::Tangent, Dialect::Bone32];
    cmodel: CModel::parse_with, crucibles::cmodel, CrucibleOptions, [Dialect::Seed, Dialect::Tangent, Dialect::Bone32];
    fom: FsoModel::parse_with, fsos::model, FsoOptions, [fso::Dialect::Seed44, fso::Dialect::Doc56, fso::Dialect::Gl3];
}

/// Scenes of all kinds through everything that is made of them, import by every format included.
#[inline]
pub fn scene(bytes: &[u8]) {
    if let Some((scene, _)) = made(bytes, &scenes::wild_scene()) {
        gauntlet::used(&scene);
    }
}
