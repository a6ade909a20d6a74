/*
 * corset pause and corset resume: stop work on a set or a cluster for a while.
 *
 * Sets have an annotation for it, Clusters a field. Both are Cluster API's, so its tools and
 * controllers see the same.
 */
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "clusterresourceset/types/crs_spec.h"
#include "cmd/management_client.h"
#include "json/path.h"

struct settings {
    struct flag_list subjects;
    struct global_flags globals;
    bool is_pause; /* otherwise resume */
};

/* The two kinds, and how each is paused. */
static const struct kind {
    const char *word; /* in front of the slash */
    const char *name; /* for people */
    struct gvr gvr;
    bool (*is_paused)(const struct object *object);
    const char *pause, *resume; /* merge patches */
} kinds[] = {
    {"set",
     "ClusterResourceSet", {STR_INIT("addons.cluster.x-k8s.io"), STR_INIT("v1beta2"), STR_INIT("clusterresourcesets")},
     crs_is_paused,         "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":\"true\"}}}",
     "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":null}}}"},
    {"cluster",
     "Cluster",            {STR_INIT("cluster.x-k8s.io"), STR_INIT("v1beta2"), STR_INIT("clusters")},
     crs_cluster_is_paused, "{\"spec\":{\"paused\":true}}",
     "{\"spec\":{\"paused\":null}}"                                       },
};

/* "set/cni". NULL if the text has another form. */
static const struct kind *read_subject(const char *text, struct str *ret_name)
{
    struct str word;
    *ret_name = str_from_c(text);
    if (!str_cut(ret_name, '/', &word) || !ret_name->len)
        return NULL;
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_eq(word, str_from_c(kinds[i].word)))
            return &kinds[i];
    return NULL;
}

/* A 404 with details is one of the object, not of its kind. */
static struct error *explain_missing(struct error *err, const struct kind *kind, struct key key)
{
    if (!error_is(err, ERROR_NOT_FOUND) || !err->details)
        return management_client_explain(err);
    error_free(err);
    return error_new(ERROR_NOT_FOUND, "there is no %s %.*s in namespace %.*s", kind->name,
                     STR_ARG(key.name), STR_ARG(key.namespace));
}

/* The object is read first, so that nothing is written, and the answer is true, the second time. */
static struct error *change_object(struct client *client, const struct kind *kind, struct key key,
                                   bool is_pause)
{
    OWNED(object) object = NULL;
    const struct str patch = str_from_c(is_pause ? kind->pause : kind->resume);
    TRY(explain_missing(client_get(client, kind->gvr, key, NULL, &object), kind, key));
    const bool is_done = kind->is_paused(object) == is_pause;
    if (!is_done)
        TRY(explain_missing(
            client_patch(client, kind->gvr, key, CLIENT_PATCH_MERGE, patch, NULL, NULL), kind,
            key));
    printf("%s %.*s/%.*s %s%s\n", kind->word, STR_ARG(key.namespace), STR_ARG(key.name),
           !is_done   ? ""
           : is_pause ? "was already "
                      : "was not ",
           is_pause || is_done ? "paused" : "resumed");
    return NULL;
}

/* Stops at the first object that cannot be changed. */
static struct error *change_all(void *data)
{
    const struct settings *settings = data;
    SCOPED(management_client) management = {0};
    TRY(management_client_open(&management, &settings->globals));
    for (size_t i = 0; i < settings->subjects.count; i++) {
        struct key key = {.namespace = management.config.namespace};
        const struct kind *kind = read_subject(settings->subjects.items[i], &key.name);
        TRY(change_object(management.client, kind, key, settings->is_pause), "%s",
            settings->is_pause ? "pause" : "resume");
    }
    return NULL;
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"", FLAG_LIST, AT(subjects), FLAG_OBJECT},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

/* Every subject is checked before the first request. */
static int parse_and_run(struct settings *settings, const struct command *command, int argc,
                         char **argv)
{
    struct str name;
    if (!flags_read(command, argc, argv, settings))
        return COMMAND_USAGE;
    if (!settings->subjects.count)
        return command_misused(command, "give set/NAME or cluster/NAME");
    for (size_t i = 0; i < settings->subjects.count; i++)
        if (!read_subject(settings->subjects.items[i], &name))
            return command_misused(command, "'%s' is neither set/NAME nor cluster/NAME",
                                   settings->subjects.items[i]);
    const int misused = global_flags_use(&settings->globals, command);
    return misused ? misused : command_run(change_all, settings);
}

static int run_pause(int argc, char **argv)
{
    struct settings settings = {.globals = GLOBAL_FLAGS_DEFAULT, .is_pause = true};
    const int code = parse_and_run(&settings, &command_pause, argc, argv);
    flag_list_done(&settings.subjects);
    return code;
}

static int run_resume(int argc, char **argv)
{
    struct settings settings = {.globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, &command_resume, argc, argv);
    flag_list_done(&settings.subjects);
    return code;
}

const struct command command_pause = {
    .name = "pause",
    .summary = "stop work on a set or a cluster for a while",
    .help =
        "Pauses sets and clusters, as Cluster API does. While a set is paused, nothing of it is\n"
        "applied or removed; while a cluster is paused, no set applies anything new there. What is\n"
        "in the clusters stays. A set gets the annotation cluster.x-k8s.io/paused, a Cluster\n"
        "spec.paused, at which Cluster API's controllers stop working on it, too.\n\n"
        "Usage: corset pause set/NAME|cluster/NAME... [FLAGS]\n\n" GLOBAL_FLAGS_HELP "\n"
        "Try it:\n"
        "  corset pause set/cni cluster/vc-0001\n"
        "  corset resume set/cni cluster/vc-0001\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_pause,
};

const struct command command_resume = {
    .name = "resume",
    .summary = "go on with a paused set or cluster",
    .help = "Takes back what 'corset pause' did. Changes made meanwhile are applied now.\n\n"
            "Usage: corset resume set/NAME|cluster/NAME... [FLAGS]\n\n" GLOBAL_FLAGS_HELP "\n"
            "Try it:\n"
            "  corset resume set/cni cluster/vc-0001\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_resume,
};
