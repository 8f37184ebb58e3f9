//! Vertices with some of their fields replaced.

use super::{Extra96, MaterialKind, St96, Vertex, VertexKind, first128, flat, second96, second128, textured};
use meshwright_core::num::{F8A, F16, Se32, St11, St12, St14, St14Form};

/// The fields of a vertex that were edited.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EditedFields {
    pub(crate) position: bool,
    pub(crate) uv: bool,
    pub(crate) normal: bool,
    pub(crate) color: bool,
}

/// Returns the bits of the two words for each field: position, texture coordinates, normal, colour.
const fn fields(kind: VertexKind, material: MaterialKind) -> [[u64; 2]; 4] {
    const NORMAL_96: u64 = second96::NORMAL_X.mask() | second96::NORMAL_Y.mask() | second96::NORMAL_Z.mask();
    const NORMAL_128: u64 =
        second128::NORMAL_X.mask() | second128::NORMAL_Y.mask() | second128::NORMAL_Z.mask();
    let position = [textured::POSITION.mask(), 0];
    match kind {
        VertexKind::Bits64 if material.is_flat() => {
            let normal = flat::NORMAL_X.mask() | flat::NORMAL_Y.mask() | flat::NORMAL_Z.mask();
            [position, [0; 2], [normal, 0], [0; 2]]
        }
        VertexKind::Bits64 => [position, [textured::ST.mask(), 0], [0; 2], [0; 2]],
        // The tag bits state the form of texture coordinates.
        VertexKind::Bits96 => {
            let st = textured::ST.mask() | textured::TAG.mask();
            [position, [st, 0], [0, NORMAL_96], [0, second96::EXTRA.mask()]]
        }
        VertexKind::Bits128 => {
            let place = first128::X.mask() | first128::Y.mask() | first128::Z.mask();
            let st = [0, second128::ST.mask()];
            [[place, 0], st, [0, NORMAL_128], [first128::COLOR.mask(), 0]]
        }
    }
}

impl Vertex {
    /// Returns the vertex on another bone; `None` if its kind cannot store that bone.
    pub(crate) const fn with_bone(self, bone: u8) -> Option<Self> {
        let (first, second) = (self.first, self.second);
        match self.kind() {
            VertexKind::Bits64 if bone > Self::MAX_BONE_64 => None,
            VertexKind::Bits64 => Some(Self { first: textured::TAG.set_in(first, bone as u64), second }),
            VertexKind::Bits128 => Some(Self { first, second: second128::BONE.set_in(second, bone as u64) }),
            VertexKind::Bits96 => match (self.color(), bone) {
                (Some(_), 0) => Some(self),
                (Some(Self::WHITE) | None, _) => {
                    let tag = textured::TAG.get(first) | 2;
                    let second = second96::EXTRA.set_in(second, bone as u64);
                    Some(Self { first: textured::TAG.set_in(first, tag), second })
                }
                (Some(_), _) => None,
            },
        }
    }

    /// Converts the texture coordinates from one form to another.
    pub(crate) fn restated(self, from: St14Form, to: St14Form) -> Self {
        match self.st14() {
            Some(st) if from != to => {
                let st = St14::encode(st.decode(from), to);
                Self { second: second128::ST.set_in(self.second, st.to_bits().into()), ..self }
            }
            _ => self,
        }
    }

    /// Returns the vertex with the `edited` fields of another one, but with its own bone. If its kind has no
    /// room for them, the result is the other vertex. `form` is the interpretation of 128-bit texture
    /// coordinates.
    pub(crate) fn spliced(
        self,
        other: Self,
        edited: EditedFields,
        material: MaterialKind,
        form: St14Form,
    ) -> Self {
        let EditedFields { position, uv, normal, color } = edited;
        if ![position, uv, normal, color].contains(&true) {
            return self;
        }
        // If the normal follows from the position only here, neither can be edited without the other.
        let implied = self.stored_normal(material).is_none() && other.stored_normal(material).is_some();
        if implied && (position || normal) || color && self.color().is_none() {
            return other;
        }
        let Some(other_recoded) = other.recoded(self, material, form) else { return other };
        let (mut first, mut second) = (self.first, self.second);
        for ([one, two], edited) in
            fields(self.kind(), material).into_iter().zip([position, uv, normal, color])
        {
            if edited {
                first = first & !one | other_recoded.first & one;
                second = second & !two | other_recoded.second & two;
            }
        }
        Self { first, second }
    }

    /// Returns the vertex at the position of another one, and with its normal if both have one.
    pub(crate) fn standing_as(self, other: Self, materials: [MaterialKind; 2]) -> Self {
        let (position, [own, is]) = (other.position(), materials);
        let halves = position.map(F16::encode_saturating);
        self.with_position(Se32::encode(position), halves, other.stored_normal(own), is)
    }

    /// Converts the vertex to the kind of another one. `None` if that kind cannot store it.
    fn recoded(self, like: Self, material: MaterialKind, form: St14Form) -> Option<Self> {
        let bound = |v: Self| v.kind() == VertexKind::Bits96 && v.color().is_none();
        if self.kind() == like.kind() && bound(self) == bound(like) {
            return Some(self);
        }
        let (position, bone) = (self.position(), self.bone());
        let st = self.st(material, form);
        let normal = self.stored_normal(material).unwrap_or_else(|| self.normal(material).map(F8A::encode));
        let color = self.color().unwrap_or(Self::WHITE);
        let packed = Se32::encode(position);
        match like.kind() {
            VertexKind::Bits128 => {
                let halves = position.map(F16::encode_saturating);
                Some(Self::bits128(halves, St14::encode(st, form), normal, color, bone))
            }
            VertexKind::Bits96 => {
                let wide = like.tag() & 1 != 0 || St12::saturates(st);
                let st = if wide { St96::Wide(St11::encode(st)) } else { St96::Fine(St12::encode(st)) };
                let extra = if like.color().is_some() { Extra96::Color(color) } else { Extra96::Bone(bone) };
                Some(Self::bits96(packed, st, normal, extra))
            }
            VertexKind::Bits64 if material.is_flat() => Self::flat64(packed, normal, bone),
            VertexKind::Bits64 => Self::textured64(packed, St11::encode(st), bone),
        }
    }
}

