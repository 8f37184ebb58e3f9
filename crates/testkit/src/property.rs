//! Properties that share one runner.
//!
//! proptest compiles its runner for each property: 2,500 lines for LLVM. Here a test and the values that it gets become a [`Case`],
//! so that all properties have the same type.

use proptest::prelude::{BoxedStrategy, ProptestConfig, Strategy};
use proptest::test_runner::{TestCaseResult, TestRunner, contextualize_config};
use std::fmt::{self, Debug};

/// A test with the values that were drawn for it.
pub trait Case: Debug {
    /// Runs the test.
    ///
    /// # Errors
    /// If the property does not hold, or the test rejects the values.
    fn run(self: Box<Self>) -> TestCaseResult;
}

struct Drawn<V, F> {
    names: &'static str,
    values: V,
    test: F,
}

impl<V: Debug, F> Debug for Drawn<V, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {:?}", self.names, self.values)
    }
}

impl<V: Debug, F: FnOnce(V) -> TestCaseResult> Case for Drawn<V, F> {
    fn run(self: Box<Self>) -> TestCaseResult {
        (self.test)(self.values)
    }
}

/// Returns the cases of a property. `names` are those of the values.
pub fn cases<S: Strategy + 'static>(
    names: &'static str,
    values: S,
    test: impl Fn(S::Value) -> TestCaseResult + Copy + 'static,
) -> BoxedStrategy<Box<dyn Case>>
where
    S::Value: 'static,
{
    values.prop_map(move |values| Box::new(Drawn { names, values, test }) as Box<dyn Case>).boxed()
}

/// Runs a property: the name of the test, its file, and its cases.
///
/// # Panics
/// If a case fails. The message shows the smallest that was found.
pub fn run(
    config: ProptestConfig,
    name: &'static str,
    file: &'static str,
    cases: &BoxedStrategy<Box<dyn Case>>,
) {
    let mut config = contextualize_config(config);
    config.test_name = Some(name);
    config.source_file = config.source_file.or(Some(file));
    let mut runner = TestRunner::new(config);
    if let Err(e) = runner.run(cases, Case::run) {
        panic!("{e}\n{runner}");
    }
}

/// Declares properties as `proptest::proptest!` does, but with one runner for all of them.
#[macro_export]
macro_rules! proptest {
    (#![proptest_config($config:expr)] $($(#[$meta:meta])* fn $name:ident($($values:tt)+) $body:block)*) => {$(
        $(#[$meta])*
        fn $name() {
            $crate::proptest!(@values $config, $name, $body, [], [], $($values)+);
        }
    )*};
    (@values $config:expr, $name:ident, $body:block, [$($value:pat,)*], [$($from:expr,)*] $(,)?) => {
        $crate::property::run(
            $config,
            concat!(module_path!(), "::", stringify!($name)),
            file!(),
            &$crate::property::cases(stringify!($($value),*), ($($from,)*), |($($value,)*)| {
                let () = $body;
                Ok(())
            }),
        )
    };
    (@values $config:expr, $name:ident, $body:block, [$($values:tt)*], [$($from:tt)*],
        $value:pat in $more:expr $(, $($rest:tt)*)?) => {
        $crate::proptest!(@values $config, $name, $body, [$($values)* $value,], [$($from)* $more,], $($($rest)*)?)
    };
    (@values $config:expr, $name:ident, $body:block, [$($values:tt)*], [$($from:tt)*],
        $value:ident: $kind:ty $(, $($rest:tt)*)?) => {
        $crate::proptest!(@values $config, $name, $body,
            [$($values)* $value,], [$($from)* ::proptest::prelude::any::<$kind>(),], $($($rest)*)?)
    };
    ($($properties:tt)*) => {
        $crate::proptest! {
            #![proptest_config(::proptest::prelude::ProptestConfig::default())]
            $($properties)*
        }
    };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    crate::proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        #[should_panic(expected = "value, other = (10, 0)")]
        fn the_smallest_failure_is_shown(value in 0_u32..1000, other: u8) {
            prop_assert!(value < 10, "{other}");
        }

        #[test]
        fn rejected_values_are_drawn_again(value in 0..10) {
            prop_assume!(value > 3);
            prop_assert!(value > 3);
        }
    }
}
