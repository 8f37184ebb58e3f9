//! The offsets of the parts of a new file.

use super::elements::{primitives_size, vertices_size};
use crate::layout::{ClipPlace, Layout, ListPlace, MeshPlace, StringPlace};
use crate::model::{Bmd, Name, identity};
use crate::record::{Table, header};
use meshwright_core::layout::Planner;
use meshwright_core::{FieldPath, SortedMap, WriteError};

/// The arrangement of the parts of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Arrangement {
    /// The arrangement of the oldest tool: strings, meshes, levels of detail, lists.
    P0,
    /// The arrangement of an intermediate tool: strings, levels of detail, meshes, lists.
    P1,
    /// The arrangement of the current tool: as `P1`, with eight spare bytes after each list.
    P2,
    /// As `P2`, with the levels of detail at a multiple of 8 like all other tables and lists. New files get
    /// this arrangement.
    #[default]
    Aligned,
    /// The fewest bytes, with no padding except for the nominal alignment. No known tool writes this.
    Compact,
}

impl Arrangement {
    /// The nominal alignment of tables and lists.
    const NOMINAL: u64 = 8;
    /// The alignment of lists and tables in the original tools.
    const WIDE: u64 = 16;
    /// The number of bytes that [`P2`](Self::P2) leaves after a list.
    const SPARE: u64 = 8;
}

/// Assigns offsets to all parts of a model.
pub(super) fn plan(model: &Bmd, arrangement: Arrangement) -> Result<Layout, WriteError> {
    let mut plan = Plan::new(model, arrangement);
    let compact = arrangement == Arrangement::Compact;
    match arrangement {
        Arrangement::Compact => {
            plan.table(Table::Meshes, 8)?;
            plan.table(Table::Bones, 8)?;
            plan.table(Table::Anims, 8)?;
            plan.table(Table::Lods, 8)?;
        }
        Arrangement::P0 => {
            plan.strings()?;
            plan.table(Table::Meshes, 8)?;
            plan.table(Table::Lods, 4)?;
        }
        Arrangement::P1 | Arrangement::P2 | Arrangement::Aligned => {
            plan.strings()?;
            plan.table(Table::Lods, if arrangement == Arrangement::Aligned { 8 } else { 4 })?;
            plan.table(Table::Meshes, Arrangement::WIDE)?;
        }
    }
    if !compact {
        plan.planner.align(Arrangement::WIDE);
    }
    plan.meshes()?;
    if !compact {
        plan.table(Table::Bones, Arrangement::WIDE)?;
        plan.table(Table::Anims, Arrangement::WIDE)?;
    }
    plan.clips()?;
    if compact {
        plan.strings()?;
    }
    plan.names();
    plan.layout.len = plan.planner.end();
    Ok(plan.layout)
}

/// Assigns offsets.
struct Plan<'m> {
    model: &'m Bmd,
    arrangement: Arrangement,
    planner: Planner,
    layout: Layout,
    strings: SortedMap<&'m Name, StringPlace>,
    /// Strings by the address of the name, so that a long name that many records share is not compared each
    /// time.
    known: SortedMap<usize, StringPlace>,
    lists: SortedMap<usize, ListPlace>,
}

const FILE: FieldPath<'static> = FieldPath::ROOT.field("file");

impl<'m> Plan<'m> {
    fn new(model: &'m Bmd, arrangement: Arrangement) -> Self {
        let layout = Layout {
            meshes: alloc::vec![MeshPlace::default(); model.meshes.len()],
            lods: model.lods.len(),
            bones: alloc::vec![StringPlace::default(); model.bones.len()],
            clips: alloc::vec![ClipPlace::default(); model.clips.len()],
            ..Layout::default()
        };
        Self {
            model,
            arrangement,
            planner: Planner::from(header::SIZE as u64),
            layout,
            strings: SortedMap::new(),
            known: SortedMap::new(),
            lists: SortedMap::new(),
        }
    }

    fn table(&mut self, table: Table, alignment: u64) -> Result<(), WriteError> {
        let rows = self.layout.rows(table);
        if rows > 0 {
            self.planner.align(alignment);
            let at = self.planner.take(&FILE, table.size(rows))?;
            if let Some(slot) = self.layout.tables.get_mut(table as usize) {
                *slot = at;
            }
        }
        Ok(())
    }

