//! The classes of objects in a document, with the values that their properties may have. Source: the schemas of glTF 2.0
//! and of the extensions that the Khronos validator knows.

use super::combined;
use super::schema::{Class, Field, Kind, Table, any, need};
use Kind::{
    Any, Code, Flag, Index, Indices, Names, Number, Numbers, Object, Objects, Text, Version, Whole, Word,
};
use std::f64::consts::FRAC_PI_2;

/// Any number.
const FREE: Kind = Number { least: f64::NEG_INFINITY, most: f64::INFINITY, open: (false, false) };
/// A number from 0 to 1.
const SHARE: Kind = Number { least: 0.0, most: 1.0, open: (false, false) };
/// A number from 0 on.
const POSITIVE: Kind = at_least(0.0);
/// A number above 0.
const ABOVE: Kind = Number { least: 0.0, most: f64::INFINITY, open: (true, false) };
/// From 0 on.
const COUNT: Kind = Whole { least: 0, most: u64::MAX };

const fn at_least(least: f64) -> Kind {
    Number { least, most: f64::INFINITY, open: (false, false) }
}

const fn any_numbers(counts: &'static [usize]) -> Kind {
    Numbers { counts, least: f64::NEG_INFINITY, most: f64::INFINITY }
}

const fn shares(counts: &'static [usize]) -> Kind {
    Numbers { counts, least: 0.0, most: 1.0 }
}

const fn class(fields: &'static [Field]) -> Class {
    Class { fields, named: false, extensions: &[], combined: None }
}

const fn named(fields: &'static [Field]) -> Class {
    Class { named: true, ..class(fields) }
}

pub(super) static ROOT: Class = Class {
    extensions: &[("KHR_lights_punctual", &LIGHTS), ("KHR_materials_variants", &VARIANTS)],
    combined: Some(combined::root),
    ..class(&[
        any("extensionsUsed", Names),
        any("extensionsRequired", Names),
        any("accessors", Objects(&ACCESSOR)),
        any("animations", Objects(&ANIMATION)),
        need("asset", Object(&ASSET)),
        any("buffers", Objects(&BUFFER)),
        any("bufferViews", Objects(&VIEW)),
        any("cameras", Objects(&CAMERA)),
        any("images", Objects(&IMAGE)),
        any("materials", Objects(&MATERIAL)),
        any("meshes", Objects(&MESH)),
        any("nodes", Objects(&NODE)),
        any("samplers", Objects(&SAMPLER)),
        any("scene", Index(Table::Scenes)),
        any("scenes", Objects(&SCENE)),
        any("skins", Objects(&SKIN)),
        any("textures", Objects(&TEXTURE)),
    ])
};

static ASSET: Class = Class {
    combined: Some(combined::asset),
    ..class(&[
        any("copyright", Text),
        any("generator", Text),
        need("version", Version),
        any("minVersion", Version),
    ])
};

const COMPONENTS: &[u64] = &[5120, 5121, 5122, 5123, 5125, 5126];

static ACCESSOR: Class = Class {
    combined: Some(combined::accessor),
    ..named(&[
        any("bufferView", Index(Table::Views)),
        any("byteOffset", COUNT),
        need("componentType", Code(COMPONENTS)),
        any("normalized", Flag),
        need("count", Whole { least: 1, most: u64::MAX }),
        need("type", Word(&["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"])),
        any("max", any_numbers(&[1, 2, 3, 4, 9, 16])),
        any("min", any_numbers(&[1, 2, 3, 4, 9, 16])),
        any("sparse", Object(&SPARSE)),
    ])
};

static SPARSE: Class = class(&[
    need("count", Whole { least: 1, most: u64::MAX }),
    need("indices", Object(&SPARSE_INDICES)),
    need("values", Object(&SPARSE_VALUES)),
]);

static SPARSE_INDICES: Class = class(&[
    need("bufferView", Index(Table::Views)),
    any("byteOffset", COUNT),
    need("componentType", Code(&[5121, 5123, 5125])),
]);

