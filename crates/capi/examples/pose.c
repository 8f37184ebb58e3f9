/* Opens a model, says what it holds, poses it at the middle of each clip, and writes it as GLB.
 *
 *   cc pose.c -o pose $(pkg-config --cflags --libs meshwright)
 *   ./pose model.dpm [model.glb]
 */
#include <meshwright.h>
#include <stdio.h>
#include <stdlib.h>

static int failed(MwError *error) {
    MwText code = mw_error_code(error), path = mw_error_path(error), why = mw_error_message(error);
    uint64_t offset = 0;
    fprintf(stderr, "[%.*s] %.*s: %.*s", (int)code.length, code.bytes, (int)path.length, path.bytes, (int)why.length,
            why.bytes);
    if (mw_error_offset(error, &offset)) {
        fprintf(stderr, " (offset %llu)", (unsigned long long)offset);
    }
    fputc('\n', stderr);
    mw_error_free(error);
    return 1;
}

/* The posed vertices of all meshes: how many, and the sum of their coordinates. */
static int posed(const MwScene *scene, MwPlayer *player, const char *name, int length, double frame) {
    double sum[3] = {0, 0, 0};
    size_t all = 0;
    for (size_t i = 0; i < mw_scene_mesh_count(scene); i++) {
        MwMesh mesh;
        MwError *error = NULL;
        mw_scene_mesh(scene, i, &mesh);
        float *positions = malloc(mesh.vertex_count * 3 * sizeof *positions + 1);
        float *normals = mesh.normals ? malloc(mesh.vertex_count * 3 * sizeof *normals + 1) : NULL;
        if (mw_player_vertices(player, i, mesh.vertex_count, positions, normals, &error) != MW_STATUS_OK) {
            free(positions);
            free(normals);
            return failed(error);
        }
        for (size_t v = 0; v < mesh.vertex_count * 3; v++) {
            sum[v % 3] += positions[v];
        }
        all += mesh.vertex_count;
        free(positions);
        free(normals);
    }
    printf("%.*s at %g: %zu vertices, sum %.6g %.6g %.6g\n", length, name, frame, all, sum[0], sum[1], sum[2]);
    return 0;
}

static int written(const MwModel *model, const char *path) {
    MwFiles *files = NULL;
    MwError *error = NULL;
    MwOutput glb;
    if (mw_model_convert(model, "glb", NULL, &files, &error) != MW_STATUS_OK) {
        return failed(error);
    }
    mw_files_get(files, 0, &glb);
    FILE *out = fopen(path, "wb");
    int bad = !out || fwrite(glb.bytes, 1, glb.length, out) != glb.length;
    bad |= out && fclose(out) != 0;
    mw_files_free(files);
    if (bad) {
        perror(path);
    }
    return bad;
}

int main(int count, char **words) {
    MwModel *model = NULL;
    MwScene *scene = NULL;
    MwPlayer *player = NULL;
    MwError *error = NULL;
    MwClip clip;
    int bad = 0;
    if (count < 2) {
        fprintf(stderr, "pose MODEL [OUT.glb]\n");
        return 2;
    }
    MwOptions options = mw_options_default();
    options.textures = true;
    if (mw_model_open(words[1], &options, &model, &error) != MW_STATUS_OK) {
        return failed(error);
    }
    MwText format = mw_model_format(model);
    printf("%.*s, %zu findings\n", (int)format.length, format.bytes, mw_model_finding_count(model));
    if (mw_scene_new(model, &scene, &error) != MW_STATUS_OK) {
        mw_model_free(model);
        return failed(error);
    }
    if (mw_player_new(scene, &player, &error) != MW_STATUS_OK) {
        mw_scene_free(scene);
        mw_model_free(model);
        return failed(error);
    }
    bad |= posed(scene, player, "rest", 4, 0);
    for (size_t i = 0; !bad && mw_scene_clip(scene, i, &clip); i++) {
        double frame = clip.frames / 2;
        if (mw_player_frame(player, i, frame, &error) != MW_STATUS_OK) {
            bad = failed(error);
        } else {
            bad = posed(scene, player, clip.name.bytes, (int)clip.name.length, frame);
        }
    }
    if (!bad && count > 2) {
        bad = written(model, words[2]);
    }
    mw_player_free(player);
    mw_scene_free(scene);
    mw_model_free(model);
    return bad;
}
