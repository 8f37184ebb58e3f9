/* Meshwright: old game models for programs in C. Old formats in, posed vertices and glTF out.
 *
 * Lengths are as a scene has them: right-handed, +Y up, +Z front, counter-clockwise front faces, texture coordinates from
 * the top left, seconds; metres where a format has a unit.
 *
 * Every function may be called from any thread. A handle that is only read (pointers to const) may be used by several
 * threads at once; a player by one at a time. Handles are freed by the function of their name, once; NULL is let be.
 * Views of a handle's memory (texts, arrays) live as long as the handle. Texts are UTF-8 and end with their length, not
 * with a zero byte.
 */

#ifndef MESHWRIGHT_H
#define MESHWRIGHT_H

/* Made of crates/capi by its tests: MESHWRIGHT_BLESS=1 cargo test --test header */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>



/**
 * The result of a call.
 */
typedef enum {
  /**
   * It is done.
   */
  MW_STATUS_OK = 0,
  /**
   * The file cannot be read, converted or written: the error says why.
   */
  MW_STATUS_FAILED = 1,
  /**
   * An argument is invalid: NULL where something is needed, an index out of range, a name that is in no list, a time that
   * is not a number, text that is not UTF-8.
   */
  MW_STATUS_ARGUMENT = 2,
  /**
   * A fault of the library. Nothing was made.
   */
  MW_STATUS_INTERNAL = 3,
} MwStatus;

/**
 * The severity of a finding.
 */
typedef enum {
  /**
   * Worth knowing.
   */
  MW_SEVERITY_INFO = 0,
  /**
   * Odd; readers may differ.
   */
  MW_SEVERITY_WARNING = 1,
  /**
   * Against the format.
   */
  MW_SEVERITY_ERROR = 2,
} MwSeverity;

/**
 * Tolerance within which a value of an edited model counts as unedited.
 */
typedef enum {
  /**
   * Only equal numbers.
   */
  MW_SNAP_EXACT = 0,
  /**
   * Changes that editors make without being asked.
   */
  MW_SNAP_DEFAULT = 1,
  /**
   * Changes that optimizers make to shrink files.
   */
  MW_SNAP_LOOSE = 2,
} MwSnap;

/**
 * Why a call gave nothing: to be freed by mw_error_free.
 */
typedef struct MwError MwError;

/**
 * The files of a conversion: to be freed by mw_files_free. They belong together: mw_files_write writes all, or none.
 */
typedef struct MwFiles MwFiles;

/**
 * The models of a folder or an archive: to be freed by mw_members_free.
 */
typedef struct MwMembers MwMembers;

/**
 * A model with what belongs to it: to be freed by mw_model_free.
 */
typedef struct MwModel MwModel;

/**
 * A scene in a pose: to be freed by mw_player_free. Used by one thread at a time.
 */
typedef struct MwPlayer MwPlayer;

/**
 * The drawn content of a model, to be freed by mw_scene_free.
 */
typedef struct MwScene MwScene;

/**
 * A text: UTF-8, without a zero byte at its end.
 */
typedef struct {
  /**
   * Its first byte.
   */
  const char *bytes;
  /**
   * The number of bytes.
   */
  size_t length;
} MwText;

/**
 * Options for converting models. Begin with mw_convert_options_default().
 */
typedef struct {
  /**
   * The name of the main file, as in "marine.glb", from which the other files get theirs. NULL for the name of the
   * model.
   */
  const char *name;
  /**
   * The variant of the target format, as mw_format_dialect lists them. NULL for the usual one.
   */
  const char *dialect;
  /**
   * The factor of all lengths; 0 for none. Without one, a scale that a glTF document states is undone in a game's
   * format.
   */
  double scale;
  /**
   * The number of keys per second of all clips of a glTF document; 0 for the rates of the clips.
   */
  uint16_t frames_at;
  /**
   * Embed the game's files in a glTF document, so that mw_model_restore keeps what was not edited.
   */
  bool embedded;
  /**
   * Store all influences of a vertex in a glTF document instead of the four largest.
   */
  bool all_influences;
  /**
   * Keep fields that only games use as extras of a glTF document or an OBJ file.
   */
  bool extras;
  /**
   * Drop vertices that no triangle uses.
   */
  bool prune;
  /**
   * Search no textures. They are part of a model that was opened with them.
   */
  bool no_textures;
  /**
   * The pose of an OBJ file: a clip by name or number and a frame, as in "walk:3". NULL for the rest pose.
   */
  const char *pose;
  /**
   * The tolerance within which mw_model_restore counts a value as unedited; one of MwSnap.
   */
  uint32_t snap;
} MwConvertOptions;

