/*
 * corset approve: agrees to what waits for a person. It shows exactly what it agrees to, asks, and
 * adds the token to the annotation corset.dev/approve of the set.
 *
 * A token is good for one occasion: a wave of another revision needs another one.
 */
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "clusterresourceset/rollout.h"
#include "cmd/approve_wave.h"
#include "cmd/management_client.h"

#define ANSWER_MAX 16

struct settings {
    struct flag_list names;
    const char *wave; /* NULL: none was given */
    bool yes;
    struct global_flags globals;

    /* What was found. */
    struct arena arena;
    struct key set;
    struct str token; /* empty: nothing waits */
    struct buf shown;
};

static void settings_done(struct settings *settings)
{
    flag_list_done(&settings->names);
    buf_done(&settings->shown);
    arena_done(&settings->arena);
}

static struct error *read_set(const struct settings *settings, struct client *client,
                              struct object **ret_set)
{
    struct error *err = client_get(client, GVR_CLUSTER_RESOURCE_SETS, settings->set, NULL, ret_set);
    if (!error_is(err, ERROR_NOT_FOUND) || !err->details)
        return management_client_explain(err);
    error_free(err);
    return error_new(ERROR_NOT_FOUND, "there is no ClusterResourceSet %.*s in namespace %.*s",
                     STR_ARG(settings->set.name), STR_ARG(settings->set.namespace));
}

static struct error *find_held(void *data)
{
    struct settings *settings = data;
    SCOPED(management_client) management = {0};
    OWNED(object) set = NULL;
    TRY(management_client_open(&management, &settings->globals));
    settings->set = (struct key){arena_str(&settings->arena, management.config.namespace),
                                 str_from_c(settings->names.items[0])};
    TRY(read_set(settings, management.client, &set));
    approve_wave_find(set, str_from_c(settings->wave), &settings->arena, &settings->token,
                      &settings->shown);
    return NULL;
}

/* The annotation as it is, with the token behind it. */
static void write_tokens(const struct settings *settings, const struct object *set, struct buf *out)
{
    struct str now = {0};
    object_find_annotation(set, STR(ROLLOUT_APPROVE_ANNOTATION), &now);
    buf_print(out, "%.*s%s%.*s", STR_ARG(now), now.len ? "," : "", STR_ARG(settings->token));
}

/* The patch names the version that was read: what another person agreed to meanwhile stays. */
static struct error *approve_shown(void *data)
{
    const struct settings *settings = data;
    SCOPED(management_client) management = {0};
    SCOPED(buf) tokens = {.limit = 0};
    SCOPED(buf) patch = {.limit = 0};
    OWNED(object) set = NULL;
    TRY(management_client_open(&management, &settings->globals));
    TRY(read_set(settings, management.client, &set));
    write_tokens(settings, set, &tokens);
    buf_add(&patch, STR("{\"metadata\":{\"resourceVersion\":"));
    buf_add_json_string(&patch, object_resource_version(set));
    buf_add(&patch, STR(",\"annotations\":{\"" ROLLOUT_APPROVE_ANNOTATION "\":"));
    buf_add_json_string(&patch, buf_str(&tokens));
    buf_add(&patch, STR("}}}"));
    TRY(client_patch(management.client, GVR_CLUSTER_RESOURCE_SETS, settings->set,
                     CLIENT_PATCH_MERGE, buf_str(&patch), NULL, NULL));
    printf("approved\n");
    return NULL;
}

/* Anything but yes is no. */
static bool is_agreed(void)
{
    char answer[ANSWER_MAX];
    printf("Begin this wave? [y/N] ");
    fflush(stdout);
    if (!fgets(answer, sizeof(answer), stdin))
        return false;
    const struct str text = str_trim(str_from_c(answer));
    return str_eq(text, STR("y")) || str_eq(text, STR("yes"));
}

static int show_and_approve(struct settings *settings)
{
    const struct key set = settings->set;
    if (!settings->token.len) {
        printf("nothing of ClusterResourceSet %.*s/%.*s waits for this approval: %s",
               STR_ARG(set.namespace), STR_ARG(set.name), buf_c(&settings->shown));
        return COMMAND_NO;
    }
    printf("ClusterResourceSet %.*s/%.*s\n%s", STR_ARG(set.namespace), STR_ARG(set.name),
           buf_c(&settings->shown));
    if (!settings->yes && !is_agreed()) {
        printf("not approved\n");
        return COMMAND_NO;
    }
    return command_run(approve_shown, settings);
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"wave", FLAG_TEXT, AT(wave),  FLAG_ANY},
    {"yes",  FLAG_BOOL, AT(yes),   FLAG_ANY},
    {"",     FLAG_LIST, AT(names), FLAG_SET},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    if (!flags_read(&command_approve, argc, argv, settings))
        return COMMAND_USAGE;
    if (settings->names.count != 1)
        return command_misused(&command_approve, "give the name of one set");
    if (!settings->wave)
        return command_misused(&command_approve, "say what to approve: --wave NAME");
    const int misused = global_flags_use(&settings->globals, &command_approve);
    if (misused)
        return misused;
    const int code = command_run(find_held, settings);
    return code ? code : show_and_approve(settings);
}

static int run_approve(int argc, char **argv)
{
    struct settings settings = {.globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    settings_done(&settings);
    return code;
}

const struct command command_approve = {
    .name = "approve",
    .summary = "agree to what a set holds back",
    .help =
        "Agrees to what waits for a person. With --wave: a wave of a rollout whose DeliveryPolicy\n"
        "says approval. Shows what would begin and asks. The approval is good for this revision and\n"
        "no other: it is a token in the annotation corset.dev/approve of the set. Exits 1 if nothing\n"
        "waits, or if it was not approved.\n\n"
        "Usage: corset approve SET --wave NAME [FLAGS]\n\n"
        "  --wave NAME  agree to the beginning of this wave\n"
        "  --yes        do not ask\n\n" GLOBAL_FLAGS_HELP "\n"
        "Try it:\n"
        "  corset approve cni --wave production\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_approve,
};
