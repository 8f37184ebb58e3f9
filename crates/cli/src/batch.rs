//! Processes many files on all cores. Messages, results and outputs keep the order of the inputs.
//!
//! A worker buffers what it prints about a file until all earlier files are finished. So results, messages and names
//! of outputs are the same for any number of workers.

use crate::messages::{Said, buffered, speak_all};
use crate::refusal::Fail;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// The number of files that are processed at the same time, and the memory that they may use together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workers {
    count: usize,
    memory: u64,
}

impl Workers {
    /// Takes the number of workers from `--jobs`; `memory` is the limit of one file.
    pub(crate) fn new(jobs: Option<NonZeroUsize>, memory: u64) -> Self {
        let all = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { count: jobs.map_or_else(all, NonZeroUsize::get), memory }
    }

    /// Returns workers that process one file after the other.
    pub(crate) fn one_by_one(self) -> Self {
        Self { count: 1, ..self }
    }

    /// Calls `work` for every input and passes the results to `take` in the order of the inputs. `size` estimates the
    /// memory that an input needs. Together, the inputs that are processed at the same time need at most the memory
    /// limit of one file; a larger input is processed without others.
    pub(crate) fn each<I: Sync, T: Send>(
        self,
        inputs: &[I],
        size: impl Fn(&I) -> u64 + Sync,
        work: impl Fn(&I) -> T + Sync,
        mut take: impl FnMut(&I, T) -> Result<(), Fail> + Send,
    ) -> Result<(), Fail> {
        let count = self.count.min(inputs.len());
        if count <= 1 {
            return inputs.iter().try_for_each(|input| take(input, work(input)));
        }
        // `Batch` knows inputs by their index only, so the compiler makes one copy of it.
        let made: Vec<Mutex<Option<T>>> = inputs.iter().map(|_| Mutex::new(None)).collect();
        let place = |i: usize| inputs.get(i).zip(made.get(i));
        let mut take = |i: usize| {
            let Some((input, made)) = place(i) else { return Ok(()) };
            lock(made).take().map_or(Ok(()), |value| take(input, value))
        };
        let batch = Batch {
            count: inputs.len(),
            memory: self.memory,
            ahead: ahead(count),
            work: &|i| {
                if let Some((input, made)) = place(i) {
                    *lock(made) = Some(work(input));
                }
            },
            size: &|i| inputs.get(i).map_or(0, &size),
            take: Mutex::new(&mut take),
            state: Mutex::new(State::default()),
            changed: Condvar::new(),
        };
        thread::scope(|scope| batch.run(scope, count));
        let state = batch.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.failed.map_or(Ok(()), Err)
    }
}

/// Returns the number of files that `count` workers may finish before an earlier one.
fn ahead(count: usize) -> usize {
    count.saturating_mul(4).saturating_add(24)
}

/// The processing of inputs, which are known by their index.
struct Batch<'b> {
    count: usize,
    memory: u64,
    /// The number of files that may be finished before an earlier one.
    ahead: usize,
    work: &'b (dyn Fn(usize) + Sync),
    size: &'b (dyn Fn(usize) -> u64 + Sync),
    take: Mutex<&'b mut (dyn FnMut(usize) -> Result<(), Fail> + Send)>,
    state: Mutex<State>,
    changed: Condvar,
}

/// The buffered output of a finished input.
struct Done {
    by: ThreadId,
    said: Vec<Said>,
}

enum Next {
    /// The index of an input, and the memory that it needs.
    Work(usize, u64),
    /// Other inputs must finish first.
    Full,
    Over,
}

#[derive(Default)]
struct State {
    /// The next input to process, and the next result to hand over.
    next: usize,
    turn: usize,
    /// A thread is handing over results.
    handing: bool,
    done: Vec<(usize, Done)>,
    /// The memory that the inputs in progress need.
    taken: u64,
    waiting: usize,
    stopped: bool,
    failed: Option<Fail>,
}

impl State {
    /// Removes the finished results from the next turn on, as long as their threads are accepted by `takes`.
    fn ready(&mut self, takes: &dyn Fn(ThreadId) -> bool) -> Vec<(usize, Done)> {
        let mut ready = Vec::new();
        for turn in self.turn.. {
            let is_next = |(i, done): &(usize, Done)| *i == turn && takes(done.by);
            let Some(at) = self.done.iter().position(is_next) else { break };
            ready.push(self.done.swap_remove(at));
        }
        ready
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Batch<'_> {
    /// Processes all inputs with `count` threads.
    fn run<'s>(&'s self, scope: &'s thread::Scope<'s, '_>, count: usize) {
        for _ in 1..count {
            // If a thread cannot be started, the others do its work.
            let _ = thread::Builder::new().name("worker".into()).spawn_scoped(scope, || self.help());
        }
        self.help();
    }

    /// Processes inputs until none is left.
    fn help(&self) {
        let me = thread::current().id();
        let mut alarm = Alarm { batch: self, over: false };
        let mut state = lock(&self.state);
        loop {
            let is_over = match self.next(&mut state) {
                Next::Work(i, size) => {
                    drop(state);
                    let said = buffered(|| (self.work)(i));
                    state = lock(&self.state);
                    state.taken = state.taken.saturating_sub(size);
                    state.done.push((i, Done { by: me, said }));
                    self.wake(&state);
                    state = self.hand_over(state, &|by| by == me);
                    continue;
                }
                Next::Full => false,
                Next::Over => true,
            };
            let before = (state.turn, state.stopped);
            state = self.hand_over(state, &|_| true);
            if (state.turn, state.stopped) != before {
                continue;
            }
            if is_over {
                break;
            }
            state.waiting = state.waiting.saturating_add(1);
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting = state.waiting.saturating_sub(1);
        }
        drop(state);
        alarm.over = true;
    }

