//! Reduces the keys of clips.

use super::goal::{Candidate, Channel, Goal, PosedGoal, Tolerance, Value, to_value};
use super::key_candidates::{NEAREST, NEIGHBOURS, TRIPLE, rotation_candidates, triple_candidates, words_of};
use super::key_path::choose;
use super::options::{EngineSafety, Errors, OptimizeOptions, distance};
use super::pose_comparison::{Points, PoseComparison, PoseTargets};
use super::work_limit::WorkLimit;
use crate::model::{Bmd, Clip, identity};
use crate::pose::{BoneSample, Curves, Timing};
use crate::stream::{Keys, Stream};
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::math::lerp;
use meshwright_core::math::quat::Quat;
use meshwright_core::{Order as _, SortedMap, SortedSet};

/// The maximum number of rounds in which the channels of a bone are fitted to one another's tags.
const ROUNDS: usize = 3;
/// Steps of work to look at one key.
const KEY: u64 = 32;

/// The identity of a clip's motion: stream, frames and looping.
type Sameness = (usize, u8, bool);

fn sameness(clip: &Clip) -> Sameness {
    (identity(&clip.stream), clip.frames, clip.rate.is_looping())
}

/// The new streams of all clips that shared one stream.
#[derive(Default)]
struct SharedStreams {
    variants: Vec<Variant>,
}

/// The new stream of clips that are equal.
struct Variant {
    /// The first of these clips.
    clip: usize,
    stream: Arc<Stream>,
    errors: Errors,
}

/// Chooses the keys of every clip again, and adds the resulting errors to `errors`. Clips of the same length
/// that shared a stream still share one. A clip keeps its stream if no work is left for it. All clips of a
/// stream keep it if separate streams would need more bytes.
pub(super) fn reduce(model: &mut Bmd, options: &OptimizeOptions, work: &WorkLimit, errors: &mut Errors) {
    let source = model.clone();
    let lossy = options.loses_keys() || options.engine == EngineSafety::Always;
    let points = lossy.then(|| Points::collect(&source, options.memory, work)).flatten();
    let mut bones: SortedMap<Sameness, u64> = SortedMap::new();
    for clip in &source.clips {
        bones.entry(sameness(clip)).or_insert_with(|| keyed_bones(&clip.stream));
    }
    let mut left = bones.values().fold(0_u64, |sum, n| sum.saturating_add(*n));
    let mut streams: SortedMap<usize, SharedStreams> = SortedMap::new();
    let mut same: SortedMap<Vec<u8>, Arc<Stream>> = SortedMap::new();
    for (i, clip) in source.clips.iter().enumerate() {
        let Some(bones) = bones.remove(&sameness(clip)) else { continue };
        let share = work.remaining().checked_div(left.max(1)).unwrap_or(0).saturating_mul(bones);
        left = left.saturating_sub(bones);
        let mut made = Errors::default();
        let stream = work.part(share, |work| {
            let clip = Reduction::new(&source, clip, points.as_ref(), options, work)?;
            Some(Arc::new(clip.run(&mut made)))
        });
        let stream = stream.unwrap_or_else(|| Arc::clone(&clip.stream));
        let stream = Arc::clone(same.entry(crate::write::stream_bytes(&stream)).or_insert(stream));
        streams.entry(identity(&clip.stream)).or_default().variants.push(Variant {
            clip: i,
            stream,
            errors: made,
        });
    }
    let mut chosen: SortedMap<Sameness, Arc<Stream>> = SortedMap::new();
    for remade in streams.values().filter(|r| r.is_better(&source.clips, options)) {
        for variant in &remade.variants {
            *errors = errors.max(variant.errors);
            chosen.insert(sameness(&source.clips[variant.clip]), Arc::clone(&variant.stream));
        }
    }
    for (clip, old) in model.clips.iter_mut().zip(&source.clips) {
        if let Some(stream) = chosen.get(&sameness(old)) {
            clip.stream = Arc::clone(stream);
        }
    }
}

