//! The order of records in each kind of file.

use crate::mesh::record::{binding, face, pull, uv, vertex};
use crate::outfit::model::kinds::{APPEARANCE, BINDING, OUTFIT, PURCHASABLE};
use crate::{anim, bnd, skel};
use meshwright_core::description::{Description, Mark, Order, Structure, Table};
use meshwright_core::structures;

const fn description(
    order: Order,
    marks: &'static [Mark],
    records: &'static [Table],
    structures: &'static [&'static [Structure]],
) -> Description {
    Description {
        order,
        floats: Order::Little,
        marks,
        records,
        words: &[],
        structures,
        views: &[],
        sizes: &[],
    }
}

/// A word that every file has.
macro_rules! marks {
    ($($at:literal: $word:expr),+) => {
        const { &[$(Mark { at: $at, bytes: const { &u32::to_be_bytes($word) } }),+] }
    };
}

structures! {
    const NAME = {
        /// A name.
        name {
            length: u8;
            text: text [length];
        }
    }
}

structures! {
    const LONG_NAME = {
        /// A name. A length of 255 is followed by the real length in 32 bits.
        name {
            length: u8;
            long_length: u32 if (length == 255);
            text: text [length == 255 ? long_length : length];
        }
    }
}

structures! {
    const PROPERTIES = {
        /// Pairs of key and value.
        property_list {
            count: u32;
            pairs: property [count];
        }
        /// A pair of key and value.
        property {
            key: name;
            value: name;
        }
    }
}

structures! {
    const GEOMETRY = {
        /// A mesh.
        geometry {
            bone_count: u32;
            bones: name [bone_count];
            face_count: u32;
            faces: face [face_count];
            binding_count: u32;
            bindings: binding [binding_count];
            real_count: u32;
            uvs: uv [real_count];
            blend_count: u32;
            pulls: pull [blend_count];
            /// Real and blend vertices, or only real ones.
            total: u32;
            real: vertex [real_count];
            blends: vertex [blend_count];
        }
    }
}

const GEOMETRY_RECORDS: &[Table] = &[face::TABLE, binding::TABLE, uv::TABLE, pull::TABLE, vertex::TABLE];

structures! {
    const MESH_FILE = {
        /// A `.mesh` file.
        file {
            version: u32;
            geometry: geometry;
        }
    }
}

pub(crate) const MESH: Description =
    description(Order::Big, marks![0: 2], GEOMETRY_RECORDS, &[MESH_FILE, GEOMETRY, NAME]);

structures! {
    const BMF_FILE = {
        /// A `.bmf` file.
        file {
            skin: name;
            texture: name;
            geometry: geometry;
        }
    }
}

pub(crate) const BMF: Description =
    description(Order::Little, &[], GEOMETRY_RECORDS, &[BMF_FILE, GEOMETRY, NAME]);

structures! {
    const SKEL_FILE = {
        /// A `.skel` file.
        file {
            version: u32;
            name: name;
            bone_count: u16;
            bones: bone [bone_count];
        }
        /// A bone. The root names the parent `NULL`.
        bone {
            unknown: u32;
            name: name;
            parent: name;
            has_properties: u8;
            list_count: u32 if (has_properties != 0);
            properties: property_list [list_count] if (has_properties != 0);
            tail: tail;
        }
    }
}

pub(crate) const SKEL: Description =
    description(Order::Big, marks![0: 1], &[skel::record::tail::TABLE], &[SKEL_FILE, PROPERTIES, NAME]);

structures! {
    const ANIM_FILE = {
        /// An `.anim` file.
        file {
            version: u32;
            name_length: u16;
            name: text [name_length];
            header: header;
            translation_count: u32;
            translations: translation [translation_count];
            rotation_count: u32;
            rotations: rotation [rotation_count];
            motion_count: u32;
            motions: motion [motion_count];
        }
        /// A key of a bone's position.
        translation {
            value: f32 [3];
        }
        /// A key of a bone's rotation: x, y, z, w.
        rotation {
            value: f32 [4];
        }
        /// The keys and events of a bone.
        motion {
            unknown: u32;
            bone: name;
            keys: keys;
            has_properties: u8;
            property_count: u32 if (has_properties != 0);
            properties: property_lists [property_count] if (has_properties != 0);
            has_time_properties: u8;
            event_count: u32 if (has_time_properties != 0);
            time_properties: events [event_count] if (has_time_properties != 0);
        }
        /// Lists of pairs.
        property_lists {
            count: u32;
            lists: property_list [count];
        }
        /// Events, by time.
        events {
            count: u32;
            events: event [count];
        }
        /// The events at one time in milliseconds.
        event {
            time: u32;
            lists: property_lists;
        }
    }
}

pub(crate) const ANIM: Description = description(
    Order::Big,
    marks![0: 2],
    &[anim::record::header::TABLE, anim::record::keys::TABLE],
    &[ANIM_FILE, PROPERTIES, NAME],
);

