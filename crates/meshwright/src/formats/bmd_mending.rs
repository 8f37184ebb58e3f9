//! Makes the safe repairs of a BMD.

use super::mending::{field, inner, item};
use meshwright_bmd::{Bmd, Primitive};
use meshwright_core::Finding;
use std::sync::Arc;

/// The repairs by code, each with a description.
pub(super) const MENDED: &[(&str, &str)] = &[
    ("vertex-form", "the flags of the mesh allow all kinds of vertices"),
    ("triangle-form", "the flags of the mesh allow all kinds of triangles and quads"),
    ("reserved-bits", "the reserved bits are cleared"),
    ("triangle-count", "the count becomes the length of the list"),
    ("solid-range", "the bone gets no collision mesh"),
    ("reserved-field", "the field is zero"),
    ("unknown-flags", "the bits without a meaning are cleared"),
];

pub(super) fn mend(model: &mut Bmd, finding: &Finding) -> bool {
    match finding.rule.code {
        "reserved-bits" => tag2(model, finding),
        "reserved-field" => zero(model, finding),
        "solid-range" => {
            let bone = item(finding, "bones").and_then(|i| model.bones.get_mut(i));
            bone.is_some_and(|bone| std::mem::take(&mut bone.solid) != 0)
        }
        code => {
            let mesh = item(finding, "meshes").and_then(|i| model.meshes.get_mut(i));
            let Some(flags) = mesh.map(|mesh| &mut mesh.flags.0) else { return false };
            let old = *flags;
            match code {
                "vertex-form" => *flags = *flags & !0b11 | 0b01,
                "triangle-form" => *flags = *flags & !0b1100 | 0b0100,
                "unknown-flags" => *flags &= 0b1111,
                _ => {}
            }
            *flags != old
        }
    }
}

/// Clears the upper two bits of an element, in all meshes that share its list.
fn tag2(model: &mut Bmd, finding: &Finding) -> bool {
    let (Some(i), Some(at)) = (item(finding, "meshes"), inner(finding, "tris")) else { return false };
    let Some(old) = model.meshes.get(i).map(|mesh| Arc::clone(&mesh.primitives)) else { return false };
    let mut list = (*old).clone();
    let Some(primitive) = list.get_mut(at).filter(|primitive| primitive.tag2() != 0) else { return false };
    let mask = if primitive.size() == 4 { u64::from(u32::MAX >> 2) } else { u64::MAX >> 2 };
    let Some(cleared) = Primitive::from_bits(primitive.to_bits() & mask) else { return false };
    *primitive = cleared;
    let list = Arc::new(list);
    for mesh in model.meshes.iter_mut().filter(|mesh| Arc::ptr_eq(&mesh.primitives, &old)) {
        mesh.primitives = Arc::clone(&list);
    }
    true
}

/// Makes a reserved word zero.
fn zero(model: &mut Bmd, finding: &Finding) -> bool {
    fn take<T: Default + PartialEq>(word: Option<&mut T>) -> bool {
        word.is_some_and(|word| std::mem::take(word) != T::default())
    }
    let name = field(finding);
    let which =
        name.strip_prefix("resv").and_then(|n| n.parse::<usize>().ok()).and_then(|n| n.checked_sub(1));
    if let Some(mesh) = item(finding, "meshes") {
        return take(model.meshes.get_mut(mesh).filter(|_| which.is_some()).map(|mesh| &mut mesh.reserved));
    }
    if let Some(level) = item(finding, "lods") {
        return take(model.lods.get_mut(level).filter(|_| which.is_some()).map(|level| &mut level.reserved));
    }
    let Some(which) = which else { return false };
    if let Some(bone) = item(finding, "bones") {
        return take(model.bones.get_mut(bone).and_then(|bone| bone.reserved.get_mut(which)));
    }
    if let Some(clip) = item(finding, "anims") {
        return take(model.clips.get_mut(clip).and_then(|clip| clip.reserved.get_mut(which)));
    }
    take(model.reserved.get_mut(which))
}