impl SharedStreams {
    /// Returns true if the new streams are better than the old one: the engine misreads fewer clips, or they have fewer
    /// bytes.
    fn is_better(&self, clips: &[Clip], options: &OptimizeOptions) -> bool {
        let Some(old) = self.variants.first().map(|v| &clips[v.clip].stream) else { return false };
        let mut streams = SortedSet::new();
        let new = self.variants.iter().map(|v| &v.stream).filter(|s| streams.insert(identity(s)));
        let size: usize = new.map(|s| s.size()).sum();
        let (mut before, mut after) = (0, 0);
        for v in self.variants.iter().filter(|_| options.engine != EngineSafety::Ignored) {
            before += usize::from(is_misread(old, clips[v.clip].frames));
            after += usize::from(is_misread(&v.stream, clips[v.clip].frames));
        }
        (after, size) < (before, old.size())
    }
}

fn keyed_bones(stream: &Stream) -> u64 {
    stream.bones().skip(1).filter(|steps| !steps.is_empty()).count() as u64
}

/// Counts the clips that the existing loader misreads: it loses its place if a bone has a key on the last
/// frame and a later bone has keys too.
pub(super) fn misread(clips: &[Clip]) -> usize {
    let mut known: SortedMap<(usize, u8), bool> = SortedMap::new();
    let misread = clips.iter().filter(|c| {
        *known.entry((identity(&c.stream), c.frames)).or_insert_with(|| is_misread(&c.stream, c.frames))
    });
    misread.count()
}

fn is_misread(stream: &Stream, frames: u8) -> bool {
    let last = u32::from(frames).saturating_sub(1);
    let mut on_last = false;
    stream.bones().any(|steps| {
        let misread = on_last && !steps.is_empty();
        on_last |= crate::stream::frames(steps).any(|(f, step)| f == last && step.has_key());
        misread
    })
}

/// The choice of keys for one clip.
struct Reduction<'m, 'w> {
    options: &'w OptimizeOptions,
    timing: Timing,
    keys: Vec<Keys>,
    curves: Vec<Curves>,
    posed: Option<PoseComparison<'m>>,
    /// True if keys may change within the bounds.
    lossy: bool,
    work: &'w WorkLimit,
}

impl<'m, 'w> Reduction<'m, 'w> {
    /// Prepares a clip; `None` if no work is left for it.
    fn new(
        model: &'m Bmd,
        clip: &Clip,
        points: Option<&'m Points>,
        options: &'w OptimizeOptions,
        work: &'w WorkLimit,
    ) -> Option<Self> {
        let timing = Timing { frames: u32::from(clip.frames), looping: clip.rate.is_looping() };
        if !work.spend((clip.stream.size() as u64).saturating_mul(KEY)) {
            return None;
        }
        // Keys of bone 0 have no effect.
        let keys_of = |b: usize| if b == 0 { Keys::default() } else { clip.stream.keys(b) };
        let keys: Vec<Keys> = (0..clip.stream.bone_count()).map(keys_of).collect();
        let curves: Vec<Curves> = keys.iter().map(Curves::decode).collect();
        let posed = points.and_then(|p| PoseComparison::new(model, p, &curves, timing, options.memory, work));
        let lossy = posed.is_some() && options.loses_keys();
        Some(Self { options, timing, keys, curves, posed, lossy, work })
    }

    fn run(mut self, errors: &mut Errors) -> Stream {
        let order = match &self.posed {
            Some(posed) => posed.order.clone(),
            None => (0..self.keys.len()).collect(),
        };
        let mut left = self.keys.iter().filter(|k| !k.is_empty()).count() as u64;
        for bone in order {
            let Some(source) = self.keys.get(bone).filter(|k| !k.is_empty()) else {
                if let (Some(posed), Some(curves)) = (&mut self.posed, self.curves.get(bone)) {
                    posed.settle(bone, curves);
                }
                continue;
            };
            let share = self.work.remaining().checked_div(left).unwrap_or(0);
            left = left.saturating_sub(1);
            let chosen = self.work.part(share, |work| self.bone(bone, source, work));
            let new = Curves::decode(&chosen);
            if let Some(posed) = &mut self.posed {
                posed.settle(bone, &new);
                let old = &self.curves[bone];
                for f in (0..self.timing.frames).map(f64::from) {
                    let (a, b) = (old.sample(self.timing, f).scale, new.sample(self.timing, f).scale);
                    errors.scale = errors.scale.max(distance(a, b));
                }
            }
            self.keys[bone] = chosen;
        }
        if let Some(posed) = &mut self.posed {
            posed.measure(self.work, errors);
        }
        Stream::from_bones(self.keys.iter().map(Keys::to_steps))
    }

