//! What is measured differently from one kind of file to another: how near to its reference a model must be, whether
//! it can be drawn, and what a fuzzer should know of it: its words, its numbers, how long the smallest useful files
//! are.

use meshwright::Format;

/// How numbers of more than one byte are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    Little,
    Big,
    /// Integers big, floats little endian.
    Both,
    /// In words.
    Text,
}

/// How far from a reference dump a number may be, as parts of the model's extent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    /// In the rest pose.
    pub(crate) rest: f64,
    /// In any other.
    pub(crate) posed: f64,
    /// Added to both, whatever the extent.
    pub(crate) added: f64,
}

/// What formats that store plain numbers are held to.
const EXACT: Tolerance = Tolerance { rest: 0.0, posed: 0.0, added: 0.0 };

/// Whether a kind of file can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawn {
    Yes,
    WithSkeleton,
    No,
}

impl Drawn {
    /// As the README says it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::WithSkeleton => "with a skeleton",
            Self::No => "holds no model",
        }
    }
}

/// One kind of file, by its extension.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) extension: &'static str,
    pub(crate) numbers: Numbers,
    /// A fuzzer's inputs are cut to this length: short ones are quick, and break in all the ways that long ones do.
    pub(crate) longest: usize,
    /// What a fuzzer should know.
    words: &'static [&'static [u8]],
    pub(crate) tolerance: Tolerance,
    pub(crate) drawn: Drawn,
}

const fn kind(
    extension: &'static str,
    numbers: Numbers,
    longest: usize,
    words: &'static [&'static [u8]],
) -> Kind {
    Kind { extension, numbers, longest, words, tolerance: EXACT, drawn: Drawn::Yes }
}

/// The flags of attributes and of index sizes.
const CRUCIBLE: &[&[u8]] = &[
    b"cmodel\n",
    b"\x01\x00",
    b"\x02\x00",
    b"\x04\x00",
    b"\x08\x00",
    b"\x10\x00",
    b"\x20\x00",
    b"\x40\x00",
    b"\x01\x10\x00",
    b"\x00\x00\x80\x3f",
];

/// Names behind their lengths, and versions.
const TSO: &[&[u8]] = &[
    b"\x00\x00\x00\x01",
    b"\x00\x00\x00\x02",
    b"\x00\x00\x00\x08",
    b"\x04NULL",
    b"\x04ROOT",
    b"\x00\x04ROOT",
    b"\x05sound",
    b"\x06PELVIS",
];

/// Names behind their lengths, long ones, and counts.
const SIMS: &[&[u8]] =
    &[b"\x04NULL", b"\x04ROOT", b"\xff\xff\x00\x00\x00", b"\x01\x00\x00\x00", b"\xff\xff\xff\xff"];

