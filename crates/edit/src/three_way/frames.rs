//! Frames of clips: those of clips that were not edited stay where they are, with all that no clip shows.

use super::find::Match;
use super::trios::Trio;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;
use meshwright_core::{Budget, LimitExceeded};

/// Clips as ranges of frames in the three models.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Those of the native scene, in the native model.
    pub native: Vec<Range<u32>>,
    /// The same in before.
    pub before: Vec<Range<u32>>,
    /// Those of after.
    pub after: Vec<Range<u32>>,
    /// For each clip of after the native one.
    pub found: Match,
}

/// Which frames there are to stay whatever clips show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The first frame, in which vertices are bound, and which is the first of all three models.
    pub first: bool,
    /// All native ones.
    pub all: bool,
}

/// The frames of a result, and where each clip of after starts.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// Where each frame is in the three models.
    pub frames: Vec<Trio>,
    /// The first frame of each clip of after.
    pub starts: Vec<u32>,
}

/// Puts clips into a model of so many frames. A clip that has as many frames as before stays where it was, unless another
/// has the same frames and is to show something else there; others come in their place, or behind everything. `same`
/// says whether a native frame becomes the same by two ways.
///
/// # Errors
/// When the budget does not allow for it.
pub fn frames(
    runs: &Runs,
    native: usize,
    kept: Kept,
    mut same: impl FnMut(&Trio, &Trio) -> bool,
    budget: &Budget,
) -> Result<Frames, LimitExceeded> {
    let all: usize = runs.after.iter().map(ExactSizeIterator::len).fold(0, usize::saturating_add);
    budget.charge_items("frames", native.saturating_add(all) as u64, size_of::<[Trio; 3]>())?;
    budget.charge_items("clips", runs.after.len() as u64, 96)?;
    let mut owners: Vec<Option<Trio>> = budget.filled("frames", native, None)?;
    if let Some(first) = owners.first_mut().filter(|_| kept.first) {
        *first = Some(Trio { native: Some(0), before: Some(0), after: Some(0) });
    }
    let mut stays = Vec::with_capacity(runs.after.len());
    let mut starting: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for a in 0..runs.after.len() {
        stays.push(runs.settle(a, &mut owners, &mut same));
        if let Some(clip) = runs.native_of(a) {
            starting.entry(clip.start).or_default().push(a);
        }
    }
    let mut gone = budget.filled("frames", native, false)?;
    for clip in runs.native.iter().filter(|_| !kept.all) {
        gone.get_mut(places(clip)).unwrap_or_default().fill(true);
    }
    let mut made = Making { runs, frames: Vec::new(), starts: Vec::new(), shown: BTreeMap::new() };
    made.starts = budget.filled("clips", runs.after.len(), None)?;
    for ((n, number), owner) in (0_u32..).enumerate().zip(&owners) {
        let removed = owner.is_none() && gone.get(n) == Some(&true);
        for &a in starting.get(&number).map_or(&[][..], Vec::as_slice) {
            match (removed, stays.get(a) == Some(&true)) {
                (true, false) => made.put(a),
                (false, true) => made.start(a),
                _ => {}
            }
        }
        if !removed {
            made.push(owner.unwrap_or(Trio { native: Some(n), before: None, after: None }));
        }
    }
    for a in 0..runs.after.len() {
        if made.starts.get(a).copied().flatten().is_none() {
            made.put(a);
        }
    }
    let starts = made.starts.into_iter().map(Option::unwrap_or_default).collect();
    Ok(Frames { frames: made.frames, starts })
}

fn places(clip: &Range<u32>) -> Range<usize> {
    clip.start as usize..clip.end as usize
}

impl Runs {
    /// The native clip that one of after was.
    fn native_of(&self, a: usize) -> Option<&Range<u32>> {
        self.native.get(self.found.get(a).copied().flatten()?)
    }

    /// Frame `i` of a clip of after.
    fn trio(&self, a: usize, i: usize) -> Trio {
        let c = self.found.get(a).copied().flatten();
        let at = |clip: Option<&Range<u32>>| clip.and_then(|clip| places(clip).nth(i));
        Trio {
            native: at(c.and_then(|c| self.native.get(c))),
            before: at(c.and_then(|c| self.before.get(c))),
            after: at(self.after.get(a)),
        }
    }

    /// Lets a clip of after have its native frames, where it can.
    fn settle(
        &self,
        a: usize,
        owners: &mut [Option<Trio>],
        same: &mut impl FnMut(&Trio, &Trio) -> bool,
    ) -> bool {
        let (Some(native), Some(after)) = (self.native_of(a), self.after.get(a)) else { return false };
        let Some(own) = owners.get_mut(places(native)) else { return false };
        if native.len() != after.len() {
            return false;
        }
        let agree = own.iter().enumerate().all(|(i, owner)| {
            let trio = self.trio(a, i);
            let alike = |owner: &Trio| (owner.before, owner.after) == (trio.before, trio.after);
            owner.as_ref().is_none_or(|owner| alike(owner) || same(owner, &trio))
        });
        if agree {
            for (i, owner) in own.iter_mut().enumerate() {
                owner.get_or_insert_with(|| self.trio(a, i));
            }
        }
        agree
    }
}

struct Making<'r> {
    runs: &'r Runs,
    frames: Vec<Trio>,
    starts: Vec<Option<u32>>,
    /// The first frame that shows each frame of after.
    shown: BTreeMap<usize, usize>,
}

impl Making<'_> {
    /// A clip starts at the next frame.
    fn start(&mut self, a: usize) {
        self.start_at(a, self.frames.len());
    }

    fn start_at(&mut self, a: usize, frame: usize) {
        if let Some(slot) = self.starts.get_mut(a) {
            *slot = u32::try_from(frame).ok();
        }
    }

    fn push(&mut self, frame: Trio) {
        if let Some(after) = frame.after {
            self.shown.entry(after).or_insert(self.frames.len());
        }
        self.frames.push(frame);
    }

    /// Adds the frames of a clip, or finds them: after has frames that clips share once.
    fn put(&mut self, a: usize) {
        let Some(length) = self.runs.after.get(a).map(ExactSizeIterator::len) else { return };
        let trio = |i: usize| self.runs.trio(a, i);
        let shown = trio(0).after.and_then(|first| self.shown.get(&first).copied()).filter(|at| {
            let there = self.frames.get(*at..at.saturating_add(length)).unwrap_or_default();
            there.len() == length && there.iter().enumerate().all(|(i, t)| t.after == trio(i).after)
        });
        match shown {
            Some(at) => self.start_at(a, at),
            None => {
                self.start(a);
                (0..length).for_each(|i| self.push(self.runs.trio(a, i)));
            }
        }
    }
}