/**
 * A file of a conversion.
 */
typedef struct {
  /**
   * Its name, relative to where the result is put, with / between folders.
   */
  MwText name;
  /**
   * The content.
   */
  const uint8_t *bytes;
  /**
   * The length of the content in bytes.
   */
  size_t length;
} MwOutput;

/**
 * Something that a result does not hold, or that was decided on the way.
 */
typedef struct {
  /**
   * A decision, not a loss.
   */
  bool is_note;
  /**
   * The size of the greatest loss in `unit`; NaN if it has none.
   */
  double amount;
  /**
   * The number of affected items.
   */
  uint64_t count;
  /**
   * The unit of `amount`.
   */
  MwText unit;
  /**
   * A stable code.
   */
  MwText code;
  /**
   * The field path in the scene.
   */
  MwText path;
  /**
   * The dropped data, in words.
   */
  MwText message;
} MwLoss;

/**
 * A target of conversions.
 */
typedef struct {
  /**
   * The short name, as mw_model_convert takes it.
   */
  MwText id;
  /**
   * The extension of the main file, without a dot.
   */
  MwText extension;
} MwTarget;

/**
 * A format that the library reads.
 */
typedef struct {
  /**
   * The short name, as in dpm.
   */
  MwText id;
  /**
   * The name for people.
   */
  MwText title;
  /**
   * False for files that only belong to models, such as outfits.
   */
  bool holds_model;
  /**
   * The number of extensions: see mw_format_extension.
   */
  size_t extension_count;
  /**
   * The number of variants: see mw_format_dialect.
   */
  size_t dialect_count;
} MwFormat;

/**
 * A model of a folder or an archive.
 */
typedef struct {
  /**
   * The path, as mw_model_open takes it; ends with a zero byte.
   */
  const char *path;
  /**
   * The short name of its format.
   */
  MwText format;
  /**
   * Its path in the game, as other files name it.
   */
  MwText place;
} MwMember;

/**
 * Options for opening models. Begin with mw_options_default().
 */
typedef struct {
  /**
   * Bytes that one file may take in memory, and a scene or a conversion of it each.
   */
  uint64_t max_memory;
  /**
   * Pass over broken rules that leave the rest readable: they are among the findings.
   */
  bool lenient;
  /**
   * Search for companion files next to the model.
   */
  bool companions;
  /**
   * Look for the pictures of materials.
   */
  bool textures;
  /**
   * The format, as in "dpm", whatever content and name say; NULL to have it detected.
   */
  const char *format;
  /**
   * The variant of the format, as mw_format_dialect lists them; NULL to have it detected.
   */
  const char *dialect;
} MwOptions;

/**
 * A companion file in memory.
 */
typedef struct {
  /**
   * Its name, relative to that of the model's folder; ends with a zero byte.
   */
  const char *name;
  /**
   * The content.
   */
  const uint8_t *bytes;
  /**
   * The length of the content in bytes.
   */
  size_t length;
} MwFile;

/**
 * A finding about a model.
 */
typedef struct {
  /**
   * The severity.
   */
  MwSeverity severity;
  /**
   * True if offset is known.
   */
  bool has_offset;
  /**
   * The first byte of the field.
   */
  uint64_t offset;
  /**
   * A stable code.
   */
  MwText code;
  /**
   * The field.
   */
  MwText path;
  /**
   * The expected and the actual content.
   */
  MwText message;
} MwFinding;

/**
 * One joint's part in a vertex.
 */
typedef struct {
  /**
   * The joint.
   */
  uint32_t joint;
  /**
   * Its weight.
   */
  float weight;
} MwInfluence;

/**
 * A mesh in its bind pose, in its own space. Arrays hold one entry for each vertex, or are NULL where the mesh has none.
 */
