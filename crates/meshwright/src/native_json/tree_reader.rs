//! Reads the bytes of a file as a tree.

use super::codec;
use super::expression::{Expression, Value};
use super::schema::{PartKind, PartOf, Repeat, Schema, Settings, ViewOf};
use super::tree::{Instance, Node, Slot, Tree};
use meshwright_core::{Budget, LimitExceeded, SortedMap};
use std::collections::{HashMap, HashSet, VecDeque};

/// The depth of structures in each other. Deeper ones are gaps.
const DEPTH: u32 = 24;

struct Reader<'f, 'b> {
    tree: Tree<'f>,
    settings: &'f Settings,
    budget: &'b Budget,
    queue: VecDeque<(usize, usize)>,
    /// Ranges of the file that parts hold: start and end.
    claimed: SortedMap<u64, u64>,
    seen: HashMap<(u64, PartKind, Option<i128>), (usize, usize)>,
    /// The fields of `tree.derived`, in the order in which they were found.
    found: Vec<(usize, u64)>,
    over: Option<LimitExceeded>,
}

/// The state of a reader before a part that may turn out not to be in the file.
struct Mark {
    queued: usize,
    instances: usize,
    found: usize,
}

/// A part that was read, and its end.
type Step = Option<(Node, u64)>;

/// Reads a file.
///
/// # Errors
/// When the tree would take more memory than the budget has.
pub(super) fn read_tree<'f>(
    schema: &'f Schema,
    file: &'f [u8],
    settings: &'f Settings,
    budget: &Budget,
) -> Result<Tree<'f>, LimitExceeded> {
    let tree = Tree {
        schema,
        file,
        decoded: Vec::new(),
        instances: Vec::new(),
        derived: HashSet::new(),
        gaps: Vec::new(),
    };
    let mut reader = Reader {
        tree,
        settings,
        budget,
        queue: VecDeque::new(),
        claimed: SortedMap::new(),
        seen: HashMap::new(),
        found: Vec::new(),
        over: None,
    };
    reader.run();
    match reader.over.take() {
        Some(over) => Err(over),
        None => Ok(reader.tree),
    }
}

impl Reader<'_, '_> {
    fn run(&mut self) {
        let end = self.tree.file.len() as u64;
        if let Some((_, at)) = self.structure(0, (0, 0, end), None, true) {
            self.claim(0, at);
        }
        while let Some((instance, part)) = self.queue.pop_front() {
            if self.over.is_some() {
                return;
            }
            self.read_placed(instance, part);
        }
        for path in &self.tree.schema.file_sizes {
            self.derive_value(0, path, i128::from(end));
        }
        let mut at = 0;
        for (&start, &stop) in &self.claimed {
            if start > at {
                self.tree.gaps.push((at, start.saturating_sub(at)));
            }
            at = at.max(stop);
        }
        if end > at {
            self.tree.gaps.push((at, end.saturating_sub(at)));
        }
    }

    fn mark(&self) -> Mark {
        Mark { queued: self.queue.len(), instances: self.tree.instances.len(), found: self.found.len() }
    }

    /// Forgets what was read since the mark.
    fn forget(&mut self, mark: &Mark) {
        self.queue.truncate(mark.queued);
        self.tree.instances.truncate(mark.instances);
        for field in self.found.split_off(mark.found.min(self.found.len())) {
            self.tree.derived.remove(&field);
        }
    }

    /// Claims a range of the file for a part. It is false if another part has one of its bytes.
    fn claim(&mut self, start: u64, end: u64) -> bool {
        if end <= start {
            return true;
        }
        let before = self.claimed.range(..end).next_back();
        if before.is_some_and(|(_, &stop)| stop > start) {
            return false;
        }
        self.claimed.insert(start, end);
        true
    }

    fn charge(&mut self, count: u64, size: usize) -> bool {
        let charged = self.budget.charge_items("parts", count, size);
        self.over = self.over.take().or(charged.err());
        self.over.is_none()
    }