static SPARSE_VALUES: Class = class(&[need("bufferView", Index(Table::Views)), any("byteOffset", COUNT)]);

static ANIMATION: Class = named(&[need("channels", Objects(&CHANNEL)), need("samplers", Objects(&KEYS))]);

static CHANNEL: Class = class(&[need("sampler", COUNT), need("target", Object(&TARGET))]);

static TARGET: Class = Class {
    extensions: &[("KHR_animation_pointer", &POINTER)],
    combined: Some(combined::target),
    ..class(&[
        any("node", Index(Table::Nodes)),
        need("path", Word(&["translation", "rotation", "scale", "weights", "pointer"])),
    ])
};

static POINTER: Class = Class { combined: Some(combined::pointer), ..class(&[need("pointer", Text)]) };

static KEYS: Class = class(&[
    need("input", Index(Table::Accessors)),
    any("interpolation", Word(&["LINEAR", "STEP", "CUBICSPLINE"])),
    need("output", Index(Table::Accessors)),
]);

static BUFFER: Class = Class {
    combined: Some(combined::buffer),
    ..named(&[any("uri", Text), need("byteLength", Whole { least: 1, most: u64::MAX })])
};

static VIEW: Class = Class {
    combined: Some(combined::view),
    ..named(&[
        need("buffer", Index(Table::Buffers)),
        any("byteOffset", COUNT),
        need("byteLength", Whole { least: 1, most: u64::MAX }),
        any("byteStride", Whole { least: 4, most: 252 }),
        any("target", Code(&[34_962, 34_963])),
    ])
};

static CAMERA: Class = Class {
    combined: Some(combined::camera),
    ..named(&[
        any("orthographic", Object(&ORTHOGRAPHIC)),
        any("perspective", Object(&PERSPECTIVE)),
        need("type", Word(&["orthographic", "perspective"])),
    ])
};

static ORTHOGRAPHIC: Class = Class {
    combined: Some(combined::orthographic),
    ..class(&[need("xmag", FREE), need("ymag", FREE), need("zfar", ABOVE), need("znear", POSITIVE)])
};

static PERSPECTIVE: Class = Class {
    combined: Some(combined::depths),
    ..class(&[any("aspectRatio", ABOVE), need("yfov", ABOVE), any("zfar", ABOVE), need("znear", ABOVE)])
};

static IMAGE: Class = Class {
    combined: Some(combined::image),
    ..named(&[
        any("uri", Text),
        any("mimeType", Word(&["image/jpeg", "image/png", "image/webp"])),
        any("bufferView", Index(Table::Views)),
    ])
};

static MATERIAL: Class = Class {
    extensions: &[
        ("KHR_materials_anisotropy", &ANISOTROPY),
        ("KHR_materials_clearcoat", &CLEARCOAT),
        ("KHR_materials_dispersion", &DISPERSION),
        ("KHR_materials_emissive_strength", &EMISSIVE_STRENGTH),
        ("KHR_materials_ior", &IOR),
        ("KHR_materials_iridescence", &IRIDESCENCE),
        ("KHR_materials_pbrSpecularGlossiness", &SPECULAR_GLOSSINESS),
        ("KHR_materials_sheen", &SHEEN),
        ("KHR_materials_specular", &SPECULAR),
        ("KHR_materials_transmission", &TRANSMISSION),
        ("KHR_materials_unlit", &UNLIT),
        ("KHR_materials_volume", &VOLUME),
    ],
    combined: Some(|walk, _, _| walk.end_material()),
    ..named(&[
        any("pbrMetallicRoughness", Object(&METALLIC_ROUGHNESS)),
        any("normalTexture", Object(&NORMAL_TEXTURE)),
        any("occlusionTexture", Object(&OCCLUSION_TEXTURE)),
        any("emissiveTexture", Object(&TEXTURE_INFO)),
        any("emissiveFactor", shares(&[3])),
        any("alphaMode", Word(&["OPAQUE", "MASK", "BLEND"])),
        any("alphaCutoff", POSITIVE),
        any("doubleSided", Flag),
    ])
};

