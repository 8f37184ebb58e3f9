//! Models made from the bytes: each is written and read, then broken and read.

use super::bytes::Round;
use super::exercise;
use meshwright::{Format, Kind, ReadOptions};
use meshwright_testkit::laws::{Laws, laws, laws_with};
use meshwright_testkit::mutate::{Rng, mutant};
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// What a generator makes of the first bytes, and the bytes behind them.
fn made<'b, S: Strategy>(bytes: &'b [u8], strategy: &S) -> Option<(S::Value, &'b [u8])> {
    let (seed, rest) = bytes.split_first_chunk::<16>()?;
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let tree = strategy.new_tree(&mut runner).ok()?;
    Some((tree.current(), rest))
}

/// The bytes behind those of the model say how its file is broken.
fn model<K: Kind, O: Fn(ReadOptions) -> K::Options>(
    bytes: &[u8],
    strategy: &impl Strategy<Value = K>,
    laws: &Laws<K, O>,
) {
    let Some((model, rest)) = made(bytes, strategy) else { return };
    laws.model_round_trip(&model);
    let file = model.to_bytes().unwrap_or_else(|e| panic!("written before, and now: {e}"));
    laws.byte_round_trip("what was written", &file);
    let Some((seed, other)) = rest.split_first_chunk() else { return };
    let mut rng = Rng::new(u32::from_le_bytes(*seed).into());
    K::FORMAT.visit(Round(&mutant(&file, other, &mut rng)));
}

/// Models of a setting that is insisted on, one of its values by the last byte.
fn settled<K: Kind, S: Strategy<Value = K>>(bytes: &[u8], strategies: &[(&'static str, S)]) {
    let Some((last, bytes)) = bytes.split_last() else { return };
    let (value, strategy) = &strategies[usize::from(*last) % strategies.len()];
    let options = |read: ReadOptions| {
        let mut options = K::Options::from(read);
        assert!(K::set(&mut options, "dialect", value), "no dialect {value}");
        options
    };
    model(bytes, strategy, &laws_with(options));
}

/// A model of a kind of file.
pub(crate) fn run(format: Format, bytes: &[u8]) {
    use meshwright_bmd::strategy as bmds;
    use meshwright_crucible::{self as crucible, strategy as crucibles};
    use meshwright_dpm::strategy as dpms;
    use meshwright_fsomodel::{self as fso, strategy as fsos};
    use meshwright_tso::strategy as tsos;
    match format {
        Format::Bmd => model(bytes, &bmds::model(), &laws()),
        Format::CrucibleMesh => {
            settled(bytes, &crucible::Dialect::ALL.map(|d| (d.name(), crucibles::chunk(d))));
        }
        Format::CrucibleModel => {
            settled(bytes, &crucible::Dialect::ALL.map(|d| (d.name(), crucibles::cmodel(d))));
        }
        Format::CrucibleSkeleton => model(bytes, &crucibles::skeleton(), &laws()),
        Format::Dpm => model(bytes, &dpms::dpm(), &laws()),
        Format::Zym => model(bytes, &dpms::zym(), &laws()),
        Format::Fso => settled(bytes, &fso::Dialect::ALL.map(|d| (d.name(), fsos::model(d)))),
        Format::FsoMetadata => model(bytes, &fsos::metadata(), &laws()),
        Format::TsoMesh => model(bytes, &tsos::mesh(), &laws()),
        Format::TsoSkeleton => model(bytes, &tsos::skel(tsos::finite()), &laws()),
        Format::TsoAnimation => model(bytes, &tsos::anim(tsos::finite(), tsos::name()), &laws()),
        Format::TsoBinding => model(bytes, &tsos::bnd(), &laws()),
        Format::Bmf => model(bytes, &tsos::bmf(), &laws()),
        Format::Skn => model(bytes, &tsos::skn(), &laws()),
        _ => panic!("nothing makes models of kind {format}"),
    }
}

/// Scenes of all kinds through everything that is made of them, conversion into every format included.
pub(crate) fn scene(bytes: &[u8]) {
    if let Some((scene, _)) = made(bytes, &meshwright_scene::strategy::wild_scene()) {
        exercise::used(&scene);
    }
}
