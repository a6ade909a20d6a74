/*
 * corset why: what came of each object of a set on a cluster.
 *
 * Objects come from status_source and are judged by status_model, as for corset status; the
 * failures themselves are in the records of the bindings (delivery.h). Of one object the cluster
 * itself is asked (why_object.h).
 */
#include "apimachinery/wellknown.h"
#include "async/loop.h"
#include "cmd/management_client.h"
#include "cmd/plan_source.h"
#include "cmd/status_source.h"
#include "cmd/user_agent.h"
#include "cmd/why_object.h"
#include "status/why_render.h"

#define CLUSTER_WORD STR("cluster/")
#define SET_WORD     STR("set/")
#define TIMEOUT      (10 * SECOND) /* for an answer of the cluster */

struct settings {
    struct flag_list subjects;
    struct global_flags globals;
    struct str set, cluster; /* names; one of them may be empty */
    struct str object;       /* of the set on the cluster; empty: all of them */
    bool is_fine;            /* the answer */
};

static struct error *not_found(const char *kind, struct str name, struct str namespace)
{
    return error_new(ERROR_NOT_FOUND, "there is no %s %.*s in namespace %.*s", kind, STR_ARG(name),
                     STR_ARG(namespace));
}

static const struct status_cell *find_cell(const struct status_cluster *cluster, struct str set)
{
    for (size_t i = 0; i < cluster->cell_count; i++)
        if (str_eq(cluster->cells[i].set->key.name, set))
            return &cluster->cells[i];
    return NULL;
}

/* A set that does not select the cluster is no mistake of the user: it is the answer. */
static struct error *explain_no_cell(const struct settings *settings,
                                     const struct management_client *management,
                                     const struct status_cluster *cluster, struct buf *out)
{
    const struct key key = {management->config.namespace, settings->set};
    OWNED(object) set = NULL;
    struct error *err = client_get(management->client, GVR_CLUSTER_RESOURCE_SETS, key, NULL, &set);
    if (error_is(err, ERROR_NOT_FOUND) && err->details) {
        error_free(err);
        return not_found("ClusterResourceSet", settings->set, key.namespace);
    }
    TRY(management_client_explain(err));
    buf_print(out, "set %.*s does not select cluster %.*s, ", STR_ARG(settings->set),
              STR_ARG(settings->cluster));
    if (cluster->is_deleting)
        buf_add(out, STR("which is being deleted\n"));
    else if (cluster->labels.len)
        buf_print(out, "which has the labels %.*s\n", STR_ARG(cluster->labels));
    else
        buf_add(out, STR("which has no labels\n"));
    return NULL;
}

/* Suspends. */
static struct error *show_object(struct settings *settings,
                                 const struct management_client *management, timestamp now,
                                 struct buf *out)
{
    SCOPED(preview_secrets) secrets = {0};
    SCOPED(plan_source)
    source = {.namespace = management->config.namespace,
              .set = settings->set,
              .cluster = settings->cluster};
    bool is_same = false;
    TRY(plan_source_read(&source, management->client));
    const struct preview_fleet fleet = {
        .management = management->client,
        .network = management->network,
        .tls = management->tls,
        .proxies = &management->proxies,
        .user_agent = user_agent_name(),
        .sets = source.sets,
        .set_count = source.set_count,
        .reconcile_with = CRS_SERVER_SIDE_APPLY,
        .secrets = &secrets,
        .timeout = TIMEOUT,
    };
    buf_add_char(out, '\n');
    if (!source.set_count) {
        buf_add(out, buf_str(&source.notes));
        return NULL;
    }
    TRY(why_object_show(&fleet, source.clusters, settings->object, now, &is_same, out));
    settings->is_fine &= is_same;
    return NULL;
}

