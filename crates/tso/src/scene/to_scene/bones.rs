//! Builds the joints of a scene: those of a skeleton, and additional ones that meshes need.

use crate::bind::{PAIR, Solver, pairs};
use crate::name::Name;
use crate::pose::is_unit;
use crate::pose::{BonePose, turn};
use crate::scene::assembly::Assembly;
use crate::scene::extras;
use crate::scene::space::map;
use crate::skel::Skel;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, narrow};
use meshwright_core::{SortedMap, SortedSet};
use meshwright_scene::{
    Affine, AxisMap, Budget, ConvertError, Joint, Local, Loss, SceneOptions, Skeleton, Space, Trs,
};

/// The joints by name, and their rest poses in the file's space.
#[derive(Debug, Default)]
pub(crate) struct Joints {
    exact: SortedMap<Vec<u8>, usize>,
    folded: SortedMap<Vec<u8>, usize>,
    /// The bind pose in the file's space: the rest pose, except for bones that are rotated according to the blends.
    pub(crate) world: Vec<Affine64>,
    /// The rest poses relative to parents; the identity if a pose is not finite.
    poses: Vec<BonePose>,
    /// The first `known` joints are bones of the skeleton; the rest replace missing ones.
    pub(crate) known: usize,
    /// The joint of every bone of every part.
    pub(crate) of_parts: Vec<Vec<usize>>,
}