/// Every kind of file, and what else a fuzz target reads.
pub(crate) const KINDS: &[Kind] = &[
    kind(
        "bmd",
        Numbers::Little,
        512,
        &[b"BMD1", b"#8090A0", b"\xf8", b"\xf9", b"\xfa", b"\xfb", b"\xfd", b"\x0f", b"\xff\xff\xff\x7f"],
    )
    .within(0.0, 1e-5, 0.0),
    kind("cmesh", Numbers::Little, 400, CRUCIBLE),
    kind("cmodel", Numbers::Little, 400, CRUCIBLE),
    kind("cskel", Numbers::Little, 300, &[b"\xff\xff", b"\x00\x00\x80\x3f"]),
    kind(
        "lz4",
        Numbers::Little,
        200,
        &[b"\x0f", b"\xf0", b"\xff", b"\xff\xff\xff\xff", b"\x01\x00", b"\x1f\x00\x01\x00"],
    ),
    kind("dpm", Numbers::Big, 1100, &[b"DARKPLACESMODEL\0", b"\x00\x00\x00\x02", b"textures/", b"root\0"])
        .within(1e-6, 1e-6, 1e-6),
    kind(
        "zym",
        Numbers::Big,
        1200,
        &[b"ZYMOTICMODEL", b"\x00\x00\x00\x01", b"\x00\x00\x00\x18", b"\xff\xff\xff\xff"],
    )
    .within(1e-6, 1e-6, 1e-6),
    kind(
        "framegroups",
        Numbers::Text,
        160,
        &[b"//", b"/*", b"*/", b"\"", b"\\n", b"{", b"}", b"1 6 6 1 idle\n"],
    )
    .drawn(Drawn::No),
    kind(
        "iqm",
        Numbers::Little,
        1200,
        &[
            b"INTERQUAKEMODEL\0",
            b"\x02\0\0\0",
            b"\x01\0\0\0",
            b"\x07\0\0\0\x03\0\0\0",
            b"FTE_EVENT\0",
            b"FTE_MESH\0",
        ],
    )
    .within(0.0, 5e-6, 0.0),
    kind("fom", Numbers::Little, 400, &[b"FSOMODEL\x01\0\0\0", b"VDAT", b"INDX", b"MESH"]),
    kind(
        "json",
        Numbers::Text,
        512,
        &[
            b"\"materials\"",
            b"\"meshes\"",
            b"\"root_node\"",
            b"\"name\"",
            b"\"diffuse_texture\"",
            b"\"offset\"",
            b"\"count\"",
            b"\"base_index\"",
            b"\"min_index\"",
            b"\"max_index\"",
            b"\"material_index\"",
            b"\"transform\"",
            b"\"children\"",
            b"true",
            b"false",
            b"null",
            b"\\u0000",
            b"\\ud800",
            b"\\udc00",
            b"[[",
            b"]]",
            b"{}",
            b"[1,0,0,0]",
        ],
    )
    .drawn(Drawn::No),
    kind("mesh", Numbers::Both, 400, TSO).within(1e-5, 1e-5, 0.0),
    kind("skel", Numbers::Both, 300, TSO),
    kind("anim", Numbers::Both, 300, TSO).drawn(Drawn::WithSkeleton),
    kind("bnd", Numbers::Big, 100, TSO).drawn(Drawn::No),
    kind("bmf", Numbers::Little, 400, TSO),
    kind("apr", Numbers::Big, 100, TSO).drawn(Drawn::No),
    kind("oft", Numbers::Big, 60, TSO).drawn(Drawn::No),
    kind("hag", Numbers::Big, 160, TSO).drawn(Drawn::No),
    kind("po", Numbers::Big, 60, TSO).drawn(Drawn::No),
    kind("col", Numbers::Big, 100, TSO).drawn(Drawn::No),
    kind("bcf", Numbers::Little, 500, SIMS),
    kind(
        "cmx",
        Numbers::Text,
        800,
        &[b"version 300\r\n", b"// x\r\n", b"NULL\r\n", b"| 0 0 0 |\r\n", b"-1\r\n", b"1\r\n"],
    ),
    kind("cfp", Numbers::Little, 200, &[b"\xff", b"\xfe", b"\xfd", b"\xfe\xff\xff", b"\xff\x00\x00\x80\x3f"])
        .drawn(Drawn::No),
    kind("skn", Numbers::Text, 300, &[b"\n", b"\r\n", b"ROOT\n", b"2\n", b"-1\n", b"0 1 0 0 0 1\n"]),
    kind(
        "glb",
        Numbers::Both,
        4096,
        &[
            b"glTF",
            b"JSON",
            b"BIN\0",
            b"\"accessors\"",
            b"\"bufferViews\"",
            b"\"byteOffset\"",
            b"\"componentType\"",
            b"5126",
            b"5121",
            b"\"count\"",
            b"\"sparse\"",
            b"\"VEC3\"",
            b"\"MAT4\"",
            b"\"SCALAR\"",
            b"\"nodes\"",
            b"\"children\"",
            b"\"skin\"",
            b"\"joints\"",
            b"\"primitives\"",
            b"\"attributes\"",
            b"\"JOINTS_0\"",
            b"\"WEIGHTS_0\"",
            b"\"animations\"",
            b"\"samplers\"",
            b"\"interpolation\"",
            b"\"CUBICSPLINE\"",
            b"\"byteStride\":",
            b"\"mode\":5",
            b"\"EXT_meshopt_compression\"",
            b"\"images\"",
            b"\"uri\"",
        ],
    ),
    // Scenes of their own.
    kind("scene", Numbers::Little, 4096, &[]),
];

/// A kind of file of which nothing special is known.
const PLAIN: Kind = kind("", Numbers::Both, 512, &[]);

/// Numbers at which counts, offsets and floats turn.
const BOUNDARIES: &[u64] = &[
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fff0,
    0xffff_ffff,
    0x1555_5556,
    0x3f80_0000,
    0x7f80_0000,
    0x7fc0_0000,
    0xff80_0000,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

const TEXT: &[&str] = &[
    "-1",
    "255",
    "65535",
    "65536",
    "2147483647",
    "-2147483648",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "1e38",
    "1e39",
    "-1e-46",
    "1e999",
    "nan",
    "inf",
    "-0",
    "0x10",
];

impl Kind {
    /// That of the files of a format.
    pub(crate) fn of_format(format: Format) -> &'static Self {
        format.extensions().first().map_or(&PLAIN, |extension| Self::of(extension))
    }

    const fn within(mut self, rest: f64, posed: f64, added: f64) -> Self {
        self.tolerance = Tolerance { rest, posed, added };
        self
    }

    const fn drawn(mut self, drawn: Drawn) -> Self {
        self.drawn = drawn;
        self
    }

    /// That of files with an extension; what has no row of its own is measured like plain numbers.
    pub(crate) fn of(extension: &str) -> &'static Self {
        KINDS.iter().find(|k| k.extension == extension).unwrap_or(&PLAIN)
    }

    /// The dictionary in libFuzzer's notation.
    pub(crate) fn dictionary(&self) -> String {
        let mut words: Vec<Vec<u8>> = self.words.iter().map(|w| w.to_vec()).collect();
        for number in BOUNDARIES {
            let bytes = number.to_be_bytes();
            let width = [2, 4, 8].into_iter().find(|w| number >> (w * 8 - 1) >> 1 == 0).unwrap_or(8);
            let big = bytes[8 - width..].to_vec();
            let little = big.iter().rev().copied().collect();
            match self.numbers {
                Numbers::Big => words.push(big),
                Numbers::Little => words.push(little),
                Numbers::Both => words.extend([big, little]),
                Numbers::Text => {}
            }
        }
        if self.numbers == Numbers::Text {
            words.extend(TEXT.iter().map(|t| t.as_bytes().to_vec()));
        }
        let quoted = |w: &Vec<u8>| w.iter().map(|b| format!("\\x{b:02x}")).collect::<String>();
        words.iter().map(|w| format!("\"{}\"\n", quoted(w))).collect()
    }
}