    /// Returns the next input if there is memory for it.
    fn next(&self, state: &mut State) -> Next {
        let i = state.next;
        if i >= self.count || state.stopped {
            return Next::Over;
        }
        let size = (self.size)(i).min(self.memory);
        let fits = state.taken == 0 || state.taken.saturating_add(size) <= self.memory;
        if !fits || i >= state.turn.saturating_add(self.ahead) {
            return Next::Full;
        }
        state.next = i.saturating_add(1);
        state.taken = state.taken.saturating_add(size);
        Next::Work(i, size)
    }

    /// Hands over finished results in order, unless another thread is doing so. While there is other work, a thread
    /// hands over only its own results: freeing memory of another thread makes both wait.
    fn hand_over<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        takes: &dyn Fn(ThreadId) -> bool,
    ) -> MutexGuard<'s, State> {
        while !state.handing {
            let ready = state.ready(takes);
            if ready.is_empty() {
                break;
            }
            state.handing = true;
            drop(state);
            let taken = self.take_all(ready);
            state = lock(&self.state);
            match taken {
                Ok(turn) => (state.turn, state.handing) = (turn, false),
                // After a failure no further result is handed over.
                Err(e) => {
                    (state.stopped, state.failed) = (true, Some(e));
                    state.done.clear();
                }
            }
            self.wake(&state);
        }
        state
    }

    /// Prints the buffered output of results, passes the results on in order, and returns the index of the next one.
    fn take_all(&self, ready: Vec<(usize, Done)>) -> Result<usize, Fail> {
        let mut next = 0;
        let mut take = lock(&self.take);
        for (i, Done { said, .. }) in ready {
            speak_all(said)?;
            take(i)?;
            next = i.saturating_add(1);
        }
        Ok(next)
    }

    fn wake(&self, state: &State) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }
}

/// Wakes the waiting threads if a worker panics.
struct Alarm<'a, 'b> {
    batch: &'a Batch<'b>,
    over: bool,
}

impl Drop for Alarm<'_, '_> {
    fn drop(&mut self) {
        if !self.over {
            lock(&self.batch.state).stopped = true;
            self.batch.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    fn workers(count: usize, memory: u64) -> Workers {
        Workers { count, memory }
    }

    #[test]
    fn results_come_in_order_for_any_number_of_workers() {
        let inputs: Vec<u64> = (0..200).collect();
        for count in [1, 2, 3, 8, 500] {
            let mut seen = Vec::new();
            let work = |i: &u64| {
                thread::sleep(Duration::from_micros(i * 37 % 300));
                i * 2
            };
            let take = |i: &u64, doubled: u64| {
                assert_eq!(doubled, i * 2);
                seen.push(*i);
                Ok(())
            };
            workers(count, 100).each(&inputs, |_| 1, work, take).unwrap();
            assert_eq!(seen, inputs, "{count}");
        }
    }

    #[test]
    fn what_is_worked_on_takes_no_more_than_one_may() {
        let (taken, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let inputs: Vec<u64> = (0..120).map(|i| [1, 40, 100, 7, 300][i % 5]).collect();
        let work = |size: &u64| {
            let size = (*size).min(100);
            most.fetch_max(taken.fetch_add(size, Ordering::SeqCst) + size, Ordering::SeqCst);
            thread::sleep(Duration::from_micros(200));
            taken.fetch_sub(size, Ordering::SeqCst);
        };
        workers(8, 100).each(&inputs, |size| *size, work, |_, ()| Ok(())).unwrap();
        let most = most.into_inner();
        assert!(most <= 100, "{most}");
    }

    #[test]
    fn the_first_failure_ends_the_run() {
        let inputs: Vec<u64> = (0..1000).collect();
        let mut seen = Vec::new();
        let take = |i: &u64, ()| {
            seen.push(*i);
            if *i == 5 { Err(Fail::Usage("five".into())) } else { Ok(()) }
        };
        let ended = workers(4, 100).each(&inputs, |_| 1, |_| (), take);
        assert!(matches!(ended, Err(Fail::Usage(_))));
        assert_eq!(seen, [0, 1, 2, 3, 4, 5]);
    }

    /// A worker fails with results of another worker. No memory is left for more work, and the other worker waits.
    #[test]
    fn who_fails_for_another_does_not_wait() {
        let large = ahead(2);
        let (over, ended) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let inputs: Vec<usize> = (0..1000).collect();
            let size = |i: &usize| if *i == large { 100 } else { 1 };
            // The first input delays all results, the large input delays its worker.
            let work = |i: &usize| {
                let time = if *i == 0 || *i == large { 20 } else { 0 };
                thread::sleep(Duration::from_millis(time));
            };
            let take = |i: &usize, ()| {
                if *i < 5 {
                    return Ok(());
                }
                thread::sleep(Duration::from_millis(100));
                Err(Fail::Usage("five".into()))
            };
            let _ = over.send(workers(2, 100).each(&inputs, size, work, take));
        });
        let ended = ended.recv_timeout(Duration::from_secs(60)).expect("the run ends");
        assert!(matches!(ended, Err(Fail::Usage(_))));
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let inputs: Vec<u64> = (0..100).collect();
        let run = || workers(3, 100).each(&inputs, |_| 1, |i| assert_ne!(*i, 50), |_, ()| Ok(()));
        assert!(std::panic::catch_unwind(run).is_err());
    }
}