impl Joints {
    /// Builds the joints for an assembly.
    pub(crate) fn new(
        assembly: &Assembly<'_>,
        options: &SceneOptions,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<(Self, Skeleton), ConvertError> {
        let map = map(options.space);
        let bones = assembly.skeleton.map_or(0, |skel| skel.bones.len());
        let mut joints = Self { known: bones, ..Self::default() };
        let mut skeleton = Skeleton::default();
        if let Some(skel) = assembly.skeleton {
            skeleton.name = skel.name.text();
            budget.charge_items("joints", bones as u64, JOINT)?;
            joints.adopt(skel, options, budget, &map, &mut skeleton.joints, losses)?;
        }
        // Names first and joints after, so that the table of joints is made once and in its final size.
        let mut more: Vec<&Name> = Vec::new();
        for (i, part) in assembly.parts.iter().enumerate() {
            let mut of_part = budget.reserve("joints", part.geometry.bones.len())?;
            let (mut missing, mut listed) = (0_usize, String::new());
            for name in &part.geometry.bones {
                let joint = match joints.find(name) {
                    Some(joint) => joint,
                    None => {
                        budget.charge_items("joints", 1, JOINT + 5 * name.bytes().len())?;
                        joints.insert(name, bones + more.len());
                        more.push(name);
                        bones + more.len() - 1
                    }
                };
                of_part.push(joint);
                if joint >= bones {
                    missing += 1;
                    if missing <= NAMES_LISTED {
                        listed.push_str(&format!(" {name}"));
                    }
                }
            }
            joints.of_parts.push(of_part);
            if assembly.skeleton.is_some() && missing > 0 {
                let message = format!(
                    "{missing} bones that the skeleton does not have; their vertices stay at the origin:{listed}"
                );
                losses.push(Loss::new("bone-missing", format!("parts[{i}].bones"), message).counted(missing));
            }
        }
        if let Some(skel) = assembly.skeleton {
            joints.world = skel.world(&joints.poses);
            // Vertices in the space of their bones, which the file's space has, need no bind pose.
            if options.space == Space::Gltf {
                joints.bind(skel, assembly, budget, losses)?;
            }
            joints.inverses(&map, &mut skeleton.joints, losses);
        }
        skeleton.joints.reserve_exact(more.len());
        skeleton.joints.extend(more.iter().map(|name| Joint::new(name.text(), None, Local::default())));
        joints.world.reserve_exact(more.len());
        joints.world.resize(skeleton.joints.len(), Affine64::IDENTITY);
        Ok((joints, skeleton))
    }

    fn adopt(
        &mut self,
        skel: &Skel,
        options: &SceneOptions,
        budget: &Budget,
        map: &AxisMap,
        out: &mut Vec<Joint>,
        losses: &mut Vec<Loss>,
    ) -> Result<(), ConvertError> {
        let (parents, cut) = skel.resolve(&skel.index());
        let cut: SortedSet<_> = cut.into_iter().collect();
        let (mut notes, mut more) = (Notes::default(), 0_usize);
        cut.iter()
            .for_each(|i| notes.add("parent-cycle", *i, "bones are their own ancestors and became roots"));
        self.poses = skel.rest();
        out.reserve_exact(self.poses.len());
        for (i, (bone, pose)) in skel.bones.iter().zip(&mut self.poses).enumerate() {
            if bone.parent_name().is_some() && parents.get(i) == Some(&None) && !cut.contains(&i) {
                notes.add("parent-missing", i, "bones have a missing parent and became roots");
            }
            if !pose.translation.iter().chain(&pose.rotation).all(|c| c.is_finite()) {
                *pose = BonePose { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
                notes.add("not-finite", i, "rest poses that are not finite were replaced by none");
            } else if !is_unit(bone.rotation) {
                notes.add("rotation-length", i, "quaternions were scaled to length 1");
            }
            budget.charge_items("joints", bone.name.bytes().len() as u64, 5)?;
            let mut joint = Joint::new(
                bone.name.text(),
                parents.get(i).copied().flatten(),
                Local::Trs(map.trs(&trs(pose))),
            );
            joint.extras = extras::of_bone(bone, budget)?;
            if !options.extras {
                more += usize::from(joint.extras.take().is_some());
            }
            out.push(joint);
        }
        for (i, bone) in skel.bones.iter().enumerate() {
            self.insert(&bone.name, i);
        }
        notes.tell(losses);
        if more > 0 {
            let message = "flags, wiggle values and properties of bones";
            let loss = Loss::new("bone-fields", "skeleton.bones", message).with_count(more, "bone", "bones");
            losses.push(loss.kept_in_extras());
        }
        Ok(())
    }

    /// Computes the pose in which the parts were modelled.
    fn bind(
        &mut self,
        skel: &Skel,
        assembly: &Assembly<'_>,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<(), ConvertError> {
        let mut all = Vec::new();
        for (part, of_part) in assembly.parts.iter().zip(&self.of_parts) {
            let g = part.geometry;
            budget.charge_items(
                "bind pose",
                (g.real.len() + g.blends.len()) as u64,
                size_of::<[usize; 2]>(),
            )?;
            budget.charge_items("bind pose", g.blends.len() as u64, 2 * PAIR)?;
            let owners = g.owners();
            let bone_of: Vec<_> = of_part.iter().map(|j| Some(*j).filter(|j| *j < self.known)).collect();
            pairs(g, &owners, &bone_of, &mut |_, _, pair| all.push(pair));
        }
        budget.charge_items("bind pose", self.known as u64, 2 * size_of::<Affine64>() + 64)?;
        let bind = Solver::new(skel, &self.poses, &all).run();
        if let [first, ..] = bind.turned.as_slice() {
            let mut message = String::from(
                "the meshes were modelled in another pose than the skeleton's rest pose, and were bound in that \
                 pose; rotated bones",
            );
            let mut separator = ':';
            for turned in bind.turned.iter().take(NAMES_LISTED) {
                let Some(bone) = skel.bones.get(turned.bone) else { continue };
                message.push_str(&format!("{separator} {} by {:.2} degrees", bone.name, turned.degrees));
                separator = ',';
            }
            let path = format!("skeleton.bones[{}]", first.bone);
            losses.push(Loss::note("bind-pose-solved", path, message).counted(bind.turned.len()));
        }
        self.world = bind.world;
        Ok(())
    }

    /// Sets the inverse bind matrices.
    fn inverses(&self, map: &AxisMap, out: &mut [Joint], losses: &mut Vec<Loss>) {
        let mut notes = Notes::default();
        for (i, (joint, world)) in out.iter_mut().zip(&self.world).enumerate() {
            let inverse = world.inverse().map(|m| map.affine(&m.narrow()));
            match inverse.filter(Affine::is_finite) {
                Some(inverse) => joint.inverse_bind = inverse,
                None => notes.add("bind-pose", i, "rest poses are outside the range of 32-bit floats"),
            }
        }
        notes.tell(losses);
    }

    fn insert(&mut self, name: &Name, joint: usize) {
        self.exact.entry(name.bytes().to_vec()).or_insert(joint);
        self.folded.entry(name.bytes().to_ascii_lowercase()).or_insert(joint);
    }

    /// Returns the joint of this name: with the same spelling, otherwise ignoring letter case.
    pub(crate) fn find(&self, name: &Name) -> Option<usize> {
        let exact = self.exact.get(name.bytes());
        exact.or_else(|| self.folded.get(&name.bytes().to_ascii_lowercase())).copied()
    }

    /// Like [`find`](Self::find), among the bones of the skeleton only.
    pub(crate) fn find_known(&self, name: &Name) -> Option<usize> {
        self.find(name).filter(|j| *j < self.known)
    }
}

/// Notes by code: the first bone, the number of bones, and the message.
#[derive(Debug, Default)]
struct Notes(SortedMap<&'static str, (usize, usize, &'static str)>);

impl Notes {
    fn tell(&self, losses: &mut Vec<Loss>) {
        losses.extend(self.0.iter().map(|(code, (first, n, message))| {
            let path = format!("skeleton.bones[{first}]");
            let decided = *code == "rotation-length";
            let made = if decided { Loss::note } else { Loss::new };
            made(code, path, String::from(*message)).with_count(*n, "bone", "bones")
        }));
    }

    fn add(&mut self, code: &'static str, bone: usize, message: &'static str) {
        self.0.entry(code).or_insert((bone, 0, message)).1 += 1;
    }
}

/// The maximum number of missing bones that are listed.
pub(crate) const NAMES_LISTED: usize = 8;

/// The memory of a joint, its matrix and its index entries, in bytes.
const JOINT: usize = size_of::<Joint>() + size_of::<Affine64>() + 128;

/// Returns a pose as a scene has it.
fn trs(pose: &BonePose) -> Trs {
    Trs { translation: narrow(pose.translation), rotation: narrow(turn(pose.rotation)), ..Trs::IDENTITY }
}