static METALLIC_ROUGHNESS: Class = class(&[
    any("baseColorFactor", shares(&[4])),
    any("baseColorTexture", Object(&TEXTURE_INFO)),
    any("metallicFactor", SHARE),
    any("roughnessFactor", SHARE),
    any("metallicRoughnessTexture", Object(&TEXTURE_INFO)),
]);

const ON_TEXTURES: &[(&str, &Class)] = &[("KHR_texture_transform", &TEXTURE_TRANSFORM)];

/// A texture of a material. [`Walk`] recognises it by the address of this class.
static TEXTURE_INFO: Class = Class {
    extensions: ON_TEXTURES,
    combined: Some(combined::texture),
    ..class(&[need("index", Index(Table::Textures)), any("texCoord", COUNT)])
};

static NORMAL_TEXTURE: Class = Class {
    extensions: ON_TEXTURES,
    combined: Some(combined::normal_texture),
    ..class(&[need("index", Index(Table::Textures)), any("texCoord", COUNT), any("scale", FREE)])
};

static OCCLUSION_TEXTURE: Class = Class {
    extensions: ON_TEXTURES,
    combined: Some(combined::texture),
    ..class(&[need("index", Index(Table::Textures)), any("texCoord", COUNT), any("strength", SHARE)])
};

static TEXTURE_TRANSFORM: Class = Class {
    combined: Some(combined::texture_transform),
    ..class(&[
        any("offset", any_numbers(&[2])),
        any("rotation", FREE),
        any("scale", any_numbers(&[2])),
        any("texCoord", COUNT),
    ])
};

static ANISOTROPY: Class = Class {
    combined: Some(combined::anisotropy),
    ..class(&[
        any("anisotropyStrength", SHARE),
        any("anisotropyRotation", FREE),
        any("anisotropyTexture", Object(&TEXTURE_INFO)),
    ])
};

static CLEARCOAT: Class = class(&[
    any("clearcoatFactor", SHARE),
    any("clearcoatTexture", Object(&TEXTURE_INFO)),
    any("clearcoatRoughnessFactor", SHARE),
    any("clearcoatRoughnessTexture", Object(&TEXTURE_INFO)),
    any("clearcoatNormalTexture", Object(&NORMAL_TEXTURE)),
]);

static DISPERSION: Class = class(&[any("dispersion", POSITIVE)]);

static EMISSIVE_STRENGTH: Class = class(&[any("emissiveStrength", POSITIVE)]);

static IOR: Class = Class { combined: Some(combined::ior), ..class(&[any("ior", POSITIVE)]) };

static IRIDESCENCE: Class = class(&[
    any("iridescenceFactor", SHARE),
    any("iridescenceTexture", Object(&TEXTURE_INFO)),
    any("iridescenceIor", at_least(1.0)),
    any("iridescenceThicknessMinimum", POSITIVE),
    any("iridescenceThicknessMaximum", POSITIVE),
    any("iridescenceThicknessTexture", Object(&TEXTURE_INFO)),
]);

static SPECULAR_GLOSSINESS: Class = class(&[
    any("diffuseFactor", shares(&[4])),
    any("diffuseTexture", Object(&TEXTURE_INFO)),
    any("specularFactor", shares(&[3])),
    any("glossinessFactor", SHARE),
    any("specularGlossinessTexture", Object(&TEXTURE_INFO)),
]);

static SHEEN: Class = class(&[
    any("sheenColorFactor", shares(&[3])),
    any("sheenColorTexture", Object(&TEXTURE_INFO)),
    any("sheenRoughnessFactor", SHARE),
    any("sheenRoughnessTexture", Object(&TEXTURE_INFO)),
]);

static SPECULAR: Class = class(&[
    any("specularFactor", SHARE),
    any("specularTexture", Object(&TEXTURE_INFO)),
    any("specularColorFactor", Numbers { counts: &[3], least: 0.0, most: f64::INFINITY }),
    any("specularColorTexture", Object(&TEXTURE_INFO)),
]);