typedef struct {
  /**
   * Its name.
   */
  MwText name;
  /**
   * The number of vertices.
   */
  size_t vertex_count;
  /**
   * The number of triangles.
   */
  size_t triangle_count;
  /**
   * x, y, z for each vertex.
   */
  const float *positions;
  /**
   * x, y, z for each vertex.
   */
  const float *normals;
  /**
   * u, v for each vertex, from the top left.
   */
  const float *uvs;
  /**
   * Three vertices for each triangle, counter-clockwise seen from the front.
   */
  const uint32_t *triangles;
  /**
   * Its material, or MW_NONE.
   */
  size_t material;
  /**
   * The skeleton that moves it, or MW_NONE.
   */
  size_t skeleton;
  /**
   * The influences of vertex v are influence_starts[v] to influence_starts[v + 1]; NULL without a skeleton.
   */
  const uint32_t *influence_starts;
  /**
   * All influences.
   */
  const MwInfluence *influences;
} MwMesh;

/**
 * An instance of a mesh.
 */
typedef struct {
  /**
   * The mesh.
   */
  size_t mesh;
  /**
   * 4 columns of 4 numbers, from the mesh's space to the scene's. That of a mesh with a skeleton, which only follows
   * its skeleton, changes nothing.
   */
  float matrix[16];
} MwDrawn;

/**
 * A material.
 */
typedef struct {
  /**
   * Its name.
   */
  MwText name;
  /**
   * Red, green, blue, alpha; linear.
   */
  float base_color[4];
  /**
   * Both sides are drawn.
   */
  bool double_sided;
  /**
   * The bytes of its picture's file; NULL without one.
   */
  const uint8_t *image;
  /**
   * The length of the image file in bytes.
   */
  size_t image_length;
  /**
   * The media type, as in image/png.
   */
  MwText image_type;
} MwMaterial;

/**
 * A clip.
 */
typedef struct {
  /**
   * Its name.
   */
  MwText name;
  /**
   * The skeleton that it moves.
   */
  size_t skeleton;
  /**
   * The number of frames.
   */
  uint32_t frames;
  /**
   * Frames per second.
   */
  float rate;
  /**
   * True if it starts again after its last frame.
   */
  bool looping;
  /**
   * The duration.
   */
  double seconds;
} MwClip;

/**
 * A joint of a skeleton.
 */
typedef struct {
  /**
   * Its name.
   */
  MwText name;
  /**
   * The parent joint, or MW_NONE.
   */
  size_t parent;
} MwJoint;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library, as in 0.1.0.
 */
MwText mw_version(void);

/**
 * The options of a conversion that is given none.
 */
MwConvertOptions mw_convert_options_default(void);

/**
 * Converts a model to the files of a target: glb, gltf, obj, or the short name of a format that is read, such as dpm. In
 * the model's own format, and without options that change it, they are the bytes that were read. `options` may be NULL.
 *
 * # Safety
 * `model` is NULL or not freed; `target` is a text that ends with a zero byte; the texts of `options` are NULL or such;
 * the other pointers are NULL or may be written to.
 */
MwStatus mw_model_convert(const MwModel *model,
                          const char *target,
                          const MwConvertOptions *options,
                          MwFiles **files,
                          MwError **error);

/**
 * Converts an edited model, such as a GLB from an editor, back to a game's format. Unedited data keeps every bit of the
 * original: `onto`, or, if `onto` is NULL, the one that mw_model_convert embedded. mw_files_edits lists the edits.
 * Without an original this is mw_model_convert. `options` may be NULL.
 *
 * # Safety
 * As for mw_model_convert; `onto` is NULL or not freed.
 */
MwStatus mw_model_restore(const MwModel *model,
                          const char *target,
                          const MwModel *onto,
                          const MwConvertOptions *options,
                          MwFiles **files,
                          MwError **error);

/**
 * Frees the files of a conversion.
 *
 * # Safety
 * `files` is NULL, or came from this library and is not used again.
 */
void mw_files_free(MwFiles *files);

/**
 * The number of files; the main one is the first.
 *
 * # Safety
 * `files` is NULL or not freed.
 */
size_t mw_files_count(const MwFiles *files);

/**
 * Gets a file. Returns false if the index is out of range.
 *
 * # Safety
 * `files` is NULL or not freed; `out` is NULL or may be written to.
 */
bool mw_files_get(const MwFiles *files, size_t index, MwOutput *out);

