/*
 * corset get: objects of all clusters.
 *
 * ask_clusters() finds out where to ask (get_source), what is meant (get_resource), and prints the
 * answer while it arrives (get_print). The exit code says whether every cluster answered.
 */
#include <stdio.h>
#include <string.h>

#include "apimachinery/resource_path.h"
#include "apiserver/crd/jsonpath.h"
#include "async/loop.h"
#include "cmd/get_print.h"
#include "cmd/get_resource.h"
#include "cmd/get_source.h"
#include "cmd/management_client.h"
#include "fleet/fleet_question.h"
#include "http/url.h"

struct settings {
    struct flag_list arguments, clusters;
    bool all_namespaces, count, missing;
    const char *output, *labels, *fields, *selector, *group_by;
    struct global_flags globals;

    struct str resource, name; /* read from the arguments */
    enum get_form form;
    const struct jsonpath *path;
    struct arena arena;
    int code; /* COMMAND_NO, COMMAND_FAILED: see the help */
};

static void add_parameter(struct buf *out, const char *name, struct str value)
{
    if (!value.len)
        return;
    buf_print(out, "%s%s=", out->len ? "&" : "", name);
    url_escape_query(out, value);
}

/* The clusters that were named, with commas between them. */
static struct str cluster_list(struct settings *settings)
{
    SCOPED(buf) names = {0};
    for (size_t i = 0; i < settings->clusters.count; i++)
        buf_print(&names, "%s%s", i ? "," : "", settings->clusters.items[i]);
    return arena_str(&settings->arena, buf_str(&names));
}

static struct str make_target(struct settings *settings, const struct get_source *source,
                              const struct get_resource *resource, struct str namespace)
{
    SCOPED(buf) query = {0};
    const struct resource_path path = {
        .gvr = resource->gvr,
        .namespace = resource->is_namespaced && !settings->all_namespaces ? namespace : STR(""),
        .name = settings->name,
    };
    add_parameter(&query, "labelSelector", str_from_c(settings->labels));
    add_parameter(&query, "fieldSelector", str_from_c(settings->fields));
    if (source->is_remote)
        add_parameter(&query, "clusterSelector", str_from_c(settings->selector));
    add_parameter(&query, "clusters", cluster_list(settings));
    if (settings->form == GET_MISSING)
        add_parameter(&query, "emptyClusters", STR("true"));
    return ARENA_JOIN(&settings->arena, resource_path_write(&settings->arena, &path),
                      query.len ? STR("?") : STR(""), buf_str(&query));
}

static bool wants_table(enum get_form form)
{
    return form != GET_JSON && form != GET_YAML && form != GET_JSONPATH && form != GET_GROUPS;
}

/* Prints what came with a piece at once. */
static struct error *print_piece(void *data, struct str piece)
{
    struct get_print *print = data;
    TRY(get_print_take(print, piece));
    TRY(command_write(buf_str(print->out)));
    buf_clear(print->out);
    return NULL;
}

static void judge_answer(struct settings *settings, const struct get_print *print)
{
    const bool has_form = settings->form == GET_COUNT || settings->form == GET_GROUPS;
    if (print->answered < print->asked) {
        fprintf(stderr, "corset: %.*s\n", STR_ARG(print->warning));
        settings->code = COMMAND_FAILED;
    } else if ((settings->form == GET_MISSING && print->missing) ||
               (settings->form != GET_MISSING && settings->name.len && !print->items)) {
        settings->code = COMMAND_NO;
    }
    if (!print->items && !has_form && settings->form != GET_MISSING && settings->form != GET_JSON)
        fprintf(stderr, "corset: nothing found in %zu clusters\n", print->answered);
}

/* A resource that no cluster has is missing everywhere, and nothing to find. */
static struct error *ask_and_print(struct settings *settings, struct get_source *source,
                                   struct str target, struct get_print *print)
{
    const struct str accept =
        fleet_form_accept(wants_table(settings->form) ? FLEET_FORM_TABLE : FLEET_FORM_LIST, false);
    TRY(get_source_ask(source, target, accept, print_piece, print));
    TRY(get_print_end(print));
    TRY(command_write(buf_str(print->out)));
    judge_answer(settings, print);
    return NULL;
}

static struct error *ask_clusters(void *data)
{
    struct settings *settings = data;
    SCOPED(management_client) management = {0};
    SCOPED(get_source) source = {0};
    SCOPED(buf) out = {0};
    SCOPED(get_print) print = {.form = settings->form, .path = settings->path, .out = &out};
    struct get_resource resource;
    TRY(management_client_open(&management, &settings->globals));
    TRY(get_source_open(&source, &management, str_from_c(settings->selector)));
    TRY(get_resource_find(&source, &settings->arena, settings->resource, &resource));
    print.resource = resource.gvr.resource;
    print.has_namespaces = resource.is_namespaced && settings->all_namespaces;
    get_print_init(&print);
    const struct str target =
        make_target(settings, &source, &resource, management.config.namespace);
    return ask_and_print(settings, &source, target, &print);
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"all-namespaces|A", FLAG_BOOL, AT(all_namespaces), FLAG_ANY                             },
    {"selector|l",       FLAG_TEXT, AT(labels),         FLAG_ANY                             },
    {"field-selector",   FLAG_TEXT, AT(fields),         FLAG_ANY                             },
    {"clusters",         FLAG_TEXT, AT(selector),       FLAG_ANY                             },
    {"cluster",          FLAG_LIST, AT(clusters),       FLAG_ANY                             },
    {"output|o",         FLAG_TEXT, AT(output),         "table wide json yaml name jsonpath="},
    {"count",            FLAG_BOOL, AT(count),          FLAG_ANY                             },
    {"group-by",         FLAG_TEXT, AT(group_by),       FLAG_ANY                             },
    {"missing",          FLAG_BOOL, AT(missing),        FLAG_ANY                             },
    {"",                 FLAG_LIST, AT(arguments),      FLAG_ANY                             },
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

