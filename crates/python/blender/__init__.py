"""Old game models in Blender: File > Import and File > Export.

A model goes into Blender as the glTF that the library makes of it, and comes out as the glTF that Blender makes of it. The game's
own file goes along as text on the collection, so that on the way back whatever was not edited is as it was, byte for byte.
"""

import bpy

from .exporting import EXPORT_SCENE_OT_meshwright
from .importing import IMPORT_SCENE_OT_meshwright, IMPORT_SCENE_OT_meshwright_member
from .shared import RECORDS, extensions

LABEL = "Game model (Meshwright)"


class IO_FH_meshwright(bpy.types.FileHandler):
    bl_idname = "IO_FH_meshwright"
    bl_label = LABEL
    bl_import_operator = IMPORT_SCENE_OT_meshwright.bl_idname
    bl_file_extensions = ";".join("." + extension for extension in extensions(RECORDS))

    @classmethod
    def poll_drop(cls, context):
        return context.area is not None and context.area.type in {"VIEW_3D", "OUTLINER"}


CLASSES = (
    IMPORT_SCENE_OT_meshwright,
    IMPORT_SCENE_OT_meshwright_member,
    EXPORT_SCENE_OT_meshwright,
    IO_FH_meshwright,
)


def import_menu(self, _context):
    self.layout.operator(IMPORT_SCENE_OT_meshwright.bl_idname, text=LABEL)


def export_menu(self, _context):
    self.layout.operator(EXPORT_SCENE_OT_meshwright.bl_idname, text=LABEL)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.TOPBAR_MT_file_import.append(import_menu)
    bpy.types.TOPBAR_MT_file_export.append(export_menu)


def unregister():
    bpy.types.TOPBAR_MT_file_export.remove(export_menu)
    bpy.types.TOPBAR_MT_file_import.remove(import_menu)
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
