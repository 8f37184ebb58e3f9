//! Checks that the tables of a document are consistent, so that later code may rely on it.

use super::ledger::Ledger;
use super::model::{
    Accessor, ComponentType, ElementType, ImageSource, Interpolation, Primitive, Property, Sampler, Semantic,
    Tables,
};
use super::rules::{
    ACCESSOR_ALIGNMENT, ACCESSOR_RANGE, ACCESSOR_TYPE, ACCESSOR_TYPE_UNDECLARED, ATTRIBUTE_COUNT, MESHOPT,
    NODE_CYCLE, NODE_PARENTS, SAMPLER_COUNT, SCENE_ROOT, SKIN_IBM, SKIN_JOINTS, SPARSE_RANGE, URI_PATH_IMAGE,
    VIEW_RANGE, VIEW_STRIDE,
};
use super::uri;
use meshwright_core::json::JsonValue;
use meshwright_core::{FieldPath, Order as _, ReadError, Rule};
use std::borrow::Cow;

type Result<T> = std::result::Result<T, ReadError>;

const QUANTIZATION: &str = "KHR_mesh_quantization";

/// Checks all tables, and fills in the parents of nodes and their order.
pub(super) fn tables(tables: &mut Tables<'_>, root: JsonValue<'_, '_>, ledger: &Ledger) -> Result<()> {
    tables.order = nodes(tables, root, ledger)?;
    let check = Check { tables, root, ledger };
    check.views()?;
    check.accessors()?;
    check.scenes();
    check.meshes()?;
    check.skins()?;
    check.animations()?;
    check.images();
    Ok(())
}

/// Returns the file offset of an item of a table.
pub(super) fn offset(root: JsonValue<'_, '_>, table: &str, item: usize) -> u64 {
    root.get(table).and_then(|t| t.items().nth(item)).map_or(0, |v| v.offset())
}

/// Sets the parents of nodes, and returns them parents first.
fn nodes(tables: &mut Tables<'_>, root: JsonValue<'_, '_>, ledger: &Ledger) -> Result<Vec<usize>> {
    let all = FieldPath::ROOT.field("nodes");
    let fault = |rule, n: usize, message: String| {
        Err(ReadError::broken(rule, &all.index(n).field("children"), offset(root, "nodes", n), message))
    };
    let count = tables.nodes.len();
    let edges = || {
        let nodes = tables.nodes.iter().enumerate();
        nodes.flat_map(|(n, node)| node.children.iter().map(move |&child| (n, child)))
    };
    let mut parents: Vec<Option<usize>> = ledger.filled(&all, "parents of nodes", count, 1)?;
    // The number of parents of each node that are not in the order yet.
    let mut above: Vec<usize> = ledger.filled(&all, "parents of nodes", count, 1)?;
    let mut shared = None;
    for (n, child) in edges() {
        if let (Some(parent), Some(above)) = (parents.get_mut(child), above.get_mut(child)) {
            *above = above.saturating_add(1);
            if let Some(before) = parent.replace(n) {
                shared.get_or_insert((n, child, before));
            }
        }
    }
    let mut order: Vec<usize> = ledger.room(&all, 0, "order of nodes", count)?;
    order.extend((0..count).filter(|n| above.get(*n) == Some(&0)));
    let mut done = 0_usize;
    while let Some(&n) = order.get(done) {
        for &child in tables.nodes.get(n).into_iter().flat_map(|node| &node.children) {
            let Some(above) = above.get_mut(child) else { continue };
            *above = above.saturating_sub(1);
            if *above == 0 {
                order.push(child);
            }
        }
        done = done.saturating_add(1);
    }
    let waits = |n: usize| above.get(n).is_some_and(|above| *above > 0);
    if let Some(mut n) = (0..count).find(|n| waits(*n)) {
        for (parent, child) in edges().filter(|(parent, _)| waits(*parent)) {
            if let Some(waiting) = parents.get_mut(child) {
                *waiting = Some(parent);
            }
        }
        // Every remaining node is below a cycle. Following that many parents leads into the cycle.
        for _ in 0..count {
            n = parents.get(n).copied().flatten().unwrap_or(n);
        }
        return fault(NODE_CYCLE, n, "the node is below itself".into());
    }
    if let Some((n, child, before)) = shared {
        return fault(NODE_PARENTS, n, format!("node {child} is a child of node {before} already"));
    }
    for (node, parent) in tables.nodes.iter_mut().zip(parents) {
        node.parent = parent;
    }
    Ok(order)
}

