//! What was measured: lines for the terminal, a table and a plot for docs/.

use super::measure::{Effort, Samples, Spread};
use super::plot;
use super::skinning::SIZES;
use meshwright::rig::{InstructionSet, SkinPlan};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// One ratio beside its target.
pub(crate) struct Row {
    what: String,
    against: &'static str,
    size: usize,
    seconds: f64,
    ratio: Spread,
    target: Option<f64>,
    kernel: Option<String>,
}

impl Row {
    /// How many times faster the first contender is than another.
    pub(crate) fn new(
        what: impl Into<String>,
        against: &'static str,
        size: usize,
        samples: &Samples,
        other: usize,
    ) -> Self {
        let (seconds, ratio) = (samples.seconds(0).median, samples.ratio(0, other));
        Self { what: what.into(), against, size, seconds, ratio, target: None, kernel: None }
    }

    pub(crate) fn target(mut self, target: f64) -> Self {
        self.target = Some(target);
        self
    }

    pub(crate) fn kernel(mut self, plan: &SkinPlan) -> Self {
        self.kernel = Some(format!("{:?}", plan.info().kernel));
        self
    }

    fn verdict(&self) -> String {
        let verdict = |t: f64| {
            let word = if self.ratio.median >= t {
                "met"
            } else if self.ratio.high >= t {
                "within the spread"
            } else {
                "missed"
            };
            format!(">= {t}: {word}")
        };
        self.target.map_or_else(String::new, verdict)
    }

    fn each(&self) -> String {
        format!("{:.2}", self.seconds * 1e9 / self.size as f64)
    }
}

/// The cost of one kind of work at every size.
struct Line {
    what: &'static str,
    seconds: Vec<f64>,
    slope: Spread,
}

/// Everything measured so far; rows are printed as they come.
pub(crate) struct Report {
    effort: Effort,
    before: String,
    rows: Vec<Row>,
    lines: Vec<Line>,
}

impl Report {
    pub(crate) fn begin(effort: Effort) -> Self {
        let before = load();
        println!("{} | {} | load {before}", machine(), InstructionSet::detect().name());
        println!("ratios: median (quartiles) of {} rounds; higher is better", effort.rounds);
        Self { effort, before, rows: Vec::new(), lines: Vec::new() }
    }

    pub(crate) fn add(&mut self, row: Row) {
        println!(
            "{:40} {:>8}  {:>7} ns each  {:>18} of {:10} {:8} {}",
            row.what,
            row.size,
            row.each(),
            row.ratio.to_string(),
            row.against,
            row.kernel.as_deref().unwrap_or_default(),
            row.verdict(),
        );
        self.rows.push(row);
    }

    pub(crate) fn line(&mut self, what: &'static str, samples: &Samples) {
        let seconds = (0..SIZES.len()).map(|i| samples.seconds(i).median).collect();
        let slope = samples.slope(&SIZES);
        println!("{what:40} slope {slope} from {} to {} vertices", SIZES[0], SIZES[SIZES.len() - 1]);
        self.lines.push(Line { what, seconds, slope });
    }

    /// Writes docs/performance.md and docs/performance.svg.
    pub(crate) fn write(&self, docs: &Path) -> Result<(), String> {
        fs::create_dir_all(docs).map_err(|e| e.to_string())?;
        let save = |name: &str, text: &str| {
            let path = docs.join(name);
            fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
        };
        let lines: Vec<_> = self.lines.iter().map(|l| (l.what, l.seconds.as_slice())).collect();
        save("performance.svg", &plot::cost(&SIZES, &lines))?;
        save("performance.md", &self.text(docs))
    }

