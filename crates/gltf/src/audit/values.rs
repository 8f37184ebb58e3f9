//! Rules for the numbers of accessors.

use super::Findings;
use super::combined::ROTATION_NOISE;
use crate::document::rules::{
    ACCESSOR_BOUNDS_WRONG, BIND_PROJECTIVE, BUFFER_MISSING, INDEX_RANGE, INDEX_RESTART, KEY_TIMES, LIMIT,
    NOT_FINITE, VALUE_RANGE, VECTORS_SCALED,
};
use crate::document::{Accessor, ComponentType, Document};
use meshwright_core::{FieldPath, ReadError, Rule, SortedMap};

/// Largest allowed difference of a direction's length from 1: the rounding error of 8-bit components.
const DIRECTION_NOISE: f64 = 0.006_74;

/// A rule for the numbers of an accessor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Check {
    Normals,
    Tangents,
    /// Numbers from 0 to 1.
    Shares,
    Indices {
        vertices: usize,
    },
    /// Numbers from 0 on, each greater than the one before.
    Times,
    Rotations {
        spline: bool,
    },
    BindMatrices,
}

/// The rules for the numbers of each accessor.
#[derive(Debug, Default)]
pub(super) struct Checks(SortedMap<usize, Vec<Check>>);

impl Checks {
    pub(super) fn add(&mut self, accessor: usize, check: Check) {
        let checks = self.0.entry(accessor).or_default();
        if !checks.contains(&check) {
            checks.push(check);
        }
    }

    /// Checks the numbers of all accessors.
    pub(super) fn run(&self, document: &Document<'_>, findings: &mut Findings) -> Result<(), ReadError> {
        let all = FieldPath::ROOT.field("accessors");
        for (a, accessor) in document.accessors().iter().enumerate() {
            if accessor.view.is_none() && accessor.sparse.is_none() {
                continue;
            }
            let path = all.index(a);
            let checks = self.0.get(&a).map_or(&[][..], Vec::as_slice);
            let place = || document.offset_of("accessors", a);
            let mut seen = Seen::new(accessor, checks);
            let looked = document.each_number(a, &mut |elements| seen.look(elements));
            match looked {
                Ok(()) => seen.report(&path, &place, findings),
                Err(e) if e.code() == LIMIT.code => return Err(e),
                // Another check reports missing buffers.
                Err(e) if e.code() == BUFFER_MISSING.code => {}
                Err(e) => findings.push(&e),
            }
        }
        Ok(())
    }
}

/// The state of checking an accessor.
struct Seen<'s> {
    accessor: &'s Accessor,
    checks: &'s [Check],
    low: Vec<f64>,
    high: Vec<f64>,
    /// The first fault of each kind.
    faults: SortedMap<&'static str, Fault>,
    /// The index of the next element.
    next: usize,
    /// The time of the key before.
    before: f64,
}

struct Fault {
    rule: &'static Rule,
    element: usize,
    message: String,
}

impl<'s> Seen<'s> {
    fn new(accessor: &'s Accessor, checks: &'s [Check]) -> Self {
        let components = accessor.element.components();
        let (low, high) = (vec![f64::INFINITY; components], vec![f64::NEG_INFINITY; components]);
        Self { accessor, checks, low, high, faults: SortedMap::new(), next: 0, before: f64::NEG_INFINITY }
    }

    /// Returns the value of a stored number.
    fn decoded_value(&self, number: f64) -> f64 {
        match (self.accessor.normalized, self.accessor.component) {
            (true, ComponentType::U8) => number / 255.0,
            (true, ComponentType::U16) => number / 65_535.0,
            (true, ComponentType::I8) => (number / 127.0).max(-1.0),
            (true, ComponentType::I16) => (number / 32_767.0).max(-1.0),
            _ => number,
        }
    }

    fn fault(
        &mut self,
        what: &'static str,
        rule: &'static Rule,
        element: usize,
        message: &dyn Fn() -> String,
    ) {
        self.faults.entry(what).or_insert_with(|| Fault { rule, element, message: message() });
    }

    /// Checks the next elements.
    fn look(&mut self, numbers: &[f64]) {
        let components = self.low.len().max(1);
        for element in numbers.chunks_exact(components) {
            let at = self.next;
            self.next = at.saturating_add(1);
            for ((low, high), number) in self.low.iter_mut().zip(&mut self.high).zip(element) {
                *low = low.min(*number);
                *high = high.max(*number);
            }
            if let Some(odd) = element.iter().find(|number| !number.is_finite()) {
                self.fault("finite", NOT_FINITE, at, &|| format!("{odd}"));
                continue;
            }
            for check in self.checks {
                self.one(*check, at, element);
            }
        }
    }

