/*
 * Recorded exchanges with kube-apiserver, tests/support/data/access/exchanges.jsonl, as far as they
 * are a matter of access: what is refused is refused in the same words, what is reviewed is
 * reviewed the same. Objects that a row creates are known to the rows behind it.
 */
#include "apimachinery/resource_path.h"
#include "apimachinery/status.h"
#include "apiserver/auth/auth_fixture_test.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/json_pointer_test.h"

/* 2026-11-15T08:34:07Z, when the tokens were recorded. */
#define RECORDED (1794731647 * SECOND)

struct replay {
    struct auth_fixture fixture;
    struct str accounts[8]; /* "namespace/name" or empty, and their uids */
    struct str uids[8];
    size_t account_count;
    struct str bot, sa_token;
};

static size_t find_account(const struct replay *replay, struct str namespace, struct str name)
{
    SCOPED(buf) key = {.limit = 0};
    buf_print(&key, "%.*s/%.*s", STR_ARG(namespace), STR_ARG(name));
    for (size_t i = 0; i < replay->account_count; i++)
        if (str_eq(replay->accounts[i], buf_str(&key)))
            return i;
    return STR_NONE;
}

static bool has_account(void *data, struct str namespace, struct str name, struct str uid)
{
    const struct replay *replay = data;
    const size_t index = find_account(replay, namespace, name);
    return index != STR_NONE && str_eq(replay->uids[index], uid);
}

/* One request, as far as it got. */
struct exchange {
    struct replay *replay;
    const struct json_value *row;
    bool is_resource;
    struct resource_path path;
    struct user_info user;
};

static struct arena *arena_of(struct exchange *exchange)
{
    return &exchange->replay->fixture.arena;
}

static struct str fill_in(struct exchange *exchange, struct str text)
{
    if (str_contains(text, STR("{{bot}}")))
        return exchange->replay->bot;
    return str_contains(text, STR("{{sa_token}}")) ? exchange->replay->sa_token : text;
}

static void add_values(struct http_headers *headers, struct str name,
                       const struct json_value *values)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, values)
        CHECK_OK(http_headers_add(headers, name, json_to_str(value)));
}

static void add_headers(struct exchange *exchange, struct http_headers *headers)
{
    const struct str as = json_path_str(exchange->row, "as");
    const struct json_value *values;
    if (str_starts_with(as, STR("token:"))) {
        const struct str token = fill_in(exchange, str_skip(as, 6));
        const struct str bearer = arena_print(arena_of(exchange), "Bearer %.*s", STR_ARG(token));
        CHECK_OK(http_headers_add(headers, STR("Authorization"), bearer));
    }
    JSON_FOREACH (name, values, json_get(exchange->row, STR("headers")))
        add_values(headers, name, values);
}

static struct str verb_of(const struct exchange *exchange)
{
    static const struct {
        const char *method, *one, *many;
    } verbs[] = {
        {"GET",    "get",    "list"            },
        {"POST",   "create", "create"          },
        {"PUT",    "update", "update"          },
        {"PATCH",  "patch",  "patch"           },
        {"DELETE", "delete", "deletecollection"},
    };
    const struct str method = json_path_str(exchange->row, "method");
    const bool is_one = !exchange->is_resource || exchange->path.name.len;
    if (json_get(exchange->row, STR("watch")))
        return STR("watch");
    for (size_t i = 0; i < COUNT(verbs); i++)
        if (str_eq(str_from_c(verbs[i].method), method))
            return str_from_c(is_one ? verbs[i].one : verbs[i].many);
    return STR("");
}

static struct rbac_attributes attributes_of(const struct exchange *exchange)
{
    const struct resource_path *path = &exchange->path;
    const struct rbac_attributes attributes = {
        .user = exchange->user.user,
        .verb = verb_of(exchange),
        .is_resource_request = exchange->is_resource,
        .api_group = path->gvr.group,
        .resource = path->gvr.resource,
        .subresource = path->subresource,
        .name = path->name,
        .namespace = path->namespace,
        .path = json_path_str(exchange->row, "path"),
    };
    return attributes;
}

static struct error *let_in(struct exchange *exchange)
{
    static const struct str masters = STR_INIT("system:masters");
    const struct auth *auth = &exchange->replay->fixture.auth;
    const bool is_admin = str_eq(json_path_str(exchange->row, "as"), STR("admin"));
    const struct tls_peer peer = {.shown = is_admin,
                                  .verified = is_admin,
                                  .common_name = STR("admin"),
                                  .organizations = &masters,
                                  .organization_count = 1};
    SCOPED(http_headers) headers = {.limit = 0};
    add_headers(exchange, &headers);
    const struct auth_evidence evidence = {&peer, &headers, false};
    TRY(authenticate(auth, arena_of(exchange), &evidence, RECORDED, &exchange->user));
    const struct rbac_attributes real = attributes_of(exchange);
    TRY(impersonate(auth, arena_of(exchange), &real, &exchange->user, &headers, &exchange->user));
    const struct rbac_attributes attributes = attributes_of(exchange);
    return authorize(auth, arena_of(exchange), &attributes);
}

