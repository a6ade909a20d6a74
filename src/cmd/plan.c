/*
 * corset plan: what would change where, asked of the clusters by dry runs.
 *
 * What the sets want comes from plan_source, the answers of the clusters from preview_fleet, and
 * plan_render shows them. Nothing is written anywhere.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/management_client.h"
#include "cmd/plan_render.h"
#include "cmd/plan_source.h"
#include "cmd/reconcile_with.h"
#include "cmd/terminal.h"
#include "cmd/user_agent.h"

#define TIMEOUT_DEFAULT (10 * SECOND)

struct settings {
    struct flag_list subjects, files;
    const char *selector, *output, *reconcile_with;
    size_t sample;
    duration timeout;
    struct global_flags globals;
    enum crs_reconcile_with way;
    size_t changed, silent; /* the answer: groups with changes, clusters that were not asked */
};

static struct error *write_table(struct plan_render *render, struct buf *out)
{
    plan_render_table(render, out);
    return buf_check(out);
}

static struct error *write_diff(struct plan_render *render, struct buf *out)
{
    plan_render_diff(render, out);
    return buf_check(out);
}

static const struct {
    const char *name;
    struct error *(*write)(struct plan_render *render, struct buf *out);
} formats[] = {
    {"table", write_table     },
    {"diff",  write_diff      },
    {"json",  plan_render_json},
};

static size_t find_format(const char *name)
{
    size_t i = 0;
    while (i < COUNT(formats) && strcmp(formats[i].name, name) != 0)
        i++;
    return i;
}

/* Each line as one of ours, on standard error. */
static void print_notes(struct str notes)
{
    struct str line;
    while (notes.len) {
        SCOPED(buf) shown = {.limit = 0};
        str_cut(&notes, '\n', &line);
        terminal_add_shown(&shown, line);
        fprintf(stderr, "corset: %s\n", buf_c(&shown));
    }
}

static struct error *ask_clusters(const struct settings *settings,
                                  const struct management_client *management,
                                  const struct plan_source *source, struct preview_secrets *secrets,
                                  struct preview *preview)
{
    const struct preview_fleet fleet = {
        .management = management->client,
        .network = management->network,
        .tls = management->tls,
        .proxies = &management->proxies,
        .user_agent = user_agent_name(),
        .sets = source->sets,
        .set_count = source->set_count,
        .reconcile_with = settings->way,
        .secrets = secrets,
        .timeout = settings->timeout,
    };
    preview->left_out = source->left_out;
    return preview_fleet_ask(&fleet, source->clusters, source->cluster_count, preview);
}

static struct error *show_preview(struct settings *settings, struct preview_secrets *secrets,
                                  const struct preview *preview)
{
    SCOPED(plan_render)
    render = {.preview = preview,
              .secrets = secrets,
              .has_color =
                  terminal_has_color(STDOUT_FILENO, global_flags_color(&settings->globals))};
    SCOPED(buf) out = {.limit = 256 * MEGABYTE};
    settings->changed = preview->group_count;
    settings->silent = preview->silence_count;
    TRY(formats[find_format(settings->output)].write(&render, &out));
    return command_write(buf_str(&out));
}

static struct error *make_plan(void *data)
{
    struct settings *settings = data;
    SCOPED(management_client) management = {0};
    SCOPED(plan_source)
    source = {.set = settings->subjects.count ? str_from_c(settings->subjects.items[0]) : STR(""),
              .selector = str_from_c(settings->selector),
              .sample = settings->sample};
    SCOPED(preview_secrets) secrets = {0};
    SCOPED(preview) preview = {0};
    for (size_t i = 0; i < settings->files.count; i++)
        TRY(plan_source_add_file(&source, settings->files.items[i]));
    TRY(management_client_open(&management, &settings->globals));
    source.namespace = management.config.namespace;
    TRY(plan_source_read(&source, management.client));
    print_notes(buf_str(&source.notes));
    if (!source.cluster_count)
        print_notes(STR("no cluster is selected"));
    TRY(ask_clusters(settings, &management, &source, &secrets, &preview));
    return show_preview(settings, &secrets, &preview);
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"",               FLAG_LIST,  AT(subjects),       FLAG_SET              },
    {"filename|f",     FLAG_LIST,  AT(files),          FLAG_FILE             },
    {"clusters",       FLAG_TEXT,  AT(selector),       FLAG_ANY              },
    {"sample",         FLAG_COUNT, AT(sample),         FLAG_ANY              },
    {"output|o",       FLAG_TEXT,  AT(output),         "table diff json"     },
    {"timeout",        FLAG_SPAN,  AT(timeout),        FLAG_ANY              },
    {"reconcile-with", FLAG_TEXT,  AT(reconcile_with), RECONCILE_WITH_CHOICES},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