    fn text(&self, docs: &Path) -> String {
        let mut s = String::from(INTRODUCTION);
        let _ = writeln!(
            s,
            "Commit {}. Machine: {}; kernels: {}; load average before {}, after {}; {} rounds.\n",
            commit(docs),
            machine(),
            InstructionSet::detect().name(),
            self.before,
            load(),
            self.effort.rounds
        );
        s.push_str("| work | size | kernel | ns each | against | ratio (quartiles) | target |\n");
        s.push_str("|---|---:|---|---:|---|---:|---|\n");
        for r in &self.rows {
            let kernel = r.kernel.as_deref().unwrap_or("");
            let _ = writeln!(
                s,
                "| {} | {} | {kernel} | {} | {} | {} | {} |",
                r.what,
                r.size,
                r.each(),
                r.against,
                r.ratio,
                r.verdict()
            );
        }
        s.push_str(COUNTS);
        s.push_str(WHOLE.trim_start());
        s.push_str(SLOPES.trim_start());
        s.push_str("| work | slope (quartiles) | below 1.05 |\n|---|---:|---|\n");
        for l in &self.lines {
            let below = if l.slope.median < 1.05 { "yes" } else { "no" };
            let _ = writeln!(s, "| {} | {} | {below} |", l.what, l.slope);
        }
        s
    }
}

const INTRODUCTION: &str = "# Performance

Written by `cargo run -p xtask -- bench`. All contenders run in one process, one after the other in
every round and starting with another one each round. A ratio is the median over the rounds of the other's time
over ours, with its quartiles: how many times faster ours is. Absolute times are those of one machine at one
moment; where it was busy with other things, the quartiles lie far apart.

Skinning is of positions and normals, on 64 bones, from and to caller-owned arrays. *glam* is the loop that a
program writes on `Affine3A`, `Vec3A` in and out: blend the matrices, then transform. *copy* is a stream copy of
as many bytes as are written. Whole poses are sampled between two frames, concatenated and made into a palette;
their size is the number of joints. Of programs in other languages only a loop in C over packed vertices is measured
here: it is built by the machine's own compiler in the same run, and is a process of its own that takes its turn.

Whole files are measured by the byte, a GLB by the triangle; a copy of one goes into fresh memory, as reading it
does. Large allocations come from the system every time, for all contenders, and what small ones lay in is kept. Arrays are decoded by AVX2 where the
machine has it, without unsafe code. A copy within the first cache moves 64 bytes a cycle on a machine with AVX-512,
which functions may ask for since Rust 1.89 and this builds with 1.88: there decoding takes a shuffle for every 32 bytes,
and two operations more to see that floats are finite. Writing a GLB is half the first touch of its memory.

A GLB is written from a scene in memory, by the triangle, against a program on gltf-json that puts float by float
into a vector; read, it is compared with the crate gltf and its readers, which check less, and with a copy of the arrays
into fresh memory, below which no reader can be. The text of an OBJ is
compared with `write!`. DPM's form is stored in the space of each joint; where joints agree about every vertex it is
held in the bind pose, and compared with the kernel for the form as it is stored.

