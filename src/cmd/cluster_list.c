/* corset cluster list: the registered clusters, from the same model as corset status. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "async/loop.h"
#include "cmd/management_client.h"
#include "cmd/status_filter.h"
#include "cmd/status_render.h"
#include "cmd/status_source.h"
#include "json/yaml/yaml_write.h"
#include "status/status_json.h"

struct settings {
    bool all_namespaces;
    const char *output;
    struct status_filter filter;
    struct global_flags globals;
};

/* One line per cluster, in the form that corset status takes. */
static void write_names(const struct status_model *model, struct buf *out)
{
    for (size_t i = 0; i < model->cluster_count; i++)
        if (status_model_shows(model, model->clusters[i]->state))
            buf_print(out, "cluster/%.*s\n", STR_ARG(model->clusters[i]->key.name));
}

/* Width 0: tables are cut to the width of a terminal only. JSON and YAML hold the list of clusters
 * alone. */
static struct error *write_list(const struct settings *settings, const struct status_model *model,
                                struct buf *out)
{
    OWNED(json_doc) doc = NULL;
    struct status_view view = {
        .is_wide = strcmp(settings->output, "wide") == 0,
        .has_color = terminal_has_color(STDOUT_FILENO, global_flags_color(&settings->globals)),
        .all_namespaces = settings->all_namespaces,
        .now = loop_wall(loop_current()),
    };
    if (strcmp(settings->output, "name") == 0) {
        write_names(model, out);
    } else if (strcmp(settings->output, "json") == 0 || strcmp(settings->output, "yaml") == 0) {
        TRY(status_json_render(model, &doc));
        const struct json_value *clusters = json_get(json_doc_root(doc), STR("clusters"));
        if (settings->output[0] == 'y')
            yaml_write(out, clusters);
        else
            json_write_pretty(out, clusters);
        if (settings->output[0] == 'j')
            buf_add_char(out, '\n');
    } else {
        size_t height;
        if (isatty(STDOUT_FILENO) && !view.is_wide)
            terminal_size(STDOUT_FILENO, &view.width, &height);
        status_render_clusters(model, &view, out);
    }
    return buf_check(out);
}

/* Reads the same objects as corset status, so the states agree. */
static struct error *list_clusters(void *data)
{
    const struct settings *settings = data;
    SCOPED(management_client) management = {0};
    SCOPED(status_model) model = {0};
    SCOPED(buf) out = {.limit = 0};
    status_filter_use(&settings->filter, &model);
    TRY(management_client_open(&management, &settings->globals));
    TRY(status_source_list(management.client,
                           settings->all_namespaces ? STR("") : management.config.namespace,
                           &model));
    TRY(write_list(settings, &model, &out));
    return command_write(buf_str(&out));
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"all-namespaces|A", FLAG_BOOL, AT(all_namespaces), FLAG_ANY                   },
    {"output|o",         FLAG_TEXT, AT(output),         "table wide json yaml name"},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    STATUS_FILTER_GROUP(struct settings),
    GLOBAL_FLAGS_GROUP(struct settings),
};

static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    static const char *const formats[] = {"table", "wide", "json", "yaml", "name"};
    bool is_known = false;
    if (!flags_read(&command_cluster_list, argc, argv, settings))
        return COMMAND_USAGE;
    for (size_t i = 0; i < COUNT(formats); i++)
        is_known |= strcmp(formats[i], settings->output) == 0;
    if (!is_known)
        return command_misused(&command_cluster_list,
                               "-o is table, wide, json, yaml or name, not '%s'", settings->output);
    int misused = status_filter_read(&settings->filter, &command_cluster_list);
    if (!misused)
        misused = global_flags_use(&settings->globals, &command_cluster_list);
    return misused ? misused : command_run(list_clusters, settings);
}

static int run_cluster_list(int argc, char **argv)
{
    struct settings settings = {.output = "table", .globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    status_filter_done(&settings.filter);
    return code;
}

const struct command command_cluster_list = {
    .name = "cluster list",
    .summary = "show the registered clusters",
    .help = "Shows the registered clusters, and what sets have and have not applied there.\n\n"
            "Usage: corset cluster list [FLAGS]\n\n"
            "  -n, --namespace NS    namespace of the clusters (default: that of the context)\n"
            "  -A, --all-namespaces  clusters of all namespaces\n"
            "  -o, --output FORMAT   table (default), wide, json, yaml, name\n" STATUS_FILTER_HELP
            "\n" GLOBAL_FLAGS_HELP "\n"
            "Try it:\n"
            "  corset cluster list -A -o wide\n"
            "  corset cluster list -l env=prod --unreachable -o name\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_cluster_list,
};