    /// Returns the keys of a bone that need the fewest bytes, as far as the search found them.
    fn bone(&self, bone: usize, source: &Keys, work: &WorkLimit) -> Keys {
        // If no bone with keys follows, the engine cannot lose its place.
        let follows = self.keys.iter().skip(bone + 1).any(|k| !k.is_empty());
        let engine = match self.options.engine {
            EngineSafety::Always if !follows => EngineSafety::WithinBounds,
            engine => engine,
        };
        let always = engine == EngineSafety::Always;
        let source = if always { off_last_frame(source, self.timing.frames) } else { source.clone() };
        let frames = || (0..self.timing.frames).map(f64::from);
        let curves = Curves::decode(&source);
        let old: Vec<BoneSample> = frames().map(|f| curves.sample(self.timing, f)).collect();
        let posed = self.posed.as_ref().filter(|_| self.lossy);
        let mut fit = Fit {
            timing: self.timing,
            options: self.options,
            engine,
            now: old.clone(),
            old,
            bounds: posed.map(|p| BoneTolerance::for_bone(p, bone, self.options)),
            first: true,
        };
        let mut best = source.clone();
        let mut now = source;
        for _ in 0..ROUNDS {
            fit.round(&mut now, work);
            if self.rank(&now) >= self.rank(&best) {
                break;
            }
            best.clone_from(&now);
            fit.first = false;
        }
        best
    }

    /// Returns the rank of keys, lower is better: first no key on the last frame, then few bytes.
    fn rank(&self, keys: &Keys) -> (bool, usize) {
        let last = self.timing.frames.saturating_sub(1);
        let unsafe_ = self.options.engine != EngineSafety::Ignored && has_key_at(keys, last);
        (unsafe_, keys.to_steps().iter().map(|s| s.size()).sum())
    }
}

fn has_key_at(keys: &Keys, frame: u32) -> bool {
    keys.rotation.iter().any(|k| k.0 == frame)
        || keys.translation.iter().chain(&keys.scale).any(|k| k.0 == frame)
}

/// Marks the frames at which a channel other than this has a key.
fn tags(keys: &Keys, channel: Channel, frames: u32) -> Vec<bool> {
    let mut tags = alloc::vec![false; frames as usize];
    for other in Channel::ALL.into_iter().filter(|c| *c != channel) {
        for key in other.keys_in(keys) {
            if let Some(t) = tags.get_mut(key.frame as usize) {
                *t = true;
            }
        }
    }
    tags
}

/// Moves keys on the last frame one frame back, or drops them if that frame has one already, because the
/// existing loader loses its place after them. A clip of one frame keeps them.
fn off_last_frame(keys: &Keys, frames: u32) -> Keys {
    let mut moved = keys.clone();
    let last = frames.saturating_sub(1);
    for channel in Channel::ALL {
        let mut list = channel.keys_in(keys);
        if last > 0
            && let Some(key) = list.pop_if(|k| k.frame == last)
            && list.last().is_none_or(|k| k.frame < last - 1)
        {
            list.push(Candidate { frame: last - 1, ..key });
        }
        channel.replace_keys(&mut moved, &list);
    }
    moved
}

/// The allowed errors of a bone in the posed model.
struct BoneTolerance {
    wanted: Vec<Quat>,
    place: Option<PoseTargets>,
    angle: [f64; 2],
    distance: [f64; 2],
}

