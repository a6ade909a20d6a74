/* Texts: times, uids, generated names, numbers of versions, lists of errors. */
#include "base/buf.h"
#include "peers/conformance/compare_internal.h"
#include "peers/conformance/wording.h"

/* Times that requests send are older and come back exactly. */
#define FIRST_YEAR_OF_RECORDINGS 2025

static size_t count_uuids(struct str text)
{
    size_t count = 0;
    for (size_t at = 0; (at = wording_find_uuid(text, at)) != STR_NONE; at += WORDING_UUID_LEN)
        count++;
    return count;
}

static struct str without_uuids(struct arena *arena, struct str text)
{
    SCOPED(buf) out = {0};
    size_t begin = 0;
    for (size_t at; (at = wording_find_uuid(text, begin)) != STR_NONE;
         begin = at + WORDING_UUID_LEN) {
        buf_add(&out, str_slice(text, begin, at));
        buf_add(&out, STR("<uid>"));
    }
    buf_add(&out, str_skip(text, begin));
    return arena_str(arena, buf_str(&out));
}

/* Takes the uids of both texts down, pair by pair; false when one contradicts an earlier one. */
static bool bind_uuids(struct comparison *comparison, struct str recorded, struct str actual)
{
    size_t r = 0, a = 0;
    while ((r = wording_find_uuid(recorded, r)) != STR_NONE) {
        a = wording_find_uuid(actual, a);
        const struct str was = str_slice(recorded, r, r + WORDING_UUID_LEN);
        const struct str is = str_slice(actual, a, a + WORDING_UUID_LEN);
        if (!binding_uid(comparison->binding, was, is)) {
            const struct str known = binding_to_actual(comparison->binding, comparison->arena, was);
            COMPARE_DIFFERS(
                comparison,
                "uid %.*s contradicts an earlier answer (recorded %.*s, until now %.*s)",
                STR_ARG(is), STR_ARG(was), STR_ARG(known));
            return false;
        }
        r += WORDING_UUID_LEN;
        a += WORDING_UUID_LEN;
    }
    return true;
}

static bool is_server_time(struct str text, struct wording_time *ret_time)
{
    return wording_is_time(text, ret_time) && ret_time->year >= FIRST_YEAR_OF_RECORDINGS;
}

static void compare_times(struct comparison *comparison, struct str recorded,
                          const struct wording_time *form, struct str actual)
{
    struct wording_time time;
    if (!wording_is_time(actual, &time) || time.decimals != form->decimals)
        COMPARE_DIFFERS(comparison, "expected a time of the form %.*s, got %.*s", STR_ARG(recorded),
                        STR_ARG(difference_show_str(comparison->arena, actual)));
}

void compare_strings(struct comparison *comparison, struct str recorded, struct str actual)
{
    struct arena *arena = comparison->arena;
    struct wording_time form;
    if (is_server_time(recorded, &form)) {
        compare_times(comparison, recorded, &form, actual);
        return;
    }
    struct str want = recorded, got = actual;
    if (!str_eq(want, got)) {
        want = wording_mask_versions(arena, binding_rename(comparison->binding, arena, want));
        got = wording_mask_versions(arena, got);
    }
    if (count_uuids(want) == count_uuids(got)) {
        if (!bind_uuids(comparison, want, got))
            return;
        want = without_uuids(arena, want);
        got = without_uuids(arena, got);
    }
    if (str_eq(want, got))
        return;
    const bool message = str_eq(compare_token(comparison, 0), STR("message"));
    if (!message || !wording_is_same_list(arena, want, got))
        COMPARE_DIFFERS(comparison, "expected %.*s\n          got %.*s",
                        STR_ARG(difference_show_str(arena, want)),
                        STR_ARG(difference_show_str(arena, got)));
}
