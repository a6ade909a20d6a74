/*
 * A line is a request: a letter for what to do, a digit for the object, a letter for one of the
 * bodies of tests/support/data/fuzz/session.json or a body of its own behind a blank; a line "r
 * METHOD TARGET TYPE BODY" is sent as it stands.
 *
 * Whatever they are: an apply that is repeated changes nothing; neither do requests that are
 * refused or only tried; revisions grow; what is stored is what was answered, and valid; and
 * whoever watched from the beginning knows at the end what a list shows.
 */
#include "api_fixture.h"
#include "apiserver/api.h"
#include "apiserver/crd/crd.h"
#include "apiserver/crd_registry.h"
#include "async/fiber.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/random.h"
#include "fuzz.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/merge_patch.h"
#include "json/path.h"
#include "testing/sim.h"

#define LINES_MAX   32
#define TARGETS_MAX 16

static const struct json_value *targets, *patches; /* of session.json */
static struct str definitions;

struct session {
    struct api_fixture fixture;
    struct http_request watches[TARGETS_MAX];
    struct map known[TARGETS_MAX]; /* what watchers began with, by name */
    int64_t begun[TARGETS_MAX];    /* at which revision; 0: nobody watches */
    int64_t newest;                /* revision that was answered */
};

/* What a verb sends, and where. */
enum body_kind { BODY_NONE, BODY_OBJECT, BODY_CURRENT, BODY_PATCH, BODY_JSON_PATCH, BODY_OWNER };

enum place { ON_OBJECT, ON_COLLECTION };

struct verb_row {
    char letter;
    enum place place;
    enum body_kind body;
    const char *method, *rest, *type;
};

#define JSON_TYPE      "application/json"
#define MERGE_TYPE     "application/merge-patch+json"
#define APPLY_TYPE     "application/apply-patch+yaml"
#define PATCH_TYPE     "application/json-patch+json"
#define STRATEGIC_TYPE "application/strategic-merge-patch+json"

static const struct verb_row verb_rows[] = {
    {'c', ON_COLLECTION, BODY_OBJECT,     "POST",   "?fieldManager=m1",                    JSON_TYPE     },
    {'y', ON_COLLECTION, BODY_OBJECT,     "POST",   "?dryRun=All",                         JSON_TYPE     },
    {'p', ON_OBJECT,     BODY_OBJECT,     "PUT",    "",                                    JSON_TYPE     },
    {'u', ON_OBJECT,     BODY_CURRENT,    "PUT",    "?fieldManager=m2",                    JSON_TYPE     },
    {'v', ON_OBJECT,     BODY_CURRENT,    "PUT",    "/status",                             JSON_TYPE     },
    {'m', ON_OBJECT,     BODY_PATCH,      "PATCH",  "?fieldManager=m1",                    MERGE_TYPE    },
    {'n', ON_OBJECT,     BODY_PATCH,      "PATCH",  "?dryRun=All&fieldValidation=Strict",  MERGE_TYPE    },
    {'w', ON_OBJECT,     BODY_PATCH,      "PATCH",  "/status",                             MERGE_TYPE    },
    {'k', ON_OBJECT,     BODY_PATCH,      "PATCH",  "/scale",                              MERGE_TYPE    },
    {'s', ON_OBJECT,     BODY_PATCH,      "PATCH",  "",                                    STRATEGIC_TYPE},
    {'j', ON_OBJECT,     BODY_JSON_PATCH, "PATCH",  "",                                    PATCH_TYPE    },
    {'o', ON_OBJECT,     BODY_OWNER,      "PATCH",  "",                                    MERGE_TYPE    },
    {'a', ON_OBJECT,     BODY_OBJECT,     "PATCH",  "?fieldManager=m1",                    APPLY_TYPE    },
    {'b', ON_OBJECT,     BODY_OBJECT,     "PATCH",  "?fieldManager=m2",                    APPLY_TYPE    },
    {'f', ON_OBJECT,     BODY_OBJECT,     "PATCH",  "?fieldManager=m2&force=true",         APPLY_TYPE    },
    {'e', ON_OBJECT,     BODY_OBJECT,     "PATCH",  "?fieldManager=m2&dryRun=All&force=1", APPLY_TYPE    },
    {'q', ON_OBJECT,     BODY_OBJECT,     "PATCH",  "/status?fieldManager=m3&force=1",     APPLY_TYPE    },
    {'d', ON_OBJECT,     BODY_NONE,       "DELETE", "",                                    ""            },
    {'g', ON_OBJECT,     BODY_NONE,       "DELETE", "?propagationPolicy=Foreground",       ""            },
    {'h', ON_OBJECT,     BODY_NONE,       "DELETE", "?propagationPolicy=Orphan",           ""            },
    {'i', ON_OBJECT,     BODY_NONE,       "DELETE", "?dryRun=All",                         ""            },
    {'x', ON_COLLECTION, BODY_NONE,       "DELETE", "?labelSelector=a",                    ""            },
    {'l', ON_COLLECTION, BODY_NONE,       "GET",    "?limit=1",                            ""            },
};