    fn lookup(&self, instance: usize, path: &[&'static str]) -> Option<Value> {
        if let ["setting", name] = path {
            return self.settings.iter().find(|(n, _)| n == name).map(|(_, value)| Value::Int(*value));
        }
        let (source, at, kind) = self.tree.locate(instance, path)?;
        self.tree.schema.value(self.tree.source(source), at, kind)
    }

    fn int(&self, instance: usize, expression: &Expression) -> Option<i128> {
        expression.int(&|path| self.lookup(instance, path))
    }

    /// Reads a structure at an offset of a source, up to `end`. The file itself may be incomplete.
    fn structure(
        &mut self,
        structure: usize,
        (source, at, end): (usize, u64, u64),
        parent: Option<(usize, usize, usize)>,
        is_file: bool,
    ) -> Option<(usize, u64)> {
        let depth = match parent {
            Some((parent, ..)) => self.tree.instances.get(parent)?.depth.saturating_add(1),
            None => 0,
        };
        let schema = self.tree.schema;
        let parts = &schema.structure(structure)?.parts;
        if depth > DEPTH
            || !self.charge(1, size_of::<Instance>())
            || !self.charge(parts.len() as u64, size_of::<Slot>())
        {
            return None;
        }
        let id = self.tree.instances.len();
        let slots = vec![Slot { node: Node::Unread, at }; parts.len()];
        self.tree.instances.push(Instance { structure, source, slots, parent, depth });
        let mut at = at;
        let mut stuck = false;
        for (number, part) in parts.iter().enumerate() {
            if part.at.is_some() {
                if source == 0 {
                    self.queue.push_back((id, number));
                }
                continue;
            }
            let read = if stuck { None } else { self.part(id, number, part, (source, at, end)) };
            match read {
                Some((node, stop)) => {
                    self.set(id, number, node, at);
                    self.derive(id, number, part, stop.saturating_sub(at));
                    at = stop;
                }
                None if is_file => stuck = true,
                None => return None,
            }
        }
        Some((id, at))
    }

    fn set(&mut self, instance: usize, part: usize, node: Node, at: u64) {
        if let Some(slot) = self.tree.instances.get_mut(instance).and_then(|i| i.slots.get_mut(part)) {
            *slot = Slot { node, at };
        }
    }

    /// Reads a part that is at an offset of its own.
    fn read_placed(&mut self, instance: usize, number: usize) {
        let schema = self.tree.schema;
        let Some(structure) = self.tree.instances.get(instance).map(|i| i.structure) else { return };
        let Some(part) = schema.part(structure, number) else { return };
        if let Some(when) = &part.when {
            match self.int(instance, when) {
                Some(0) => return self.set(instance, number, Node::Absent, 0),
                Some(_) => {}
                None => return,
            }
        }
        let Some(at) = part.at.as_ref().and_then(|at| self.int(instance, at)) else { return };
        let end = self.tree.file.len() as u64;
        let Some(at) = u64::try_from(at).ok().filter(|at| *at <= end) else { return };
        let count = match &part.repeat {
            Repeat::Count(e) | Repeat::ToOffset(e) => self.int(instance, e),
            Repeat::Once | Repeat::ToEnd => None,
        };
        if part.views.iter().any(|view| view.kind == PartKind::Strings) {
            // Names hold the bytes. A size beyond the file does not follow from them.
            let is_whole = count.is_some_and(|size| size <= i128::from(end.saturating_sub(at)));
            if is_whole {
                self.set(instance, number, Node::Absent, at);
            }
            return;
        }
        let key = (at, part.kind, count);
        if let Some(&(first, first_part)) = self.seen.get(&key)
            && count != Some(0)
        {
            let node =
                self.tree.instances.get(first).and_then(|i| i.slots.get(first_part)).map(|s| s.node.clone());
            let node = match node {
                Some(node @ Node::CString { len }) if len < 256 => node,
                _ => Node::Same { instance: first, part: first_part },
            };
            self.set(instance, number, node, at);
            // The sizes are as those of the first.
            return;
        }
        let mark = self.mark();
        let read = self.part(instance, number, part, (0, at, end));
        let Some((node, stop)) = read.filter(|(_, stop)| self.claim(at, *stop)) else {
            return self.forget(&mark);
        };
        self.set(instance, number, node, at);
        self.derive(instance, number, part, stop.saturating_sub(at));
        if stop > at {
            self.seen.insert(key, (instance, number));
        }
    }

    /// Reads a part. The end of its bytes follows it.
    fn part(&mut self, instance: usize, number: usize, part: &PartOf, place: (usize, u64, u64)) -> Step {
        let (source, at, end) = place;
        if let Some(when) = part.when.as_ref().filter(|_| part.at.is_none())
            && self.int(instance, when)? == 0
        {
            return Some((Node::Absent, at));
        }
        let Some(limit) = &part.limit else { return self.items(instance, number, part, place) };
        let stop =
            at.checked_add(u64::try_from(self.int(instance, limit)?).ok()?).filter(|stop| *stop <= end)?;
        let (inner, rest_at) = self.items(instance, number, part, (source, at, stop))?;
        let rest = stop.saturating_sub(rest_at);
        Some((Node::Limited { inner: inner.into(), rest, rest_at }, stop))
    }

    fn items(&mut self, instance: usize, number: usize, part: &PartOf, place: (usize, u64, u64)) -> Step {
        let (source, at, end) = place;
        let count = match &part.repeat {
            Repeat::Count(e) => Some(u64::try_from(self.int(instance, e)?).ok()?),
            Repeat::ToOffset(_) | Repeat::ToEnd => None,
            Repeat::Once => Some(1),
        };
        let until = match &part.repeat {
            Repeat::ToOffset(e) => u64::try_from(self.int(instance, e)?).ok().filter(|stop| *stop <= end)?,
            _ => end,
        };
        let stop = |len: u64| at.checked_add(len).filter(|stop| *stop <= end);
        let single = matches!(part.repeat, Repeat::Once);
        match part.kind {
            PartKind::CString => {
                let bytes = self.tree.bytes(source, at, end.checked_sub(at)?)?;
                let len = bytes.iter().position(|b| *b == 0)? as u64;
                if !self.charge(len, 1) {
                    return None;
                }
                Some((Node::CString { len }, stop(len.saturating_add(1))?))
            }
            PartKind::Text => Some((Node::Text { len: count? }, stop(count?)?)),
            PartKind::Bytes | PartKind::Strings => {
                let len = count?;
                let stop = stop(len)?;
                let seen = self.viewed(instance, number, part, (source, at, len));
                Some((seen.unwrap_or(Node::Bytes { len }), stop))
            }
            PartKind::Number(number) => {
                let count = count?;
                let stop = stop(count.checked_mul(number.size())?)?;
                let columns = part.views.iter().find_map(|v| self.int(instance, v.columns.as_ref()?));
                let columns =
                    columns.and_then(|c| u64::try_from(c).ok()).filter(|c| fits(count, *c)).unwrap_or(1);
                Some((Node::Numbers { number, count, columns, single }, stop))
            }
            PartKind::Record(record) => {
                let (table, count) = (self.tree.schema.record(record)?, count?);
                let stop = stop(count.checked_mul(table.size as u64)?)?;
                Some((Node::Records { table, count, single }, stop))
            }
            PartKind::Structure(inner) => {
                self.structures(instance, number, inner, (source, at, until), count, &part.repeat)
            }
        }
    }

    fn structures(
        &mut self,
        instance: usize,
        number: usize,
        inner: usize,
        (source, at, end): (usize, u64, u64),
        count: Option<u64>,
        repeat: &Repeat,
    ) -> Step {
        if matches!(repeat, Repeat::Once) {
            let (id, stop) = self.structure(inner, (source, at, end), Some((instance, number, 0)), false)?;
            return Some((Node::Structure(id), stop));
        }
        let (mut at, mut ids) = (at, Vec::new());
        while count.map_or(at < end, |count| (ids.len() as u64) < count) {
            let mark = self.mark();
            match self.structure(inner, (source, at, end), Some((instance, number, ids.len())), false) {
                Some((id, stop)) if stop > at => {
                    ids.push(id);
                    at = stop;
                }
                _ if matches!(repeat, Repeat::ToEnd) && self.over.is_none() => {
                    self.forget(&mark);
                    break;
                }
                _ => return None,
            }
        }
        Some((Node::Structures(ids), at))
    }

    /// Reads bytes with the view that applies.
    fn viewed(
        &mut self,
        instance: usize,
        number: usize,
        part: &PartOf,
        place: (usize, u64, u64),
    ) -> Option<Node> {
        let applies =
            |view: &&ViewOf| view.when.as_ref().is_none_or(|w| self.int(instance, w).is_some_and(|v| v != 0));
        let view = part.views.iter().find(applies)?.clone();
        let (source, at, len) = place;
        if !view.packed {
            return self.content(instance, number, &view, place);
        }
        let (path, _) = part.sizes.iter().find(|(_, decoded)| *decoded)?;
        let Value::Int(size) = self.lookup(instance, path)? else { return None };
        let size = usize::try_from(size).ok()?;
        let packed = self.tree.bytes(source, at, len)?.to_vec();
        if !codec::fits(packed.len(), size) || !self.charge(size as u64, 1) {
            return None;
        }
        let data = codec::decode(&packed, size)?;
        let exact = codec::encode(&data) == packed;
        let (decoded, mark) = (self.tree.decoded.len(), self.mark());
        self.tree.decoded.push(data);
        let own = self.tree.decoded.len();
        match self.content(instance, number, &view, (own, 0, size as u64)) {
            Some(inner) => {
                let path = path.clone();
                self.derive_value(instance, &path, size as i128);
                Some(Node::Packed { len, exact, source: own, inner: inner.into() })
            }
            None => {
                self.tree.decoded.truncate(decoded);
                self.forget(&mark);
                None
            }
        }
    }

    /// Reads all of some bytes as the items of a view.
    fn content(
        &mut self,
        instance: usize,
        number: usize,
        view: &ViewOf,
        place: (usize, u64, u64),
    ) -> Option<Node> {
        let (source, at, len) = place;
        let columns = match &view.columns {
            Some(columns) => u64::try_from(self.int(instance, columns)?).ok()?,
            None => 1,
        };
        let whole = |size: u64| len.checked_div(size).filter(|n| n.checked_mul(size) == Some(len));
        match view.kind {
            PartKind::Number(number) => {
                let count = whole(number.size())?;
                let columns = if fits(count, columns) { columns } else { 1 };
                Some(Node::Numbers { number, count, columns, single: false })
            }
            PartKind::Record(record) => {
                let table = self.tree.schema.record(record)?;
                Some(Node::Records { table, count: whole(table.size as u64)?, single: false })
            }
            PartKind::Structure(inner) => {
                let end = at.checked_add(len)?;
                let count = view.count.as_ref()?;
                let items = u64::try_from(self.int(instance, count)?).ok()?;
                let repeat = Repeat::Count(count.clone());
                let (node, stop) =
                    self.structures(instance, number, inner, (source, at, end), Some(items), &repeat)?;
                if stop != end {
                    return None;
                }
                self.derive_count(instance, count, i128::from(items));
                Some(node)
            }
            _ => None,
        }
    }

    /// Notes the fields that follow from a part of `size` bytes.
    fn derive(&mut self, instance: usize, number: usize, part: &PartOf, size: u64) {
        let slot = self.tree.instances.get(instance).and_then(|i| i.slots.get(number));
        let Some(slot) = slot.filter(|s| !matches!(s.node, Node::Absent)).cloned() else { return };
        for (path, decoded) in &part.sizes {
            if !decoded {
                self.derive_value(instance, path, i128::from(size));
            }
        }
        if let Some(limit) = &part.limit {
            self.derive_count(instance, limit, i128::from(size));
        }
        match &part.repeat {
            Repeat::Count(count) => {
                let items = if part.kind == PartKind::Bytes { size } else { slot.node.counted() };
                self.derive_count(instance, count, i128::from(items));
            }
            Repeat::ToOffset(end) => {
                let stop = i128::from(slot.at.saturating_add(size));
                if let Some(path) = end.paths().last().map(|p| p.to_vec()) {
                    self.solve(instance, end, stop, &path);
                }
            }
            Repeat::Once | Repeat::ToEnd => {}
        }
    }

    fn derive_count(&mut self, instance: usize, count: &Expression, items: i128) {
        if let Some(path) = count.paths().first().map(|p| p.to_vec()) {
            self.solve(instance, count, items, &path);
        }
    }

    fn solve(&mut self, instance: usize, expression: &Expression, value: i128, path: &[&'static str]) {
        if let Some(solved) = expression.solve(value, path, &|path| self.lookup(instance, path)) {
            self.derive_value(instance, path, solved);
        }
    }

    /// Notes that a field follows from other parts, if it has the value that these give it.
    fn derive_value(&mut self, instance: usize, path: &[&'static str], value: i128) {
        let Some((source, at, kind)) = self.tree.locate(instance, path) else { return };
        if self.tree.schema.value(self.tree.source(source), at, kind) == Some(Value::Int(value))
            && self.charge(1, 64)
            && self.tree.derived.insert((source, at))
        {
            self.found.push((source, at));
        }
    }
}

/// Returns true if numbers fill rows of this many columns.
fn fits(count: u64, columns: u64) -> bool {
    columns > 1 && count.checked_rem(columns) == Some(0)
}