/* RESOURCE, RESOURCE NAME or RESOURCE/NAME. */
static bool read_arguments(struct settings *settings)
{
    const struct flag_list *arguments = &settings->arguments;
    if (arguments->count < 1 || arguments->count > 2)
        return false;
    settings->name = str_from_c(arguments->items[0]);
    const bool has_slash = str_cut(&settings->name, '/', &settings->resource);
    if (arguments->count == 2)
        settings->name = str_from_c(arguments->items[1]);
    return settings->resource.len && !(has_slash && arguments->count == 2) &&
           (settings->name.len || (!has_slash && arguments->count == 1));
}

/* Braces around a path are those of kubectl. */
static int read_path(struct settings *settings, const char *flag, const char *text)
{
    struct str path = str_from_c(text);
    if (str_starts_with(path, STR("{")) && str_ends_with(path, STR("}")))
        path = str_slice(path, 1, path.len - 1);
    OWNED(error) wrong = jsonpath_compile(&settings->arena, path, &settings->path);
    if (wrong)
        return command_misused(&command_get, "%s: %s", flag, wrong->message);
    return COMMAND_DONE;
}

static int read_form(struct settings *settings)
{
    static const struct {
        const char *name;
        enum get_form form;
    } forms[] = {
        {"table", GET_TABLE},
        {"wide",  GET_WIDE },
        {"json",  GET_JSON },
        {"yaml",  GET_YAML },
        {"name",  GET_NAME },
    };
    const char *output = settings->output ? settings->output : "table";
    if (settings->count + settings->missing + (settings->group_by != NULL) +
            (settings->output != NULL) >
        1)
        return command_misused(&command_get, "give one of -o, --count, --group-by and --missing");
    settings->form = settings->count ? GET_COUNT : settings->missing ? GET_MISSING : GET_GROUPS;
    if (settings->group_by)
        return read_path(settings, "--group-by", settings->group_by);
    if (settings->count || settings->missing)
        return COMMAND_DONE;
    settings->form = GET_JSONPATH;
    if (strncmp(output, "jsonpath=", 9) == 0)
        return read_path(settings, "-o jsonpath", output + 9);
    for (size_t i = 0; i < COUNT(forms); i++)
        if (strcmp(forms[i].name, output) == 0) {
            settings->form = forms[i].form;
            return COMMAND_DONE;
        }
    return command_misused(
        &command_get, "-o is table, wide, json, yaml, name or jsonpath=PATH, not '%s'", output);
}

static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    if (!flags_read(&command_get, argc, argv, settings))
        return COMMAND_USAGE;
    if (!read_arguments(settings))
        return command_misused(&command_get, "give RESOURCE, RESOURCE NAME or RESOURCE/NAME");
    int misused = read_form(settings);
    if (!misused)
        misused = global_flags_use(&settings->globals, &command_get);
    if (misused)
        return misused;
    const int code = command_run(ask_clusters, settings);
    return code ? code : settings->code;
}

static int run_get(int argc, char **argv)
{
    struct settings settings = {.globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    flag_list_done(&settings.arguments);
    flag_list_done(&settings.clusters);
    arena_done(&settings.arena);
    return code;
}

const struct command command_get = {
    .name = "get",
    .summary = "show objects of all clusters",
    .help =
        "Asks all clusters one question and shows their objects, in the order of clusters and as\n"
        "they come. Uses the fleet API of the management cluster ('corset up --fleet') or, without\n"
        "one, asks the clusters with their kubeconfig Secrets.\n\n"
        "Usage: corset get RESOURCE [NAME] [FLAGS]\n\n"
        "  -n, --namespace NS     namespace in the clusters (default: that of the context)\n"
        "  -A, --all-namespaces   objects of all namespaces\n"
        "  -l, --selector SEL     only objects with these labels\n"
        "  --field-selector SEL   only objects with these fields\n"
        "  --clusters SEL         only Clusters with these labels\n"
        "  --cluster NS/NAME      only this Cluster; may be given several times\n"
        "  -o, --output FORMAT    table (default), wide, json, yaml, name, jsonpath=PATH\n"
        "  --count                the number of objects, and of clusters that have any\n"
        "  --group-by PATH        a line for each value of a JSONPath, largest first\n"
        "  --missing              clusters that answered and have none\n\n"
        "Exit codes: 0: every cluster answered; 1: --missing found some, or nothing was found\n"
        "where NAME was given; 3: a cluster did not answer, what came is printed.\n\n" GLOBAL_FLAGS_HELP
        "\n"
        "Try it:\n"
        "  corset get nodes --group-by .status.nodeInfo.kubeletVersion\n"
        "  corset get daemonset/cni-agent -n cni-system --missing\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_get,
};
