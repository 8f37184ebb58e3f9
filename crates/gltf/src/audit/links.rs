//! Rules between objects of a document and the objects that they name.

use super::Findings;
use super::schema::Surface;
use super::values::{Check, Checks};
use crate::document::rules::{
    ACCESSOR_BOUNDS_WRONG, ACCESSOR_MISALIGNED, ACCESSOR_TYPE, ATTRIBUTE_COUNT, CHANNEL_TARGET,
    ELEMENT_TWICE, MATERIAL_NEEDS, MORPH_TARGETS, SAMPLER_COUNT, SCENE_ROOT_WRONG, SKIN_JOINTS, SKIN_UNUSED,
    VIEW_STRIDE, VIEW_USE,
};
use crate::document::{
    Accessor, ComponentType, Document, ElementType, ImageSource, Interpolation, Primitive, Property, Sampler,
    Semantic, Target,
};
use meshwright_core::json::JsonValue;
use meshwright_core::{FieldPath, ReadError, Rule, SortedMap, SortedSet};
use std::borrow::Cow;

/// The purpose of a buffer view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Attributes,
    Indices,
    BindMatrices,
    Image,
    Keys,
}

/// The purpose of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Attribute,
    Indices,
    BindMatrices,
    Times,
    Values,
}

/// Records a purpose, unless there is one already. Returns that one if it is another.
fn claim<T: Copy + PartialEq>(used: Option<&mut Option<T>>, wanted: T) -> Option<T> {
    let other = *used?.get_or_insert(wanted);
    (other != wanted).then_some(other)
}

pub(super) struct Links<'l, 'd> {
    document: &'l Document<'d>,
    findings: &'l mut Findings,
    surfaces: &'l [Surface],
    views: Vec<Option<Use>>,
    roles: Vec<Option<Role>>,
    /// The attribute accessors of each view without a stride.
    packed: SortedMap<usize, SortedSet<usize>>,
    /// The checks of the numbers of each accessor.
    checks: &'l mut Checks,
}

impl<'l, 'd> Links<'l, 'd> {
    pub(super) fn new(
        document: &'l Document<'d>,
        findings: &'l mut Findings,
        surfaces: &'l [Surface],
        checks: &'l mut Checks,
    ) -> Self {
        let used = |view: &crate::document::View| match view.target {
            Some(Target::Vertices) => Some(Use::Attributes),
            Some(Target::Indices) => Some(Use::Indices),
            None => None,
        };
        let views = document.views().iter().map(used).collect();
        let roles = vec![None; document.accessors().len()];
        Self { document, findings, surfaces, views, roles, packed: SortedMap::new(), checks }
    }

    pub(super) fn check(mut self) -> Result<(), ReadError> {
        self.accessors();
        self.images();
        self.meshes();
        self.skins()?;
        self.nodes()?;
        self.animations();
        self.scenes();
        Ok(())
    }

    fn broken(
        &mut self,
        rule: &'static Rule,
        path: &FieldPath<'_>,
        place: (&str, usize),
        message: impl Into<Cow<'static, str>>,
    ) {
        let document = self.document;
        self.findings.broken(rule, path, &|| document.offset_of(place.0, place.1), message);
    }

