//! The losses of a conversion, and its decisions.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};
use meshwright_core::Order as _;
use meshwright_core::SortedMap;
use meshwright_core::text::counted;

/// The kind of a report: dropped data, or a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LossKind {
    /// The result does not hold some data of the source, or not exactly.
    #[default]
    Loss,
    /// Nothing is missing: the source was ambiguous, several results are equally correct, or the difference
    /// is less than the exporter's rounding.
    Note,
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loss => "lost",
            Self::Note => "note",
        })
    }
}

/// Data of the source that the result does not hold, or a decision of the conversion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Loss {
    /// A loss or a note.
    pub kind: LossKind,
    /// A stable code in kebab case.
    pub code: &'static str,
    /// The field path in the source.
    pub path: String,
    /// The dropped data or the decision, in one line. It excludes count and amount if these have their own
    /// fields.
    pub message: String,
    /// The number of affected items; 1 unless stated.
    pub count: u64,
    /// The names of one item and of several items; empty if the message names them.
    pub items: [&'static str; 2],
    /// The size of the loss, if it can be measured: the maximum over all items.
    pub amount: Option<f64>,
    /// The unit of the amount, or the whole that it is a part of: `degrees`, `of the weight`.
    pub unit: &'static str,
    /// True if the extras of the scene hold the data, if extras are requested.
    pub in_extras: bool,
}

impl Loss {
    /// The rounding error that exporters of 32-bit files leave in a share, a length or a sum that should be
    /// exact.
    pub const NOISE: f64 = 1.0e-4;

    /// The separator between a message and its details. The text of a [group](LossGroup) omits the details.
    pub const DETAILS: &'static str = "; looked for: ";

    /// Returns the message without its details.
    #[must_use]
    pub fn brief(&self) -> &str {
        self.message.split(Self::DETAILS).next().unwrap_or_default()
    }

    /// Returns a loss.
    pub fn new(code: &'static str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind: LossKind::Loss,
            code,
            path: path.into(),
            message: message.into(),
            count: 1,
            items: [""; 2],
            amount: None,
            unit: "",
            in_extras: false,
        }
    }

    /// Returns a note.
    pub fn note(code: &'static str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind: LossKind::Note, ..Self::new(code, path, message) }
    }

    /// Sets the number of affected items. The message names them.
    #[must_use]
    pub fn counted(mut self, count: usize) -> Self {
        self.count = count as u64;
        self
    }

    /// Sets the number of affected items, with the names of one and of several.
    ///
    /// ```
    /// # use meshwright_scene::Loss;
    /// let loss = Loss::new("bones-dropped", "bones", "bones have no scale").with_count(2, "bone", "bones");
    /// assert_eq!(loss.to_string(), "bones: bones have no scale (2 bones) [bones-dropped]");
    /// ```
    #[must_use]
    pub fn with_count(self, count: usize, one: &'static str, several: &'static str) -> Self {
        Self { items: [one, several], ..self.counted(count) }
    }

    /// Sets the amount and its unit.
    #[must_use]
    pub const fn with_amount(mut self, amount: f64, unit: &'static str) -> Self {
        self.amount = Some(amount);
        self.unit = unit;
        self
    }

    /// Makes it a note if the amount is at most `most`, the rounding error of an exporter.
    #[must_use]
    pub fn noise_below(mut self, most: f64) -> Self {
        if self.amount.is_some_and(|amount| amount <= most) {
            self.kind = LossKind::Note;
        }
        self
    }

    /// Marks that the extras of the scene hold the data, if extras are requested.
    #[must_use]
    pub const fn kept_in_extras(mut self) -> Self {
        self.in_extras = true;
        self
    }

    /// Returns true if nothing is lost.
    #[must_use]
    pub fn is_note(&self) -> bool {
        self.kind == LossKind::Note
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        Measure { count: self.count, items: self.items, amount: self.amount, unit: self.unit, most: false }
            .fmt(f)?;
        write!(f, " [{}]", self.code)
    }
}