impl BoneTolerance {
    fn for_bone(posed: &PoseComparison<'_>, bone: usize, options: &OptimizeOptions) -> Self {
        let share = posed.share(bone);
        // A small margin covers rounding errors.
        let part = |bound: f64| [share.above, share.own].map(|s| bound * s * (1.0 - 1e-9));
        Self {
            wanted: posed.wanted_turns(bone),
            place: (options.distance > 0.0).then(|| posed.place(bone)),
            angle: part(options.angle),
            distance: part(options.distance),
        }
    }
}

/// Reduces the channels of one bone.
struct Fit<'o> {
    timing: Timing,
    options: &'o OptimizeOptions,
    engine: EngineSafety,
    /// The motion of the bone at each frame, and its motion with the keys chosen so far.
    old: Vec<BoneSample>,
    now: Vec<BoneSample>,
    bounds: Option<BoneTolerance>,
    /// True if the channels still have their old keys.
    first: bool,
}

impl Fit<'_> {
    /// Chooses the keys of each channel again, given those of the others.
    fn round(&mut self, keys: &mut Keys, work: &WorkLimit) {
        let limits = self.limits(keys);
        for ((channel, limit), parts) in Channel::ALL.into_iter().zip(limits).zip([3, 2, 1]) {
            let chosen = work.part(work.remaining() / parts, |work| self.channel(channel, keys, limit, work));
            if let Some(chosen) = chosen {
                channel.replace_keys(keys, &chosen);
            }
            self.update(keys);
        }
    }

    fn update(&mut self, keys: &Keys) {
        let curves = Curves::decode(keys);
        let frames = (0..self.timing.frames).map(f64::from);
        self.now = frames.map(|f| curves.sample(self.timing, f)).collect();
    }

    /// Returns the error that each channel may cause in the positions of everything the bone moves. While
    /// the other channels have their old keys, this is only a part of the bone's bound, so that they get a
    /// part too.
    fn limits(&self, keys: &Keys) -> [f64; 3] {
        let Some(bounds) = &self.bounds else { return [0.0; 3] };
        let [above, own] = bounds.distance;
        let o = self.options;
        let used = [
            o.angle > 0.0 && !keys.rotation.is_empty(),
            o.distance > 0.0 && !keys.translation.is_empty(),
            o.scale > 0.0 && !keys.scale.is_empty(),
        ];
        let channels = f64::from(used.iter().fold(0_u8, |n, u| n + u8::from(*u)).max(1));
        let mut so_far = 0.0;
        used.map(|used| {
            so_far += f64::from(u8::from(used));
            if self.first { above + (own - above) * so_far / channels } else { own }
        })
    }

    /// Returns true if the channel needs no keys, because its rest value is good enough.
    fn rests(&self, goal: &Goal<'_>, rest: Value, work: &WorkLimit) -> bool {
        (0..self.timing.frames).all(|f| work.spend(goal.cost()) && goal.accepts(f, rest))
    }

    /// Returns the cheapest keys that were found. Keys on the last frame, at which the existing loader loses
    /// its place, are avoided if possible.
    fn cheapest(
        &self,
        candidates: &[Candidate],
        goal: &Goal<'_>,
        tagged: &[bool],
        work: &WorkLimit,
    ) -> Option<Vec<Candidate>> {
        if self.engine != EngineSafety::Ignored {
            let last = self.timing.frames.saturating_sub(1).max(1);
            let safe: Vec<_> = candidates.iter().copied().filter(|c| c.frame < last).collect();
            let always = self.engine == EngineSafety::Always;
            if always || safe.len() == candidates.len() {
                return choose(&safe, goal, self.timing, tagged, work);
            }
            if self.ends(&safe, goal, work) {
                let part = work.remaining() / 4 * 3;
                let found = work.part(part, |work| choose(&safe, goal, self.timing, tagged, work));
                if found.is_some() {
                    return found;
                }
            }
        }
        choose(candidates, goal, self.timing, tagged, work)
    }

    /// Checks whether the last candidate can be held, or blended into one of the first, up to the end of the
    /// clip. If it cannot, a search without later candidates is hopeless.
    fn ends(&self, candidates: &[Candidate], goal: &Goal<'_>, work: &WorkLimit) -> bool {
        let frames = self.timing.frames;
        let at_last = |c: &&Candidate| Some(c.frame) == candidates.last().map(|l| l.frame);
        let at_first = |c: &&Candidate| Some(c.frame) == candidates.first().map(|f| f.frame);
        let mut lasts = candidates.iter().filter(at_last);
        lasts.any(|a| {
            let reaches = |b: &Candidate| {
                let length = f64::from(frames + b.frame - a.frame);
                (a.frame + 1..frames).all(|f| {
                    let t = f64::from(f - a.frame) / length;
                    work.spend(goal.cost()) && goal.accepts(f, lerp(a.value, b.value, t))
                })
            };
            let mut firsts = candidates.iter().filter(at_first);
            if self.timing.looping { firsts.any(reaches) } else { reaches(a) }
        })
    }

    /// Returns the new keys of a channel; `None` if its keys stay.
    fn channel(&self, channel: Channel, keys: &Keys, limit: f64, work: &WorkLimit) -> Option<Vec<Candidate>> {
        let stored = channel.keys_in(keys);
        if stored.is_empty() {
            return None;
        }
        let tagged = tags(keys, channel, self.timing.frames);
        let rest = channel.value_in(&BoneSample::REST);
        let old: Vec<Value> = self.old.iter().map(|s| channel.value_in(s)).collect();
        let bounds = self.bounds.as_ref().filter(|b| match channel {
            Channel::Rotation => b.angle[1] > 0.0,
            Channel::Translation => self.options.distance > 0.0,
            Channel::Scale => self.options.scale > 0.0,
        });
        if let Some(bounds) = bounds {
            let place = bounds.place.as_ref();
            let tolerance = match channel {
                Channel::Rotation => Tolerance::turn_within(bounds.wanted.clone(), bounds.angle[1]),
                Channel::Translation => Tolerance::Any,
                Channel::Scale => Tolerance::Near { values: old.clone(), distance: self.options.scale },
            };
            let posed = place.map(|place| PosedGoal { channel, place, distance: limit, now: &self.now });
            let goal = Goal { tolerance, posed };
            if self.rests(&goal, rest, work) {
                return Some(Vec::new());
            }
            let candidates = match (channel, place) {
                (Channel::Rotation, _) => {
                    // As many words for each rotation as the work allows.
                    let (frames, most) = (u64::from(self.timing.frames), words_of(self.old.len()));
                    let count = if most > 1 && work.spend(frames.saturating_mul(NEIGHBOURS)) {
                        most
                    } else {
                        usize::from(work.spend(frames.saturating_mul(NEAREST)))
                    };
                    work.spend(frames.saturating_mul(goal.cost()).saturating_mul(count as u64));
                    rotation_candidates(&bounds.wanted, &stored, self.timing.frames, count, &goal)
                }
                (Channel::Translation, Some(place)) => {
                    let wanted: Vec<Value> = place.origins(&self.old).into_iter().map(to_value).collect();
                    self.triples(&wanted, &stored, work)
                }
                _ => self.triples(&old, &stored, work),
            };
            let found = self.cheapest(&candidates, &goal, &tagged, work);
            if found.is_some() {
                return found;
            }
        }
        if bounds.is_some() && !self.first {
            return None;
        }
        let goal = Goal::from(Tolerance::match_bits(&old, channel == Channel::Rotation));
        if self.rests(&goal, rest, work) {
            return Some(Vec::new());
        }
        self.cheapest(&stored, &goal, &tagged, work)
    }

    /// Returns the stored keys and, if the work allows, the nearest words of the wanted values.
    fn triples(&self, wanted: &[Value], stored: &[Candidate], work: &WorkLimit) -> Vec<Candidate> {
        let mut candidates = stored.to_vec();
        if work.spend(u64::from(self.timing.frames).saturating_mul(TRIPLE)) {
            candidates.extend(triple_candidates(wanted, self.timing.frames));
        }
        candidates.order_by_key(|c| (c.frame, c.word));
        candidates.dedup();
        candidates
    }
}