static void read_tables(void)
{
    static struct json_doc *doc;
    CHECK_OK(json_read(test_data("fuzz/session.json"), &doc));
    targets = json_get(json_doc_root(doc), STR("targets"));
    patches = json_get(json_doc_root(doc), STR("patches"));
    definitions = test_data("fuzz/definitions.jsonl");
    CHECK(json_count(targets) <= TARGETS_MAX);
}

static struct str path_of(struct arena *arena, const struct json_value *target, const char *rest)
{
    return arena_print(arena, "%.*s/%.*s%s", STR_ARG(json_path_str(target, "collection")),
                       STR_ARG(json_path_str(target, "base.metadata.name")), rest);
}

/* The object as it is now, NULL when there is none. */
static struct json_doc *get(struct session *session, const struct json_value *target)
{
    SCOPED(arena) arena = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    const int status = api_fixture_call(&session->fixture, STR("GET"), path_of(&arena, target, ""),
                                        STR(""), STR(""), &doc);
    CHECK(status == 200 || status == 404);
    return status == 200 ? TAKE(doc) : NULL;
}

/* The body of a definition, by its name; NULL when there is none. */
static struct json_doc *find_definition(struct str name)
{
    struct str rest = definitions, line;
    while (rest.len) {
        OWNED(json_doc) row = NULL;
        str_cut(&rest, '\n', &line);
        CHECK_OK(json_read(line, &row));
        const struct json_value *body = json_get(json_doc_root(row), STR("body"));
        if (str_eq(json_path_str(body, "metadata.name"), name))
            return json_doc_copy(body);
    }
    return NULL;
}

/* A definition as it ended up in the store the first time, and what was compiled from it. */
struct defined {
    struct object_text *text;
    struct crd *custom;
};

/* The text keeps its old resourceVersion: definitions are not watched here. */
static struct error *put_defined(void *data, struct store_edit *edit)
{
    const struct defined *defined = data;
    edit->action = STORE_PUT;
    edit->text = object_text_ref(defined->text);
    return NULL;
}

static void post_definition(struct session *session, struct store_id id, struct defined *defined)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(store_object) found = {0};
    OWNED(json_doc) definition = find_definition(id.key.name);
    json_write(&text, json_doc_root(definition));
    const int status =
        api_fixture_call(&session->fixture, STR("POST"),
                         STR("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
                         STR(JSON_TYPE), buf_str(&text), NULL);
    CHECK_EQ(status, 201);
    const struct api_definition *made = map_find(&session->fixture.api->definitions, id.key.name);
    CHECK_OK(store_get(session->fixture.api->store, id, &found));
    defined->text = object_text_ref(found.text);
    defined->custom = crd_ref(made->custom);
}

/* Posts a definition; later sessions get what the first one made of it, which is far cheaper. */
static void define(struct session *session, struct str name)
{
    static struct map all; /* name -> struct defined */
    struct api *api = session->fixture.api;
    const struct store_id id = {CRD_RESOURCE, {.name = name}};
    struct defined *defined = map_find(&all, name);
    if (map_has(&api->definitions, name))
        return;
    if (!defined) {
        defined = NEW(struct defined);
        post_definition(session, id, defined);
        map_put(&all, name, defined);
        return;
    }
    CHECK_OK(store_change(api->store, id, STORE_NEW, put_defined, defined, NULL));
    crd_registry_update(api, id);
    CHECK(map_has(&api->definitions, name));
}

