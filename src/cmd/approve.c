/*
 * corset approve: agrees to what waits for a person. It shows exactly what it agrees to, asks, and
 * adds the tokens to the annotation corset.dev/approve of the set.
 *
 * The token of a wave is that of the revision in the annotation corset.dev/rollout. Those of what
 * prune holds back are read from the records of the bindings, which say what is held and why in the
 * words of the controllers. A token is good for one occasion: what changes after it was shown needs
 * another one.
 */
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "base/array.h"
#include "clusterresourceset/types/approval.h"
#include "cmd/approve_prune.h"
#include "cmd/approve_wave.h"
#include "cmd/management_client.h"

#define ANSWER_MAX 16

struct settings {
    struct flag_list names;
    bool prune;
    const char *wave; /* NULL: none was given */
    bool yes;
    struct global_flags globals;

    /* What was found. */
    struct arena arena;
    struct key set;
    struct approve_tokens tokens; /* none: nothing waits */
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

/* Called for each binding of the namespace. */
static struct error *note_binding(void *data, struct object *binding)
{
    struct settings *settings = data;
    approve_prune_add(binding, settings->set.name, &settings->arena, &settings->tokens,
                      &settings->shown);
    return NULL;
}

static void restart_list(void *data)
{
    struct settings *settings = data;
    settings->tokens.count = 0;
    buf_clear(&settings->shown);
}

static struct error *find_prune(struct settings *settings, struct client *client)
{
    SCOPED(buf) version = {.limit = 0};
    const struct client_list_sink sink = {note_binding, restart_list, settings};
    return management_client_explain(client_list_each(
        client, GVR_CLUSTER_RESOURCE_SET_BINDINGS, settings->set.namespace, NULL, &sink, &version));
}

static void find_wave(struct settings *settings, const struct object *set)
{
    struct approve_tokens *tokens = &settings->tokens;
    struct str token;
    if (approve_wave_find(set, str_from_c(settings->wave), &settings->arena, &token,
                          &settings->shown))
        ARENA_ARRAY_PUSH(&settings->arena, tokens->items, tokens->count, tokens->capacity, token);
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
    if (settings->prune)
        return find_prune(settings, management.client);
    find_wave(settings, set);
    return NULL;
}

/* The annotation as it is, with the tokens that it lacks behind it. */
static void write_tokens(const struct settings *settings, const struct object *set, struct buf *out)
{
    const struct approve_tokens *tokens = &settings->tokens;
    struct str now = {0};
    if (object_find_annotation(set, STR(APPROVAL_ANNOTATION), &now))
        buf_add(out, now);
    for (size_t i = 0; i < tokens->count; i++)
        if (!approval_has(now, tokens->items[i]))
            buf_print(out, "%s%.*s", out->len ? "," : "", STR_ARG(tokens->items[i]));
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
    buf_add(&patch, STR(",\"annotations\":{\"" APPROVAL_ANNOTATION "\":"));
    buf_add_json_string(&patch, buf_str(&tokens));
    buf_add(&patch, STR("}}}"));
    TRY(client_patch(management.client, GVR_CLUSTER_RESOURCE_SETS, settings->set,
                     CLIENT_PATCH_MERGE, buf_str(&patch), NULL, NULL));
    printf("approved\n");
    return NULL;
}

/* Anything but yes is no. */
static bool is_agreed(const struct settings *settings)
{
    char answer[ANSWER_MAX];
    printf("%s [y/N] ", settings->prune ? "Delete this?" : "Begin this wave?");
    fflush(stdout);
    if (!fgets(answer, sizeof(answer), stdin))
        return false;
    const struct str text = str_trim(str_from_c(answer));
    return str_eq(text, STR("y")) || str_eq(text, STR("yes"));
}

/* That nothing is held is good. That a wave, which has a name, does not wait says why. */
static int tell_nothing(struct settings *settings)
{
    const struct key set = settings->set;
    if (settings->prune) {
        printf("nothing of ClusterResourceSet %.*s/%.*s waits for an approval\n",
               STR_ARG(set.namespace), STR_ARG(set.name));
        return COMMAND_DONE;
    }
    printf("nothing of ClusterResourceSet %.*s/%.*s waits for this approval: %s",
           STR_ARG(set.namespace), STR_ARG(set.name), buf_c(&settings->shown));
    return COMMAND_NO;
}

static int show_and_approve(struct settings *settings)
{
    const struct key set = settings->set;
    if (!settings->tokens.count)
        return tell_nothing(settings);
    printf("ClusterResourceSet %.*s/%.*s\n%s", STR_ARG(set.namespace), STR_ARG(set.name),
           buf_c(&settings->shown));
    if (!settings->yes && !is_agreed(settings)) {
        printf("not approved\n");
        return COMMAND_NO;
    }
    return command_run(approve_shown, settings);
}

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"prune", FLAG_BOOL, AT(prune), FLAG_ANY},
    {"wave",  FLAG_TEXT, AT(wave),  FLAG_ANY},
    {"yes",   FLAG_BOOL, AT(yes),   FLAG_ANY},
    {"",      FLAG_LIST, AT(names), FLAG_SET},
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
    if (settings->prune == (settings->wave != NULL))
        return command_misused(&command_approve, "say what to approve: --prune or --wave NAME");
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
        "Agrees to what waits for a person. With --prune: objects that a DeliveryPolicy would delete\n"
        "in clusters, but more of them, or on more clusters, than it allows at once. With --wave: a\n"
        "wave of a rollout whose DeliveryPolicy says approval. Shows exactly what would be deleted or\n"
        "begin, and asks. The approval is good for this occasion and no other: it is a token in the\n"
        "annotation corset.dev/approve of the set. Exits 1 if it was not approved, or if the wave\n"
        "does not wait.\n\n"
        "Usage: corset approve SET (--prune | --wave NAME) [FLAGS]\n\n"
        "  --prune      agree to the deletion of what is no longer wanted\n"
        "  --wave NAME  agree to the beginning of this wave\n"
        "  --yes        do not ask\n\n" GLOBAL_FLAGS_HELP "\n"
        "Try it:\n"
        "  corset approve cni --prune\n"
        "  corset approve cni --wave production\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_approve,
};
