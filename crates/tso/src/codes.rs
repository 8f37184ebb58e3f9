//! The codes of broken rules (`E_`) and of things worth knowing (`W_`).

macro_rules! codes {
    ($($name:ident)+) => { $(pub(crate) const $name: &str = concat!(stringify!($name));)+ };
}

codes! {
    E_TRUNCATED E_COUNT E_LIMIT E_VERSION E_TRAILING E_NOT_FINITE
    E_FACE_INDEX E_BINDING_BONE E_BINDING_DUP E_BINDING_RANGE E_BINDING_OVERLAP E_BINDING_GAP
    E_BLEND_RANGE E_BLEND_OVERLAP E_BLEND_GAP E_BLEND_VERTEX E_WEIGHT E_TOTAL
    E_MOTION_RANGE E_PARENT E_PARENT_CYCLE E_NO_ROOT E_BONE_DUP
    E_TAG E_NUMBER E_FLAG E_NAME E_NESTING
    W_TOTAL_REAL_ONLY W_NORMAL_LENGTH W_WEIGHT_ZERO W_VERTEX_UNUSED
    W_NAME_ENCODING W_NAME_EMPTY W_BONE_NAME_DUP
    W_FACE_DEGENERATE W_BINDING_EMPTY W_BINDING_COUNT W_BLEND_MULTI W_BLEND_SAME_BONE
    W_DURATION_SECONDS W_MOTION_DUP W_ROTATION_LENGTH W_ROOTS
}

/// How faults that any reader can meet are called here.
pub(crate) const COMMON: meshwright_core::Codes = meshwright_core::Codes {
    short: &meshwright_core::Rule::error(E_TRUNCATED, meshwright_core::Kind::Truncated, "", ""),
    count: &meshwright_core::Rule::error(E_COUNT, meshwright_core::Kind::BadCount, "", ""),
    limit: &meshwright_core::Rule::error(E_LIMIT, meshwright_core::Kind::Limit, "", ""),
};