static int64_t revision_of(const struct json_value *object)
{
    int64_t revision = 0;
    CHECK(str_to_int64(json_path_str(object, "metadata.resourceVersion"), &revision));
    return revision;
}

static void release_doc(void *doc)
{
    json_doc_free(doc);
}

/* An item of a list as it is on its own. */
static struct json_doc *copy_item(const struct json_value *target, const struct json_value *item)
{
    struct json_doc *doc = NULL;
    SCOPED(json_edit) edit = {0};
    json_edit_init(&edit, item);
    json_edit_set_str(&edit, JSON_PLACE("apiVersion"), json_path_str(target, "base.apiVersion"));
    json_edit_set_str(&edit, JSON_PLACE("kind"), json_path_str(target, "base.kind"));
    CHECK_OK(json_edit_finish(&edit, &doc));
    return doc;
}

/* Before anything is done to it: its definition, and somebody who lists and watches. */
static void use(struct session *session, size_t index)
{
    const struct json_value *target = json_at(targets, index), *item;
    const struct str collection = json_path_str(target, "collection");
    const struct str definition = json_path_str(target, "definition");
    SCOPED(arena) arena = {.limit = 0};
    OWNED(json_doc) list = NULL;
    if (session->begun[index])
        return;
    if (definition.len)
        define(session, definition);
    api_fixture_call(&session->fixture, STR("GET"), collection, STR(""), STR(""), &list);
    const struct json_value *root = json_doc_root(list);
    session->begun[index] = revision_of(root);
    session->known[index].release = release_doc;
    JSON_FOREACH (key, item, json_get(root, STR("items")))
        map_put(&session->known[index], json_path_str(item, "metadata.name"),
                copy_item(target, item));
    api_fixture_watch(&session->fixture, &session->watches[index],
                      arena_print(&arena, "%.*s?watch=1&timeoutSeconds=86400&resourceVersion=%lld",
                                  STR_ARG(collection), (long long)session->begun[index]));
    CHECK_OK(fiber_sleep(MILLISECOND));
    CHECK_EQ(session->watches[index].status, 200);
}

static const struct json_value *pick(const struct json_value *list, char letter)
{
    return json_at(list, (size_t)(unsigned char)letter % json_count(list));
}

static struct str merged(struct arena *arena, const struct json_value *base,
                         const struct json_value *patch)
{
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = merge_patch_apply(base, patch, &doc);
    return json_write_arena(arena, err ? base : json_doc_root(doc));
}

static struct str owner_patch(struct session *session, struct arena *arena, char letter)
{
    const struct json_value *target = json_at(targets, (size_t)(unsigned char)letter % 3);
    OWNED(json_doc) owner = get(session, target);
    const struct json_value *object = owner ? json_doc_root(owner) : json_get(target, STR("base"));
    const struct str uid = json_path_str(object, "metadata.uid");
    return arena_print(
        arena,
        "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"%.*s\",\"kind\":\"%.*s\","
        "\"name\":\"%.*s\",\"uid\":\"%.*s\",\"blockOwnerDeletion\":true}]}}",
        STR_ARG(json_path_str(object, "apiVersion")), STR_ARG(json_path_str(object, "kind")),
        STR_ARG(json_path_str(object, "metadata.name")), STR_ARG(uid.len ? uid : STR("none")));
}

static struct str body_of(struct session *session, struct arena *arena, const struct verb_row *verb,
                          const struct json_value *target, const struct json_value *now,
                          char letter)
{
    const struct json_value *body = pick(json_get(target, STR("bodies")), letter);
    const struct json_value *base = json_get(target, STR("base"));
    switch (verb->body) {
    case BODY_OBJECT:
        return merged(arena, base, body);
    case BODY_CURRENT:
        return merged(arena, now ? now : base, body);
    case BODY_PATCH:
        return json_write_arena(arena, body);
    case BODY_JSON_PATCH:
        return json_write_arena(arena, pick(patches, letter));
    case BODY_OWNER:
        return owner_patch(session, arena, letter);
    case BODY_NONE:
        break;
    }
    return STR("");
}