/**
 * The number of losses and notes.
 *
 * # Safety
 * `files` is NULL or not freed.
 */
size_t mw_files_loss_count(const MwFiles *files);

/**
 * Gets a loss or a note. Returns false if the index is out of range.
 *
 * # Safety
 * `files` is NULL or not freed; `out` is NULL or may be written to.
 */
bool mw_files_loss(const MwFiles *files, size_t index, MwLoss *out);

/**
 * The edits that mw_model_restore found, as JSON: `untouched`, and the meshes, joints, clips and materials with the state
 * of each. Empty without an original.
 *
 * # Safety
 * `files` is NULL or not freed.
 */
MwText mw_files_edits(const MwFiles *files);

/**
 * Writes the files into a folder, which is made if it does not exist: all or none. They replace no file that the model
 * was read from, and files that a model names, such as textures, replace no file at all.
 *
 * # Safety
 * `files` is NULL or not freed; `folder` is a text that ends with a zero byte; `error` is NULL or may be written to.
 */
MwStatus mw_files_write(const MwFiles *files,
                        const char *folder,
                        MwError **error);

/**
 * The number of targets.
 */
size_t mw_target_count(void);

/**
 * Gets a target. Returns false if the index is out of range.
 *
 * # Safety
 * `target` is NULL or may be written to.
 */
bool mw_target(size_t index, MwTarget *target);

/**
 * The number of formats.
 */
size_t mw_format_count(void);

/**
 * Gets a format. Returns false if the index is out of range.
 *
 * # Safety
 * `format` is NULL or may be written to.
 */
bool mw_format(size_t index, MwFormat *format);

/**
 * An extension of a format, in lower case without a dot, the usual one first; empty if an index is out of range.
 */
MwText mw_format_extension(size_t format,
                           size_t index);

/**
 * A variant of a format, which its bytes do not tell apart; empty if an index is out of range.
 */
MwText mw_format_dialect(size_t format, size_t index);

/**
 * Lists the models of a folder or an archive. A folder in it that has archives is a data folder of its own, whose archives
 * hide each other's files.
 *
 * # Safety
 * `path` is a text that ends with a zero byte; the other pointers are NULL or may be written to.
 */
MwStatus mw_members_new(const char *path,
                        MwMembers **members,
                        MwError **error);

/**
 * Frees a list of models.
 *
 * # Safety
 * `members` is NULL, or came from this library and is not used again.
 */
void mw_members_free(MwMembers *members);

/**
 * The number of models.
 *
 * # Safety
 * `members` is NULL or not freed.
 */
size_t mw_members_count(const MwMembers *members);

/**
 * Gets a model. Returns false if the index is out of range.
 *
 * # Safety
 * `members` is NULL or not freed; `member` is NULL or may be written to.
 */
bool mw_members_get(const MwMembers *members, size_t index, MwMember *member);

/**
 * The number of files and folders that cannot be read.
 *
 * # Safety
 * `members` is NULL or not freed.
 */
size_t mw_members_refused_count(const MwMembers *members);

/**
 * Why a file or a folder cannot be read; empty if the index is out of range.
 *
 * # Safety
 * `members` is NULL or not freed.
 */
MwText mw_members_refused(const MwMembers *members, size_t index);

/**
 * Opens a file on disk. A pack is a folder: data.pk3/models/player/marine.zym is a path. Paths are UTF-8; on Unix any other
 * bytes are what they are. `options` may be NULL, and so may `error`; it is set to NULL where there is none.
 *
 * # Safety
 * `path` is a text that ends with a zero byte; the other pointers are NULL or point to what they are pointers to.
 */
MwStatus mw_model_open(const char *path,
                       const MwOptions *options,
                       MwModel **model,
                       MwError **error);

/**
 * Opens a file that is in memory, with its companion files. The caller may free the bytes afterwards.
 *
 * # Safety
 * `name` is a text that ends with a zero byte; `bytes` points to `length` bytes, `beside` to `beside_count` files
 * that point to their bytes; the other pointers are NULL or point to values of their type.
 */
MwStatus mw_model_from_memory(const char *name,
                              const uint8_t *bytes,
                              size_t length,
                              const MwFile *beside,
                              size_t beside_count,
                              const MwOptions *options,
                              MwModel **model,
                              MwError **error);