structures! {
    const LINK = {
        /// The game's name for a file, or nothing if the first word is 0.
        link {
            tag: u32;
            id: id if (tag == 8);
        }
    }
}

structures! {
    const BND_FILE = {
        /// A `.bnd` file.
        file {
            version: u32;
            bone: name;
            mesh: link;
            texture: link;
        }
    }
}

pub(crate) const BND: Description =
    description(Order::Big, marks![0: 1], &[bnd::record::id::TABLE], &[BND_FILE, LINK, NAME]);

structures! {
    const REFERENCE = {
        /// The number of a file and its type.
        reference {
            file: u32;
            kind: u32;
        }
    }
}

structures! {
    const APR_FILE = {
        /// An `.apr` file.
        file {
            version: u32;
            thumbnail: reference;
            count: u32;
            bindings: reference [count];
        }
    }
}

pub(crate) const APR: Description =
    description(Order::Big, marks![0: 1, 20: BINDING], &[], &[APR_FILE, REFERENCE]);

structures! {
    const OFT_FILE = {
        /// An `.oft` file.
        file {
            version: u32;
            unknown: u32;
            /// The appearances of light, medium and dark skin.
            appearances: reference [3];
            hands: u32;
            /// 0 for the head, 18 for the body.
            region: u32;
        }
    }
}

pub(crate) const OFT: Description = description(
    Order::Big,
    marks![0: 1, 12: APPEARANCE, 20: APPEARANCE, 28: APPEARANCE],
    &[],
    &[OFT_FILE, REFERENCE],
);

structures! {
    const HAG_FILE = {
        /// A `.hag` file.
        file {
            version: u32;
            /// The appearances by skin tone, side and gesture.
            appearances: reference [18];
        }
    }
}

pub(crate) const HAG: Description = description(Order::Big, marks![0: 1], &[], &[HAG_FILE, REFERENCE]);

structures! {
    const PO_FILE = {
        /// A `.po` file.
        file {
            version: u32;
            unknown: u32;
            outfit: link;
            collection: link;
        }
    }
}

pub(crate) const PO: Description = description(
    Order::Big,
    marks![0: 2, 8: bnd::record::PRESENT, 20: OUTFIT],
    &[bnd::record::id::TABLE],
    &[PO_FILE, LINK],
);

structures! {
    const COL_FILE = {
        /// A `.col` file.
        file {
            count: u32;
            items: item [count];
        }
        /// An item that is for sale.
        item {
            index: u32;
            purchasable: reference;
        }
    }
}

pub(crate) const COL: Description =
    description(Order::Big, marks![12: PURCHASABLE], &[], &[COL_FILE, REFERENCE]);

structures! {
    const BCF_FILE = {
        /// A `.bcf` file.
        file {
            skeleton_count: u32;
            skeletons: skeleton [skeleton_count];
            suit_count: u32;
            suits: suit [suit_count];
            skill_count: u32;
            skills: skill [skill_count];
        }
        /// A skeleton.
        skeleton {
            name: name;
            bone_count: u32;
            bones: bone [bone_count];
        }
        /// A bone. The root names the parent `NULL`.
        bone {
            name: name;
            parent: name;
            list_count: u32;
            properties: property_list [list_count];
            translation: f32 [3];
            rotation: f32 [4];
            can_translate: u32;
            can_rotate: u32;
            can_blend: u32;
            wiggle_value: f32;
            wiggle_power: f32;
        }
        /// A set of meshes.
        suit {
            name: name;
            kind: u32;
            unknown: u32;
            skin_count: u32;
            skins: skin [skin_count];
        }
        /// A mesh on a bone.
        skin {
            bone: name;
            skin: name;
            censor: u32;
            unknown: u32;
        }
        /// A clip, whose keys are in another file.
        skill {
            name: name;
            keys: name;
            duration: f32;
            distance: f32;
            moving: u32;
            translations: u32;
            rotations: u32;
            motion_count: u32;
            motions: motion [motion_count];
        }
        /// The keys and events of a bone.
        motion {
            bone: name;
            frames: u32;
            duration: f32;
            has_translation: u32;
            has_rotation: u32;
            first_translation: u32;
            first_rotation: u32;
            list_count: u32;
            properties: property_list [list_count];
            event_count: u32;
            events: events [event_count];
        }
        /// Events, by time.
        events {
            count: u32;
            events: event [count];
        }
        /// The events at one time in milliseconds.
        event {
            time: u32;
            properties: property_list;
        }
    }
}

pub(crate) const BCF: Description = description(Order::Little, &[], &[], &[BCF_FILE, PROPERTIES, LONG_NAME]);

structures! {
    const CFP_FILE = {
        /// A `.cfp` file: numbers up to its end, each as one of three codes.
        file {
            numbers: number [..];
        }
        /// A step from the last number, a number of repetitions (254), or a number (255).
        number {
            code: u8;
            repetitions: u16 if (code == 254);
            value: f32 if (code == 255);
        }
    }
}

pub(crate) const CFP: Description = description(Order::Little, &[], &[], &[CFP_FILE]);