struct Check<'t, 'd, 'a> {
    tables: &'t Tables<'a>,
    root: JsonValue<'d, 'a>,
    ledger: &'t Ledger,
}

/// A number of elements in a view, from an offset on.
struct Span {
    view: usize,
    start: u64,
    count: usize,
}

impl Check<'_, '_, '_> {
    fn fault<T>(
        &self,
        rule: &'static Rule,
        path: &FieldPath<'_>,
        (table, item): (&str, usize),
        message: impl Into<Cow<'static, str>>,
    ) -> Result<T> {
        Err(ReadError::broken(rule, path, offset(self.root, table, item), message))
    }

    fn views(&self) -> Result<()> {
        for (v, view) in self.tables.views.iter().enumerate() {
            let length = self.tables.buffers.get(view.buffer).map_or(0, |b| b.length);
            if view.offset.checked_add(view.length).is_none_or(|end| end > length) {
                let message = format!("{} bytes from {} of a buffer of {length}", view.length, view.offset);
                let path = FieldPath::ROOT.field("bufferViews");
                return self.fault(VIEW_RANGE, &path.index(v), ("bufferViews", v), message);
            }
            let Some(stream) = &view.compressed else { continue };
            let path = FieldPath::ROOT.field("bufferViews");
            let path = path.index(v);
            let length = self.tables.buffers.get(stream.buffer).map_or(0, |b| b.length);
            if stream.offset.checked_add(stream.length).is_none_or(|end| end > length) {
                let message =
                    format!("{} bytes from {} of a buffer of {length}", stream.length, stream.offset);
                return self.fault(VIEW_RANGE, &path.field("extensions"), ("bufferViews", v), message);
            }
            if (stream.count as u64).checked_mul(stream.stride as u64) != Some(view.length) {
                let message = format!(
                    "{} elements of {} bytes in a view of {}",
                    stream.count, stream.stride, view.length
                );
                return self.fault(MESHOPT, &path.field("extensions"), ("bufferViews", v), message);
            }
        }
        Ok(())
    }

    fn accessors(&self) -> Result<()> {
        let all = FieldPath::ROOT.field("accessors");
        for (a, accessor) in self.tables.accessors.iter().enumerate() {
            let path = all.index(a);
            if let Some(v) = accessor.view {
                let size = packed_size(accessor.component, accessor.element);
                let stride = self.tables.views.get(v).and_then(|view| view.stride).unwrap_or(size);
                if stride < size {
                    let message = format!("{stride} bytes for elements of {size}");
                    return self.fault(VIEW_STRIDE, &path, ("accessors", a), message);
                }
                let last = needed_size(accessor.component, accessor.element);
                let span = Span { view: v, start: accessor.offset, count: accessor.count };
                self.span(&path, a, span, stride, last, accessor.component)?;
            }
            if let Some(sparse) = &accessor.sparse {
                let path = path.field("sparse");
                let size = sparse.index_type.size();
                let span =
                    Span { view: sparse.indices_view, start: sparse.indices_offset, count: sparse.count };
                self.span(&path.field("indices"), a, span, size, size, sparse.index_type)?;
                let size = packed_size(accessor.component, accessor.element);
                let last = needed_size(accessor.component, accessor.element);
                let span =
                    Span { view: sparse.values_view, start: sparse.values_offset, count: sparse.count };
                self.span(&path.field("values"), a, span, size, last, accessor.component)?;
                if sparse.count > accessor.count {
                    let message = format!(
                        "{} elements are replaced, the accessor has {}",
                        sparse.count, accessor.count
                    );
                    return self.fault(SPARSE_RANGE, &path.field("count"), ("accessors", a), message);
                }
            }
        }
        Ok(())
    }

    /// Checks that elements with the distance `stride`, the last one with `last` bytes, fit into their view.
    fn span(
        &self,
        path: &FieldPath<'_>,
        accessor: usize,
        Span { view, start, count }: Span,
        stride: usize,
        last: usize,
        component: ComponentType,
    ) -> Result<()> {
        let Some(view) = self.tables.views.get(view) else { return Ok(()) };
        let before = (count as u64).saturating_sub(1).checked_mul(stride as u64);
        let last = if count == 0 { 0 } else { last as u64 };
        let end = before.and_then(|before| start.checked_add(before)?.checked_add(last));
        if end.is_none_or(|end| end > view.length) {
            let message = format!("{count} elements from {start} of a view of {} bytes", view.length);
            let path = path.field(if start > view.length { "byteOffset" } else { "count" });
            return self.fault(ACCESSOR_RANGE, &path, ("accessors", accessor), message);
        }
        let size = component.size() as u64;
        let misaligned = |n: u64| n.checked_rem(size) != Some(0);
        if misaligned(start) || misaligned(view.offset.saturating_add(start)) {
            let path = path.field("byteOffset");
            let place = || offset(self.root, "accessors", accessor);
            let message = format!("{start} in a view at {}, components of {size} bytes", view.offset);
            self.ledger.warn(ACCESSOR_ALIGNMENT, &path, &place, message);
        }
        Ok(())
    }

    fn scenes(&self) {
        let all = FieldPath::ROOT.field("scenes");
        for (s, scene) in self.tables.scenes.iter().enumerate() {
            let mut sorted: Vec<_> = scene.nodes.iter().enumerate().map(|(i, n)| (*n, i)).collect();
            sorted.order();
            let twice =
                sorted.iter().zip(sorted.iter().skip(1)).filter(|(a, b)| a.0 == b.0).map(|(_, b)| b.1);
            let is_child = |n: usize| self.tables.nodes.get(n).is_some_and(|node| node.parent.is_some());
            let children = scene.nodes.iter().enumerate().filter(|(_, n)| is_child(**n)).map(|(i, _)| i);
            for i in twice.chain(children) {
                let scene = all.index(s);
                let path = scene.field("nodes");
                let place = || offset(self.root, "scenes", s);
                self.ledger.warn(SCENE_ROOT, &path.index(i), &place, "is a child, or named twice");
            }
        }
    }

    fn accessor(&self, index: usize) -> Option<&Accessor> {
        self.tables.accessors.get(index)
    }

    fn meshes(&self) -> Result<()> {
        let quantized = self.root.get("extensionsUsed").is_some_and(|used| {
            used.items().any(|name| name.as_str().is_some_and(|name| name == QUANTIZATION))
        });
        let all = FieldPath::ROOT.field("meshes");
        for (m, mesh) in self.tables.meshes.iter().enumerate() {
            let path = all.index(m);
            let primitives = path.field("primitives");
            for (p, primitive) in mesh.primitives.iter().enumerate() {
                let path = primitives.index(p);
                // A primitive without positions draws nothing, whatever else it has.
                if primitive.get(&Semantic::Position).is_some() {
                    self.attributes(&path.field("attributes"), m, primitive, quantized)?;
                }
                if let Some(indices) = primitive.indices.and_then(|i| self.accessor(i))
                    && !(indices.element == ElementType::Scalar && is_unsigned(indices.component))
                {
                    return self.wrong_type(&path.field("indices"), ("meshes", m), indices);
                }
            }
        }
        Ok(())
    }

    /// Checks that attributes have allowed types and equal lengths.
    fn attributes(
        &self,
        path: &FieldPath<'_>,
        mesh: usize,
        primitive: &Primitive<'_>,
        quantized: bool,
    ) -> Result<()> {
        let mut length = None;
        for (semantic, accessor) in &primitive.attributes {
            let path = path.field(attribute_name(semantic));
            let Some(accessor) = self.accessor(*accessor) else { continue };
            let length = *length.get_or_insert(accessor.count);
            if length != accessor.count {
                let message = format!("{} elements, positions are {length}", accessor.count);
                return self.fault(ATTRIBUTE_COUNT, &path, ("meshes", mesh), message);
            }
            match attribute_type(semantic, accessor) {
                Allowed::Yes => {}
                Allowed::Quantized if quantized => {}
                Allowed::Quantized => {
                    let place = || offset(self.root, "meshes", mesh);
                    let message = format!("{:?} {:?}", accessor.component, accessor.element);
                    self.ledger.warn(ACCESSOR_TYPE_UNDECLARED, &path, &place, message);
                }
                Allowed::No => return self.wrong_type(&path, ("meshes", mesh), accessor),
            }
        }
        Ok(())
    }

    fn wrong_type<T>(&self, path: &FieldPath<'_>, place: (&str, usize), accessor: &Accessor) -> Result<T> {
        let normalized = if accessor.normalized { "normalised " } else { "" };
        let message =
            format!("{normalized}{:?} {:?} is not allowed here", accessor.component, accessor.element);
        self.fault(ACCESSOR_TYPE, path, place, message)
    }

    fn skins(&self) -> Result<()> {
        let all = FieldPath::ROOT.field("skins");
        for (s, skin) in self.tables.skins.iter().enumerate() {
            let path = all.index(s);
            let joints = path.field("joints");
            self.ledger.charge(&joints, 0, "joints", skin.joints.len(), size_of::<usize>())?;
            let mut sorted = skin.joints.clone();
            sorted.order();
            let twice = sorted.iter().zip(sorted.iter().skip(1)).find(|(a, b)| a == b);
            if skin.joints.is_empty() || twice.is_some() {
                let message = twice.map_or("none".into(), |(node, _)| format!("node {node} is listed twice"));
                return self.fault(SKIN_JOINTS, &joints, ("skins", s), message);
            }
            let Some(bind) = skin.inverse_bind.and_then(|i| self.accessor(i)) else { continue };
            let path = path.field("inverseBindMatrices");
            if (bind.component, bind.element) != (ComponentType::F32, ElementType::Mat4) {
                return self.wrong_type(&path, ("skins", s), bind);
            }
            if bind.count < skin.joints.len() {
                let message = format!("{} matrices for {} joints", bind.count, skin.joints.len());
                return self.fault(SKIN_IBM, &path, ("skins", s), message);
            }
        }
        Ok(())
    }

    fn animations(&self) -> Result<()> {
        let all = FieldPath::ROOT.field("animations");
        for (a, animation) in self.tables.animations.iter().enumerate() {
            let path = all.index(a);
            let samplers = path.field("samplers");
            for (s, sampler) in animation.samplers.iter().enumerate() {
                let Some(times) = self.accessor(sampler.input) else { continue };
                if (times.component, times.element) != (ComponentType::F32, ElementType::Scalar) {
                    return self.wrong_type(&samplers.index(s).field("input"), ("animations", a), times);
                }
            }
            for channel in &animation.channels {
                let Some(sampler) = animation.samplers.get(channel.sampler) else { continue };
                self.values(&samplers.index(channel.sampler), a, sampler, channel.property)?;
            }
        }
        Ok(())
    }

    /// Checks that the values of a sampler fit its times and the property that they animate.
    fn values(
        &self,
        path: &FieldPath<'_>,
        animation: usize,
        sampler: &Sampler,
        property: Property,
    ) -> Result<()> {
        let (Some(times), Some(values)) = (self.accessor(sampler.input), self.accessor(sampler.output))
        else {
            return Ok(());
        };
        let path = path.field("output");
        let float = values.component == ComponentType::F32;
        let real = float || (values.normalized && values.component != ComponentType::U32);
        let allowed = match property {
            Property::Translation | Property::Scale => float && values.element == ElementType::Vec3,
            Property::Rotation => real && values.element == ElementType::Vec4,
            Property::Weights => real && values.element == ElementType::Scalar,
            Property::Pointer => true,
        };
        if !allowed {
            return self.wrong_type(&path, ("animations", animation), values);
        }
        let each: usize = if sampler.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let wanted = times.count.checked_mul(each);
        let fits = match property {
            // Each key has a value for each morph target.
            Property::Weights => wanted.and_then(|n| values.count.checked_rem(n)) == Some(0),
            Property::Pointer => true,
            _ => wanted == Some(values.count),
        };
        if fits {
            return Ok(());
        }
        let message = format!("{} values for {} times of {each}", values.count, times.count);
        self.fault(SAMPLER_COUNT, &path, ("animations", animation), message)
    }

    /// Warns of images with a URI that cannot be read. They are omitted.
    fn images(&self) {
        let all = FieldPath::ROOT.field("images");
        for (i, image) in self.tables.images.iter().enumerate() {
            if let ImageSource::Uri(text) = &image.source
                && let Err((_, message)) = uri::parse(text)
            {
                let path = all.index(i);
                let place = || offset(self.root, "images", i);
                self.ledger.warn(URI_PATH_IMAGE, &path.field("uri"), &place, message);
            }
        }
    }
}

