/*
 * corset render: shows offline what would be applied from ConfigMaps and Secrets.
 *
 * Resources are rendered one by one, so that a large input needs little memory. A resource that
 * cannot be used is reported and the others are still rendered; the exit code is COMMAND_NO then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/memory.h"
#include "clusterresourceset/types/content.h"
#include "cmd/apply_warning.h"
#include "cmd/command.h"
#include "cmd/global_flags.h"
#include "cmd/namespace_warning.h"
#include "cmd/object_name.h"
#include "cmd/render_input.h"
#include "cmd/render_values.h"
#include "cmd/terminal.h"
#include "json/builder.h"
#include "json/yaml/yaml_write.h"

/* An output format: text around the resources, and a function for one resource. */
struct format {
    const char *name;
    const char *begin, *between, *end;
    /* Appends one resource, and tells standard error of its error unless the text holds it. */
    struct error *(*write)(struct buf *out, const struct object *resource,
                           const struct content *content);
};

/* JSON holds the error itself; the other formats print it to standard error. */
static void print_error(const struct object *resource, const struct content *content)
{
    SCOPED(buf) line = {.limit = 0};
    if (!content_error(content))
        return;
    object_name_add_resource(&line, resource);
    buf_add(&line, STR(": "));
    terminal_add_shown(&line, str_from_c(content_error_whole(content)->message));
    fprintf(stderr, "corset: %s\n", buf_c(&line));
}

/* A comment line with resource and hash, then the objects as a stream of documents. */
static struct error *write_yaml(struct buf *out, const struct object *resource,
                                const struct content *content)
{
    print_error(resource, content);
    buf_add(out, STR("# "));
    object_name_add_resource(out, resource);
    buf_print(out, "%s%.*s%s\n", content_hash(content).len ? " " : "",
              STR_ARG(content_hash(content)), content_error(content) ? " cannot be used" : "");
    for (size_t i = 0; i < content_count(content); i++) {
        buf_add(out, STR("---\n"));
        yaml_write(out, object_root(content_object(content, i)));
    }
    if (out->overflowed)
        return error_new(ERROR_TOO_LARGE, "too large for YAML with its indentation; try -o json");
    return NULL;
}

static struct error *write_names(struct buf *out, const struct object *resource,
                                 const struct content *content)
{
    print_error(resource, content);
    for (size_t i = 0; i < content_count(content); i++) {
        object_name_add(out, content_object(content, i));
        buf_add_char(out, '\n');
    }
    return NULL;
}

/* Adds the member "objects", or "error" if the resource cannot be used. */
static void build_outcome(struct json_builder *builder, const struct content *content)
{
    const struct error *err = content_error_whole(content);
    if (err) {
        json_builder_add_object(builder, "error");
        json_builder_add_str(builder, "class", content_error_class(content));
        json_builder_add_str(builder, "message", str_from_c(err->message));
        json_builder_end(builder);
        return;
    }
    json_builder_add_array(builder, "objects");
    for (size_t i = 0; i < content_count(content); i++)
        json_builder_value(builder, object_root(content_object(content, i)));
    json_builder_end(builder);
}

/* Indents every line by four spaces. JSON strings contain no line feeds. */
static void add_indented(struct buf *out, struct str text)
{
    struct str line;
    while (text.len) {
        const bool more = str_cut(&text, '\n', &line);
        buf_add(out, STR("    "));
        buf_add(out, line);
        if (more)
            buf_add_char(out, '\n');
    }
}

/* Deep nesting can make indented text too large; such a resource is written compactly. */
static struct error *write_json(struct buf *out, const struct object *resource,
                                const struct content *content)
{
    SCOPED(json_builder) builder = {0};
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", object_kind(resource));
    json_builder_add_str(&builder, "namespace", object_namespace(resource));
    json_builder_add_str(&builder, "name", object_name(resource));
    if (content_hash(content).len)
        json_builder_add_str(&builder, "hash", content_hash(content));
    build_outcome(&builder, content);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write_pretty(&text, json_doc_root(doc));
    if (text.overflowed) { /* by the indentation of deep nesting */
        buf_clear(&text);
        json_write(&text, json_doc_root(doc));
    }
    TRY(buf_check(&text));
    add_indented(out, buf_str(&text));
    return NULL;
}

