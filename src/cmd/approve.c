/*
 * corset approve: agrees to what waits for a person. It shows exactly what it agrees to, asks, and
 * adds the tokens to the annotation corset.dev/approve of the set.
 *
 * The tokens are read from the records of the bindings, which say what is held and why in the words
 * of the controllers. A token is good for one occasion: what changes after it was shown needs
 * another one.
 */
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "base/array.h"
#include "clusterresourceset/prune_token.h"
#include "clusterresourceset/types/delivery.h"
#include "cmd/management_client.h"
#include "cmd/terminal.h"

#define ANSWER_MAX 16

struct settings {
    struct flag_list names;
    bool prune;
    bool yes;
    struct global_flags globals;

    /* What was found. */
    struct arena arena;
    struct key set;
    struct str *tokens; /* each once */
    size_t count, capacity;
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

static void add_token(struct settings *settings, struct str token)
{
    for (size_t i = 0; i < settings->count; i++)
        if (str_eq(settings->tokens[i], token))
            return;
    ARENA_ARRAY_PUSH(&settings->arena, settings->tokens, settings->count, settings->capacity,
                     token);
}

/* Called for each binding of the namespace. */
static struct error *note_binding(void *data, struct object *binding)
{
    struct settings *settings = data;
    struct delivery_prune prune;
    if (!delivery_find_prune(binding, settings->set.name, &settings->arena, &prune) ||
        prune.state != DELIVERY_PRUNE_HELD ||
        !str_starts_with(prune.token, STR(PRUNE_TOKEN_PREFIX)))
        return NULL;
    add_token(settings, prune.token);
    buf_add(&settings->shown, STR("  "));
    terminal_add_shown(&settings->shown, object_name(binding));
    buf_add(&settings->shown, STR(": "));
    terminal_add_shown(&settings->shown, prune.message);
    buf_add_char(&settings->shown, '\n');
    return NULL;
}

static void restart_list(void *data)
{
    struct settings *settings = data;
    settings->count = 0;
    buf_clear(&settings->shown);
}

static struct error *find_held(void *data)
{
    struct settings *settings = data;
    SCOPED(management_client) management = {0};
    SCOPED(buf) version = {.limit = 0};
    OWNED(object) set = NULL;
    const struct client_list_sink sink = {note_binding, restart_list, settings};
    TRY(management_client_open(&management, &settings->globals));
    settings->set = (struct key){arena_str(&settings->arena, management.config.namespace),
                                 str_from_c(settings->names.items[0])};
    TRY(read_set(settings, management.client, &set));
    TRY(management_client_explain(
        client_list_each(management.client, GVR_CLUSTER_RESOURCE_SET_BINDINGS,
                         settings->set.namespace, NULL, &sink, &version)));
    return NULL;
}

/* The annotation as it is, with the tokens that it lacks behind it. */
static void write_tokens(const struct settings *settings, const struct object *set, struct buf *out)
{
    struct str now = {0};
    if (object_find_annotation(set, STR(PRUNE_APPROVE_ANNOTATION), &now))
        buf_add(out, now);
    for (size_t i = 0; i < settings->count; i++)
        if (!prune_token_is_approved(set, settings->tokens[i]))
            buf_print(out, "%s%.*s", out->len ? "," : "", STR_ARG(settings->tokens[i]));
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
    buf_add(&patch, STR(",\"annotations\":{\"" PRUNE_APPROVE_ANNOTATION "\":"));
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
    printf("Delete this? [y/N] ");
    fflush(stdout);
    if (!fgets(answer, sizeof(answer), stdin))
        return false;
    const struct str text = str_trim(str_from_c(answer));
    return str_eq(text, STR("y")) || str_eq(text, STR("yes"));
}

static int show_and_approve(struct settings *settings)
{
    const struct key set = settings->set;
    if (!settings->count) {
        printf("nothing of ClusterResourceSet %.*s/%.*s waits for an approval\n",
               STR_ARG(set.namespace), STR_ARG(set.name));
        return COMMAND_DONE;
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
    {"prune", FLAG_BOOL, AT(prune), FLAG_ANY},
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
    if (!settings->prune)
        return command_misused(&command_approve, "say what to approve: --prune");
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
        "in clusters, but more of them, or on more clusters, than it allows at once. Shows exactly\n"
        "what would be deleted and asks. The approval is good for this occasion and no other: it is\n"
        "a token in the annotation corset.dev/approve of the set. Exits 1 if it was not approved.\n\n"
        "Usage: corset approve SET --prune [FLAGS]\n\n"
        "  --prune  agree to the deletion of what is no longer wanted\n"
        "  --yes    do not ask\n\n" GLOBAL_FLAGS_HELP "\n"
        "Try it:\n"
        "  corset approve cni --prune\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_approve,
};
