#include "peers/differential/shrink.h"

#include "base/map.h"
#include "base/memory.h"
#include "json/edit.h"
#include "json/path.h"

#define PLAYS_MAX ((size_t)300)

struct shrinking {
    struct play *play;
    struct sequence *sequence;
    struct outcome *outcome;
    size_t plays;
};

/* The same request, as far as it is one, and the same place. */
static bool is_same(const struct outcome *a, const struct outcome *b)
{
    if (!a->differs || !b->differs || a->crashed != b->crashed)
        return false;
    const struct json_value *x = json_doc_root(a->request), *y = json_doc_root(b->request);
    return str_eq(json_path_str(x, "method"), json_path_str(y, "method")) &&
           str_eq(json_path_str(x, "path"), json_path_str(y, "path")) &&
           str_eq(a->differences.items[0].place, b->differences.items[0].place) &&
           str_eq(str_slice(a->differences.items[0].text, 0, 14),
                  str_slice(b->differences.items[0].text, 0, 14));
}

/* Takes the candidate; it becomes the sequence if it fails in the same way. */
static struct error *try_candidate(struct shrinking *shrinking, struct sequence *candidate,
                                   bool *ret_taken)
{
    SCOPED(sequence) mine = *candidate;
    SCOPED(outcome) outcome = {0};
    *ret_taken = false;
    if (shrinking->plays++ >= PLAYS_MAX || shrinking->outcome->crashed)
        return NULL;
    TRY(play_sequence(shrinking->play, &mine, &outcome));
    if (!is_same(&outcome, shrinking->outcome))
        return NULL;
    *ret_taken = true;
    sequence_done(shrinking->sequence);
    *shrinking->sequence = mine;
    mine = (struct sequence){0};
    outcome_done(shrinking->outcome);
    *shrinking->outcome = outcome;
    outcome = (struct outcome){0};
    /* The arena has moved along with its owner. */
    shrinking->outcome->differences.arena = &shrinking->outcome->arena;
    return NULL;
}

static struct error *drop_steps(struct shrinking *shrinking)
{
    for (size_t i = shrinking->sequence->count; i-- > 0;) {
        struct sequence candidate;
        bool taken;
        sequence_copy(shrinking->sequence, i, &candidate);
        TRY(try_candidate(shrinking, &candidate, &taken));
        if (taken && i > shrinking->sequence->count)
            i = shrinking->sequence->count;
    }
    return NULL;
}

/* The step with a member removed: of the step itself, or of its body when that is an object. */
static struct json_doc *step_without(const struct json_value *step, const char *path, bool in_body)
{
    SCOPED(arena) arena = {0};
    SCOPED(json_edit) edit;
    OWNED(json_doc) body = NULL;
    struct json_doc *doc = NULL;
    json_edit_init(&edit, step);
    if (!in_body) {
        json_edit_remove(&edit, (struct json_place){.path = path});
    } else {
        SCOPED(json_edit) inner;
        OWNED(json_doc) changed = NULL;
        error_free(json_read(json_path_str(step, "body"), &body));
        json_edit_init(&inner, body ? json_doc_root(body) : NULL);
        json_edit_remove(&inner, (struct json_place){.path = path});
        error_free(json_edit_finish(&inner, &changed));
        if (changed)
            json_edit_set_str(&edit, JSON_PLACE("body"),
                              json_write_arena(&arena, json_doc_root(changed)));
    }
    error_free(json_edit_finish(&edit, &doc));
    return doc;
}

/* The paths of all members that have no dot in their names. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as a body that was drawn */
static void list_members(struct map *paths, struct arena *arena, const struct json_value *value,
                         struct str prefix)
{
    const struct json_value *member;
    size_t index = 0;
    JSON_FOREACH (key, member, value) {
        const struct str name =
            json_type(value) == JSON_ARRAY ? arena_print(arena, "%zu", index++) : key;
        if (str_find_char(name, '.') != STR_NONE)
            continue;
        const struct str path =
            arena_print(arena, "%.*s%s%.*s", STR_ARG(prefix), prefix.len ? "." : "", STR_ARG(name));
        map_put(paths, path, NULL);
        list_members(paths, arena, member, path);
    }
}

static struct error *drop_members(struct shrinking *shrinking, size_t index, bool in_body)
{
    SCOPED(arena) arena = {0};
    SCOPED(map) paths = {0};
    OWNED(json_doc) body = NULL;
    const struct json_value *step = json_doc_root(shrinking->sequence->steps[index]);
    if (in_body) {
        error_free(json_read(json_path_str(step, "body"), &body));
        if (!body || json_type(json_doc_root(body)) != JSON_OBJECT)
            return NULL;
        list_members(&paths, &arena, json_doc_root(body), STR(""));
    } else {
        list_members(&paths, &arena, json_get(step, STR("query")), STR("query"));
        list_members(&paths, &arena, json_get(step, STR("headers")), STR("headers"));
    }
    MAP_FOREACH (entry, &paths) {
        struct sequence candidate;
        bool taken;
        step = json_doc_root(shrinking->sequence->steps[index]);
        struct json_doc *smaller = step_without(step, arena_c(&arena, map_key(entry)), in_body);
        if (!smaller)
            continue;
        sequence_copy(shrinking->sequence, STR_NONE, &candidate);
        json_doc_free(candidate.steps[index]);
        candidate.steps[index] = smaller;
        TRY(try_candidate(shrinking, &candidate, &taken));
    }
    return NULL;
}

struct error *shrink_sequence(struct play *play, struct sequence *sequence, struct outcome *outcome)
{
    struct shrinking shrinking = {.play = play, .sequence = sequence, .outcome = outcome};
    TRY(drop_steps(&shrinking));
    for (size_t i = 0; i < sequence->count; i++) {
        TRY(drop_members(&shrinking, i, false));
        TRY(drop_members(&shrinking, i, true));
    }
    return NULL;
}