static void check_equal(const struct json_value *a, const struct json_value *b)
{
    SCOPED(buf) left = {.limit = 0};
    SCOPED(buf) right = {.limit = 0};
    if (json_equal(a, b))
        return;
    json_write_canonical(&left, a);
    json_write_canonical(&right, b);
    CHECK_EQ(buf_str(&left), buf_str(&right));
}

/* Nobody but the client changes it: it has no owner and is not on its way out, nor is its place. */
static bool is_left_alone(const struct json_value *object)
{
    const struct str namespace = json_path_str(object, "metadata.namespace");
    return str_eq(namespace, STR("default")) &&
           json_count(json_path(object, "metadata.ownerReferences")) == 0 &&
           !json_path(object, "metadata.deletionTimestamp");
}

static void check_unchanged(struct session *session, const struct json_value *target,
                            const struct json_value *before)
{
    OWNED(json_doc) after = get(session, target);
    if (before && is_left_alone(before)) {
        CHECK(after);
        check_equal(before, json_doc_root(after));
    } else if (!before) {
        CHECK(!after);
    }
}

static void check_written(struct session *session, const struct json_value *target,
                          const struct json_value *before, const struct json_value *answer)
{
    OWNED(json_doc) after = get(session, target);
    const int64_t revision = revision_of(answer);
    if (!before || revision != revision_of(before))
        CHECK(revision > session->newest || !after);
    if (revision > session->newest)
        session->newest = revision;
    if (after && is_left_alone(answer) && is_left_alone(json_doc_root(after)))
        check_equal(answer, json_doc_root(after));
}

/* The same apply a while later; the object behind it. */
static struct json_doc *apply_again(struct session *session, const struct verb_row *verb,
                                    const struct json_value *target, struct str body,
                                    int *ret_status)
{
    SCOPED(arena) arena = {.limit = 0};
    CHECK_OK(fiber_sleep(2 * SECOND));
    *ret_status =
        api_fixture_call(&session->fixture, str_from_c(verb->method),
                         path_of(&arena, target, verb->rest), str_from_c(verb->type), body, NULL);
    return get(session, target);
}

/*
 * An empty object or list that loses its last member to an apply is null for a moment and then
 * gone, as upstream has it; the next apply brings it back.
 */
static bool may_lose(struct str body)
{
    return str_contains(body, STR("{}")) || str_contains(body, STR("[]")) ||
           str_contains(body, STR("null"));
}

static void check_applied(struct session *session, const struct verb_row *verb,
                          const struct json_value *target, struct str body)
{
    int status;
    OWNED(json_doc) once = get(session, target);
    OWNED(json_doc) twice = NULL;
    OWNED(json_doc) thrice = NULL;
    /* A version with fields the stored one has not is never settled. */
    const bool forgets = json_get(target, STR("forgets")) != NULL;
    if (!once || !is_left_alone(json_doc_root(once)) || forgets)
        return;
    if (!json_path(json_doc_root(once), "metadata.managedFields"))
        return; /* nobody owns anything: the next apply finds an object that is not tracked */
    twice = apply_again(session, verb, target, body, &status);
    CHECK(twice);
    if (status >= 400)
        return; /* it named a revision, or does not fit what it made */
    if (may_lose(body)) {
        thrice = apply_again(session, verb, target, body, &status);
        check_equal(json_doc_root(twice), json_doc_root(thrice));
    } else {
        check_equal(json_doc_root(once), json_doc_root(twice));
    }
}