/// Returns the bytes from one column of an element to the next. The columns of 1- and 2-byte matrices are
/// padded to 4 bytes.
pub(super) const fn column_size(component: ComponentType, element: ElementType) -> usize {
    let (columns, rows) = element.shape();
    let size = component.size().saturating_mul(rows);
    if columns > 1 { size.next_multiple_of(4) } else { size }
}

/// Returns the bytes from one packed element to the next.
pub(super) const fn packed_size(component: ComponentType, element: ElementType) -> usize {
    column_size(component, element).saturating_mul(element.shape().0)
}

/// Returns the bytes up to the end of the last number of an element.
const fn needed_size(component: ComponentType, element: ElementType) -> usize {
    let (columns, rows) = element.shape();
    let before = column_size(component, element).saturating_mul(columns.saturating_sub(1));
    before.saturating_add(component.size().saturating_mul(rows))
}

const fn is_unsigned(component: ComponentType) -> bool {
    matches!(component, ComponentType::U8 | ComponentType::U16 | ComponentType::U32)
}

enum Allowed {
    Yes,
    /// Allowed with the extension KHR_mesh_quantization.
    Quantized,
    No,
}

/// Returns whether glTF allows this accessor type for an attribute.
fn attribute_type(semantic: &Semantic<'_>, accessor: &Accessor) -> Allowed {
    use ComponentType::{F32, I8, I16, U8, U16, U32};
    use ElementType::{Vec2, Vec3, Vec4};
    let (component, normalized) = (accessor.component, accessor.normalized);
    let element = match semantic {
        Semantic::Position | Semantic::Normal => accessor.element == Vec3,
        Semantic::Tangent | Semantic::Joints(_) | Semantic::Weights(_) => accessor.element == Vec4,
        Semantic::TexCoord(_) => accessor.element == Vec2,
        Semantic::Color(_) => matches!(accessor.element, Vec3 | Vec4),
        Semantic::Other(_) => return Allowed::Yes,
    };
    if !element {
        return Allowed::No;
    }
    match (semantic, component) {
        (Semantic::Joints(_), U8 | U16) => Allowed::Yes,
        (Semantic::Joints(_), _) | (_, U32) => Allowed::No,
        (_, F32) => Allowed::Yes,
        (Semantic::Color(_) | Semantic::Weights(_) | Semantic::TexCoord(_), U8 | U16) if normalized => {
            Allowed::Yes
        }
        (Semantic::Position | Semantic::TexCoord(_), _) => Allowed::Quantized,
        (Semantic::Normal | Semantic::Tangent, I8 | I16) if normalized => Allowed::Quantized,
        _ => Allowed::No,
    }
}

const fn attribute_name(semantic: &Semantic<'_>) -> &'static str {
    match semantic {
        Semantic::Position => "POSITION",
        Semantic::Normal => "NORMAL",
        Semantic::Tangent => "TANGENT",
        Semantic::TexCoord(_) => "TEXCOORD",
        Semantic::Color(_) => "COLOR",
        Semantic::Joints(_) => "JOINTS",
        Semantic::Weights(_) => "WEIGHTS",
        Semantic::Other(_) => "other",
    }
}