impl Vertex {
    /// Returns the vertex at another position, which is given in both encodings, and with another normal if
    /// it stores one.
    pub(crate) fn with_position(
        self,
        triple: Se32,
        halves: [F16; 3],
        normal: Option<[F8A; 3]>,
        material: MaterialKind,
    ) -> Self {
        let Self { mut first, mut second } = self;
        let codes = normal.map(|n| n.map(|c| u64::from(c.to_bits())));
        match self.kind() {
            VertexKind::Bits128 => {
                let [x, y, z] = halves.map(|h| u64::from(h.to_bits()));
                first = first128::Z.set_in(first128::Y.set_in(first128::X.set_in(first, x), y), z);
            }
            _ => first = textured::POSITION.set_in(first, triple.to_bits().into()),
        }
        match (self.kind(), codes) {
            (_, None) => {}
            (VertexKind::Bits64, Some([x, y, z])) if material.is_flat() => {
                first = flat::NORMAL_Z.set_in(flat::NORMAL_Y.set_in(flat::NORMAL_X.set_in(first, x), y), z);
            }
            (VertexKind::Bits64, Some(_)) => {}
            (VertexKind::Bits96, Some([x, y, z])) => {
                second = second96::NORMAL_X.set_in(second, x);
                second = second96::NORMAL_Z.set_in(second96::NORMAL_Y.set_in(second, y), z);
            }
            (VertexKind::Bits128, Some([x, y, z])) => {
                second = second128::NORMAL_X.set_in(second, x);
                second = second128::NORMAL_Z.set_in(second128::NORMAL_Y.set_in(second, y), z);
            }
        }
        Self { first, second }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NORMALS: [[F8A; 3]; 2] = [[F8A::ONE; 3], [F8A::ZERO; 3]];

    #[test]
    fn one_field_is_replaced() {
        let [a, b] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].map(Se32::encode);
        let [s, t] = [[0.25, 0.5], [0.75, 0.5]].map(St12::encode);
        let fine = |p, st, n: usize| Vertex::bits96(p, St96::Fine(st), NORMALS[n], Extra96::Bone(7));
        let native = Vertex::bits96(b, St96::Wide(St11::encode([3.0, 4.0])), NORMALS[1], Extra96::Bone(7));
        let none = EditedFields::default();
        let spliced =
            |v: Vertex, other, edited| v.spliced(other, edited, MaterialKind::Texture, St14Form::Excess);
        let [position, uv, normal] = [
            EditedFields { position: true, ..none },
            EditedFields { uv: true, ..none },
            EditedFields { normal: true, ..none },
        ];
        assert_eq!(spliced(native, fine(a, t, 0), none), native);
        let moved = spliced(native, fine(b, s, 0), position);
        assert_eq!(moved.words()[0] & 0xffff_ffff, u64::from(b.to_bits()));
        assert_eq!((moved.tag(), moved.words()[1]), (native.tag(), native.words()[1]));
        let shifted = spliced(native, fine(a, t, 0), uv);
        assert_eq!(shifted.tag(), Vertex::FA, "with how it is stored");
        assert_eq!(shifted.stored_normal(MaterialKind::Texture), native.stored_normal(MaterialKind::Texture));
        let turned = spliced(native, fine(a, s, 1), normal);
        assert_eq!(turned.words()[0], native.words()[0]);
        assert_eq!(turned.stored_normal(MaterialKind::Texture), Some(NORMALS[1]));
        let small = Vertex::textured64(b, St11::encode([0.0; 2]), 3).unwrap();
        let other = spliced(small, fine(a, t, 0), uv);
        assert_eq!((other.kind(), other.position(), other.bone()), (small.kind(), small.position(), 3));
        assert_eq!(other.st(MaterialKind::Texture, St14Form::Excess), [0.75, 0.5], "of another kind");
        assert_eq!(spliced(small, fine(a, s, 0), position), fine(a, s, 0));
        let moved = spliced(small, Vertex::textured64(a, St11::encode([0.5; 2]), 3).unwrap(), position);
        assert_eq!(moved, Vertex::textured64(a, St11::encode([0.0; 2]), 3).unwrap(), "keeps its coordinates");
    }

    #[test]
    fn bones_of_every_kind() {
        let position = Se32::encode([1.0; 3]);
        let st = St96::Fine(St12::encode([0.5; 2]));
        let white = Vertex::bits96(position, st, NORMALS[0], Extra96::Color(Vertex::WHITE));
        let red = Vertex::bits96(position, st, NORMALS[0], Extra96::Color(3));
        let halves = [F16::from_bits(0); 3];
        let wide = Vertex::bits128(halves, St14::default(), NORMALS[0], 3, 9);
        let small = Vertex::textured64(position, St11::default(), 9).unwrap();
        for v in [white, wide, small] {
            let on = v.with_bone(5).unwrap();
            assert_eq!((on.bone(), on.position()), (5, v.position()));
        }
        assert_eq!(red.with_bone(0), Some(red));
        assert_eq!((red.with_bone(5), small.with_bone(0xf0)), (None, None));
        assert_eq!(wide.with_bone(250).unwrap().color(), Some(3));
    }
}
