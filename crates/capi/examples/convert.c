/* Lists what can be converted, converts models, joins the files of a character, and restores edited files.
 *
 *   cc convert.c -o convert $(pkg-config --cflags --libs meshwright)
 *   ./convert list                                  targets and formats
 *   ./convert members data.pk3                      models of a folder or an archive
 *   ./convert to glb out/ embedded=1 marine.zym     a GLB with the game's file inside
 *   ./convert to glb out/ body.mesh adult.skel      several files are one character
 *   ./convert back zym out/ marine.glb              the edited GLB as the game's file
 *   ./convert back zym out/ onto=marine.zym marine.glb
 *
 * Options: embedded=1, all_influences=1, extras=1, prune=1, no_textures=1, scale=N, frames_at=N, name=FILE, dialect=NAME, pose=CLIP:FRAME,
 * snap=exact, snap=default, snap=loose, onto=FILE.
 */
#include <meshwright.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static void print(MwText text) {
    fwrite(text.bytes, 1, text.length, stdout);
}

static int failed(MwError *error) {
    MwText code = mw_error_code(error), why = mw_error_message(error);
    fprintf(stderr, "[%.*s] %.*s\n", (int)code.length, code.bytes, (int)why.length, why.bytes);
    mw_error_free(error);
    return 1;
}

static int list(void) {
    MwTarget target;
    MwFormat format;
    for (size_t i = 0; mw_target(i, &target); i++) {
        printf("target ");
        print(target.id);
        printf(" .");
        print(target.extension);
        putchar('\n');
    }
    for (size_t i = 0; mw_format(i, &format); i++) {
        printf("format ");
        print(format.id);
        for (size_t e = 0; e < format.extension_count; e++) {
            printf(" .");
            print(mw_format_extension(i, e));
        }
        for (size_t d = 0; d < format.dialect_count; d++) {
            putchar(' ');
            print(mw_format_dialect(i, d));
        }
        putchar('\n');
    }
    return 0;
}

static int members(const char *path) {
    MwMembers *found = NULL;
    MwMember member;
    MwError *error = NULL;
    if (mw_members_new(path, &found, &error) != MW_STATUS_OK) {
        return failed(error);
    }
    for (size_t i = 0; mw_members_get(found, i, &member); i++) {
        print(member.format);
        putchar(' ');
        print(member.place);
        printf(" %s\n", member.path);
    }
    for (size_t i = 0; i < mw_members_refused_count(found); i++) {
        printf("refused ");
        print(mw_members_refused(found, i));
        putchar('\n');
    }
    mw_members_free(found);
    return 0;
}

/* The value of an option "name=value"; NULL for other words. */
static const char *value_of(const char *word, const char *name) {
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

/* Reads an option; false for a word that is none. */
static bool option(const char *word, MwConvertOptions *options, const char **onto) {
    const char *value;
    if ((value = value_of(word, "embedded"))) {
        options->embedded = atoi(value) != 0;
    } else if ((value = value_of(word, "all_influences"))) {
        options->all_influences = atoi(value) != 0;
    } else if ((value = value_of(word, "extras"))) {
        options->extras = atoi(value) != 0;
    } else if ((value = value_of(word, "prune"))) {
        options->prune = atoi(value) != 0;
    } else if ((value = value_of(word, "no_textures"))) {
        options->no_textures = atoi(value) != 0;
    } else if ((value = value_of(word, "scale"))) {
        options->scale = atof(value);
    } else if ((value = value_of(word, "frames_at"))) {
        options->frames_at = (uint16_t)atoi(value);
    } else if ((value = value_of(word, "name"))) {
        options->name = value;
    } else if ((value = value_of(word, "dialect"))) {
        options->dialect = value;
    } else if ((value = value_of(word, "pose"))) {
        options->pose = value;
    } else if ((value = value_of(word, "snap"))) {
        options->snap = strcmp(value, "exact") == 0 ? MW_SNAP_EXACT : strcmp(value, "loose") == 0 ? MW_SNAP_LOOSE : MW_SNAP_DEFAULT;
    } else if ((value = value_of(word, "onto"))) {
        *onto = value;
    } else {
        return false;
    }
    return true;
}

static void report(const MwFiles *files) {
    MwOutput file;
    MwLoss loss;
    for (size_t i = 0; mw_files_get(files, i, &file); i++) {
        printf("file ");
        print(file.name);
        printf(" %zu bytes\n", file.length);
    }
    for (size_t i = 0; mw_files_loss(files, i, &loss); i++) {
        printf(loss.is_note ? "note " : "lost ");
        print(loss.code);
        putchar('\n');
    }
    if (mw_files_edits(files).length > 0) {
        printf("edits ");
        print(mw_files_edits(files));
        putchar('\n');
    }
}

static int convert(bool back, const char *target, const char *folder, int count, char **words) {
    MwConvertOptions options = mw_convert_options_default();
    MwModel *models[MOST] = {NULL}, *original = NULL, *figure = NULL;
    MwFiles *files = NULL;
    MwError *error = NULL;
    const char *onto = NULL;
    size_t opened = 0;
    MwStatus status = MW_STATUS_OK;
    for (int i = 0; i < count && status == MW_STATUS_OK; i++) {
        if (!option(words[i], &options, &onto) && opened < MOST) {
            status = mw_model_open(words[i], NULL, &models[opened], &error);
            opened += status == MW_STATUS_OK;
        }
    }
    if (status == MW_STATUS_OK && onto) {
        status = mw_model_open(onto, NULL, &original, &error);
    }
    if (status == MW_STATUS_OK && opened != 1) {
        status = mw_model_figure((const MwModel *const *)models, opened, &figure, &error);
    }
    const MwModel *model = figure ? figure : models[0];
    if (status == MW_STATUS_OK) {
        status = back ? mw_model_restore(model, target, original, &options, &files, &error)
                      : mw_model_convert(model, target, &options, &files, &error);
    }
    if (status == MW_STATUS_OK) {
        report(files);
        status = mw_files_write(files, folder, &error);
    }
    mw_files_free(files);
    mw_model_free(figure);
    mw_model_free(original);
    for (size_t i = 0; i < opened; i++) {
        mw_model_free(models[i]);
    }
    return status == MW_STATUS_OK ? 0 : failed(error);
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], "list") == 0) {
        return list();
    }
    if (count == 3 && strcmp(words[1], "members") == 0) {
        return members(words[2]);
    }
    if (count > 4 && (strcmp(words[1], "to") == 0 || strcmp(words[1], "back") == 0)) {
        return convert(words[1][0] == 'b', words[2], words[3], count - 4, words + 4);
    }
    fprintf(stderr, "convert list | members PATH | to TARGET FOLDER [OPTION...] FILE... | back TARGET FOLDER [OPTION...] FILE\n");
    return 2;
}