/// Losses of one kind and code, to be reported together.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LossGroup<'l> {
    /// The losses, in their order; at least one.
    pub losses: Vec<&'l Loss>,
}

impl<'l> LossGroup<'l> {
    /// The number of losses in the text of a group.
    const SHOWN: usize = 3;

    /// Groups losses by kind and code: losses before notes, otherwise in the order of their first
    /// occurrence.
    pub fn all(losses: &'l [Loss]) -> Vec<Self> {
        let mut places = SortedMap::new();
        let mut groups: Vec<Self> = Vec::new();
        for loss in losses {
            let place = *places.entry((loss.kind, loss.code)).or_insert(groups.len());
            match groups.get_mut(place) {
                Some(group) => group.losses.push(loss),
                None => groups.push(Self { losses: alloc::vec![loss] }),
            }
        }
        groups.order_by_key(Self::kind);
        groups
    }

    /// Returns the kind: losses or notes.
    pub fn kind(&self) -> LossKind {
        self.losses.first().map(|loss| loss.kind).unwrap_or_default()
    }

    /// Returns their code.
    pub fn code(&self) -> &'static str {
        self.losses.first().map_or("", |loss| loss.code)
    }

    /// Returns the total number of affected items.
    pub fn count(&self) -> u64 {
        self.losses.iter().fold(0, |sum: u64, loss| sum.saturating_add(loss.count))
    }

    /// Returns true if the extras of the scene hold all of the data, if extras are requested.
    pub fn in_extras(&self) -> bool {
        self.losses.iter().all(|loss| loss.in_extras)
    }

    /// Returns true if the text of the group omits losses.
    pub fn is_cut(&self) -> bool {
        self.losses.len() > Self::SHOWN || self.losses.iter().any(|loss| loss.brief() != loss.message)
    }

    /// Returns true if all have the same message, with different paths.
    fn is_uniform(&self) -> bool {
        let said = |loss: &'l Loss| (&loss.message, loss.items, loss.unit);
        let mut all = self.losses.iter().map(|loss| said(loss));
        let first = all.next();
        all.all(|other| Some(other) == first)
    }
}

/// Displays, for example, `meshes[0], meshes[1]: normals without direction point up (3 normals)`.
impl fmt::Display for LossGroup<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shown, more) = self.losses.split_at_checked(Self::SHOWN).unwrap_or((&self.losses, &[]));
        let Some(first) = shown.first() else { return Ok(()) };
        if !self.is_uniform() {
            for (i, loss) in shown.iter().enumerate() {
                let before = if i > 0 { "; " } else { "" };
                let path = if loss.path.is_empty() { "" } else { ": " };
                write!(f, "{before}{}{path}{}", loss.path, loss.brief())?;
                let (count, items) = (loss.count, loss.items);
                Measure { count, items, amount: loss.amount, unit: loss.unit, most: false }.fmt(f)?;
            }
            return if more.is_empty() { Ok(()) } else { write!(f, "; and {} more", more.len()) };
        }
        let mut paths = shown.iter().map(|loss| &*loss.path).filter(|path| !path.is_empty());
        if let Some(path) = paths.next() {
            f.write_str(path)?;
            paths.try_for_each(|path| write!(f, ", {path}"))?;
            if !more.is_empty() {
                write!(f, " and {} more", more.len())?;
            }
            f.write_str(": ")?;
        }
        f.write_str(first.brief())?;
        let amounts = self.losses.iter().filter_map(|loss| loss.amount);
        let amount = amounts.fold(None, |most: Option<f64>, a| Some(most.map_or(a, |m| m.max(a))));
        let most = self.losses.len() > 1;
        Measure { count: self.count(), items: first.items, amount, unit: first.unit, most }.fmt(f)
    }
}

