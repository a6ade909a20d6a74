/*
 * Reads the text of a kubeconfig (YAML or JSON) and merges its entries with those of earlier texts.
 *
 * The tables below name the fields of the three kinds of entries: clusters, users and contexts.
 * Each field is read on its own, so that a mistake in one does not hide a mistake in another.
 * Entries keep views of the document, which the arena of the kubeconfig holds and wipes.
 */
#include "base/buf.h"
#include "base/memory.h"
#include "base/quote.h"
#include "client/kubeconfig/kubeconfig_internal.h"
#include "json/path.h"
#include "json/yaml/manifest.h"

/* All fields are optional here. kubeconfig_check() knows which ones must be there. */
#define OPTIONAL        JSON_OPTIONAL
#define CLUSTER(member) offsetof(struct kubeconfig_cluster, member)
#define CONTEXT(member) offsetof(struct kubeconfig_context, member)
#define USER(member)    offsetof(struct kubeconfig_user, member)

static const struct json_field cluster_fields[] = {
    {"server",                     json_read_str,   CLUSTER(server),              OPTIONAL},
    {"tls-server-name",            json_read_str,   CLUSTER(tls_server_name),     OPTIONAL},
    {"proxy-url",                  json_read_str,   CLUSTER(proxy_url),           OPTIONAL},
    {"certificate-authority",      json_read_str,   CLUSTER(ca_file),             OPTIONAL},
    {"certificate-authority-data", json_read_str,   CLUSTER(ca_data),             OPTIONAL},
    {"insecure-skip-tls-verify",   json_read_bool,  CLUSTER(skip_verify),         OPTIONAL},
    {"disable-compression",        json_read_bool,  CLUSTER(disable_compression), OPTIONAL},
    {"extensions",                 json_read_array, CLUSTER(extensions),          OPTIONAL},
};

static const struct json_field context_fields[] = {
    {"cluster",   json_read_str, CONTEXT(cluster),   OPTIONAL},
    {"user",      json_read_str, CONTEXT(user),      OPTIONAL},
    {"namespace", json_read_str, CONTEXT(namespace), OPTIONAL},
};

/* An array of {name, value} into rest_exec's env and env_count. */
static struct error *read_env(struct arena *arena, const struct json_value *value, void *out)
{
    static const struct json_field fields[] = {
        {"name",  json_read_str, offsetof(struct rest_exec_env, name),  JSON_REQUIRED},
        {"value", json_read_str, offsetof(struct rest_exec_env, value), JSON_OPTIONAL},
    };
    struct rest_exec *exec = out;
    void *items = NULL;
    TRY(json_read_list(arena, value, fields, COUNT(fields), sizeof(struct rest_exec_env), &items,
                       &exec->env_count));
    exec->env = items;
    return NULL;
}

/* An object whose members are arrays of strings, into rest_impersonation's extra. */
static struct error *read_extra(struct arena *arena, const struct json_value *value, void *out)
{
    struct rest_impersonation *as = out;
    const struct json_value *member;
    TRY(json_read_object(arena, value, &member));
    struct rest_extra *items = arena_alloc_array(arena, json_count(value), sizeof(*items));
    size_t count = 0;
    JSON_FOREACH (key, member, value) {
        struct json_strings strings = {0};
        TRY(json_read_strings(arena, member, &strings), "%.*s", STR_ARG(key));
        items[count++] = (struct rest_extra){key, strings.items, strings.count};
    }
    as->extra = items;
    as->extra_count = count;
    return NULL;
}