    fn accessor(&self, index: usize) -> Option<&'l Accessor> {
        self.document.accessors().get(index)
    }

    /// Records the purpose of a view. Only views of attributes have a stride.
    fn view(&mut self, view: usize, wanted: Use, path: &FieldPath<'_>, place: (&str, usize)) {
        if let Some(other) = claim(self.views.get_mut(view), wanted) {
            let message = format!("view {view} is used for {wanted:?} here and for {other:?} elsewhere");
            self.broken(VIEW_USE, path, place, message);
        }
        let strided = self.document.views().get(view).is_some_and(|view| view.stride.is_some());
        if strided && wanted != Use::Attributes {
            let message = format!("view {view} has a stride, which {wanted:?} cannot have");
            self.broken(VIEW_STRIDE, path, place, message);
        }
    }

    /// Records the purpose of an accessor.
    fn role(&mut self, index: usize, role: Role, path: &FieldPath<'_>, place: (&str, usize)) {
        if let Some(other) = claim(self.roles.get_mut(index), role) {
            let message = format!("accessor {index} is used for {role:?} here and for {other:?} elsewhere");
            self.broken(VIEW_USE, path, place, message);
        }
        let wanted = match role {
            Role::Attribute => Use::Attributes,
            Role::Indices => Use::Indices,
            Role::BindMatrices => Use::BindMatrices,
            Role::Times | Role::Values => Use::Keys,
        };
        if let Some(view) = self.accessor(index).and_then(|accessor| accessor.view) {
            self.view(view, wanted, path, place);
        }
    }

    fn accessors(&mut self) {
        let all = FieldPath::ROOT.field("accessors");
        for (a, accessor) in self.document.accessors().iter().enumerate() {
            let (path, place) = (all.index(a), ("accessors", a));
            let mut parts = Vec::from([(accessor.view, accessor.offset, accessor.component, "byteOffset")]);
            if let Some(sparse) = &accessor.sparse {
                let path = path.field("sparse");
                self.view(sparse.indices_view, Use::Keys, &path.field("indices"), place);
                self.view(sparse.values_view, Use::Keys, &path.field("values"), place);
                parts.push((Some(sparse.indices_view), sparse.indices_offset, sparse.index_type, "sparse"));
                parts.push((Some(sparse.values_view), sparse.values_offset, accessor.component, "sparse"));
            }
            for (view, offset, component, field) in parts {
                let start = view.and_then(|v| self.document.views().get(v)).map_or(0, |view| view.offset);
                let size = component.size() as u64;
                if offset.checked_rem(size) != Some(0)
                    || start.saturating_add(offset).checked_rem(size) != Some(0)
                {
                    let message = format!("{offset} in a view at {start}, components of {size} bytes");
                    self.broken(ACCESSOR_MISALIGNED, &path.field(field), place, message);
                }
            }
        }
    }

    fn images(&mut self) {
        let all = FieldPath::ROOT.field("images");
        for (i, image) in self.document.images().iter().enumerate() {
            if let ImageSource::View(view) = image.source {
                self.view(view, Use::Image, &all.index(i).field("bufferView"), ("images", i));
            }
        }
    }

    fn meshes(&mut self) {
        let all = FieldPath::ROOT.field("meshes");
        let quantized = self.document.uses("KHR_mesh_quantization");
        for (m, mesh) in self.document.meshes().iter().enumerate() {
            let path = all.index(m);
            let primitives = path.field("primitives");
            for (p, primitive) in mesh.primitives.iter().enumerate().filter(|(_, p)| !p.compressed) {
                let path = primitives.index(p);
                self.primitive(primitive, &path, ("meshes", m), quantized);
            }
        }
    }

    fn primitive(
        &mut self,
        primitive: &Primitive<'_>,
        path: &FieldPath<'_>,
        place: (&'static str, usize),
        quantized: bool,
    ) {
        let attributes = path.field("attributes");
        let mut vertices = None;
        for (semantic, index) in &primitive.attributes {
            self.attribute(semantic, *index, &attributes, place);
            let Some(accessor) = self.accessor(*index) else { continue };
            let count = *vertices.get_or_insert(accessor.count);
            if count != accessor.count {
                let message =
                    format!("{semantic} has {} elements, the first attribute {count}", accessor.count);
                self.broken(ATTRIBUTE_COUNT, &attributes, place, message);
            }
            let real = accessor.component == ComponentType::F32;
            let sound = match semantic {
                Semantic::Position | Semantic::Normal | Semantic::Tangent => real || quantized,
                Semantic::TexCoord(_) => {
                    let share = matches!(accessor.component, ComponentType::U8 | ComponentType::U16);
                    real || quantized || (accessor.normalized && share)
                }
                Semantic::Other(_) => accessor.component != ComponentType::U32,
                _ => true,
            };
            if !sound {
                let message = format!("{semantic} of {:?} {:?}", accessor.component, accessor.element);
                self.broken(ACCESSOR_TYPE, &attributes, place, message);
            }
            match semantic {
                Semantic::Position => self.bounded(accessor, &attributes, place),
                Semantic::Normal => self.checks.add(*index, Check::Normals),
                Semantic::Tangent => self.checks.add(*index, Check::Tangents),
                Semantic::Color(0) if real => self.checks.add(*index, Check::Shares),
                _ => {}
            }
        }
        if let Some(index) = primitive.indices {
            let path = path.field("indices");
            self.role(index, Role::Indices, &path, place);
            if self.accessor(index).is_some_and(|accessor| accessor.normalized) {
                self.broken(ACCESSOR_TYPE, &path, place, "indices are normalised");
            }
            if let Some(vertices) = vertices {
                self.checks.add(index, Check::Indices { vertices });
            }
        }
        self.material(primitive, path, place);
        self.morphs(primitive, path, place, quantized);
    }

    /// Checks the rules of all attributes.
    fn attribute(
        &mut self,
        semantic: &Semantic<'_>,
        index: usize,
        path: &FieldPath<'_>,
        place: (&'static str, usize),
    ) {
        self.role(index, Role::Attribute, path, place);
        let Some(accessor) = self.accessor(index) else { return };
        let strided =
            accessor.view.and_then(|v| self.document.views().get(v)).is_some_and(|v| v.stride.is_some());
        let packed = accessor.element.components().saturating_mul(accessor.component.size());
        if accessor.offset % 4 != 0 || (accessor.view.is_some() && !strided && !packed.is_multiple_of(4)) {
            let message = format!("elements of {semantic} do not begin at multiples of 4");
            self.broken(ACCESSOR_MISALIGNED, path, place, message);
        }
        if let Some(view) = accessor.view.filter(|_| !strided) {
            let sharing = self.packed.entry(view).or_default();
            if sharing.insert(index) && sharing.len() > 1 {
                let message = format!("view {view} has several attributes and needs a stride");
                self.broken(VIEW_STRIDE, path, place, message);
            }
        }
    }

    /// Checks that an accessor states its bounds.
    fn bounded(&mut self, accessor: &Accessor, path: &FieldPath<'_>, place: (&'static str, usize)) {
        if accessor.min.is_empty() || accessor.max.is_empty() {
            self.broken(ACCESSOR_BOUNDS_WRONG, path, place, "min and max are missing");
        }
    }

    /// Checks that a primitive has the texture coordinates and tangents that its material needs.
    fn material(&mut self, primitive: &Primitive<'_>, path: &FieldPath<'_>, place: (&'static str, usize)) {
        let has = |wanted: fn(&Semantic<'_>) -> bool| {
            primitive.attributes.iter().filter(|(s, _)| wanted(s)).count()
        };
        let sets = has(|s| matches!(s, Semantic::TexCoord(_))) as u64;
        let surface = |m: usize| self.surfaces.get(m);
        let others = primitive.variants.iter().map(|variant| variant.material);
        let missing = primitive.material.into_iter().chain(others).filter_map(surface);
        let missing = missing.flat_map(|surface| &surface.sets).find(|set| **set >= sets).copied();
        if let Some(set) = missing {
            self.broken(MATERIAL_NEEDS, &path.field("material"), place, format!("needs TEXCOORD_{set}"));
        }
        let directed = has(|s| matches!(s, Semantic::Normal | Semantic::Tangent)) == 2;
        let bumpy = |m: usize| self.document.materials().get(m).is_some_and(|m| m.normal_texture.is_some());
        let wanted = primitive.material.filter(|m| surface(*m).is_some_and(|s| s.tangents) && !bumpy(*m));
        if wanted.is_some() && !directed {
            self.broken(MATERIAL_NEEDS, &path.field("material"), place, "needs TANGENT");
        }
    }

    fn morphs(
        &mut self,
        primitive: &Primitive<'_>,
        path: &FieldPath<'_>,
        place: (&'static str, usize),
        quantized: bool,
    ) {
        let targets = path.field("targets");
        for (t, target) in primitive.targets.iter().enumerate() {
            let path = targets.index(t);
            for (semantic, index) in target {
                self.attribute(semantic, *index, &path, place);
                let Some(accessor) = self.accessor(*index) else { continue };
                match primitive.get(semantic).and_then(|base| self.accessor(base)) {
                    None => {
                        let message = format!("{semantic} has no attribute to move");
                        self.broken(MORPH_TARGETS, &path, place, message);
                    }
                    Some(base) if base.count != accessor.count => {
                        let (here, there) = (accessor.count, base.count);
                        let message = format!("{semantic} has {here} elements, the attribute {there}");
                        self.broken(MORPH_TARGETS, &path, place, message);
                    }
                    Some(_) => {}
                }
                if *semantic == Semantic::Position {
                    self.bounded(accessor, &path, place);
                }
                if !moves(semantic, accessor, quantized) {
                    let message = format!("{semantic} of {:?} {:?}", accessor.component, accessor.element);
                    self.broken(ACCESSOR_TYPE, &path, place, message);
                }
            }
        }
    }

    fn skins(&mut self) -> Result<(), ReadError> {
        let all = FieldPath::ROOT.field("skins");
        for (s, skin) in self.document.skins().iter().enumerate() {
            let (path, place) = (all.index(s), ("skins", s));
            let common = self.above_all(&skin.joints)?;
            if common.is_empty() {
                self.broken(SKIN_JOINTS, &path.field("joints"), place, "have no common root");
            }
            if skin.skeleton.is_some_and(|skeleton| !common.contains(&skeleton)) {
                self.broken(SKIN_JOINTS, &path.field("skeleton"), place, "is not an ancestor of all joints");
            }
            if let Some(bind) = skin.inverse_bind {
                self.role(bind, Role::BindMatrices, &path.field("inverseBindMatrices"), place);
                self.checks.add(bind, Check::BindMatrices);
            }
        }
        Ok(())
    }

    /// Returns the common ancestors of these nodes, the nearest first. A node is an ancestor of itself.
    fn above_all(&self, nodes: &[usize]) -> Result<Vec<usize>, ReadError> {
        let above = |node: usize| {
            std::iter::successors(Some(node), |n| self.document.nodes().get(*n).and_then(|node| node.parent))
        };
        let mut common: Vec<usize> = nodes.first().map_or_else(Vec::new, |first| above(*first).collect());
        // Maps each node seen so far to the place in `common` where its ancestors join those of the first node.
        let mut meets: SortedMap<usize, usize> = common.iter().enumerate().map(|(i, n)| (*n, i)).collect();
        let mut nearest = 0;
        for node in nodes {
            let fresh: Vec<usize> = above(*node).take_while(|n| !meets.contains_key(n)).collect();
            let top = fresh.last().map_or(Some(*node), |last| above(*last).nth(1));
            let at = top.and_then(|top| meets.get(&top)).copied().unwrap_or(common.len());
            let steps = fresh.len().saturating_add(1);
            self.document.work(&FieldPath::ROOT.field("nodes"), "ancestors", steps)?;
            meets.extend(fresh.into_iter().map(|n| (n, at)));
            nearest = nearest.max(at);
        }
        self.document.work(&FieldPath::ROOT.field("nodes"), "ancestors", common.len())?;
        common.drain(..nearest.min(common.len()));
        Ok(common)
    }

    fn nodes(&mut self) -> Result<(), ReadError> {
        let all = FieldPath::ROOT.field("nodes");
        let weights = self.document.json().get("nodes").into_iter().flat_map(JsonValue::items);
        for (n, value) in weights.enumerate() {
            let (path, place) = (all.index(n), ("nodes", n));
            let Some(node) = self.document.nodes().get(n) else { continue };
            let Some(mesh) = node.mesh.and_then(|m| self.document.meshes().get(m)) else { continue };
            let targets = mesh.primitives.first().map_or(0, |primitive| primitive.targets.len());
            let weights = value.get("weights").map(|weights| weights.items().count());
            if let Some(weights) = weights.filter(|weights| *weights != targets) {
                let message = format!("{weights} weights for {targets} morph targets");
                self.broken(MORPH_TARGETS, &path.field("weights"), place, message);
            }
            let Some(skin) = node.skin.and_then(|s| self.document.skins().get(s)) else { continue };
            if mesh.primitives.iter().all(|primitive| primitive.get(&Semantic::Joints(0)).is_none()) {
                self.broken(SKIN_UNUSED, &path.field("skin"), place, "the mesh has no JOINTS_0");
            }
            if let Some(root) = self.above_all(&skin.joints)?.last()
                && !self.scenes_of(n)?.is_subset(&self.scenes_of(*root)?)
            {
                let message = "a scene contains the mesh but not its joints";
                self.broken(SKIN_JOINTS, &path.field("skin"), place, message);
            }
        }
        Ok(())
    }

    /// Returns the scenes that contain a node.
    fn scenes_of(&self, node: usize) -> Result<SortedSet<usize>, ReadError> {
        let above: SortedSet<usize> = self.above_all(&[node])?.into_iter().collect();
        let scenes = self.document.scenes();
        let roots = scenes.iter().map(|scene| scene.nodes.len()).fold(0, usize::saturating_add);
        self.document.work(&FieldPath::ROOT.field("scenes"), "roots of scenes", roots)?;
        let has =
            |s: &usize| scenes.get(*s).is_some_and(|scene| scene.nodes.iter().any(|n| above.contains(n)));
        Ok((0..scenes.len()).filter(has).collect())
    }

    fn scenes(&mut self) {
        let all = FieldPath::ROOT.field("scenes");
        for (s, scene) in self.document.scenes().iter().enumerate() {
            let path = all.index(s);
            let path = path.field("nodes");
            for (i, node) in scene.nodes.iter().enumerate() {
                if self.document.nodes().get(*node).is_some_and(|node| node.parent.is_some()) {
                    let message = format!("node {node} is a child");
                    self.broken(SCENE_ROOT_WRONG, &path.index(i), ("scenes", s), message);
                }
            }
        }
    }

    fn animations(&mut self) {
        let all = FieldPath::ROOT.field("animations");
        for (a, animation) in self.document.animations().iter().enumerate() {
            let (path, place) = (all.index(a), ("animations", a));
            let samplers = path.field("samplers");
            for (s, sampler) in animation.samplers.iter().enumerate() {
                let path = samplers.index(s);
                self.role(sampler.input, Role::Times, &path.field("input"), place);
                self.role(sampler.output, Role::Values, &path.field("output"), place);
                self.checks.add(sampler.input, Check::Times);
                let Some(times) = self.accessor(sampler.input) else { continue };
                self.bounded(times, &path.field("input"), place);
                if sampler.interpolation == Interpolation::CubicSpline && times.count < 2 {
                    self.broken(SAMPLER_COUNT, &path.field("input"), place, "a cubic spline needs two keys");
                }
            }
            let channels = path.field("channels");
            let mut seen = SortedSet::new();
            for (c, channel) in animation.channels.iter().enumerate() {
                let path = channels.index(c);
                if let Some(node) = channel.node
                    && !seen.insert((node, channel.property.code()))
                {
                    let message = "another channel has this target";
                    self.broken(ELEMENT_TWICE, &path.field("target"), place, message);
                }
                let Some(sampler) = animation.samplers.get(channel.sampler) else { continue };
                let spline = sampler.interpolation == Interpolation::CubicSpline;
                if channel.property == Property::Rotation {
                    self.checks.add(sampler.output, Check::Rotations { spline });
                }
                let Some(node) = channel.node else { continue };
                let moved =
                    matches!(channel.property, Property::Translation | Property::Rotation | Property::Scale);
                if moved && self.document.has_matrix(node) {
                    self.broken(CHANNEL_TARGET, &path.field("target"), place, "the node has a matrix");
                }
                if channel.property == Property::Weights {
                    self.weights(node, sampler, &path, place);
                }
            }
        }
    }

    /// Checks that keys of weights have a value for each morph target of the node's mesh.
    fn weights(
        &mut self,
        node: usize,
        sampler: &Sampler,
        path: &FieldPath<'_>,
        place: (&'static str, usize),
    ) {
        let mesh = self.document.nodes().get(node).and_then(|node| node.mesh);
        let primitive = mesh.and_then(|m| self.document.meshes().get(m)?.primitives.first());
        let targets = primitive.map_or(0, |primitive| primitive.targets.len());
        if targets == 0 {
            let message = "the node has no morph targets";
            return self.broken(CHANNEL_TARGET, &path.field("target"), place, message);
        }
        let (Some(times), Some(values)) = (self.accessor(sampler.input), self.accessor(sampler.output))
        else {
            return;
        };
        let spline = sampler.interpolation == Interpolation::CubicSpline;
        let wanted = times.count.saturating_mul(targets).saturating_mul(if spline { 3 } else { 1 });
        if values.count != wanted {
            let message = format!("{} values, {wanted} are needed", values.count);
            self.broken(SAMPLER_COUNT, &path.field("sampler"), place, message);
        }
    }
}

/// Returns true if the accessor of a morph target has a type that its attribute allows.
fn moves(semantic: &Semantic<'_>, accessor: &Accessor, quantized: bool) -> bool {
    use ComponentType::{F32, I8, I16, U8, U16};
    let (component, normalized) = (accessor.component, accessor.normalized);
    let short = matches!(component, I8 | I16);
    match semantic {
        Semantic::Position => {
            accessor.element == ElementType::Vec3 && (component == F32 || (quantized && short))
        }
        Semantic::Normal | Semantic::Tangent => {
            accessor.element == ElementType::Vec3 && (component == F32 || (quantized && short && normalized))
        }
        Semantic::TexCoord(_) => {
            let own = component == F32 || (normalized && matches!(component, I8 | I16 | U8 | U16));
            accessor.element == ElementType::Vec2 && (own || (quantized && short))
        }
        Semantic::Color(_) => {
            let own = component == F32 || (normalized && matches!(component, I8 | I16 | U8 | U16));
            matches!(accessor.element, ElementType::Vec3 | ElementType::Vec4) && own
        }
        _ => true,
    }
}