/**
 * Joins several models to one character: meshes, and the skeleton and the clips that belong to them. Their order does not
 * matter. They remain the caller's.
 *
 * # Safety
 * `models` points to `count` models, each NULL or not freed; the other pointers are NULL or may be written to.
 */
MwStatus mw_model_figure(const MwModel *const *models,
                         size_t count,
                         MwModel **model,
                         MwError **error);

/**
 * Frees a model. Its scenes remain valid.
 *
 * # Safety
 * `model` is NULL, or came from this library and is not used again.
 */
void mw_model_free(MwModel *model);

/**
 * The format's short name, as in dpm.
 *
 * # Safety
 * `model` is NULL or not freed.
 */
MwText mw_model_format(const MwModel *model);

/**
 * The number of findings about the model and its companion files.
 *
 * # Safety
 * `model` is NULL or not freed.
 */
size_t mw_model_finding_count(const MwModel *model);

/**
 * Gets a finding. Returns false if the index is out of range.
 *
 * # Safety
 * `model` is NULL or not freed; `finding` is NULL or may be written to.
 */
bool mw_model_finding(const MwModel *model, size_t index, MwFinding *finding);

/**
 * 256 MiB, strict, with companion files, without textures.
 */
MwOptions mw_options_default(void);

/**
 * A player of a scene, in its rest pose.
 *
 * # Safety
 * `scene` is NULL or not freed; the other pointers are NULL or may be written to.
 */
MwStatus mw_player_new(const MwScene *scene, MwPlayer **player, MwError **error);

/**
 * Frees a player.
 *
 * # Safety
 * `player` is NULL, or came from this library and is not used again.
 */
void mw_player_free(MwPlayer *player);

/**
 * Moves to the rest pose.
 *
 * # Safety
 * `player` is NULL or not freed, and no other thread uses it; `error` is NULL or may be written to.
 */
MwStatus mw_player_rest(MwPlayer *player, MwError **error);

/**
 * Moves to a frame of a clip, which may be fractional. A looping clip repeats, another one is held at its ends.
 *
 * # Safety
 * `player` is NULL or not freed, and no other thread uses it; `error` is NULL or may be written to.
 */
MwStatus mw_player_frame(MwPlayer *player,
                         size_t clip,
                         double frame,
                         MwError **error);

/**
 * Moves to a time of a clip in seconds, by the clip's own rate.
 *
 * # Safety
 * `player` is NULL or not freed, and no other thread uses it; `error` is NULL or may be written to.
 */
MwStatus mw_player_seconds(MwPlayer *player, size_t clip, double seconds, MwError **error);

/**
 * The vertices of a mesh in the pose, in the space of the scene: x, y, z for each, `vertex_count` of them as
 * mw_scene_mesh has it. They are where the first node that draws the mesh puts it, and in the mesh's own space if no
 * node does. For further instances begin with mw_player_mesh_vertices and use the matrices of mw_scene_drawn.
 * Either array may be NULL; normals are available if the mesh has them. The arrays need not be initialised; they must
 * not overlap.
 *
 * # Safety
 * `player` is NULL or not freed, and no other thread uses it; `positions` and `normals` are NULL or point to 3 *
 * `vertex_count` numbers; `error` is NULL or may be written to.
 */
MwStatus mw_player_vertices(MwPlayer *player,
                            size_t mesh,
                            size_t vertex_count,
                            float *positions,
                            float *normals,
                            MwError **error);

/**
 * As mw_player_vertices, but before any node moves them: in the space of the mesh. Vertices of a mesh with a skeleton
 * are the same in both.
 *
 * # Safety
 * As for mw_player_vertices.
 */
MwStatus mw_player_mesh_vertices(MwPlayer *player,
                                 size_t mesh,
                                 size_t vertex_count,
                                 float *positions,
                                 float *normals,
                                 MwError **error);

/**
 * The pose of a joint: a matrix of 4 columns of 4 numbers, from the joint's space to the model's.
 *
 * # Safety
 * `player` is NULL or not freed, and no other thread writes to it; `matrix` is NULL or points to 16 numbers; `error`
 * is NULL or may be written to.
 */
MwStatus mw_player_joint(const MwPlayer *player,
                         size_t skeleton,
                         size_t joint,
                         double *matrix,
                         MwError **error);