static int check_selector(const struct settings *settings)
{
    SCOPED(arena) arena = {0};
    struct selector selector;
    OWNED(error) err = selector_read(&arena, str_from_c(settings->selector), &selector);
    return err ? command_misused(&command_plan, "--clusters %s: %s", settings->selector,
                                 err->message)
               : COMMAND_DONE;
}

static int complete_settings(struct settings *settings)
{
    if (settings->subjects.count > 1)
        return command_misused(&command_plan, "give one set, or nothing for all of the namespace");
    if (find_format(settings->output) == COUNT(formats))
        return command_misused(&command_plan, "-o is table, diff or json, not '%s'",
                               settings->output);
    if (!reconcile_with_read(settings->reconcile_with, &settings->way))
        return command_misused(&command_plan, RECONCILE_WITH_MISTAKE, settings->reconcile_with);
    if (settings->timeout <= 0)
        return command_misused(&command_plan, "--timeout wants a duration above zero");
    const int misused = check_selector(settings);
    return misused ? misused : global_flags_use(&settings->globals, &command_plan);
}

/* A cluster that was not asked counts more than changes: the plan is not complete. */
static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    if (!flags_read(&command_plan, argc, argv, settings))
        return COMMAND_USAGE;
    int code = complete_settings(settings);
    if (!code)
        code = command_run(make_plan, settings);
    if (!code && settings->silent)
        code = COMMAND_FAILED;
    return code || !settings->changed ? code : COMMAND_NO;
}

static int run_plan(int argc, char **argv)
{
    struct settings settings = {.output = "table",
                                .selector = "",
                                .reconcile_with = "",
                                .timeout = TIMEOUT_DEFAULT,
                                .globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    flag_list_done(&settings.subjects);
    flag_list_done(&settings.files);
    return code;
}

const struct command command_plan = {
    .name = "plan",
    .summary = "show what sets would change on their clusters, and write nothing",
    .help =
        "Shows what would change where before it does: asks every selected cluster by dry runs of\n"
        "the very requests that the controller would send. Nothing is written anywhere. Clusters\n"
        "with equal results are one group, with their number in front.\n\n"
        "Usage: corset plan [SET] [-f FILE ...] [FLAGS]\n\n"
        "  -f, --filename FILE   ConfigMaps, Secrets and DeliveryPolicies that take the place of\n"
        "                        those of the same kind and name; a folder stands for its .yaml,\n"
        "                        .yml and .json files, - for standard input; sets beside them are\n"
        "                        passed over\n"
        "  --clusters SELECTOR   only clusters with these labels: env=prod, 'tier in (1,2)'\n"
        "  --sample N            at most N clusters, spread over those that are selected\n"
        "  -o, --output FORMAT   table (default): a line for each change; diff: whole values and\n"
        "                        names of clusters; json\n"
        "  --timeout DURATION    for an answer of a cluster (default 10s)\n"
        "  --reconcile-with " RECONCILE_WITH_HELP "\n"
        "                        as the controller runs with it (default " RECONCILE_WITH_DEFAULT
        ")\n\n" GLOBAL_FLAGS_HELP "\n"
        "Signs: + created, ~ changed, ! refused or in conflict with another writer, ? cannot be\n"
        "known yet, because its kind or namespace comes with the same set. Values of Secrets are\n"
        "(secret 1), (secret 2), equal ones alike. What is applied already, as the bindings record\n"
        "it, is not sent again and not asked for. A set with a DeliveryPolicy is planned as the\n"
        "policy says.\n\n"
        "Exits with 0 when nothing would change, with 1 when something would, and with 3 when a\n"
        "cluster could not be asked; the others are shown.\n\n"
        "Try it:\n"
        "  corset plan cni -f sets/cni.yaml\n"
        "  corset plan --clusters env=prod --sample 10 -o diff\n"
        "  corset plan -o json\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_plan,
};
