//! Losses and notes about skeletons and clips.

use super::notices;

notices! {
    note "bind-pose",
        "The bind pose of vertices differs from the rest pose of the bones. The vertices were moved to the rest \
         pose, or the target cannot store the bind pose.",
        "Nothing has to be done.";
    note "bind-pose-solved",
        "The meshes were modelled in another pose than the skeleton rests in; Meshwright found that pose and bound them in it.",
        "Nothing has to be done.";
    loss "bind-singular",
        "The bind matrix of a bone has no inverse, so that vertices cannot be bound to it.",
        "Run `check` on the source; give the bone a scale other than 0.";
    loss "bone-detached",
        "The parent of a bone has scale 0, so the bone has no transform relative to it and became a root.",
        "Give the parent a scale other than 0.";
    loss "bone-fields",
        "Bones have flags, wiggle values or properties, which only files of The Sims hold.",
        "Pass `--extras` or `--keep-native` to keep them in a glTF.";
    loss "bone-flags",
        "The target has no flags of bones.",
        "Pass `--extras` or `--keep-native` to keep them in a glTF.";
    loss "bone-flat",
        "The matrix of a bone is flat and has no inverse.",
        "Run `check` on the source.";
    loss "bone-index-clamped",
        "A binding names a bone that the mesh does not list; the last bone was used.",
        "Run `check` on the source.";
    loss "bone-missing",
        "Vertices name a bone that the skeleton does not have.",
        "Name the right skeleton with `--skeleton`.";
    loss "bone-not-finite",
        "The position of a bone is infinite or undefined; the bone is at the origin.",
        "Run `check` on the source.";
    loss "bones-dropped",
        "The model has more bones than the engine accepts; bones that move nothing were dropped.",
        "Choose another engine with `--for`, or remove bones in the editor.";
    loss "bones-moved",
        "Positions of bones at rest were rounded; the amount is the largest move. The rest pose stays, other poses differ.",
        "Nothing has to be done if the amount is small.";
    note "bones-removed",
        "Bones that move nothing and are not attachments were left out, as the format requires.",
        "Nothing has to be done.";
    loss "bones-turned",
        "Rotations of bones at rest were rounded; the amount is the largest turn. The rest pose stays, other poses differ.",
        "Nothing has to be done if the amount is small.";
    loss "channel-dropped",
        "A channel of a clip names keys that the file does not have.",
        "Run `check` on the source.";
    loss "channels-replaced",
        "A clip moves a joint twice; the later channel counts.",
        "Remove one of the channels.";
    loss "channels-rescaled",
        "An edited key is outside the range of its channel, whose values were rounded again in all frames.",
        "Nothing has to be done; the amount says how far values moved.";
    note "clip-added",
        "The target needs a clip and the source has none; the target got one with a single pose.",
        "Nothing has to be done.";
    loss "clip-dropped",
        "A clip moves another skeleton or has no frames, and was left out.",
        "Merge the skeletons in the editor.";
    loss "clip-fields",
        "An animation has a distance, a flag of movement or properties, which only files of The Sims hold.",
        "Pass `--extras` or `--keep-native` to keep them in a glTF.";
    note "clip-lengthened",
        "The last key of a clip is between two frames; the clip ends at the next whole frame. The amount says how much longer it is.",
        "Pass `--fps` with a rate at which the clip ends on a frame.";
    note "clip-resampled",
        "A clip that the edited model has and the original has not was brought to the frame rate of the original.",
        "Nothing has to be done.";
    loss "clip-without-skeleton",
        "An animation moves bones relative to their parents, which only a skeleton knows.",
        "Name the skeleton with `--skeleton`.";
    loss "clips-dropped",
        "The target has no clips, or fewer than the source.",
        "Choose a target with clips, or convert each clip by itself.";
    note "clips-merged",
        "Clips with the same name that moved different skeletons became one clip.",
        "Rename one of them if they are different motions.";
    loss "comment-dropped",
        "The source has a comment, which the target cannot store.",
        "Pass `--extras` or `--keep-native` to keep it in a glTF.";
    note "editor-rate",
        "Blender samples clips at the frame rate of its scene, so clips with other rates change.",
        "Pass `--frames-at 24`, or set the frame rate of the scene before the import.";
    loss "empty-clip",
        "A clip without frames or joints was left out.",
        "Nothing has to be done.";
    loss "event-dropped",
        "The target cannot store some events of a clip.",
        "Convert to the source's own format to keep them.";
    loss "extensions-dropped",
        "The source has extensions of other programs, which the target cannot store.",
        "Pass `--extras` or `--keep-native` to keep those that Meshwright knows in a glTF.";
    loss "fields-dropped",
        "Records have words, flags or lists for which the other kind of file has no field.",
        "Convert to the text or binary form of the same game to keep them.";
    loss "follows-cancel",
        "The weights of the joints that a joint follows sum to 0; it follows the first one.",
        "Correct the weights in the source.";
    loss "follows-dropped",
        "A joint follows other joints, which the target does not support or limits in number.",
        "Nothing has to be done unless the joint is posed wrongly.";
    loss "fps-clamped",
        "The engine plays at least 1 frame per second, and a clip has less.",
        "Store more frames of the clip.";
    loss "frame-names-dropped",
        "Frames have names of their own, and the target only names clips.",
        "Nothing has to be done unless the game looks for frames by name.";
    loss "frames-dropped",
        "Frames that belong to no clip were left out.",
        "Add a clip that covers them.";
    loss "frames-without-clip",
        "Frames that belong to no clip were left out.",
        "Add a line to the `.framegroups` file that covers them, or pass `--all-frames`.";
    either "interpolation",
        "Source and target blend differently between frames.",
        "Nothing has to be done: poses at whole frames are exact.";
    note "joint-scale",
        "Joints are scaled at rest, which the target's bones do not support; vertices and children were moved instead.",
        "Apply the scale in the editor if clips look wrong.";
    either "joint-shear",
        "Joints shear, which the target cannot express.",
        "Avoid uneven scales on the parents of rotated joints.";
    loss "joints-dropped",
        "Joints were edited, and none of the written files holds the skeleton.",
        "Name a skeleton as a target too.";
    note "joint-renamed",
        "A joint without a name, or with a name that another joint has, got a new name.",
        "Nothing has to be done.";
    either "key-times",
        "Keys are too close in time for 32-bit numbers, and moved to the next time.",
        "Nothing has to be done.";
    note "keys-added",
        "Keys were added at whole frames where glTF blends differently.",
        "Nothing has to be done.";
    loss "keys-cut",
        "Keys after the last frame of a clip were left out.",
        "Make the clip longer if they are wanted.";
    loss "keys-missing",
        "The keys of a skill are missing, or their number differs from the one that the skill states.",
        "Put the `.cfp` file next to the file of the skill, or run `check` on it.";
    loss "keys-moved",
        "Positions of keys were rounded or thinned; the amount is the largest move at a whole frame.",
        "Nothing has to be done if the amount is small.";
    loss "keys-scaled",
        "Scales of keys were rounded or thinned; the amount is the largest change at a whole frame.",
        "Nothing has to be done if the amount is small.";
    loss "keys-turned",
        "Rotations of keys were rounded or thinned; the amount is the largest turn at a whole frame.",
        "Nothing has to be done if the amount is small.";
    note "loop-period",
        "A loop blends from its last frame to its first; a glTF viewer does not, so that the loop is shorter by one frame.",
        "Pass `--close-loops` to repeat the first frame at the end.";
    loss "motion-dropped",
        "A clip moves bones that the skeleton does not have.",
        "Name the right skeleton with `--skeleton`.";
    loss "motion-ignored",
        "An animation moves bones that the skeleton does not have.",
        "Name the right skeleton with `--skeleton`.";
    either "name-changed",
        "A name has characters that the target does not have, or none at all, and was changed.",
        "Use plain letters, digits and underscores in names.";
    loss "name-cut",
        "A name is longer than the target allows, and was cut.",
        "Choose a shorter name.";
    loss "name-renamed",
        "Two items have the same name, and the target needs unique names.",
        "Choose another name for one of them.";
    loss "names-dropped",
        "The target's bones have no names.",
        "Nothing has to be done unless the game looks for bones by name.";
    note "no-rate",
        "No frame rate from 1 to 240 has a frame for every key of a clip; the clip was sampled at 30. The amount \
         says how far keys are from a frame.",
        "Pass `--fps` with the rate of the editor.";
    loss "node-animation",
        "A clip moves nodes that draw nothing and are not joints.",
        "Turn the nodes into bones in the editor if the motion is wanted.";
    note "nodes-as-bones",
        "Named nodes that draw nothing became bones, to which engines attach objects.",
        "Delete the nodes in the editor if nothing is attached to them.";
    loss "parent-cycle",
        "Bones are their own ancestors; they became roots.",
        "Run `check` on the skeleton.";
    loss "parent-follows",
        "A joint has a parent that follows other joints; it became a child of the heaviest of those.",
        "Nothing has to be done unless the joint is posed wrongly.";
    loss "parent-missing",
        "Bones name a parent that the skeleton does not have; they became roots.",
        "Run `check` on the skeleton.";
    note "poses-shared",
        "Identical poses were stored once, as the format requires.",
        "Nothing has to be done.";
    note "pseudo-bone",
        "A pseudo-bone, which blends other bones, became helper joints in the glTF.",
        "Nothing has to be done: the import turns them back.";
    loss "pseudo-bone-singular",
        "The matrix of a pseudo-bone has no inverse, and its vertices move wrongly.",
        "Run `check` on the source.";
    note "rate-assumed",
        "A clip states no frame rate; 10 frames per second were used, as in the engine.",
        "State a rate in the source if the clip plays too slow or too fast.";
    loss "rate-changed",
        "The target cannot store the frame rate; the nearest one was used.",
        "Nothing has to be done if the amount is small.";
    note "rate-default",
        "A clip states the frame rate 0; a default rate was used.",
        "State a rate in the source.";
    either "resampled",
        "Keys are between the frames of the target's rate, and the motion was sampled; the amount is the largest turn of a joint.",
        "Pass `--fps` with a rate at which all keys are frames.";
    loss "resampled-moved",
        "Keys are between the frames of the target's rate; the amount is the largest move of a joint.",
        "Pass `--fps` with a rate at which all keys are frames.";
    loss "resampled-scaled",
        "Keys are between the frames of the target's rate; the amount is the largest change of a scale.",
        "Pass `--fps` with a rate at which all keys are frames.";
    note "rest-differs",
        "The rest pose of the skeleton differs from that of the joints, as in bodies of The Sims from Blender, \
         whose arms are stretched out. Vertices keep their positions relative to the bones.",
        "Nothing has to be done. Name the right skeleton with `--skeleton` if limbs point the wrong way in the game.";
    note "rest-pose-applied",
        "The bind pose of the mesh differs from the rest pose; its vertices were moved to the rest pose.",
        "Nothing has to be done.";
    either "rest-pose-dropped",
        "The bind pose of the mesh differs from the rest pose of the joints, and the target stores only one of them.",
        "Apply the rest pose in the editor.";
    note "root-added",
        "The skeleton has several roots or none, and the target needs one; a new root was added.",
        "Nothing has to be done.";
    note "rotation-length",
        "Rotations were not of length 1, and were scaled to it.",
        "Nothing has to be done.";
    note "rotations-scaled",
        "Rotations were not of length 1, and were scaled to it.",
        "Nothing has to be done.";
    either "scale-dropped",
        "Joints are scaled in clips or unevenly, which the target's bones do not support.",
        "Bake the scale into the vertices, or choose another target.";
    note "scale-undone",
        "The glTF says that lengths were multiplied on export; they were divided again.",
        "Pass `--scale 1` to keep the lengths of the glTF.";
    loss "scene-flags",
        "The source has unknown flags of clips, and the target has none.",
        "Pass `--extras` or `--keep-native` to keep them in a glTF.";
    loss "shear-dropped",
        "Joints shear, which the target cannot express; the nearest pose without shear was used.",
        "Avoid uneven scales on the parents of rotated joints.";
    note "skeleton-differs",
        "Joints rest differently from the bones of the named skeleton; the clip was fitted to that skeleton.",
        "Name the skeleton that the clip was made with, if the motion looks wrong.";
    loss "skeleton-dropped",
        "A skeleton that moves nothing was left out.",
        "Nothing has to be done.";
    loss "skeleton-left",
        "The file holds several skeletons, and the first one is used.",
        "Split the file, or name another with `--skeleton`.";
    loss "skeleton-missing",
        "The mesh names bones by name, and no skeleton was given; vertices of these bones are at the origin.",
        "Name the skeleton with `--skeleton`.";
    note "skeleton-unfit",
        "A skeleton next to the mesh is not used: it lacks bones of the mesh, or belongs to another mesh.",
        "Name the skeleton of the mesh with `--skeleton`, or `--root` the folder of the game.";
    loss "skeletons-dropped",
        "The target holds one skeleton.",
        "Merge the skeletons in the editor.";
    note "skeletons-joined",
        "The target holds one skeleton; all skeletons became one.",
        "Nothing has to be done.";
    loss "skins-dropped",
        "The target has no bones, or the weights name bones of another skeleton.",
        "Choose a target with skins, such as glb, dpm or iqm.";
    note "unskinned",
        "A mesh without joints was bound to the root.",
        "Nothing has to be done.";
}