static const struct format formats[] = {
    {"yaml", "",                        "---\n", "",           write_yaml },
    {"json", "{\n  \"resources\": [\n", ",\n",   "\n  ]\n}\n", write_json },
    {"name", "",                        "",      "",           write_names},
};

/* NULL for an unknown name. */
static const struct format *find_format(const char *name)
{
    for (size_t i = 0; i < COUNT(formats); i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

typedef size_t warning_fn(struct buf *out, struct object *const *objects, size_t count);

static void print_warning(warning_fn *add, const struct object *resource,
                          struct object *const *objects, size_t count)
{
    SCOPED(buf) line = {.limit = 0};
    SCOPED(buf) warning = {.limit = 0};
    if (!add(&warning, objects, count))
        return;
    object_name_add_resource(&line, resource);
    fprintf(stderr, "corset: warning: %s: %s\n", buf_c(&line), buf_c(&warning));
}

/* Of what the items of lists say, too, whatever is shown of the lists. */
static void print_warnings(const struct object *resource)
{
    OWNED(content) content = content_read(resource);
    const size_t count = content_count(content);
    if (!count)
        return;
    struct object **objects = mem_realloc_array(NULL, count, sizeof(struct object *));
    for (size_t i = 0; i < count; i++)
        objects[i] = content_object(content, i);
    if (!content_default_namespace(content).len)
        print_warning(namespace_warning_add, resource, objects, count);
    print_warning(apply_warning_add_server_fields, resource, objects, count);
    print_warning(apply_warning_add_duplicates, resource, objects, count);
    mem_free(objects);
}

/* How resources are shown, and whether one of them could not be used. */
struct rendering {
    const struct format *format;
    bool expands;
    const struct object *cluster; /* whose values are put in; NULL: tokens are shown */
    bool has_failed;
};

/* The text may hold a Secret's data, so the buffer is wiped. */
static struct error *render_resource(struct rendering *rendering, const struct object *resource)
{
    const struct format *format = rendering->format;
    OWNED(content)
    written = rendering->expands ? content_read(resource) : content_read_as_written(resource);
    OWNED(content)
    filled = rendering->cluster ? render_values_fill(written, rendering->cluster) : NULL;
    const struct content *content = filled ? filled : written;
    SCOPED(buf) out = {.secret = true};
    rendering->has_failed |= content_error(content) != NULL;
    TRY(format->write(&out, resource, content));
    TRY(buf_check(&out));
    print_warnings(resource);
    return command_write(buf_str(&out));
}

/* Writes resource by resource. */
static struct error *render_all(struct rendering *rendering, const struct content_items *resources)
{
    const struct format *format = rendering->format;
    TRY(command_write(str_from_c(format->begin)));
    for (size_t i = 0; i < resources->count; i++) {
        const struct object *resource = resources->items[i].object;
        if (i > 0)
            TRY(command_write(str_from_c(format->between)));
        TRY(render_resource(rendering, resource), "%.*s %.*s/%.*s", STR_ARG(object_kind(resource)),
            STR_ARG(object_namespace(resource)), STR_ARG(object_name(resource)));
    }
    return command_write(str_from_c(format->end));
}

/* All files are read before anything is written. */
static int render_files(struct rendering *rendering, const struct flag_list *files)
{
    SCOPED(content_items) resources = {0};
    struct error *err = NULL;
    for (size_t i = 0; i < files->count && !err; i++)
        err = render_input_read(files->items[i], &resources, NULL);
    if (!err && resources.count == 0)
        err = error_new(ERROR_INVALID, "nothing but ClusterResourceSets was given; give the "
                                       "ConfigMaps and Secrets that they name as well");
    if (!err)
        err = render_all(rendering, &resources);
    if (err)
        return command_fail(err);
    return rendering->has_failed ? COMMAND_NO : COMMAND_DONE;
}

struct settings {
    struct flag_list files;
    const char *output, *cluster;
    bool expand;
    struct global_flags globals;
};

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"filename|f",   FLAG_LIST, AT(files),   FLAG_FILE       },
    {"output|o",     FLAG_TEXT, AT(output),  "yaml json name"},
    {"expand-lists", FLAG_BOOL, AT(expand),  FLAG_ANY        },
    {"cluster",      FLAG_TEXT, AT(cluster), FLAG_CLUSTER    },
    {"",             FLAG_LIST, AT(files),   FLAG_FILE       },
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

/* Files may be given with -f or as plain arguments. */
static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    if (!flags_read(&command_render, argc, argv, settings))
        return COMMAND_USAGE;
    const struct format *format = find_format(settings->output);
    if (!format)
        return command_misused(&command_render, "-o is yaml, json or name, not '%s'",
                               settings->output);
    if (settings->files.count == 0)
        return command_misused(&command_render, "give files with -f, or - for standard input");
    struct rendering rendering = {.format = format, .expands = settings->expand};
    OWNED(object) cluster = NULL;
    int code = global_flags_use(&settings->globals, &command_render);
    if (!code && settings->cluster)
        code = render_values_read(&settings->globals, settings->cluster, &cluster);
    rendering.cluster = cluster;
    return code ? code : render_files(&rendering, &settings->files);
}

