#include "scenarios/clusterresourceset/account.h"

#include "json/edit.h"
#include "json/json.h"
#include "json/path.h"
#include "json/yaml/manifest.h"
#include "testing/test.h"

#define FOLDER "../../../deploy/kustomize/base/"
#define ROLES  2

static const char *const files[] = {
    FOLDER "namespace.yaml",
    FOLDER "service_account.yaml",
    [ROLES] = FOLDER "role.yaml",
    FOLDER "role_binding.yaml",
};

static const struct {
    const char *kind, *target;
} places[] = {
    {"Namespace",          "/api/v1/namespaces"                                                       },
    {"ServiceAccount",     "/api/v1/namespaces/" ACCOUNT_NAMESPACE "/serviceaccounts"                 },
    {"ClusterRole",        "/apis/rbac.authorization.k8s.io/v1/clusterroles"                          },
    {"ClusterRoleBinding", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"                   },
    {"Role",               "/apis/rbac.authorization.k8s.io/v1/namespaces/" ACCOUNT_NAMESPACE "/roles"},
    {"RoleBinding",
     "/apis/rbac.authorization.k8s.io/v1/namespaces/" ACCOUNT_NAMESPACE "/rolebindings"               },
};

/* Read once: a test may want them for many servers. */
static void read_file(size_t index, struct manifest_list *list)
{
    static struct str texts[COUNT(files)];
    if (!texts[index].len)
        texts[index] = test_data(files[index]);
    CHECK_OK(manifest_read_stream(texts[index], NULL, list, NULL));
}

static const struct json_value *element(const struct json_value *list, size_t index)
{
    const struct json_value *item;
    size_t at = 0;
    JSON_FOREACH (key, item, list) {
        if (at++ == index)
            return item;
    }
    return NULL;
}

static struct str first(const struct json_value *rule, const char *name, struct arena *arena)
{
    return arena_str(arena, json_to_str(element(json_get(rule, str_from_c(name)), 0)));
}

static void describe(const struct json_value *role, struct arena *arena,
                     struct account_right *right)
{
    const struct json_value *rule = element(json_get(role, STR("rules")), right->rule);
    const struct json_value *verbs = json_get(rule, STR("verbs"));
    CHECK(json_count(json_get(rule, STR("resources"))) <= 1); /* so that each is tried */
    right->is_last = json_count(verbs) == 1;
    right->role = arena_str(arena, json_path_str(role, "metadata.name"));
    right->group = first(rule, "apiGroups", arena);
    right->resource = first(rule, "resources", arena);
    right->url = first(rule, "nonResourceURLs", arena);
    right->verb = arena_str(arena, json_to_str(element(verbs, right->verb_index)));
}

bool account_right(size_t n, struct arena *arena, struct account_right *ret_right)
{
    SCOPED(manifest_list) list = {0};
    read_file(ROLES, &list);
    for (size_t i = 0; i < list.count; i++) {
        const struct json_value *rules = json_get(json_doc_root(list.docs[i]), STR("rules"));
        for (size_t j = 0; j < json_count(rules); j++) {
            const size_t verbs = json_count(json_get(element(rules, j), STR("verbs")));
            if (n < verbs) {
                *ret_right = (struct account_right){.document = i, .rule = j, .verb_index = n};
                describe(json_doc_root(list.docs[i]), arena, ret_right);
                return true;
            }
            n -= verbs;
        }
    }
    return false;
}

/* The role without the verb, or without the rule when that was its only one. */
static void write_less(const struct json_value *role, const struct account_right *missing,
                       struct buf *out)
{
    SCOPED(json_edit) edit = {0};
    SCOPED(buf) path = {.limit = 0};
    OWNED(json_doc) less = NULL;
    buf_print(&path, "rules.%zu", missing->rule);
    if (!missing->is_last)
        buf_print(&path, ".verbs.%zu", missing->verb_index);
    json_edit_init(&edit, role);
    json_edit_remove(&edit, (struct json_place){.path = buf_c(&path)});
    CHECK_OK(json_edit_finish(&edit, &less));
    json_write(out, json_doc_root(less));
}

static const char *find_place(struct str kind)
{
    for (size_t i = 0; i < COUNT(places); i++)
        if (str_eq(kind, str_from_c(places[i].kind)))
            return places[i].target;
    test_fail(TEST_PLACE("kind"), "is none of an account: %.*s", STR_ARG(kind));
}

void account_make(account_call_fn *call, void *data, const struct account_right *missing)
{
    for (size_t i = 0; i < COUNT(files); i++) {
        SCOPED(manifest_list) list = {0};
        read_file(i, &list);
        for (size_t j = 0; j < list.count; j++) {
            SCOPED(buf) body = {.limit = 0};
            const struct json_value *object = json_doc_root(list.docs[j]);
            if (missing && i == ROLES && j == missing->document)
                write_less(object, missing, &body);
            else
                json_write(&body, object);
            call(data, "POST", find_place(json_path_str(object, "kind")), buf_c(&body));
        }
    }
}

void account_token(account_call_fn *call, void *data, const char *name, struct buf *token)
{
    SCOPED(buf) target = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    buf_print(&target, "/api/v1/namespaces/" ACCOUNT_NAMESPACE "/serviceaccounts/%s/token", name);
    const struct str answer =
        call(data, "POST", buf_c(&target),
             "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":{"
             "\"expirationSeconds\":86400000}}");
    CHECK_OK(json_read(answer, &doc));
    buf_add(token, json_path_str(json_doc_root(doc), "status.token"));
    CHECK(token->len);
}