static void run_verb(struct session *session, const struct verb_row *verb, size_t index,
                     char letter, struct str own_body)
{
    const struct json_value *target = json_at(targets, index);
    SCOPED(arena) arena = {.limit = 0};
    OWNED(json_doc) answer = NULL;
    use(session, index);
    OWNED(json_doc) before = get(session, target);
    const struct json_value *was = before ? json_doc_root(before) : NULL;
    const struct str body =
        own_body.len ? own_body : body_of(session, &arena, verb, target, was, letter);
    const struct str path =
        verb->place == ON_COLLECTION
            ? arena_print(&arena, "%.*s%s", STR_ARG(json_path_str(target, "collection")),
                          verb->rest)
            : path_of(&arena, target, verb->rest);
    const int status = api_fixture_call(&session->fixture, str_from_c(verb->method), path,
                                        str_from_c(verb->type), body, &answer);
    CHECK(answer);
    const struct json_value *object = json_doc_root(answer);
    const bool is_tried = str_contains(path, STR("dryRun=All"));
    if (status >= 400 || is_tried || verb->letter == 'l') {
        check_unchanged(session, target, was);
        return;
    }
    const struct str base_name = json_path_str(target, "base.metadata.name");
    if (str_eq(json_path_str(object, "kind"), json_path_str(target, "base.kind")) &&
        str_eq(json_path_str(object, "metadata.name"), base_name) && !own_body.len)
        check_written(session, target, was, object);
    if (str_eq(str_from_c(verb->type), STR(APPLY_TYPE)))
        check_applied(session, verb, target, body);
}

/* "METHOD TARGET TYPE BODY" */
static void run_raw(struct session *session, struct str line)
{
    struct str method, target, type;
    SCOPED(arena) arena = {.limit = 0};
    str_cut(&line, ' ', &method);
    str_cut(&line, ' ', &target);
    str_cut(&line, ' ', &type);
    /* Streams have their own; here they would never end. */
    const struct str ended = arena_print(&arena, "%.*s%ctimeoutSeconds=1", STR_ARG(target),
                                         str_find_char(target, '?') == STR_NONE ? '?' : '&');
    const bool has_timeout = str_contains(target, STR("imeoutSeconds"));
    if (http_is_token(method))
        api_fixture_call(&session->fixture, method, has_timeout ? target : ended, type, line, NULL);
}

static void run_line(struct session *session, struct str line)
{
    if (line.len >= 2 && line.ptr[0] == 'r' && line.ptr[1] == ' ') {
        run_raw(session, str_skip(line, 2));
        return;
    }
    if (line.len < 3)
        return;
    const char letter = line.ptr[0];
    const size_t index = (size_t)(unsigned char)(line.ptr[1] - '0') % json_count(targets);
    for (size_t i = 0; i < COUNT(verb_rows); i++)
        if (verb_rows[i].letter == letter)
            run_verb(session, &verb_rows[i], index, line.ptr[2],
                     line.len > 4 && line.ptr[3] == ' ' ? str_skip(line, 4) : STR(""));
    if (letter == 't')
        api_fixture_settle(&session->fixture);
}

static void check_valid(struct session *session, const struct json_value *target,
                        const struct json_value *object)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    struct gvk gvk;
    struct str collection = json_path_str(target, "collection");
    const struct str resource = str_skip(collection, str_find_last_char(collection, '/') + 1);
    CHECK_OK(gvk_from_api_version(json_path_str(object, "apiVersion"),
                                  json_path_str(object, "kind"), &gvk));
    const struct kind *kind =
        api_find_kind(session->fixture.api, &arena, (struct gvr){gvk.group, gvk.version, resource});
    CHECK(kind);
    struct kind_write write = {.namespace = json_path_str(object, "metadata.namespace"),
                               .arena = &arena};
    /* What one version lets pass another may refuse; what stays as it is is let pass by all. */
    if (kind->is_custom && crd_kind_count(crd_of_kind(kind)) > 1)
        write.old = object;
    kind->ops->validate(kind, &write, object, &errors);
    SCOPED(buf) text = {.limit = 0};
    field_errors_write(&text, &errors);
    CHECK_EQ(buf_str(&text), STR(""));
}

/* What a client knows that has read all events. */
static void fold(struct str lines, int64_t newest, struct map *known)
{
    while (lines.len) {
        OWNED(json_doc) event = NULL;
        struct str line;
        CHECK(str_cut(&lines, '\n', &line));
        CHECK_OK(json_read(line, &event));
        const struct str type = json_path_str(json_doc_root(event), "type");
        const struct json_value *object = json_get(json_doc_root(event), STR("object"));
        if (str_eq(type, STR("BOOKMARK")))
            continue;
        const struct str name = json_path_str(object, "metadata.name");
        const int64_t revision = revision_of(object);
        CHECK(revision > newest);
        newest = revision;
        CHECK_EQ(map_has(known, name), !str_eq(type, STR("ADDED")));
        map_remove(known, name);
        if (!str_eq(type, STR("DELETED")))
            map_put(known, name, json_doc_copy(object));
    }
}