static TRANSMISSION: Class =
    class(&[any("transmissionFactor", SHARE), any("transmissionTexture", Object(&TEXTURE_INFO))]);

static UNLIT: Class = class(&[]);

static VOLUME: Class = class(&[
    any("thicknessFactor", POSITIVE),
    any("thicknessTexture", Object(&TEXTURE_INFO)),
    any("attenuationDistance", ABOVE),
    any("attenuationColor", shares(&[3])),
]);

static MESH: Class = Class {
    combined: Some(combined::mesh),
    ..named(&[need("primitives", Objects(&PRIMITIVE)), any("weights", any_numbers(&[]))])
};

static PRIMITIVE: Class = Class {
    extensions: &[("KHR_materials_variants", &MAPPINGS)],
    combined: Some(combined::primitive),
    ..class(&[
        need("attributes", Any),
        any("indices", Index(Table::Accessors)),
        any("material", Index(Table::Materials)),
        any("mode", Whole { least: 0, most: 6 }),
        any("targets", Any),
    ])
};

static MAPPINGS: Class =
    Class { combined: Some(combined::mappings), ..class(&[need("mappings", Objects(&MAPPING))]) };

static MAPPING: Class =
    named(&[need("variants", Indices(Table::Variants)), need("material", Index(Table::Materials))]);

static VARIANTS: Class = class(&[need("variants", Objects(&VARIANT))]);

static VARIANT: Class = class(&[need("name", Text)]);

static NODE: Class = Class {
    extensions: &[("KHR_lights_punctual", &NODE_LIGHT)],
    combined: Some(combined::node),
    ..named(&[
        any("camera", Index(Table::Cameras)),
        any("children", Indices(Table::Nodes)),
        any("skin", Index(Table::Skins)),
        any("matrix", any_numbers(&[16])),
        any("mesh", Index(Table::Meshes)),
        any("rotation", Numbers { counts: &[4], least: -1.0, most: 1.0 }),
        any("scale", any_numbers(&[3])),
        any("translation", any_numbers(&[3])),
        any("weights", any_numbers(&[])),
    ])
};

static NODE_LIGHT: Class = class(&[need("light", Index(Table::Lights))]);

static LIGHTS: Class = class(&[need("lights", Objects(&LIGHT))]);

static LIGHT: Class = Class {
    combined: Some(combined::light),
    ..named(&[
        any("color", shares(&[3])),
        any("intensity", POSITIVE),
        need("type", Word(&["directional", "point", "spot"])),
        any("spot", Object(&SPOT)),
        any("range", ABOVE),
    ])
};

static SPOT: Class = Class {
    combined: Some(combined::spot),
    ..class(&[
        any("innerConeAngle", Number { least: 0.0, most: FRAC_PI_2, open: (false, true) }),
        any("outerConeAngle", Number { least: 0.0, most: FRAC_PI_2, open: (true, false) }),
    ])
};

static SAMPLER: Class = named(&[
    any("magFilter", Code(&[9728, 9729])),
    any("minFilter", Code(&[9728, 9729, 9984, 9985, 9986, 9987])),
    any("wrapS", Code(&[10_497, 33_071, 33_648])),
    any("wrapT", Code(&[10_497, 33_071, 33_648])),
]);

static SCENE: Class = named(&[any("nodes", Indices(Table::Nodes))]);

static SKIN: Class = named(&[
    any("inverseBindMatrices", Index(Table::Accessors)),
    any("skeleton", Index(Table::Nodes)),
    need("joints", Indices(Table::Nodes)),
]);

static TEXTURE: Class = Class {
    extensions: &[("EXT_texture_webp", &WEBP)],
    ..named(&[any("sampler", Index(Table::Samplers)), any("source", Index(Table::Images))])
};

static WEBP: Class = class(&[any("source", Index(Table::Images))]);
