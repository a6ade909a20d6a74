/*
 * corset bundle: cuts manifests into ConfigMaps or Secrets for a ClusterResourceSet.
 *
 * Everything is read, cut and checked before the first file is written.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "apimachinery/validation.h"
#include "apiserver/secret_file.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "base/folder.h"
#include "base/memory.h"
#include "cmd/bundle_parts.h"
#include "cmd/bundle_set.h"
#include "cmd/command.h"
#include "cmd/global_flags.h"
#include "cmd/manifest_files.h"
#include "cmd/namespace_warning.h"
#include "cmd/object_name.h"
#include "json/yaml/manifest.h"
#include "json/yaml/yaml_write.h"

/* An API server takes no more in one ConfigMap or Secret. */
#define MAX_LIMIT   (1 * MEGABYTE)
#define MAX_DEFAULT "900KiB"

/* A file holds the data once more with indentation, or as base64. */
#define FILE_TEXT_MAX (16 * MEGABYTE)

struct settings {
    struct flag_list files;
    const char *folder, *name, *max, *set, *selector, *strategy, *default_namespace;
    bool secret, gzip;
    struct global_flags globals;
};

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"filename|f",        FLAG_LIST, AT(files),             FLAG_FILE            },
    {"output|o",          FLAG_TEXT, AT(folder),            FLAG_FOLDER          },
    {"name",              FLAG_TEXT, AT(name),              FLAG_ANY             },
    {"max",               FLAG_TEXT, AT(max),               FLAG_ANY             },
    {"secret",            FLAG_BOOL, AT(secret),            FLAG_ANY             },
    {"gzip",              FLAG_BOOL, AT(gzip),              FLAG_ANY             },
    {"default-namespace", FLAG_TEXT, AT(default_namespace), FLAG_ANY             },
    {"set",               FLAG_TEXT, AT(set),               FLAG_ANY             },
    {"selector|l",        FLAG_TEXT, AT(selector),          FLAG_ANY             },
    {"strategy",          FLAG_TEXT, AT(strategy),          "ApplyOnce Reconcile"},
    {"",                  FLAG_LIST, AT(files),             FLAG_FILE            },
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

static struct error *check_item(const struct content_item *item)
{
    const struct object *object = item->object;
    if (object_api_version(object).len && object_kind(object).len && object_name(object).len)
        return NULL;
    return error_new(ERROR_INVALID, "document %zu: an object needs apiVersion, kind and a name",
                     item->document);
}

/* Lists are expanded, so that a large one can be cut, too. */
static struct error *add_objects(void *data, struct str text, const char *name)
{
    struct content_items *items = data;
    const size_t from = items->count;
    SCOPED(manifest_list) list = {0};
    (void)name;
    TRY(manifest_read(text, NULL, &list, NULL));
    for (size_t i = 0; i < list.count; i++) {
        struct content_item item = {.document = i + 1};
        TRY(object_from_doc(list.docs[i], &item.object));
        content_items_add(items, item);
    }
    TRY(content_items_expand(items, from));
    for (size_t i = from; i < items->count; i++)
        TRY(check_item(&items->items[i]));
    return NULL;
}

static struct error *read_objects(const struct settings *settings, struct content_items *items)
{
    const struct manifest_reader reader = {add_objects, items};
    for (size_t i = 0; i < settings->files.count; i++)
        TRY(manifest_files_read(settings->files.items[i], &reader));
    return items->count ? NULL : error_new(ERROR_INVALID, "no object in what -f names");
}

static void warn_of_secrets(const struct settings *settings, const struct content_items *items)
{
    size_t count = 0;
    for (size_t i = 0; i < items->count; i++)
        count += str_eq(object_kind(items->items[i].object), STR("Secret"));
    if (count && !settings->secret)
        fprintf(stderr,
                "corset: warning: %zu Secret%s in ConfigMaps, which more people may read; "
                "--secret puts everything into Secrets\n",
                count, count == 1 ? "" : "s");
}

static void warn_of_namespaces(const struct settings *settings, const struct content_items *items)
{
    SCOPED(buf) warning = {.limit = 0};
    if (settings->default_namespace)
        return;
    struct object **objects = mem_realloc_array(NULL, items->count, sizeof(struct object *));
    for (size_t i = 0; i < items->count; i++)
        objects[i] = items->items[i].object;
    if (namespace_warning_add(&warning, objects, items->count))
        fprintf(stderr, "corset: warning: %s (--default-namespace)\n", buf_c(&warning));
    mem_free(objects);
}

