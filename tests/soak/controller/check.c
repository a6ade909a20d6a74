/* Whether the server has what the Webs say. */
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/json.h"
#include "json/path.h"
#include "soak/controller/soak.h"

#define TEXT_MAX 256

enum child { CONFIG, SERVER, SERVICE, CHILDREN };

/* A Web and all that belongs to it, as stored. */
struct family {
    size_t number;
    struct json_doc *web, *children[CHILDREN], *shared;
};

static void family_done(struct family *family)
{
    json_doc_free(family->web);
    json_doc_free(family->shared);
    for (size_t i = 0; i < CHILDREN; i++)
        json_doc_free(family->children[i]);
}

static struct json_doc *find_child(struct soak *soak, size_t number, size_t which)
{
    static const char *const suffixes[CHILDREN] = {"config", "server", ""};
    const struct gvr gvrs[CHILDREN] = {GVR_CONFIG_MAPS, GVR("apps", "v1", "deployments"),
                                       GVR_SERVICES};
    char name[TEXT_MAX];
    snprintf(name, sizeof(name), "w%zu-web%s%s", number, *suffixes[which] ? "-" : "",
             suffixes[which]);
    return front_find(&soak->front, gvrs[which], KEY_DEFAULT(name));
}

static void family_read(struct soak *soak, size_t number, struct family *family)
{
    char name[TEXT_MAX];
    *family = (struct family){.number = number};
    snprintf(name, sizeof(name), "w%zu", number);
    family->web = front_find(&soak->front, GVR(WEB_GROUP, "v1", "webs"), KEY_DEFAULT(name));
    family->shared = front_find(&soak->front, GVR_SECRETS, KEY_DEFAULT(WEB_SHARED));
    for (size_t i = 0; i < CHILDREN; i++)
        family->children[i] = find_child(soak, number, i);
}

static struct str text_at(const struct json_doc *doc, const char *path)
{
    return json_path_str(json_doc_root(doc), path);
}

static int64_t number_at(const struct json_doc *doc, const char *path)
{
    int64_t number;
    return json_to_int64(json_path(json_doc_root(doc), path), &number) ? number : -1;
}

static struct error *same(const struct family *family, const char *what, struct str seen,
                          struct str expected)
{
    if (str_eq(seen, expected))
        return NULL;
    return error_new(ERROR_INVALID, "w%zu: %s is \"%.*s\" instead of \"%.*s\"", family->number,
                     what, STR_ARG(seen), STR_ARG(expected));
}

static struct error *same_number(const struct family *family, const char *what, int64_t seen,
                                 int64_t expected)
{
    if (seen == expected)
        return NULL;
    return error_new(ERROR_INVALID, "w%zu: %s is %lld instead of %lld", family->number, what,
                     (long long)seen, (long long)expected);
}

static struct str condition(const struct json_doc *web, const char *type)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, json_path(json_doc_root(web), "status.conditions"))
        if (str_eq(json_path_str(value, "type"), str_from_c(type)))
            return json_path_str(value, "status");
    return STR("(none)");
}

/* What an object says it was made of. */
static struct str marker(const struct json_doc *doc, const char *kind, struct str name)
{
    char key[TEXT_MAX];
    snprintf(key, sizeof(key), "default.%s.checksum.corset.dev/%.*s", kind, STR_ARG(name));
    return json_to_str(
        json_get(json_path(json_doc_root(doc), "metadata.annotations"), str_from_c(key)));
}

static struct error *check_child(const struct family *family, size_t which)
{
    static const char *const names[CHILDREN] = {"config", "server", "service"};
    char generation[TEXT_MAX];
    const struct json_doc *child = family->children[which];
    if (!child)
        return error_new(ERROR_INVALID, "w%zu has no %s", family->number, names[which]);
    snprintf(generation, sizeof(generation), "%lld",
             (long long)number_at(family->web, "metadata.generation"));
    TRY(same(family, "owner of a child", text_at(child, "metadata.ownerReferences.0.uid"),
             text_at(family->web, "metadata.uid")));
    return same(family, "generation a child was made of",
                marker(child, "web", text_at(family->web, "metadata.name")),
                str_from_c(generation));
}