/// Displays, for example, ` (3 normals, at most 0.4 degrees)`; empty if nothing is known.
struct Measure {
    count: u64,
    items: [&'static str; 2],
    amount: Option<f64>,
    unit: &'static str,
    most: bool,
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        if let [one, several] = self.items
            && !one.is_empty()
        {
            text.push_str(&counted(self.count, one, several));
        }
        if let Some(amount) = self.amount {
            let comma = if text.is_empty() { "" } else { ", " };
            let most = if self.most || self.count > 1 { "at most " } else { "" };
            let space = if self.unit.is_empty() { "" } else { " " };
            write!(text, "{comma}{most}{}{space}{}", Short(amount), self.unit)?;
        }
        if text.is_empty() { Ok(()) } else { write!(f, " ({text})") }
    }
}

/// Displays a number with three significant digits, or with all digits before the point.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: usize = 3;
        let size = self.0.abs();
        if !size.is_finite() || size >= 1.0e15 || (size > 0.0 && size < 1.0e-4) {
            return write!(f, "{:.1e}", self.0);
        }
        let (mut digits, mut least) = (DIGITS.saturating_sub(1), 1.0);
        while size < least && size > 0.0 {
            digits = digits.saturating_add(1);
            least /= 10.0;
        }
        let mut next = 10.0;
        while size >= next && digits > 0 {
            digits = digits.saturating_sub(1);
            next *= 10.0;
        }
        let text = alloc::format!("{:.*}", digits, self.0);
        let cut = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &*text };
        f.write_str(cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn losses_print_on_one_line() {
        let loss = Loss::new("colors-dropped", "meshes[2]", "the format has no vertex colours");
        assert_eq!(loss.to_string(), "meshes[2]: the format has no vertex colours [colors-dropped]");
        let loss = Loss::note("rate-changed", "", "the nearest rate")
            .with_amount(0.5, "frames per second")
            .counted(3);
        assert_eq!(loss.to_string(), "the nearest rate (at most 0.5 frames per second) [rate-changed]");
        assert_eq!((loss.is_note(), loss.count), (true, 3));
        let loss = Loss::new("a", "b", "c").with_count(1, "vertex", "vertices").with_amount(0.25, "units");
        assert_eq!(loss.to_string(), "b: c (1 vertex, 0.25 units) [a]");
    }

    #[test]
    fn what_an_exporter_rounded_is_a_note() {
        let loss =
            |amount| Loss::new("a", "", "b").with_amount(amount, "of the sum").noise_below(Loss::NOISE);
        assert!(loss(9.0e-5).is_note() && !loss(1.1e-4).is_note());
        assert!(!Loss::new("a", "", "b").noise_below(1.0).is_note(), "nothing was measured");
    }

    #[test]
    fn what_has_one_code_is_one_group() {
        let mut losses = Vec::new();
        losses.push(Loss::note("n", "x", "decided"));
        for i in 0..5_u8 {
            let path = alloc::format!("meshes[{i}]");
            losses.push(
                Loss::new("a", path, "gone")
                    .with_count(2, "bone", "bones")
                    .with_amount(f64::from(i), "degrees"),
            );
        }
        losses.push(Loss::new("b", "p", "one").kept_in_extras());
        losses.push(Loss::new("b", "q", "other").kept_in_extras());
        let groups = LossGroup::all(&losses);
        let said: Vec<_> = groups.iter().map(|g| alloc::format!("{}[{}] {g}", g.kind(), g.code())).collect();
        assert_eq!(
            said,
            [
                "lost[a] meshes[0], meshes[1], meshes[2] and 2 more: gone (10 bones, at most 4 degrees)",
                "lost[b] p: one; q: other",
                "note[n] x: decided",
            ]
        );
        assert_eq!(groups.iter().map(LossGroup::in_extras).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn amounts_have_the_digits_that_count() {
        for (amount, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.395_012, "0.395"),
            (0.000_123_46, "0.000123"),
            (0.000_012_3, "1.2e-5"),
            (12.344, "12.3"),
            (100.0, "100"),
            (123_456.7, "123457"),
            (-2.5, "-2.5"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(Short(amount).to_string(), text);
        }
    }
}
