//! Models made from the bytes: each is written and read, then broken and read.

use super::bytes::Round;
use super::exercise;
use meshwright::{Kind, ReadOptions, Visitor};
use meshwright_testkit::laws::{Laws, laws_with};
use meshwright_testkit::mutate::{Rng, mutant};
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Generates a value from the first bytes, and returns it with the remaining bytes.
fn generate<'b, S: Strategy>(bytes: &'b [u8], strategy: &S) -> Option<(S::Value, &'b [u8])> {
    let (seed, rest) = bytes.split_first_chunk::<16>()?;
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let tree = strategy.new_tree(&mut runner).ok()?;
    Some((tree.current(), rest))
}

/// Checks the laws of a generated model. The bytes after those of the model decide how its file is damaged.
fn model<K: Kind, O: Fn(ReadOptions) -> K::Options>(
    bytes: &[u8],
    strategy: &impl Strategy<Value = K>,
    laws: &Laws<K, O>,
) {
    let Some((model, rest)) = generate(bytes, strategy) else { return };
    laws.model_round_trip(&model);
    let file = model.to_bytes().unwrap_or_else(|e| panic!("written before, and now: {e}"));
    laws.byte_round_trip("what was written", &file);
    let Some((seed, other)) = rest.split_first_chunk() else { return };
    let mut rng = Rng::new(u32::from_le_bytes(*seed).into());
    K::FORMAT.visit(Round(&mutant(&file, other, &mut rng)));
}

/// A model of a kind of file, of one of its strategies by the last byte.
pub(crate) struct Model<'b>(pub(crate) &'b [u8]);

impl Visitor for Model<'_> {
    type Output = ();

    fn visit<K: Kind>(self) {
        let strategies = K::strategies();
        let Some((last, bytes)) = self.0.split_last() else { return };
        let (dialect, strategy) = &strategies[usize::from(*last) % strategies.len()];
        let options = |read: ReadOptions| {
            let mut settings = meshwright::ReadSettings::from(read);
            settings.dialect = *dialect;
            K::options(&settings)
        };
        model(bytes, strategy, &laws_with(options));
    }
}

/// Scenes of all kinds through everything that is made of them, conversion into every format included.
pub(crate) fn scene(bytes: &[u8]) {
    if let Some((scene, _)) = generate(bytes, &meshwright::scene::strategy::wild_scene()) {
        exercise::used(&scene);
    }
}