static struct error *render_why(struct settings *settings,
                                const struct management_client *management,
                                const struct status_model *model, struct buf *out)
{
    const timestamp now = loop_wall(loop_current());
    const struct str namespace = management->config.namespace;
    if (!settings->cluster.len) {
        const struct status_set *set = status_model_find_set(model, settings->set);
        if (!set)
            return not_found("ClusterResourceSet", settings->set, namespace);
        settings->is_fine = status_state_is_fine(set->state);
        why_render_set(model, set, out);
        return NULL;
    }
    const struct status_cluster *cluster = status_model_find_cluster(model, settings->cluster);
    if (!cluster)
        return not_found("Cluster", settings->cluster, namespace);
    if (!settings->set.len) {
        settings->is_fine = status_state_is_fine(cluster->state);
        why_render_cluster(cluster, now, out);
        return NULL;
    }
    const struct status_cell *cell = find_cell(cluster, settings->set);
    if (!cell)
        return explain_no_cell(settings, management, cluster, out);
    settings->is_fine = status_state_is_fine(cell->state);
    why_render_chain(model, cluster, cell, now, out);
    return settings->object.len ? show_object(settings, management, now, out) : NULL;
}

/* All sets are read: which of them select a cluster, and for which another waits, is the answer. */
static struct error *show_why(void *data)
{
    struct settings *settings = data;
    SCOPED(management_client) management = {0};
    SCOPED(status_model) model = {.only_cluster = settings->cluster};
    SCOPED(buf) out = {.limit = 0};
    TRY(management_client_open(&management, &settings->globals));
    TRY(status_source_list(management.client, management.config.namespace, &model));
    TRY(render_why(settings, &management, &model, &out));
    return command_write(buf_str(&out));
}

/*
 * "cluster/NAME", "set/NAME" or "NAME", which is a set; behind these an object, whose kind may be
 * Cluster. False if there is one already.
 */
static bool read_subject(struct settings *settings, struct str subject)
{
    const bool is_cluster = str_starts_with(subject, CLUSTER_WORD);
    struct str *name = is_cluster ? &settings->cluster : &settings->set;
    if (settings->cluster.len && settings->set.len && !settings->object.len) {
        settings->object = subject;
        return subject.len > 0;
    }
    if (name->len)
        return false;
    *name = is_cluster                           ? str_skip(subject, CLUSTER_WORD.len)
            : str_starts_with(subject, SET_WORD) ? str_skip(subject, SET_WORD.len)
                                                 : subject;
    return name->len > 0;
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"", FLAG_LIST, AT(subjects), FLAG_OBJECT},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    if (!flags_read(&command_why, argc, argv, settings))
        return COMMAND_USAGE;
    if (!settings->subjects.count)
        return command_misused(&command_why, "give cluster/NAME, set/NAME, or both");
    for (size_t i = 0; i < settings->subjects.count; i++)
        if (!read_subject(settings, str_from_c(settings->subjects.items[i])))
            return command_misused(&command_why, "give one cluster/NAME and one set/NAME at most, "
                                                 "and behind both one object");
    int code = global_flags_use(&settings->globals, &command_why);
    if (!code)
        code = command_run(show_why, settings);
    return code || settings->is_fine ? code : COMMAND_NO;
}

static int run_why(int argc, char **argv)
{
    struct settings settings = {.globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    flag_list_done(&settings.subjects);
    return code;
}

const struct command command_why = {
    .name = "why",
    .summary = "say why objects of a set are not on a cluster",
    .help =
        "Says what came of each object of a set on a cluster, since when, and what to do: the\n"
        "causes of failures, how many objects each kept back, what was changed in the cluster and\n"
        "by whom, and where the manifest of each stands (resource, key, document). With a set alone\n"
        "it goes through its clusters, with a cluster alone through its sets. Of a set that waits\n"
        "for others it says the same of those.\n\n"
        "Of one object, KIND/NAMESPACE/NAME or KIND/NAME, it asks the cluster itself who owns which\n"
        "of its fields now, and by a dry run how it differs from its manifest. Nothing is written,\n"
        "and values of Secrets are not shown.\n\n"
        "Usage: corset why [cluster/NAME] [set/NAME] [FLAGS]\n"
        "       corset why cluster/NAME set/NAME OBJECT [FLAGS]\n\n" GLOBAL_FLAGS_HELP "\n"
        "Exits with 0 when all is as it was applied, and with 1 when it is not.\n\n"
        "Try it:\n"
        "  corset why cluster/vc-0001 set/cni\n"
        "  corset why set/cni\n"
        "  corset why cluster/vc-0001 set/cni DaemonSet/cni-system/cni-agent\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_why,
};