    fn one(&mut self, check: Check, at: usize, element: &[f64]) {
        let length = |part: &[f64]| {
            part.iter().map(|c| self.decoded_value(*c) * self.decoded_value(*c)).sum::<f64>().sqrt()
        };
        match check {
            Check::Normals | Check::Tangents => {
                let direction = length(element.get(..3).unwrap_or_default());
                if (direction - 1.0).abs() > DIRECTION_NOISE {
                    self.fault("length", VECTORS_SCALED, at, &|| format!("has length {direction}"));
                }
                let sign = element.get(3).map_or(1.0, |sign| self.decoded_value(*sign));
                if sign.abs() != 1.0 {
                    self.fault("sign", VALUE_RANGE, at, &|| {
                        format!("the fourth number, {sign}, is neither 1 nor -1")
                    });
                }
            }
            Check::Shares => {
                if let Some(odd) = element.iter().find(|part| !(0.0..=1.0).contains(*part)) {
                    self.fault("share", VALUE_RANGE, at, &|| format!("{odd} is not from 0 to 1"));
                }
            }
            Check::Indices { vertices } => self.index(element.first().copied().unwrap_or(0.0), at, vertices),
            Check::Times => {
                let time = element.first().copied().unwrap_or(0.0);
                if time < 0.0 {
                    self.fault("negative", KEY_TIMES, at, &|| format!("{time} is negative"));
                } else if time <= self.before {
                    let before = self.before;
                    self.fault("rise", KEY_TIMES, at, &|| format!("{time} follows {before}"));
                }
                self.before = time;
            }
            Check::Rotations { spline } => {
                let turned = length(element);
                // The first and third of a spline's three values are tangents, of any length.
                if (!spline || at % 3 == 1) && element.len() == 4 && (turned - 1.0).abs() > ROTATION_NOISE {
                    self.fault("turned", VECTORS_SCALED, at, &|| format!("has length {turned}"));
                }
            }
            Check::BindMatrices => {
                let last = [3, 7, 11, 15].map(|i| element.get(i).copied());
                if element.len() == 16 && last != [0.0, 0.0, 0.0, 1.0].map(Some) {
                    self.fault("bind", BIND_PROJECTIVE, at, &|| {
                        format!("{:?}", last.map(|c| c.unwrap_or(0.0)))
                    });
                }
            }
        }
    }

    fn index(&mut self, index: f64, at: usize, vertices: usize) {
        #[expect(clippy::cast_precision_loss, reason = "counts of what is in memory")]
        let beyond = index >= vertices as f64;
        let restart = match self.accessor.component {
            ComponentType::U8 => 255.0,
            ComponentType::U16 => 65_535.0,
            _ => 4_294_967_295.0,
        };
        if beyond {
            self.fault("beyond", INDEX_RANGE, at, &|| format!("index {index}, of {vertices} vertices"));
        }
        if index == restart {
            self.fault("restart", INDEX_RESTART, at, &|| format!("index {index}"));
        }
    }

    /// Reports faults and wrong bounds.
    fn report(self, path: &FieldPath<'_>, place: &dyn Fn() -> u64, findings: &mut Findings) {
        for fault in self.faults.into_values() {
            findings.broken(fault.rule, &path.index(fault.element), place, fault.message);
        }
        if self.next == 0 {
            return;
        }
        // Bounds of floats are compared as floats.
        #[expect(clippy::cast_possible_truncation, reason = "that is what is compared")]
        let stated = |bound: f64| {
            if self.accessor.component == ComponentType::F32 { f64::from(bound as f32) } else { bound }
        };
        for (name, bounds, found) in
            [("min", &self.accessor.min, &self.low), ("max", &self.accessor.max, &self.high)]
        {
            let differs = |(bound, found): &(&f64, &f64)| stated(**bound) != **found;
            if let Some((bound, found)) = bounds.iter().zip(found).find(differs) {
                let message = format!("{name} is stated as {bound} and is {found}");
                findings.broken(ACCESSOR_BOUNDS_WRONG, path, place, message);
            }
        }
    }
}
