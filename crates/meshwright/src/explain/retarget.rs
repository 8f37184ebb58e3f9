//! Losses and notes of `convert --retarget`.

use super::notices;

notices! {
    note "retarget-bone",
        "A bone of the new skeleton follows a bone of the original.",
        "If it is the wrong one, write the map with `--map-out`, edit it, and pass it to `--map`.";
    note "retarget-bone-at-rest",
        "A bone of the new skeleton has no counterpart in the original and keeps its rest pose.",
        "Map it with `--map`, if it has a counterpart of another name.";
    loss "retarget-bone-dropped",
        "A bone moves in the original, and no bone of the new skeleton follows it.",
        "Map it with `--map`, if it has a counterpart of another name.";
    loss "retarget-clips-dropped",
        "The original has several skeletons; clips of the others were dropped.",
        "Convert the skeletons one by one.";
    note "retarget-end",
        "A hand, a foot or the head is off the path of the original, scaled to the new skeleton.",
        "Pass `--hold feet` or `--hold feet,hands` to bend knees or elbows.";
    loss "retarget-meshes-dropped",
        "Meshes that are not bound to the retargeted skeleton were dropped.",
        "Bind them to a bone in an editor.";
    note "retarget-scale",
        "The legs of the new skeleton are longer or shorter, so the figure moves farther or less far.",
        "Nothing has to be done.";
    loss "retarget-scale-dropped",
        "A clip scales bones; the bones of the new skeleton keep their scale.",
        "Remove the scale keys in an editor, if they are not meant.";
}