static int run_render(int argc, char **argv)
{
    struct settings settings = {.output = "yaml", .globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    flag_list_done(&settings.files);
    return code;
}

const struct command command_render = {
    .name = "render",
    .summary = "show what would be applied from ConfigMaps and Secrets",
    .help =
        "Shows what corset would apply from the ConfigMaps and Secrets of a ClusterResourceSet:\n"
        "the objects in the order in which they are applied, and the hash of each resource.\n"
        "Nothing is contacted, unless values of a Cluster are asked for.\n\n"
        "Usage: corset render -f FILE [-f FILE ...] [-o yaml|json|name] [--cluster NS/NAME]\n\n"
        "  -f, --filename FILE  manifests of ConfigMaps and Secrets, YAML or JSON; a folder stands\n"
        "                       for its .yaml, .yml and .json files, - for standard input;\n"
        "                       sets and policies beside them are passed over\n"
        "  -o, --output FORMAT  yaml (default): the objects, as a stream that kubectl takes;\n"
        "                       json: resources with hash and objects or error;\n"
        "                       name: one line for each object\n"
        "      --expand-lists   show the items of a List instead of the List (the items are applied)\n"
        "      --cluster NS/NAME\n"
        "                       put values of this Cluster in the places of ((cluster.name)) and its\n"
        "                       like, as for sets whose policy says values: Cluster; the Cluster is\n"
        "                       read from the management cluster\n\n" GLOBAL_FLAGS_HELP "\n"
        "Exits with 1 when a resource cannot be used; standard error or the JSON says why.\n"
        "Standard error also warns of objects that need a namespace, have none, and would get none\n"
        "by the annotation corset.dev/default-namespace of the resource; of fields that only a server\n"
        "writes, which are left out when objects are applied; and of lists with a key twice, which\n"
        "server-side apply does not take. Objects are shown as they are written there: only a\n"
        "cluster knows which of them the annotation is for.\n"
        "Contents of Secrets are shown.\n\n"
        "Try it:\n"
        "  kubectl get configmap cni -o yaml | corset render -f -\n"
        "  corset render -f sets/ -o json\n"
        "  corset render -f sets/ --cluster default/vc-0001\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_render,
};
