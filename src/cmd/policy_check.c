/*
 * corset policy check: says offline what a server, and the controllers, would refuse of the
 * DeliveryPolicies in files.
 */
#include <stdio.h>

#include "base/buf.h"
#include "clusterresourceset/types/delivery_policy.h"
#include "clusterresourceset/types/policy_schema.h"
#include "cmd/command.h"
#include "cmd/global_flags.h"
#include "cmd/manifest_files.h"
#include "cmd/object_name.h"
#include "cmd/terminal.h"
#include "json/yaml/manifest.h"

/* What has been found so far. */
struct policy_check {
    struct policy_schema *schema;
    size_t policies;
    bool has_failed;
};

/* A line of standard error: "corset: DeliveryPolicy fleet/careful: spec.drift: …". */
static void print_about(const struct object *policy, const char *sort, struct str text)
{
    SCOPED(buf) line = {.limit = 0};
    buf_print(&line, "corset: %s", sort);
    object_name_add_resource(&line, policy);
    buf_add(&line, STR(": "));
    terminal_add_shown(&line, text);
    fprintf(stderr, "%s\n", buf_c(&line));
}

/* A server drops unknown fields, and kubectl refuses them. */
static struct error *check_fields(struct policy_check *check, const struct object *policy,
                                  struct field_errors *errors)
{
    struct schema_unknown unknown = {.arena = errors->arena};
    OWNED(json_doc) filled = NULL;
    TRY(policy_schema_check(check->schema, object_root(policy), &unknown, errors, &filled));
    for (size_t i = 0; i < unknown.count; i++)
        print_about(
            policy, "",
            arena_print(errors->arena, "unknown field \"%.*s\"", STR_ARG(unknown.paths[i])));
    for (size_t i = 0; i < errors->count; i++)
        print_about(policy, "",
                    arena_print(errors->arena, "%.*s: %.*s", STR_ARG(errors->items[i].field),
                                STR_ARG(errors->items[i].body)));
    check->has_failed |= unknown.count || errors->count;
    return NULL;
}

static struct error *check_policy(struct policy_check *check, struct json_doc *doc)
{
    SCOPED(arena) arena = {0};
    struct field_errors errors = {.arena = &arena};
    OWNED(object) object = NULL;
    TRY(object_from_doc(doc, &object));
    if (!str_eq(object_kind(object), STR(DELIVERY_POLICY_KIND)))
        return NULL;
    check->policies++;
    return check_fields(check, object, &errors);
}

static struct error *check_text(void *data, struct str text, const char *name)
{
    SCOPED(manifest_list) list = {0};
    (void)name;
    TRY(manifest_read_stream(text, NULL, &list, NULL));
    for (size_t i = 0; i < list.count; i++)
        TRY(check_policy(data, list.docs[i]), "document %zu", i + 1);
    return NULL;
}

static int check_files(const struct flag_list *files)
{
    OWNED(policy_schema) schema = policy_schema_new();
    struct policy_check check = {.schema = schema};
    const struct manifest_reader reader = {check_text, &check};
    struct error *err = NULL;
    for (size_t i = 0; i < files->count && !err; i++)
        err = manifest_files_read(files->items[i], &reader);
    if (!err && !check.policies)
        err = error_new(ERROR_INVALID, "there is no DeliveryPolicy in what was given");
    if (err)
        return command_fail(err);
    return check.has_failed ? COMMAND_NO : COMMAND_DONE;
}

struct settings {
    struct flag_list files;
    struct global_flags globals;
};

#define AT(member) offsetof(struct settings, member)

static const struct flag flags[] = {
    {"filename|f", FLAG_LIST, AT(files), FLAG_FILE},
    {"",           FLAG_LIST, AT(files), FLAG_FILE},
};

static const struct flag_group groups[] = {
    FLAGS_GROUP(flags, 0),
    GLOBAL_FLAGS_GROUP(struct settings),
};

/* Files may be given with -f or as plain arguments. */
static int parse_and_run(struct settings *settings, int argc, char **argv)
{
    if (!flags_read(&command_policy_check, argc, argv, settings))
        return COMMAND_USAGE;
    if (settings->files.count == 0)
        return command_misused(&command_policy_check,
                               "give files with -f, or - for standard input");
    const int misused = global_flags_use(&settings->globals, &command_policy_check);
    return misused ? misused : check_files(&settings->files);
}

static int run_policy_check(int argc, char **argv)
{
    struct settings settings = {.globals = GLOBAL_FLAGS_DEFAULT};
    const int code = parse_and_run(&settings, argc, argv);
    flag_list_done(&settings.files);
    return code;
}

const struct command command_policy_check = {
    .name = "policy check",
    .summary = "say what is wrong with the policies in files",
    .help =
        "Says what is wrong with the DeliveryPolicies in files, as the API server would say it.\n"
        "Nothing is contacted. Objects of other kinds are passed over.\n\n"
        "Usage: corset policy check -f FILE [-f FILE ...]\n\n"
        "  -f, --filename FILE  manifests, YAML or JSON; a folder stands for its .yaml, .yml and\n"
        "                       .json files, - for standard input\n\n"
        "Prints nothing and exits with 0 when all policies are valid, and with 1 when one is not;\n"
        "standard error says why.\n\n"
        "Try it:\n"
        "  corset policy check -f policies/\n"
        "  kubectl get deliverypolicy careful -o yaml | corset policy check -f -\n",
    .groups = groups,
    .group_count = COUNT(groups),
    .run = run_policy_check,
};
