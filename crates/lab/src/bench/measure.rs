//! Contenders measured in turn, compared by the median of their ratios.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Something to be measured.
pub(crate) struct Contender<'a> {
    /// Runs it this many times and returns the seconds.
    run: Box<dyn FnMut(u32) -> f64 + 'a>,
}

impl<'a> Contender<'a> {
    pub(crate) fn new(mut run: impl FnMut() + 'a) -> Self {
        Self::timed(move |calls| {
            let start = Instant::now();
            for _ in 0..calls {
                run();
            }
            start.elapsed().as_secs_f64()
        })
    }

    /// One that takes the time itself.
    pub(crate) fn timed(run: impl FnMut(u32) -> f64 + 'a) -> Self {
        Self { run: Box::new(run) }
    }
}

/// The duration of a measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub(crate) rounds: usize,
    pub(crate) sample: Duration,
}

impl Effort {
    pub(crate) const FULL: Self = Self { rounds: 61, sample: Duration::from_millis(4) };
    pub(crate) const QUICK: Self = Self { rounds: 15, sample: Duration::from_millis(1) };
}

/// Seconds per call: one row per round, one column per contender.
pub(crate) struct Samples {
    rounds: Vec<Vec<f64>>,
}

/// A median and the quartiles around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Spread {
    pub(crate) fn from_values(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |part: usize| {
            let last = values.len().saturating_sub(1);
            values.get(last * part / 4).copied().unwrap_or(f64::NAN)
        };
        Self { low: at(1), median: at(2), high: at(3) }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} ({:.2}-{:.2})", self.median, self.low, self.high)
    }
}

/// Runs every contender in every round, starting with another one each time, so that what else the machine
/// does falls on all of them.
pub(crate) fn measure(effort: Effort, contenders: &mut [Contender<'_>]) -> Samples {
    let n = contenders.len();
    let calls: Vec<u32> = contenders.iter_mut().map(|c| calibrate(effort.sample, c)).collect();
    let mut rounds = Vec::new();
    for round in 0..effort.rounds {
        let mut row = vec![0.0; n];
        for k in 0..n {
            let i = (round + k) % n;
            row[i] = (contenders[i].run)(calls[i]) / f64::from(calls[i]);
        }
        rounds.push(row);
    }
    Samples { rounds }
}

/// Returns the number of calls that fill a sample.
fn calibrate(sample: Duration, contender: &mut Contender<'_>) -> u32 {
    (contender.run)(1);
    let mut calls = 1_u32;
    loop {
        if (contender.run)(calls) >= sample.as_secs_f64() || calls >= 1 << 24 {
            return calls;
        }
        calls *= 2;
    }
}

impl Samples {
    /// Returns the factor by which `ours` is faster than `other`.
    pub(crate) fn ratio(&self, ours: usize, other: usize) -> Spread {
        Spread::from_values(self.rounds.iter().map(|r| r[other] / r[ours]).collect())
    }

    /// Returns the slope of the logarithm of the time over that of the size, round by round.
    pub(crate) fn slope(&self, sizes: &[usize]) -> Spread {
        Spread::from_values(self.rounds.iter().map(|row| slope(sizes, row)).collect())
    }

    /// Seconds per call.
    pub(crate) fn seconds(&self, contender: usize) -> Spread {
        Spread::from_values(self.rounds.iter().map(|r| r[contender]).collect())
    }
}

/// Returns the slope of the logarithm of the time over that of the size.
pub(crate) fn slope(sizes: &[usize], seconds: &[f64]) -> f64 {
    let x: Vec<f64> = sizes.iter().map(|&n| (n as f64).ln()).collect();
    let y: Vec<f64> = seconds.iter().map(|t| t.ln()).collect();
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (mx, my) = (mean(&x), mean(&y));
    let up: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
    up / x.iter().map(|x| (x - mx) * (x - mx)).sum::<f64>()
}

/// Keeps the compiler from leaving work out.
pub(crate) fn keep<T: ?Sized>(value: &mut T) {
    black_box(value);
}