    /// Places every distinct string once, in the order of first use.
    fn strings(&mut self) -> Result<(), WriteError> {
        if self.arrangement != Arrangement::Compact {
            self.planner.align(64);
        }
        let materials = self.model.meshes.iter().filter_map(|m| m.material.as_ref());
        let bones = self.model.bones.iter().filter_map(|b| b.name.as_ref());
        let clips = self.model.clips.iter().filter_map(|c| c.name.as_ref());
        for name in materials.chain(bones).chain(clips) {
            if self.known.contains_key(&name.identity()) {
                continue;
            }
            let place = match self.strings.get(name) {
                Some(place) => *place,
                None => {
                    let len = WriteError::fit(&FILE, "offset", name.bytes().len() as u64, u32::MAX)?;
                    let mut place = StringPlace { at: 0, len };
                    place.at = self.planner.take(&FILE, place.size())?;
                    self.strings.insert(name, place);
                    place
                }
            };
            self.known.insert(name.identity(), place);
        }
        Ok(())
    }

    fn meshes(&mut self) -> Result<(), WriteError> {
        for (i, mesh) in self.model.meshes.iter().enumerate() {
            let vertices = self.list(identity(&mesh.vertices), || vertices_size(&mesh.vertices))?;
            let primitives = self.list(identity(&mesh.primitives), || primitives_size(&mesh.primitives))?;
            if let Some(place) = self.layout.meshes.get_mut(i) {
                (place.vertices, place.primitives) = (vertices, primitives);
            }
        }
        Ok(())
    }

    /// Places a list of vertices or primitives.
    fn list(&mut self, identity: usize, size: impl FnOnce() -> usize) -> Result<ListPlace, WriteError> {
        if let Some(place) = self.lists.get(&identity) {
            return Ok(*place);
        }
        let compact = self.arrangement == Arrangement::Compact;
        self.planner.align(if compact { Arrangement::NOMINAL } else { Arrangement::WIDE });
        let place = self.take(size())?;
        if matches!(self.arrangement, Arrangement::P2 | Arrangement::Aligned) {
            self.planner.take(&FILE, Arrangement::SPARE)?;
        }
        if !compact {
            self.planner.align(Arrangement::WIDE);
        }
        self.lists.insert(identity, place);
        Ok(place)
    }

    /// Places the key streams. They need no padding: the original tools' files end with the last stream.
    fn clips(&mut self) -> Result<(), WriteError> {
        for (i, clip) in self.model.clips.iter().enumerate() {
            let identity = identity(&clip.stream);
            let place = match self.lists.get(&identity) {
                Some(place) => *place,
                None => {
                    if self.arrangement != Arrangement::Compact {
                        self.planner.align(Arrangement::WIDE);
                    }
                    let place = self.take(clip.stream.size())?;
                    self.lists.insert(identity, place);
                    place
                }
            };
            if let Some(to) = self.layout.clips.get_mut(i) {
                to.stream = place;
            }
        }
        Ok(())
    }

    fn take(&mut self, size: usize) -> Result<ListPlace, WriteError> {
        let at = self.planner.take(&FILE, size as u64)?;
        let size = WriteError::fit(&FILE, "size", size as u64, u32::MAX)?;
        Ok(ListPlace { at, size, used: size })
    }

    /// Stores the locations of the names of all records.
    fn names(&mut self) {
        let known = &self.known;
        let place = |name: &Option<Name>| {
            name.as_ref().and_then(|n| known.get(&n.identity())).copied().unwrap_or_default()
        };
        let (model, layout) = (self.model, &mut self.layout);
        for (to, mesh) in layout.meshes.iter_mut().zip(&model.meshes) {
            to.material = place(&mesh.material);
        }
        for (to, bone) in layout.bones.iter_mut().zip(&model.bones) {
            *to = place(&bone.name);
        }
        for (to, clip) in layout.clips.iter_mut().zip(&model.clips) {
            to.name = place(&clip.name);
        }
    }
}