static struct error *write_object_file(const char *folder, const char *name,
                                       const struct object *object)
{
    SCOPED(buf) text = {.limit = FILE_TEXT_MAX, .secret = true};
    yaml_write(&text, object_root(object));
    TRY(buf_check(&text));
    return secret_file_write(folder, name, buf_str(&text));
}

/* An earlier run may have made more parts; their numbers go on without gaps. */
static void remove_leftovers(const struct settings *settings, size_t count)
{
    for (;;) {
        SCOPED(buf) path = {.limit = 0};
        buf_print(&path, "%s/%s-%02zu.yaml", settings->folder, settings->name, ++count);
        if (unlink(buf_c(&path)) != 0)
            return;
    }
}

static struct error *write_files(const struct settings *settings, const struct bundle_parts *parts,
                                 const struct object *set)
{
    TRY(folder_make(settings->folder, 0777));
    for (size_t i = 0; i < parts->count; i++) {
        SCOPED(buf) name = {.limit = 0};
        buf_print(&name, "%.*s.yaml", STR_ARG(object_name(parts->items[i])));
        TRY(write_object_file(settings->folder, buf_c(&name), parts->items[i]));
    }
    remove_leftovers(settings, parts->count);
    if (!set)
        return NULL;
    SCOPED(buf) name = {.limit = 0};
    buf_print(&name, "%s-set.yaml", settings->name);
    return write_object_file(settings->folder, buf_c(&name), set);
}

static struct error *print_result(const struct settings *settings, size_t objects,
                                  const struct bundle_parts *parts)
{
    SCOPED(buf) out = {.limit = 0};
    buf_print(&out, "%zu object%s in %zu %s%s: %s\n", objects, objects == 1 ? "" : "s",
              parts->count, settings->secret ? "Secret" : "ConfigMap", parts->count == 1 ? "" : "s",
              settings->folder);
    if (!settings->set) {
        buf_add(&out, STR("A ClusterResourceSet has to name them in this order:\n"));
        for (size_t i = 0; i < parts->count; i++)
            buf_print(&out, "  - {kind: %.*s, name: %.*s}\n", STR_ARG(object_kind(parts->items[i])),
                      STR_ARG(object_name(parts->items[i])));
    }
    buf_print(&out,
              "Apply them with:\n  kubectl apply --server-side -f %s\n"
              "Without --server-side kubectl copies each into an annotation, for which it is too "
              "large.\n",
              settings->folder);
    return command_write(buf_str(&out));
}

static struct str text_or_empty(const char *text)
{
    return str_from_c(text ? text : "");
}

static struct error *bundle(const struct settings *settings, size_t max)
{
    const struct bundle_options options = {
        .name = str_from_c(settings->name),
        .namespace = text_or_empty(settings->globals.namespace),
        .default_namespace = text_or_empty(settings->default_namespace),
        .max = max,
        .secret = settings->secret,
        .gzip = settings->gzip,
    };
    SCOPED(content_items) items = {0};
    SCOPED(bundle_parts) parts = {0};
    OWNED(object) set = NULL;
    TRY(read_objects(settings, &items));
    TRY(bundle_parts_make(&items, &options, &parts));
    if (settings->set)
        TRY(bundle_set_make(str_from_c(settings->set), text_or_empty(settings->selector),
                            text_or_empty(settings->strategy), &parts, &set));
    warn_of_secrets(settings, &items);
    warn_of_namespaces(settings, &items);
    TRY(write_files(settings, &parts, set));
    return print_result(settings, items.count, &parts);
}

/* "900KiB", "1Mi", "100000": up to MAX_LIMIT. */
static bool read_size(struct str text, size_t *ret_size)
{
    static const struct {
        struct str name;
        size_t factor;
    } units[] = {
        {STR_INIT(""),    1       },
        {STR_INIT("Ki"),  KILOBYTE},
        {STR_INIT("KiB"), KILOBYTE},
        {STR_INIT("Mi"),  MEGABYTE},
        {STR_INIT("MiB"), MEGABYTE},
    };
    size_t number = 0, digits = 0;
    for (; digits < text.len && ascii_is_digit(text.ptr[digits]) && number <= MAX_LIMIT; digits++)
        number = number * 10 + (size_t)(text.ptr[digits] - '0');
    for (size_t i = 0; digits && i < COUNT(units); i++) {
        if (!str_eq(str_skip(text, digits), units[i].name))
            continue;
        *ret_size = number * units[i].factor;
        return *ret_size > 0 && *ret_size <= MAX_LIMIT;
    }
    return false;
}