/* What the recording leaves open: tokens, and times the server sets. */
static struct json_doc *without_open_parts(const struct json_value *answer)
{
    struct json_doc *doc = NULL;
    SCOPED(json_edit) edit = {.tree = NULL};
    const struct json_value *extra = json_path(answer, "status.userInfo.extra");
    if (status_is_status(answer))
        return json_doc_copy(answer);
    json_edit_init(&edit, answer);
    json_edit_remove(&edit, JSON_PLACE("metadata.creationTimestamp"));
    json_edit_remove(&edit, JSON_PLACE("status.token"));
    if (str_eq(json_path_str(answer, "kind"), STR("TokenReview")))
        json_edit_remove(&edit, JSON_PLACE("spec.token"));
    json_edit_remove(&edit, JSON_PLACE("status.user.extra"));
    if (json_get(extra, STR("authentication.kubernetes.io/credential-id")))
        json_edit_remove(&edit, JSON_PLACE("status.userInfo.extra"));
    CHECK_OK(json_edit_finish(&edit, &doc));
    return doc;
}

static void check_same(const struct json_value *seen, const struct json_value *expected)
{
    SCOPED(buf) first = {.limit = 0};
    SCOPED(buf) second = {.limit = 0};
    json_write_canonical(&first, seen);
    json_write_canonical(&second, expected);
    CHECK_EQ(buf_str(&first), buf_str(&second));
}

static bool has_element(const struct json_value *list, const struct json_value *wanted)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, list)
        if (json_equal(value, wanted))
            return true;
    return false;
}

static void check_answer(const struct exchange *exchange, const struct json_value *answer)
{
    const struct json_value *expected = json_get(exchange->row, STR("answer")), *part;
    if (expected) {
        OWNED(json_doc) rest = without_open_parts(answer);
        check_same(json_doc_root(rest), expected);
    }
    JSON_FOREACH (key, part, json_get(exchange->row, STR("contains"))) {
        const struct json_value *value = json_get(part, STR("value"));
        const struct json_value *in = json_get(part, STR("in"));
        if (in)
            CHECK(has_element(json_pointer(answer, json_to_str(in)), value));
        else
            check_same(json_pointer(answer, json_path_str(part, "at")), value);
    }
}

static const struct json_value *body_of(struct exchange *exchange)
{
    const struct json_value *body = json_get(exchange->row, STR("body"));
    struct json_doc *doc = NULL;
    SCOPED(json_edit) edit;
    json_edit_init(&edit, body);
    if (json_path(body, "spec.token"))
        json_edit_set_str(&edit, JSON_PLACE("spec.token"),
                          fill_in(exchange, json_path_str(body, "spec.token")));
    CHECK_OK(json_edit_finish(&edit, &doc));
    json_doc_hold(arena_of(exchange), doc);
    return json_doc_root(doc);
}

static struct error *answer_review(struct exchange *exchange, struct json_doc **ret_doc)
{
    static const struct {
        const char *resource;
        struct str kind;
    } kinds[] = {
        {"selfsubjectreviews",        STR_INIT("SelfSubjectReview")       },
        {"tokenreviews",              STR_INIT("TokenReview")             },
        {"subjectaccessreviews",      STR_INIT("SubjectAccessReview")     },
        {"localsubjectaccessreviews", STR_INIT("LocalSubjectAccessReview")},
        {"selfsubjectaccessreviews",  STR_INIT("SelfSubjectAccessReview") },
        {"selfsubjectrulesreviews",   STR_INIT("SelfSubjectRulesReview")  },
    };
    struct gvk gvk = {exchange->path.gvr.group, exchange->path.gvr.version, STR("")};
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_eq(str_from_c(kinds[i].resource), exchange->path.gvr.resource))
            gvk.kind = kinds[i].kind;
    return auth_review(&exchange->replay->fixture.auth, arena_of(exchange), &exchange->user, gvk,
                       exchange->path.namespace, body_of(exchange), RECORDED, ret_doc);
}

static struct error *answer_token(struct exchange *exchange, struct json_doc **ret_doc)
{
    struct replay *replay = exchange->replay;
    const struct resource_path *path = &exchange->path;
    const size_t index = find_account(replay, path->namespace, path->name);
    if (index == STR_NONE)
        return status_not_found(path->gvr, path->name);
    const struct str account =
        arena_print(arena_of(exchange),
                    "{\"metadata\":{\"name\":\"%.*s\",\"namespace\":\"%.*s\",\"uid\":\"%.*s\"}}",
                    STR_ARG(path->name), STR_ARG(path->namespace), STR_ARG(replay->uids[index]));
    TRY(token_request(&replay->fixture.auth, auth_fixture_read(&replay->fixture, account.ptr),
                      body_of(exchange), RECORDED, &replay->fixture.warnings, ret_doc));
    const struct str token = json_path_str(json_doc_root(*ret_doc), "status.token");
    const struct str name = json_path_str(exchange->row, "capture");
    if (str_eq(name, STR("bot")))
        replay->bot = arena_str(arena_of(exchange), token);
    if (str_eq(name, STR("sa_token")))
        replay->sa_token = arena_str(arena_of(exchange), token);
    return NULL;
}

