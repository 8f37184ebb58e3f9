//! Frames of clips. Unedited clips keep their frames, and so do frames outside all clips.

use alloc::vec::Vec;
use core::ops::Range;
use meshwright_core::{Budget, LimitExceeded, SortedMap};

/// Clips as ranges of frames.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Clips of the original.
    pub original: Vec<Range<u32>>,
    /// Clips made from the edited scene.
    pub made: Vec<Range<u32>>,
    /// Index of each made clip's original.
    pub found: Vec<Option<usize>>,
}

/// The sources of a frame of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameOrigin {
    /// The frame of the original.
    pub original: Option<usize>,
    /// The frame made from the edited scene.
    pub made: Option<usize>,
    /// The made clip with this frame, and the frame's index in that clip.
    pub clip: Option<(usize, u32)>,
}

/// Frames that stay even if no clip uses them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The first frame, which has the bind pose and is also the first of the made frames.
    pub first: bool,
    /// All frames of the original.
    pub all: bool,
}

/// The frames of a result, and the start of each made clip.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// The sources of each frame.
    pub frames: Vec<FrameOrigin>,
    /// The first frame of each made clip.
    pub starts: Vec<u32>,
}

/// Places clips into a model with `original` frames. A clip with an unchanged number of frames stays in its place,
/// unless another clip has the same frames with a different content. Other clips go to the place of their original, or
/// to the end. `same` returns true if two sources give the same frame.
///
/// # Errors
/// When the budget does not allow for it.
pub fn frames(
    runs: &Runs,
    original: usize,
    kept: Kept,
    mut same: impl FnMut(&FrameOrigin, &FrameOrigin) -> bool,
    budget: &Budget,
) -> Result<Frames, LimitExceeded> {
    let all: usize = runs.made.iter().map(ExactSizeIterator::len).fold(0, usize::saturating_add);
    budget.charge_items("frames", original.saturating_add(all) as u64, size_of::<[FrameOrigin; 3]>())?;
    budget.charge_items("clips", runs.made.len() as u64, 96)?;
    let mut owners: Vec<Option<FrameOrigin>> = budget.filled("frames", original, None)?;
    if let Some(first) = owners.first_mut().filter(|_| kept.first) {
        *first = Some(FrameOrigin { original: Some(0), made: Some(0), clip: None });
    }
    let mut stays = Vec::with_capacity(runs.made.len());
    let mut starting: SortedMap<u32, Vec<usize>> = SortedMap::new();
    for a in 0..runs.made.len() {
        stays.push(runs.settle(a, &mut owners, &mut same));
        if let Some(clip) = runs.original_of(a) {
            starting.entry(clip.start).or_default().push(a);
        }
    }
    let mut gone = budget.filled("frames", original, false)?;
    for clip in runs.original.iter().filter(|_| !kept.all) {
        gone.get_mut(places(clip)).unwrap_or_default().fill(true);
    }
    let mut made = Making { runs, frames: Vec::new(), starts: Vec::new(), shown: SortedMap::new() };
    made.starts = budget.filled("clips", runs.made.len(), None)?;
    for ((n, number), owner) in (0_u32..).enumerate().zip(&owners) {
        let removed = owner.is_none() && gone.get(n) == Some(&true);
        for &a in starting.get(&number).map_or(&[][..], Vec::as_slice) {
            match (removed, stays.get(a) == Some(&true)) {
                (true, false) => made.add_clip(a),
                (false, true) => made.start_at(a, made.frames.len()),
                _ => {}
            }
        }
        if !removed {
            made.push(owner.unwrap_or(FrameOrigin { original: Some(n), ..FrameOrigin::default() }));
        }
    }
    for a in 0..runs.made.len() {
        if made.starts.get(a).copied().flatten().is_none() {
            made.add_clip(a);
        }
    }
    let starts = made.starts.into_iter().map(Option::unwrap_or_default).collect();
    Ok(Frames { frames: made.frames, starts })
}

fn places(clip: &Range<u32>) -> Range<usize> {
    clip.start as usize..clip.end as usize
}

impl Runs {
    /// Returns the original of a made clip.
    fn original_of(&self, a: usize) -> Option<&Range<u32>> {
        self.original.get(self.found.get(a).copied().flatten()?)
    }

    /// Returns the sources of frame `i` of a made clip.
    fn frame(&self, a: usize, i: usize) -> FrameOrigin {
        let at = |clip: Option<&Range<u32>>| clip.and_then(|clip| places(clip).nth(i));
        let clip = u32::try_from(i).ok().map(|i| (a, i));
        FrameOrigin { original: at(self.original_of(a)), made: at(self.made.get(a)), clip }
    }

    /// Gives a made clip the frames of its original if possible. Returns whether it was.
    fn settle(
        &self,
        a: usize,
        owners: &mut [Option<FrameOrigin>],
        same: &mut impl FnMut(&FrameOrigin, &FrameOrigin) -> bool,
    ) -> bool {
        let (Some(original), Some(made)) = (self.original_of(a), self.made.get(a)) else { return false };
        let Some(own) = owners.get_mut(places(original)) else { return false };
        if original.len() != made.len() {
            return false;
        }
        let agree = own.iter().enumerate().all(|(i, owner)| {
            let frame = self.frame(a, i);
            owner.as_ref().is_none_or(|owner| owner.made == frame.made || same(owner, &frame))
        });
        if agree {
            for (i, owner) in own.iter_mut().enumerate() {
                owner.get_or_insert_with(|| self.frame(a, i));
            }
        }
        agree
    }
}

struct Making<'r> {
    runs: &'r Runs,
    frames: Vec<FrameOrigin>,
    starts: Vec<Option<u32>>,
    /// The first frame of the result that shows each made frame.
    shown: SortedMap<usize, usize>,
}

impl Making<'_> {
    /// Starts a clip at a frame.
    fn start_at(&mut self, a: usize, frame: usize) {
        if let Some(slot) = self.starts.get_mut(a) {
            *slot = u32::try_from(frame).ok();
        }
    }

    fn push(&mut self, frame: FrameOrigin) {
        if let Some(made) = frame.made {
            self.shown.entry(made).or_insert(self.frames.len());
        }
        self.frames.push(frame);
    }

    /// Adds the frames of a clip, or reuses them: frames that clips share exist once.
    fn add_clip(&mut self, a: usize) {
        let Some(length) = self.runs.made.get(a).map(ExactSizeIterator::len) else { return };
        let made = |i: usize| self.runs.frame(a, i).made;
        let shown = made(0).and_then(|first| self.shown.get(&first).copied()).filter(|at| {
            let there = self.frames.get(*at..at.saturating_add(length)).unwrap_or_default();
            there.len() == length && there.iter().enumerate().all(|(i, f)| f.made == made(i))
        });
        match shown {
            Some(at) => self.start_at(a, at),
            None => {
                self.start_at(a, self.frames.len());
                (0..length).for_each(|i| self.push(self.runs.frame(a, i)));
            }
        }
    }
}