static bool is_name(const char *name, struct validation (*check)(struct str))
{
    return !name || check(str_from_c(name)).count == 0;
}

/* 0, or COMMAND_USAGE after saying what is wrong. */
static int check_settings(const struct settings *settings, size_t *ret_max)
{
    const struct command *command = &command_bundle;
    if (settings->files.count == 0)
        return command_misused(command, "give files with -f, or - for standard input");
    if (!settings->folder || !settings->name)
        return command_misused(command, "give a folder with -o, and a name with --name");
    if (!is_name(settings->name, validation_dns1123_subdomain))
        return command_misused(command, "--name is no name of an object: '%s'", settings->name);
    if (!is_name(settings->set, validation_dns1123_subdomain))
        return command_misused(command, "--set is no name of an object: '%s'", settings->set);
    if (!is_name(settings->default_namespace, validation_dns1123_label))
        return command_misused(command, "--default-namespace is no name of a namespace: '%s'",
                               settings->default_namespace);
    if (!settings->set != !settings->selector)
        return command_misused(command, "--set and -l belong together");
    if (settings->strategy && strcmp(settings->strategy, "ApplyOnce") != 0 &&
        strcmp(settings->strategy, "Reconcile") != 0)
        return command_misused(command, "--strategy is ApplyOnce or Reconcile, not '%s'",
                               settings->strategy);
    if (!read_size(str_from_c(settings->max), ret_max))
        return command_misused(command, "--max is a size up to 1MiB, such as 900KiB, not '%s'",
                               settings->max);
    return 0;
}

static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    size_t max = 0;
    if (!flags_read(&command_bundle, argc, argv, settings))
        return COMMAND_USAGE;
    int misused = check_settings(settings, &max);
    if (!misused)
        misused = global_flags_use(&settings->globals, &command_bundle);
    if (misused)
        return misused;
    struct error *err = bundle(settings, max);
    return err ? command_fail(err) : COMMAND_DONE;
}

static int run_bundle(int argc, char **argv)
{
    struct settings settings = {.max = MAX_DEFAULT, .globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    flag_list_done(&settings.files);
    return code;
}

const struct command command_bundle = {
    .name = "bundle",
    .summary = "cut manifests of any size into ConfigMaps for a set",
    .help =
        "Cuts manifests into ConfigMaps or Secrets that a ClusterResourceSet can name: Namespaces\n"
        "and CustomResourceDefinitions first, object by object, each part small enough for an API\n"
        "server. An object that is too large as YAML is written as compact JSON. Every part is\n"
        "read back and compared before it is written. Nothing is contacted.\n\n"
        "Usage: corset bundle -f FILE [-f FILE ...] -o DIR --name NAME [--set NAME -l SELECTOR]\n\n"
        "  -f, --filename FILE            manifests, YAML or JSON; a folder stands for its .yaml,\n"
        "                                 .yml and .json files, - for standard input\n"
        "  -o, --output DIR               where the files go: NAME-01.yaml, NAME-02.yaml ...;\n"
        "                                 those of an earlier run are replaced\n"
        "      --name NAME                what the parts are called\n"
        "      --max SIZE                 data of one part, up to 1MiB (default 900KiB)\n"
        "      --secret                   Secrets instead of ConfigMaps\n"
        "      --gzip                     packed, for corset alone: Cluster API cannot read it\n"
        "      --default-namespace NS     for objects that need a namespace and have none\n"
        "      --set NAME                 also NAME-set.yaml: a ClusterResourceSet of this name\n"
        "  -l, --selector SELECTOR        its clusters, such as cni=yes\n"
        "      --strategy STRATEGY        its strategy: ApplyOnce (default) or Reconcile\n"
        "  -n, --namespace NS             of the parts and the set; without it they name none\n\n"
        "Comments in the manifests are lost.\n\n"
        "Try it:\n"
        "  corset bundle -f cni.yaml -o out --name cni --set cni -l cni=yes\n"
        "  corset render -f out -o name\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_bundle,
};