/* Accounts, roles and bindings come and go as the rows say. */
static void store_account(struct exchange *exchange)
{
    struct replay *replay = exchange->replay;
    const struct resource_path *path = &exchange->path;
    if (path->name.len && str_eq(verb_of(exchange), STR("delete")))
        replay->accounts[find_account(replay, path->namespace, path->name)] = STR("");
    if (!str_eq(verb_of(exchange), STR("create")))
        return;
    const struct str name = json_path_str(exchange->row, "body.metadata.name");
    const struct str uid = json_path_str(exchange->row, "uid");
    replay->accounts[replay->account_count] =
        arena_print(arena_of(exchange), "%.*s/%.*s", STR_ARG(path->namespace), STR_ARG(name));
    replay->uids[replay->account_count++] =
        arena_str(arena_of(exchange), uid.len ? uid : STR("uid-of-bot"));
}

static const struct json_value *object_of(struct exchange *exchange)
{
    const struct json_value *object = json_get(exchange->row, STR("object"));
    struct json_doc *doc = NULL;
    SCOPED(json_edit) edit;
    json_edit_init(&edit, object ? object : json_get(exchange->row, STR("body")));
    if (exchange->path.namespace.len)
        json_edit_set_str(&edit, JSON_PLACE("metadata.namespace"), exchange->path.namespace);
    CHECK_OK(json_edit_finish(&edit, &doc));
    json_doc_hold(arena_of(exchange), doc);
    return json_doc_root(doc);
}

static void store_grant(struct exchange *exchange)
{
    static const struct {
        const char *resource;
        enum rbac_kind kind;
    } kinds[] = {
        {"roles",               RBAC_ROLE                },
        {"clusterroles",        RBAC_CLUSTER_ROLE        },
        {"rolebindings",        RBAC_ROLE_BINDING        },
        {"clusterrolebindings", RBAC_CLUSTER_ROLE_BINDING},
    };
    const struct resource_path *path = &exchange->path;
    struct auth_fixture *fixture = &exchange->replay->fixture;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!str_eq(str_from_c(kinds[i].resource), path->gvr.resource))
            continue;
        if (str_eq(verb_of(exchange), STR("delete"))) {
            rbac_remove(fixture->rbac, kinds[i].kind, path->namespace, path->name);
            continue;
        }
        const struct json_value *object = object_of(exchange);
        CHECK_OK(escalation_check(&fixture->auth, &fixture->arena, &exchange->user.user, path->gvr,
                                  NULL, object));
        rbac_put(fixture->rbac, kinds[i].kind, object);
    }
}

static struct error *answer(struct exchange *exchange, struct json_doc **ret_doc)
{
    const struct resource_path *path = &exchange->path;
    TRY(let_in(exchange));
    if (str_ends_with(path->gvr.resource, STR("reviews")))
        return answer_review(exchange, ret_doc);
    if (str_eq(path->subresource, STR("token")))
        return answer_token(exchange, ret_doc);
    if (str_eq(path->gvr.resource, STR("serviceaccounts")))
        store_account(exchange);
    store_grant(exchange);
    return NULL;
}

static void replay_row(struct replay *replay, const struct json_value *row)
{
    struct exchange exchange = {.replay = replay, .row = row};
    OWNED(json_doc) doc = NULL;
    int64_t status = 0;
    exchange.is_resource =
        resource_path_read(&replay->fixture.arena, json_path_str(row, "path"), &exchange.path);
    OWNED(error) err = answer(&exchange, &doc);
    json_to_int64(json_get(row, STR("status")), &status);
    if (err) {
        OWNED(json_doc) refusal = status_doc(err);
        CHECK_EQ((int64_t)status_http_status(err), status);
        check_answer(&exchange, json_doc_root(refusal));
    } else if (doc) {
        CHECK_EQ(status, (int64_t)201);
        check_answer(&exchange, json_doc_root(doc));
    } else {
        CHECK(status < 300 || status == 404); /* let in, and beyond this folder */
    }
}

TEST(auth_exchanges)
{
    struct str text = test_data("access/exchanges.jsonl"), line;
    struct replay replay = {.account_count = 0};
    size_t rows = 0;
    auth_fixture_init(&replay.fixture);
    replay.fixture.auth.find_account = has_account;
    replay.fixture.auth.data = &replay;
    while (text.len) {
        OWNED(json_doc) doc = NULL;
        str_cut(&text, '\n', &line);
        CHECK_OK(json_read(line, &doc));
        const struct str id = json_path_str(json_doc_root(doc), "id");
        TEST_CASE("%.*s", STR_ARG(id));
        replay_row(&replay, json_doc_root(doc));
        rows++;
    }
    CHECK_EQ(rows, 89);
    auth_fixture_done(&replay.fixture);
}