/**
 * Converts a model to a scene: meshes, skeletons, clips.
 *
 * # Safety
 * `model` is NULL or not freed; the other pointers are NULL or may be written to.
 */
MwStatus mw_scene_new(const MwModel *model, MwScene **scene, MwError **error);

/**
 * Frees a scene. Players of it live on.
 *
 * # Safety
 * `scene` is NULL, or came from this library and is not used again.
 */
void mw_scene_free(MwScene *scene);

/**
 * The number of meshes.
 *
 * # Safety
 * `scene` is NULL or not freed.
 */
size_t mw_scene_mesh_count(const MwScene *scene);

/**
 * Gets a mesh. Returns false if the index is out of range.
 *
 * # Safety
 * `scene` is NULL or not freed; `out` is NULL or may be written to.
 */
bool mw_scene_mesh(const MwScene *scene, size_t index, MwMesh *out);

/**
 * The number of instances of meshes. A mesh may be drawn several times, or not at all, as those for collisions.
 *
 * # Safety
 * `scene` is NULL or not freed.
 */
size_t mw_scene_drawn_count(const MwScene *scene);

/**
 * Gets an instance of a mesh, in the order of the nodes. Returns false if the index is out of range.
 *
 * # Safety
 * `scene` is NULL or not freed; `out` is NULL or may be written to.
 */
bool mw_scene_drawn(const MwScene *scene,
                    size_t index,
                    MwDrawn *out);

/**
 * True if a node draws the mesh.
 *
 * # Safety
 * `scene` is NULL or not freed.
 */
bool mw_mesh_is_drawn(const MwScene *scene, size_t mesh);

/**
 * The number of materials.
 *
 * # Safety
 * `scene` is NULL or not freed.
 */
size_t mw_scene_material_count(const MwScene *scene);

/**
 * Gets a material. Returns false if the index is out of range.
 *
 * # Safety
 * `scene` is NULL or not freed; `out` is NULL or may be written to.
 */
bool mw_scene_material(const MwScene *scene, size_t index, MwMaterial *out);

/**
 * The number of clips.
 *
 * # Safety
 * `scene` is NULL or not freed.
 */
size_t mw_scene_clip_count(const MwScene *scene);

/**
 * Gets a clip. Returns false if the index is out of range.
 *
 * # Safety
 * `scene` is NULL or not freed; `out` is NULL or may be written to.
 */
bool mw_scene_clip(const MwScene *scene, size_t index, MwClip *out);

/**
 * The number of skeletons.
 *
 * # Safety
 * `scene` is NULL or not freed.
 */
size_t mw_scene_skeleton_count(const MwScene *scene);

/**
 * The number of joints of a skeleton.
 *
 * # Safety
 * `scene` is NULL or not freed.
 */
size_t mw_scene_joint_count(const MwScene *scene, size_t skeleton);

/**
 * Gets a joint of a skeleton. Returns false if an index is out of range.
 *
 * # Safety
 * `scene` is NULL or not freed; `out` is NULL or may be written to.
 */
bool mw_scene_joint(const MwScene *scene, size_t skeleton, size_t index, MwJoint *out);

/**
 * A stable code: that of the broken rule, or one of cannot-read, unknown-format, invalid-model, not-convertible,
 * not-writable, bad-output, would-replace, cannot-write, limit, usage, argument, internal.
 *
 * # Safety
 * `error` is NULL or not freed.
 */
MwText mw_error_code(const MwError *error);

/**
 * The message.
 *
 * # Safety
 * `error` is NULL or not freed.
 */
MwText mw_error_message(const MwError *error);

/**
 * The field at fault, as in meshes[0].vertices[7].position; empty where it is no field's.
 *
 * # Safety
 * `error` is NULL or not freed.
 */
MwText mw_error_path(const MwError *error);

/**
 * The first byte of the field at fault. False where the fault is not one of a file; `offset` then stays as it is.
 *
 * # Safety
 * `error` is NULL or not freed; `offset` is NULL or may be written to.
 */
bool mw_error_offset(const MwError *error,
                     uint64_t *offset);

/**
 * Frees an error.
 *
 * # Safety
 * `error` is NULL, or came from this library and is not used again.
 */
void mw_error_free(MwError *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MESHWRIGHT_H */