static struct error *check_contents(const struct family *family)
{
    const struct json_doc *web = family->web, *config = family->children[CONFIG],
                          *server = family->children[SERVER], *service = family->children[SERVICE];
    TRY(same(family, "message", text_at(config, "data.message"), text_at(web, "spec.message")));
    TRY(same_number(family, "replicas", number_at(server, "spec.replicas"),
                    number_at(web, "spec.replicas")));
    TRY(same_number(family, "port", number_at(service, "spec.ports.0.port"),
                    number_at(web, "spec.port")));
    TRY(same(family, "config a server was made of",
             marker(server, "configmap", text_at(config, "metadata.name")),
             text_at(config, "metadata.resourceVersion")));
    return same(family, "input a server was made of", marker(server, "secret", STR(WEB_SHARED)),
                text_at(family->shared, "metadata.resourceVersion"));
}

static struct error *check_status(const struct family *family)
{
    TRY(same_number(family, "observedGeneration",
                    number_at(family->web, "status.observedGeneration"),
                    number_at(family->web, "metadata.generation")));
    TRY(same(family, "InProgress", condition(family->web, "InProgress"), STR("False")));
    return same(family, "Failed", condition(family->web, "Failed"), STR("False"));
}

static struct error *check_present(const struct family *family)
{
    if (!family->web || !family->shared)
        return error_new(ERROR_INVALID, "w%zu or its input is missing", family->number);
    for (size_t i = 0; i < CHILDREN; i++)
        TRY(check_child(family, i));
    TRY(check_contents(family));
    return check_status(family);
}

static struct error *check_absent(const struct family *family)
{
    for (size_t i = 0; i < CHILDREN; i++)
        if (family->children[i])
            return error_new(ERROR_INVALID, "w%zu is gone and has children", family->number);
    return family->web ? error_new(ERROR_INVALID, "w%zu is there", family->number) : NULL;
}

struct error *soak_check(struct soak *soak)
{
    for (size_t i = 0; i < WEB_NAMES; i++) {
        SCOPED(family) family;
        family_read(soak, i, &family);
        TRY(i == WEB_NAMES - 1 ? check_absent(&family) : check_present(&family));
    }
    return NULL;
}

/* What differs from run to run: addresses that were drawn, and versions of what it was made of. */
static struct json_doc *without_drawn(const struct json_doc *doc)
{
    SCOPED(json_edit) edit = {0};
    struct json_doc *plain;
    json_edit_init(&edit, json_doc_root(doc));
    json_edit_remove(&edit, JSON_PLACE("spec.clusterIP"));
    json_edit_remove(&edit, JSON_PLACE("spec.clusterIPs"));
    json_edit_remove(&edit, JSON_PLACE("spec.template.metadata.annotations"));
    CHECK_OK(json_edit_finish(&edit, &plain));
    return plain;
}

static void write_member(struct buf *out, const struct json_doc *doc)
{
    static const char *const parts[] = {"metadata.name", "metadata.labels", "spec", "data"};
    OWNED(json_doc) plain = without_drawn(doc);
    for (size_t i = 0; i < COUNT(parts); i++) {
        const struct json_value *value = json_path(json_doc_root(plain), parts[i]);
        if (!value)
            continue;
        buf_print(out, "%s ", parts[i]);
        json_write_canonical(out, value);
        buf_add_char(out, '\n');
    }
}

void soak_write_state(struct soak *soak, struct buf *out)
{
    for (size_t i = 0; i < WEB_NAMES; i++) {
        SCOPED(family) family;
        family_read(soak, i, &family);
        const struct json_doc *members[] = {family.web, family.children[CONFIG],
                                            family.children[SERVER], family.children[SERVICE]};
        for (size_t j = 0; j < COUNT(members); j++)
            if (members[j])
                write_member(out, members[j]);
    }
}