Targets that no peer of a Cargo project can measure (ozz-animation, DarkPlaces' own code, cgltf) are not in this table; cgltf is
below.

";

const COUNTS: &str = "
## Instructions

What decides between two versions of a kernel on a busy machine: instructions per vertex, counted by valgrind's
callgrind over 10,000 vertices with positions and normals, when the kernels were last changed.

| work | instructions |
|---|---:|
| 4 influences, all blends different | 36.4 |
| 4 influences, glam | 96.0 |
| 4 influences, blends shared by 4 | 28.6 |
| 1 influence | 22.4 |
| 1 influence, glam | 36.0 |
| sorted by bone | 8.6 |

The same for aarch64, counted by qemu one instruction at a time over 1,024 vertices at commit 9f0ebe6: the portable kernels, and those whose
products and sums are rounded together.

| work | portable | NEON |
|---|---:|---:|
| 4 influences, all blends different | 135 | 117 |
| 4 influences, blends shared by 4 | 84 | 77 |
| 2 influences | 102 | 92 |
| 1 influence | 76 | 70 |
| sorted by bone | 56 | 28 |

The same for whole poses of 64 joints that follow each other, by the pose: sampled, concatenated and made into a
palette.

| work | instructions |
|---|---:|
| frames | 8,283 |
| keys at the same frames | 8,881 |
| keys of each joint at frames of its own | 9,390 |

Eight vertices sorted by bone take 18 multiplications and 18 shuffles for positions and normals. A processor with
three vector ports (Intel) cannot do them in fewer than 12 cycles, in which it could copy them twice out of the
second cache; that bounds the ratio to a copy where everything fits there.

Reading takes so many instructions for each byte of the DPM and ZYM files of the corpus, all findings included. What
a DPM takes more is for its triangles, each of which is held against the normals of its corners.

| work | instructions per byte |
|---|---:|
| DPM | 3.12 |
| ZYM | 0.91 |

A mesh of 100,000 vertices does not fit into the second cache. Moving it then takes most of the time, ours and
glam's alike, and what shared blends save in instructions counts for less: compare the time of *sorted by bone*,
which at that size is that of a copy. For the same reason the slope of DPM's form, which reads 72 bytes for two
influences, is the steepest.

";

const WHOLE: &str = "
## Before and after

Two builds side by side in one process, commits 2a73036 and 6bf2502 to ee02dce, on a machine of two cores that was busy with other
things: medians of the ratios of times, with quartiles.

| work | size | ratio |
|---|---:|---:|
| OBJ, by the triangle | 10,000 | 2.91 (2.81-2.94) |
| OBJ | 100,000 | 2.72 (2.66-2.72) |
| OBJ | 1,000,000 | 2.57 (2.51-2.69) |
| GLB to memory against gltf-json, before | 2,000,000 | 1.48 (1.46-1.50) |
| GLB to memory against gltf-json, after | 2,000,000 | 1.56 (1.53-1.58) |
| GLB streamed into reused memory against gltf-json | 10,000 | 1.65 (1.62-1.66) |
| GLB streamed into reused memory against gltf-json | 100,000 | 1.94 (1.86-2.00) |
| GLB streamed into reused memory against gltf-json | 2,000,000 | 2.78 (2.72-2.82) |

Of the 26.8 ms that two million triangles take when they are streamed, 16.4 are checks, each array being read once or
twice, and the rest is the copy of 56 MB into memory that is there already. A pose of 64 joints from keys took 15,404
instructions before and takes 8,881 where joints have keys at the same frames, 11,609 and 9,390 where each has its own;
the bits are the same.

A GLB is read to a scene in one pass over each array, which is looked at while the cache has it. Commits 1d42c8f and
14d8b38 against the readers of the crate gltf, three builds in one process on the same busy machine, memory as the system's
allocator gives it:

| work | triangles | before | after |
|---|---:|---:|---:|
| GLB to arrays | 10,000 | 7.00 (4.45-7.64) | 10.06 (6.95-11.50) |
| GLB to arrays | 100,000 | 6.44 (3.59-8.11) | 11.72 (5.88-13.12) |
| GLB to arrays | 1,000,000 | 4.18 (3.54-4.64) | 8.04 (5.48-9.59) |
| GLB to arrays, 1 to 4 influences | 10,000 | 1.45 (1.17-1.54) | 2.91 (2.26-5.10) |
| GLB to arrays, 1 to 4 influences | 100,000 | 1.70 (1.50-1.80) | 3.83 (3.36-6.49) |
| GLB to arrays, 1 to 4 influences | 1,000,000 | 1.89 (1.71-2.23) | 6.32 (4.29-7.10) |

In instructions a million triangles took 37.3 million before and take 10.2 million, with influences 264 and 55.8 million;
the peer takes 342 million with influences. Those of the smallest model with 60 joints are for its JSON: 0.87 million of 1.44.

Converting a DPM of 101 MB with 1.2 million vertices to GLB took 417 MB at its peak, 225 MB after, and the file is the same to the
byte. One of 137.6 MB with 1.67 million vertices, the whole program, three builds in turn, seven runs each, medians; commits a9f68be,
1284795 and 4dbb63c:

| work | first edition | before | after |
|---|---:|---:|---:|
| DPM to GLB, user + system, s | 0.57 | 0.39 | 0.34 |
| user alone, s | 0.30 | 0.18 | 0.16 |
| pages touched first, thousands | 148 | 103 | 95 |
| peak memory, MB | 577 | 285 | 287 |

The target is 0.6 of the first edition. What is left is mostly the system's: reading the file, writing the other, and the first touch of
pages, of which the file, its model, the scene and what of the output is not the scene's need 88,000. The peak is within the file, the scene, the
output and 10 MiB; a mesh of the model is let go before the next is made, and its triangles go over to the scene. Influences and normals are
computed by wide instructions in 64 bits: a DPM of 4 MB takes 48.4 million instructions to GLB, 63.4 before.

A thousand files of some kilobytes in memory take 0.132 s on one core and 0.080 s on two, 1.65 times as fast; before they took 0.091 s there,
1.43 times. Two processes on half of the files each are 1.89 times as fast as one on all, which bounds it: about 8 ms go by before the first
conversion, when the folder is read and outputs get their names. Results are taken in the order of the inputs, each by the thread that made it as long as
it has other work: giving back what another thread had allocated made both wait for the allocator, 400 times in a run. Medians of 21
runs of each build in turn, before all other programs of the machine.

Vertices of BMD are decoded by rows of words, all three arrays in one pass, and the checks of an export by wide instructions.
Commits 1f2b2a3, and 5727094 and 901f3a5, two builds run in turn on a busy machine; nanoseconds are the best of the runs, since others
took the cores in between, and instructions are callgrind's:

| work | size | ns before | ns after | a copy | instructions before | after |
|---|---:|---:|---:|---:|---:|---:|
| BMD vertices decoded | 10,000 | 5.93 | 1.92 | | 119 | 28 |
| GLB streamed into reused memory | 10,082 | 3.60 | 2.32 | 0.42 | | |
| GLB streamed into reused memory | 99,458 | 3.88 | 3.15 | 1.37 | 67 | 42 |
| GLB streamed into reused memory | 1,996,002 | 9.79 | 6.23 | 5.59 | | |

The copy is of the finished file into the same memory: below it no writer can be. Two million triangles do not fit into a cache, and what
they take depends on who else uses the memory: without writing anything the same runs took 5.4 to 6.1. Triangles and positions are read twice there before
they are written; now once, with everything that is to be seen of them: 2.16 to 1.78, 3.40 to 2.98 and 8.62 to 8.02 ns for the three sizes,
builds before and after that in turn.

## Targets that are missed or near, and what bounds them

Ratios are those of the table above, or in brackets the best of many runs in turn; instructions are callgrind's. A cycle is taken from a copy in the
first cache, which stores 64 bytes in each.

| work | target | seen | bound |
|---|---:|---:|---|
| 4 influences, all blends different, against glam | 1.9 | 1.79 to 1.87 | 36 instructions against 96, but 3.9 in a cycle against 5.9: ours are nearly all of vectors, which have three ports |
| the same, shared by 4, 10,000 and 100,000 | 2.5 | 2.34 (2.65), 2.36 | of 100,000 memory: *sorted by bone* is as fast as a copy there |
| big-endian floats, 4,096, against a copy | 0.9 | 0.48 (0.55) | 0.5: one store in a cycle, of 32 bytes by AVX2 and of 64 by a copy with AVX-512 |
| F8A against a table | 2.5 | 2.09 to 2.43 (2.6) | 2.5: 12 vector operations for 16 codes |
| DPM of the corpus, all findings, against a copy | 0.5 | 0.09 (0.33 of a fresh one) | posing every influence in 64 bits, in order to see how triangles are wound; below 1 MiB a copy goes into memory that is there already, of which reading alone is 0.22 |
| ZYM of the corpus, all findings, against a copy | 0.8 | 0.34 to 0.36 | the same memory; 0.91 instructions for each byte |
| FSOMODEL of 0.7 MB, all findings, against one look at its bytes | 0.5 | 0.34 | the file lies in the second cache: half of the time goes into normals that lie 44 bytes apart and into finite tests, a third into extents of indices; beyond it 0.67 and 0.77 |
| GLB streamed against gltf-json, 10,082 and 99,458 triangles | 5 | 4.03, 3.31 | of 1.78 ns 0.43 are the copy and 0.5 marks of used vertices, three stores for each triangle, of which a cycle takes two; of 2.98 ns 1.54 are the copy |
| GLB streamed against gltf-json, 1,996,002 triangles | 5 | 4.76 | memory: a copy of the file takes 4.1 of 8.0 ns, the checks alone 3.7, in one pass over each array |
| GLB to arrays against gltf and its readers, 1,996,002 triangles | 6 | 2.80, 3.21 | a copy of the arrays into fresh memory takes 0.90 to 1.01 of our time |
| GLB to arrays, skinned, 10,082 and 99,458 | 6 | 3.47, 5.48 | the document of 60 joints, mostly JSON, takes 1.9 of 7.2 ns and what is made of its joints as much; of the larger one a copy of the arrays is 0.56 |

Words of 32 bits take 4.0 instructions for 32 bytes and 0.95 cycles, which is one store. Seeing that floats are finite takes two more vector
operations than turning them round; three such operations on three ports are a cycle, and 1.2 were taken. Beyond the
first cache both are nearly as fast as a copy.

F8A takes 22 instructions for 16 codes, of which 12 need one of three vector ports: 4 cycles at least, 4.4 as measured. The table takes 3.8
instructions and 0.63 cycles for each code, or 10 for 16.

Findings of a DPM take about 50 instructions for each influence of 32 bytes, and 93 for each triangle, both in vectors: a position and a normal
are 14 products and sums of four numbers each, and as many conversions and broadcasts. 32 bits would take fewer, but their rounding grows
with the model and not with its triangles: those of fine meshes would have to be looked at again in 64.

## The build

The program as releases carry it (profile `dist`: fat link-time optimization, one unit, stripped) has 12.6 MB, 10.8 of them code; the target of 3.6
was set for a program that read and exported five families. Optimized for size where nothing is hot it would have 11.9.

The facade with DPM alone, `cargo build --release --no-default-features --features dpm`, takes 52 s of processor time from nothing; what
recovers and merges edits is a feature of its own and not in it. The first edition took 36 s beside it. Its crates had 14,000 lines and have 49,000: `dpm` takes 12 s for 9,
`scene` 10 for 2, `files`, which was not there, 9.

## Measured outside

cgltf 1.15 (C, `cc -O2`): parsed from memory, buffers loaded, validated, and every attribute and the indices unpacked into fresh arrays; ours
is the document and the import to a scene. Each is a process of its own, nine of both in turn, medians within; GLBs of our own export, large blocks
mapped anew by both. A ratio above 1 says that ours is faster.

| work | triangles | ns each | cgltf | ratio (quartiles) |
|---|---:|---:|---:|---:|
| GLB to arrays | 10,082 | 5.30 | 6.31 | 1.19 (1.18-1.20) |
| GLB to arrays | 99,458 | 8.13 | 10.53 | 1.29 (1.29-1.30) |
| GLB to arrays | 999,698 | 31.20 | 36.20 | 1.16 (1.10-1.35) |
| GLB to arrays, 1 to 4 influences | 10,082 | 14.79 | 16.48 | 1.11 (1.09-1.12) |
| GLB to arrays, 1 to 4 influences | 99,458 | 11.71 | 23.22 | 1.98 (1.91-2.13) |
| GLB to arrays, 1 to 4 influences | 999,698 | 99.95 | 130.21 | 1.30 (1.28-1.36) |

cgltf sees that accessors lie in their buffers and that indices name vertices. It does not look at numbers: whether they are finite, whether
normals have length 1, whether joints exist and weights make 1; nor does it bound memory or the depth of JSON.

";

const SLOPES: &str = "
## Cost against size

![cost against size](performance.svg)

The slope of the logarithm of the time over that of the number of vertices, least squares over all sizes. A copy
shows what the caches do: what fits into the first is copied several times as fast as what does not, and work
that is nearly as fast as a copy shares its slope.

";

fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|l| l.strip_prefix("model name")).and_then(|l| l.split_once(':'));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {threads} threads", name.map_or(std::env::consts::ARCH, |n| n.1.trim()))
}

/// What was measured, if nothing but the documentation is edited.
fn commit(docs: &Path) -> String {
    let git = |words: &[&str]| {
        let out = std::process::Command::new("git").arg("-C").arg(docs).args(words).output();
        out.ok()
            .filter(|out| out.status.success())
            .map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned())
    };
    let edited = git(&["status", "--porcelain", "--", "../crates"]).is_none_or(|list| !list.is_empty());
    let name = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|| "unknown".into());
    if edited { format!("{name}, edited") } else { name }
}

fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().filter(|l| !l.is_empty()).unwrap_or("unknown").to_owned()
}