static void check_end(struct session *session, size_t index)
{
    const struct json_value *target = json_at(targets, index), *item;
    struct map *known = &session->known[index];
    OWNED(json_doc) list = NULL;
    const int status =
        api_fixture_call(&session->fixture, STR("GET"), json_path_str(target, "collection"),
                         STR(""), STR(""), &list);
    if (status == 404)
        return; /* the definition is gone */
    CHECK_EQ(status, 200);
    const struct json_value *items = json_get(json_doc_root(list), STR("items"));
    fold(buf_str(&session->watches[index].answer), session->begun[index], known);
    JSON_FOREACH (key, item, items) {
        OWNED(json_doc) full = copy_item(target, item);
        const struct json_doc *seen = map_find(known, json_path_str(item, "metadata.name"));
        CHECK(seen);
        check_equal(json_doc_root(full), json_doc_root(seen));
        check_valid(session, target, json_doc_root(full));
    }
    CHECK_EQ(map_count(known), json_count(items));
}

static struct error *run(void *data)
{
    struct str rest = *(struct str *)data, line;
    static struct session session; /* one at a time; too large for a fiber's stack */
    session = (struct session){.newest = 0};
    api_fixture_init(&session.fixture);
    for (size_t i = 0; rest.len && i < LINES_MAX; i++) {
        str_cut(&rest, '\n', &line);
        run_line(&session, line);
    }
    api_fixture_settle(&session.fixture);
    for (size_t i = 0; i < json_count(targets); i++)
        if (session.begun[i])
            check_end(&session, i);
    api_fixture_done(&session.fixture);
    for (size_t i = 0; i < TARGETS_MAX; i++) {
        http_request_done(&session.watches[i]);
        map_done(&session.known[i]);
    }
    return NULL;
}

/* Absent where the corpus is only replayed. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

static size_t line_end(const uint8_t *data, size_t size, size_t from)
{
    while (from < size && data[from] != '\n')
        from++;
    return from < size ? from + 1 : size;
}

static size_t random_line_start(struct random *random, const uint8_t *data, size_t size)
{
    size_t start = 0;
    const size_t aim = (size_t)random_below(random, size + 1);
    while (line_end(data, size, start) <= aim && start < size)
        start = line_end(data, size, start);
    return start;
}

/* Bytes at random seldom make a request: mostly a line comes, goes or is changed in one letter. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct random random;
    random_init(&random, seed);
    const uint64_t choice = random_below(&random, 10);
    const size_t start = random_line_start(&random, data, size);
    const size_t end = line_end(data, size, start);
    const uint8_t line[] = {
        (uint8_t)verb_rows[random_below(&random, COUNT(verb_rows))].letter,
        (uint8_t)('0' + random_below(&random, json_count(targets))),
        (uint8_t)('a' + random_below(&random, 16)),
        '\n',
    };
    if (choice < 2 || max < size + sizeof(line))
        return LLVMFuzzerMutate(data, size, max);
    if (choice == 2) {
        memmove(data + start, data + end, size - end);
        return size - (end - start);
    }
    if (choice < 6 && end - start == sizeof(line)) {
        const size_t letter = (size_t)random_below(&random, 3);
        data[start + letter] = line[letter];
        return size;
    }
    memmove(data + start + sizeof(line), data + start, size - start);
    memcpy(data + start, line, sizeof(line));
    return size + sizeof(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str input = {(const char *)data, size};
    if (!targets)
        read_tables();
    OWNED(loop) loop = sim_loop_new(1);
    CHECK_OK(loop_run(loop, run, &input));
    CHECK_EQ(loop_fiber_count(loop), (size_t)0);
    CHECK_EQ(loop_timer_count(loop), (size_t)0);
    return 0;
}