static const struct json_field user_fields[] = {
    {"token",                   json_read_str,     USER(token),                       OPTIONAL},
    {"tokenFile",               json_read_str,     USER(token_file),                  OPTIONAL},
    {"username",                json_read_str,     USER(username),                    OPTIONAL},
    {"password",                json_read_str,     USER(password),                    OPTIONAL},
    {"client-certificate",      json_read_str,     USER(certificate_file),            OPTIONAL},
    {"client-certificate-data", json_read_str,     USER(certificate_data),            OPTIONAL},
    {"client-key",              json_read_str,     USER(key_file),                    OPTIONAL},
    {"client-key-data",         json_read_str,     USER(key_data),                    OPTIONAL},
    {"as",                      json_read_str,     USER(as.user),                     OPTIONAL},
    {"as-uid",                  json_read_str,     USER(as.uid),                      OPTIONAL},
    {"as-groups",               json_read_strings, USER(as_groups),                   OPTIONAL},
    {"as-user-extra",           read_extra,        USER(as),                          OPTIONAL},
    {"auth-provider",           json_read_object,  USER(auth_provider),               OPTIONAL},
    {"exec",                    json_read_object,  USER(exec),                        OPTIONAL},
    {"exec.command",            json_read_str,     USER(plugin.command),              OPTIONAL},
    {"exec.args",               json_read_strings, USER(exec_args),                   OPTIONAL},
    {"exec.env",                read_env,          USER(plugin),                      OPTIONAL},
    {"exec.apiVersion",         json_read_str,     USER(plugin.api_version),          OPTIONAL},
    {"exec.installHint",        json_read_str,     USER(plugin.install_hint),         OPTIONAL},
    {"exec.provideClusterInfo", json_read_bool,    USER(plugin.provide_cluster_info), OPTIONAL},
    {"exec.interactiveMode",    json_read_str,     USER(exec_mode),                   OPTIONAL},
};

/* The differences between clusters, users and contexts. */
struct entry_kind {
    const char *list, *body;
    size_t map; /* of struct kubeconfig */
    size_t size;
    const struct json_field *fields;
    size_t field_count;
};

#define KIND(list, body, fields)                                                                   \
    {                                                                                              \
#list, #body, offsetof(struct kubeconfig, list), sizeof(struct kubeconfig_##body), fields, \
            COUNT(fields)                                                                          \
    }

static const struct entry_kind kinds[] = {
    KIND(clusters, cluster, cluster_fields),
    KIND(users, user, user_fields),
    KIND(contexts, context, context_fields),
};

/* One text that is being added to a kubeconfig. The label is the path of its file. */
struct reading {
    struct kubeconfig *kubeconfig;
    struct str directory, label;
};

static void note_problem(const struct reading *reading, struct error *err)
{
    if (!str_is_empty(reading->label))
        err = error_wrap(err, "%.*s", STR_ARG(reading->label));
    problems_add(&reading->kubeconfig->problems, err);
}

/* Joins place and message without a colon: "users[…].user" and "token: …". */
static void note_field_problem(const struct reading *reading, struct str place, struct error *err)
{
    if (!err)
        return;
    note_problem(reading, error_new(err->code, "%.*s.%s", STR_ARG(place), err->message));
    error_free(err);
}

/* users["admin"].user, with the name quoted as Go does it. */
static struct str entry_place(struct arena *arena, const struct entry_kind *kind, struct str name)
{
    SCOPED(buf) quoted = {0};
    str_quote_go(&quoted, name);
    return arena_print(arena, "%s[%.*s].%s", kind->list, STR_ARG(buf_str(&quoted)), kind->body);
}

/* Reads each field on its own, so that all mistakes are reported. */
static void read_body(const struct reading *reading, const struct entry_kind *kind,
                      const struct json_value *body, struct kubeconfig_entry *entry)
{
    const enum json_type type = json_type(body);
    if (type == JSON_ABSENT || type == JSON_NULL)
        return;
    if (type != JSON_OBJECT) {
        note_problem(reading,
                     error_wrap(json_wrong_type(body, JSON_OBJECT), "%.*s", STR_ARG(entry->place)));
        return;
    }
    for (size_t i = 0; i < kind->field_count; i++)
        note_field_problem(
            reading, entry->place,
            json_read_fields(&reading->kubeconfig->arena, body, &kind->fields[i], 1, entry));
}

/* The entry of the first file wins. Two entries of a name in one file are a problem. */
static void keep_entry(const struct reading *reading, const struct entry_kind *kind,
                       struct kubeconfig_entry *entry)
{
    struct map *map = (struct map *)(void *)((char *)reading->kubeconfig + kind->map);
    const struct kubeconfig_entry *former = map_find(map, entry->name);
    if (!former)
        map_put(map, entry->name, entry);
    else if (former->file == entry->file)
        note_problem(reading, error_new(ERROR_INVALID, "%.*s: given twice", STR_ARG(entry->place)));
}

