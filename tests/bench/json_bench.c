/*
 * JSON against the bare library, side by side in one run: reading, and the difference of two
 * documents as a merge patch. Figures count the bytes of text that go in.
 */
#include <stdio.h>
#include <time.h>
#include <yyjson.h>

#include "base/buf.h"
#include "bench.h"
#include "json/json.h"
#include "json/merge_patch.h"

#define OBJECTS 400
#define SLICE   0.03 /* seconds */
#define SLICES  25

/* Objects as an API server lists them: short keys, short strings, few numbers. */
static void add_object(struct buf *text, int i, bool changed)
{
    buf_print(text,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"config-%d\","
              "\"namespace\":\"default\",\"uid\":\"6f1c9a3e-0000-4000-8000-%012d\","
              "\"resourceVersion\":\"%d\",\"generation\":%d,"
              "\"creationTimestamp\":\"2026-01-01T00:00:00Z\","
              "\"labels\":{\"app.kubernetes.io/name\":\"sample\",\"tier\":\"%s\"},"
              "\"annotations\":{\"note\":\"line one\\nline \\\"two\\\"\"},"
              "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\","
              "\"name\":\"owner\",\"uid\":\"1\",\"controller\":true}]},"
              "\"data\":{\"first\":\"some value of usual length\",\"second\":\"%d\"},"
              "\"spec\":{\"replicas\":%d,\"ratio\":0.25,\"ports\":[80,443,8080]}}",
              i, i, 100000 + i, i % 7, changed && i % 5 == 0 ? "back" : "front",
              changed && i % 3 == 0 ? i + 1 : i, i % 10);
}

static void make_text(struct buf *text, bool changed)
{
    buf_add_char(text, '{');
    for (int i = 0; i < OBJECTS; i++) {
        buf_print(text, "%s\"object-%d\":", i ? "," : "", i);
        add_object(text, i, changed);
    }
    buf_add_char(text, '}');
}

struct inputs {
    struct str from, to;
};

static void read_ours(const struct inputs *in)
{
    struct json_doc *doc = NULL;
    error_free(json_read(in->from, &doc));
    json_doc_free(doc);
}

static void read_bare(const struct inputs *in)
{
    yyjson_doc_free(yyjson_read(in->from.ptr, in->from.len, 0));
}

/* Writing is measured together with reading, which comes first either way. */
static void write_ours(const struct inputs *in)
{
    struct json_doc *doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    error_free(json_read(in->from, &doc));
    json_write(&text, json_doc_root(doc));
    json_doc_free(doc);
}

static void write_bare(const struct inputs *in)
{
    yyjson_doc *doc = yyjson_read(in->from.ptr, in->from.len, 0);
    free(yyjson_write(doc, 0, NULL));
    yyjson_doc_free(doc);
}

static void diff_ours(const struct inputs *in)
{
    struct json_doc *from = NULL, *to = NULL, *patch = NULL;
    error_free(json_read(in->from, &from));
    error_free(json_read(in->to, &to));
    error_free(merge_patch_diff(json_doc_root(from), json_doc_root(to), &patch));
    json_doc_free(from);
    json_doc_free(to);
    json_doc_free(patch);
}

/* What one would write in an afternoon on top of the library. */
static yyjson_mut_val *naive_diff(yyjson_mut_doc *doc, yyjson_val *from, yyjson_val *to)
{
    yyjson_mut_val *patch = yyjson_mut_obj(doc);
    size_t i, count;
    yyjson_val *key, *value;
    yyjson_obj_foreach(to, i, count, key, value)
    {
        yyjson_val *before = yyjson_obj_getn(from, yyjson_get_str(key), yyjson_get_len(key));
        yyjson_mut_val *part = NULL;
        if (yyjson_is_obj(before) && yyjson_is_obj(value)) {
            part = naive_diff(doc, before, value);
            if (yyjson_mut_obj_size(part) == 0)
                continue;
        } else if (before && yyjson_equals(before, value)) {
            continue;
        } else {
            part = yyjson_val_mut_copy(doc, value);
        }
        yyjson_mut_obj_add(patch, yyjson_val_mut_copy(doc, key), part);
    }
    yyjson_obj_foreach(from, i, count, key,
                       value) if (!yyjson_obj_getn(to, yyjson_get_str(key), yyjson_get_len(key)))
        yyjson_mut_obj_add(patch, yyjson_val_mut_copy(doc, key), yyjson_mut_null(doc));
    return patch;
}

static void diff_bare(const struct inputs *in)
{
    yyjson_doc *from = yyjson_read(in->from.ptr, in->from.len, 0);
    yyjson_doc *to = yyjson_read(in->to.ptr, in->to.len, 0);
    yyjson_mut_doc *patch = yyjson_mut_doc_new(NULL);
    yyjson_mut_doc_set_root(patch,
                            naive_diff(patch, yyjson_doc_get_root(from), yyjson_doc_get_root(to)));
    yyjson_doc_free(from);
    yyjson_doc_free(to);
    yyjson_mut_doc_free(patch);
}

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Megabytes of input per second, in one short slice. */
static double measure(void (*run)(const struct inputs *in), const struct inputs *in, size_t bytes)
{
    size_t runs = 0;
    const double start = now();
    double passed = 0;
    while (passed < SLICE) {
        run(in);
        runs++;
        passed = now() - start;
    }
    return (double)bytes * (double)runs / passed / 1e6;
}

/* Slices alternate and the best ones count, so that other work on the machine does little harm. */
static void compare(const char *what, void (*ours)(const struct inputs *in),
                    void (*bare)(const struct inputs *in), const struct inputs *in, size_t bytes)
{
    double best_ours = 0, best_bare = 0;
    for (int i = 0; i < SLICES; i++) {
        const double a = measure(ours, in, bytes), b = measure(bare, in, bytes);
        best_ours = a > best_ours ? a : best_ours;
        best_bare = b > best_bare ? b : best_bare;
    }
    printf("%-24s ours %7.1f MB/s   bare %7.1f MB/s   %5.1f %%\n", what, best_ours, best_bare,
           100 * best_ours / best_bare);
}

void bench_json(void)
{
    SCOPED(buf) from = {.limit = 0};
    SCOPED(buf) to = {.limit = 0};
    SCOPED(buf) object = {.limit = 0};
    SCOPED(buf) changed = {.limit = 0};
    make_text(&from, false);
    make_text(&to, true);
    add_object(&object, 15, false);
    add_object(&changed, 15, true);
    const struct inputs many = {buf_str(&from), buf_str(&to)};
    const struct inputs one = {buf_str(&object), buf_str(&changed)};
    compare("json read, object", read_ours, read_bare, &one, one.from.len);
    compare("json read, list", read_ours, read_bare, &many, many.from.len);
    compare("json read+write, list", write_ours, write_bare, &many, many.from.len);
    compare("merge diff, object", diff_ours, diff_bare, &one, one.from.len + one.to.len);
    compare("merge diff, list", diff_ours, diff_bare, &many, many.from.len + many.to.len);
}
