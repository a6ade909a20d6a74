/*
 * Compares objects of two clusters: compare A.json B.json, each what "kubectl get -f ... -o json"
 * printed. What a server owns (status, most of metadata, addresses it handed out) and kubectl's
 * annotation are left aside. Prints what differs; exit code 1 when anything does.
 */
#include "json/compare.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "json/edit.h"
#include "json/json.h"
#include "json/merge_patch.h"
#include "json/path.h"

#define LAST_APPLIED STR("kubectl.kubernetes.io/last-applied-configuration")

static const char *const owned_by_server[] = {
    "status",
    "metadata.uid",
    "metadata.resourceVersion",
    "metadata.creationTimestamp",
    "metadata.generation",
    "metadata.managedFields",
    "metadata.selfLink",
};

static struct error *read_file(const char *name, struct json_doc **ret_doc)
{
    SCOPED(buf) text = {.limit = 0};
    char piece[1 << 16];
    size_t len;
    FILE *file = fopen(name, "re");
    if (!file)
        return error_new(ERROR_NOT_FOUND, "%s cannot be read", name);
    while ((len = fread(piece, 1, sizeof(piece), file)) > 0)
        buf_add(&text, str_from(piece, len));
    fclose(file);
    TRY(json_read(buf_str(&text), ret_doc), "%s", name);
    return NULL;
}

/* The object without what is left aside. */
static struct error *strip(const struct json_value *object, struct json_doc **ret_doc)
{
    SCOPED(json_edit) edit = {0};
    const struct json_value *annotations = json_path(object, "metadata.annotations");
    json_edit_init(&edit, object);
    for (size_t i = 0; i < COUNT(owned_by_server); i++)
        json_edit_remove(&edit, (struct json_place){.path = owned_by_server[i]});
    if (json_get(annotations, LAST_APPLIED)) {
        if (json_count(annotations) == 1)
            json_edit_remove(&edit, JSON_PLACE("metadata.annotations"));
        else
            json_edit_remove(&edit, JSON_PLACE_KEY("metadata.annotations", LAST_APPLIED));
    }
    return json_edit_finish(&edit, ret_doc);
}

static void print_name(const struct json_value *object)
{
    const struct str kind = json_path_str(object, "kind");
    const struct str name = json_path_str(object, "metadata.name");
    printf("%.*s %.*s: ", STR_ARG(kind), STR_ARG(name));
}

/* Whether they are the same. */
static struct error *compare(const struct json_value *a, const struct json_value *b, bool *ret_same)
{
    OWNED(json_doc) left = NULL;
    OWNED(json_doc) right = NULL;
    OWNED(json_doc) difference = NULL;
    SCOPED(buf) text = {.limit = 0};
    TRY(strip(a, &left));
    TRY(strip(b, &right));
    *ret_same = json_equal(json_doc_root(left), json_doc_root(right));
    if (*ret_same)
        return NULL;
    TRY(merge_patch_diff(json_doc_root(left), json_doc_root(right), &difference));
    json_write(&text, json_doc_root(difference));
    print_name(a);
    printf("%.*s\n", STR_ARG(buf_str(&text)));
    return NULL;
}

/* A lone object is printed without a list around it. */
static size_t count(const struct json_doc *doc)
{
    const struct json_value *items = json_path(json_doc_root(doc), "items");
    return items ? json_count(items) : 1;
}

static const struct json_value *item(const struct json_doc *doc, size_t index)
{
    char path[32];
    snprintf(path, sizeof(path), "items.%zu", index);
    const struct json_value *found = json_path(json_doc_root(doc), path);
    return found ? found : json_doc_root(doc);
}

static struct error *compare_all(const struct json_doc *a, const struct json_doc *b,
                                 size_t *ret_differences)
{
    *ret_differences = 0;
    for (size_t i = 0; i < count(a) && i < count(b); i++) {
        bool is_same;
        TRY(compare(item(a, i), item(b, i), &is_same));
        *ret_differences += !is_same;
    }
    if (count(a) != count(b) || !count(a)) {
        printf("%zu objects and %zu\n", count(a), count(b));
        ++*ret_differences;
    }
    return NULL;
}

static struct error *run(char **names, size_t *ret_differences)
{
    OWNED(json_doc) a = NULL;
    OWNED(json_doc) b = NULL;
    TRY(read_file(names[0], &a));
    TRY(read_file(names[1], &b));
    return compare_all(a, b, ret_differences);
}

int main(int argc, char **argv)
{
    size_t differences = 0;
    if (argc != 3) {
        fputs("usage: compare A.json B.json\n", stderr);
        return 2;
    }
    OWNED(error) err = run(argv + 1, &differences);
    if (err)
        fprintf(stderr, "%s\n", err->message);
    return err || differences ? 1 : 0;
}