/* An entry without a valid name is skipped, because later messages could not refer to it. */
static void read_entry(const struct reading *reading, const struct entry_kind *kind,
                       const struct json_value *element, size_t index)
{
    static const struct json_field name[] = {
        {"name", json_read_str, offsetof(struct kubeconfig_entry, name), JSON_OPTIONAL},
    };
    struct kubeconfig *kubeconfig = reading->kubeconfig;
    struct kubeconfig_entry *entry = arena_alloc(&kubeconfig->arena, kind->size);
    struct error *err = json_read_fields(&kubeconfig->arena, element, name, 1, entry);
    if (err) {
        note_problem(reading, error_wrap(err, "%s[%zu]", kind->list, index));
        return;
    }
    entry->place = entry_place(&kubeconfig->arena, kind, entry->name);
    entry->directory = reading->directory;
    entry->file = kubeconfig->files;
    read_body(reading, kind, json_path(element, kind->body), entry);
    keep_entry(reading, kind, entry);
}

/* An absent or null list is empty, as for kubectl. */
static void read_entries(const struct reading *reading, const struct entry_kind *kind,
                         const struct json_value *root)
{
    const struct json_value *list = json_path(root, kind->list), *element;
    const enum json_type type = json_type(list);
    if (type == JSON_ABSENT || type == JSON_NULL)
        return;
    if (type != JSON_ARRAY)
        note_problem(reading, error_wrap(json_wrong_type(list, JSON_ARRAY), "%s", kind->list));
    size_t index = 0;
    if (type == JSON_ARRAY)
        JSON_FOREACH (key, element, list) {
            (void)key;
            read_entry(reading, kind, element, index++);
        }
}

/* kind and apiVersion may be missing, but must not have another value. */
static void check_header(const struct reading *reading, const struct json_value *root,
                         const char *field, struct str expected)
{
    const struct json_value *value = json_path(root, field);
    const enum json_type type = json_type(value);
    if (type == JSON_ABSENT || type == JSON_NULL || str_eq(json_to_str(value), expected))
        return;
    note_problem(reading,
                 error_new(ERROR_INVALID, "%s: expected \"%.*s\"", field, STR_ARG(expected)));
}

/* The current-context of the first text that has one wins, as entries do. */
static void read_root(const struct reading *reading, const struct json_value *root)
{
    static const struct json_field current[] = {
        {"current-context", json_read_str, 0, JSON_OPTIONAL},
    };
    if (json_type(root) == JSON_NULL)
        return; /* an empty file */
    if (json_type(root) != JSON_OBJECT) {
        note_problem(reading, json_wrong_type(root, JSON_OBJECT));
        return;
    }
    check_header(reading, root, "kind", STR("Config"));
    check_header(reading, root, "apiVersion", STR("v1"));
    struct str context = {0};
    note_problem(reading,
                 json_read_fields(&reading->kubeconfig->arena, root, current, 1, &context));
    if (str_is_empty(reading->kubeconfig->current_context))
        reading->kubeconfig->current_context = context;
    for (size_t i = 0; i < COUNT(kinds); i++)
        read_entries(reading, &kinds[i], root);
}

/* Wipes the secrets of a document before it is freed, as documents do not know their secrets. */
static void release_document(void *data)
{
    static const char *const secrets[] = {"user.token", "user.password", "user.client-key-data"};
    struct json_doc *doc = data;
    const struct json_value *user;
    JSON_FOREACH (key, user, json_path(json_doc_root(doc), "users")) {
        (void)key;
        for (size_t i = 0; i < COUNT(secrets); i++) {
            const struct str secret = json_path_str(user, secrets[i]);
            mem_wipe((char *)(uintptr_t)secret.ptr, secret.len);
        }
    }
    json_doc_free(doc);
}

/* manifest_read_one() reads YAML and JSON. A text with several documents is an error. */
void kubeconfig_add(struct kubeconfig *kubeconfig, struct str text, struct str directory,
                    struct str label)
{
    const struct reading reading = {kubeconfig, arena_str(&kubeconfig->arena, directory), label};
    struct json_doc *doc = NULL;
    kubeconfig->files++;
    struct error *err = manifest_read_one(text, NULL, &doc, NULL);
    if (err) {
        note_problem(&reading, err);
        return;
    }
    arena_hold(&kubeconfig->arena, release_document, doc);
    read_root(&reading, json_doc_root(doc));
}

/* Entries and documents live in the arena; the maps only point to them. */
void kubeconfig_done(struct kubeconfig *kubeconfig)
{
    map_done(&kubeconfig->clusters);
    map_done(&kubeconfig->users);
    map_done(&kubeconfig->contexts);
    problems_done(&kubeconfig->problems);
    arena_done(&kubeconfig->arena);
}
