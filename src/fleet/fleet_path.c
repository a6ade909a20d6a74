#include "fleet/fleet_path.h"

#include "apimachinery/status.h"
#include "base/array.h"
#include "http/url.h"

#define GROUP_PREFIX STR("/apis/" FLEET_GROUP)

struct segments {
    struct str *items; /* unescaped */
    size_t *offsets;   /* where they begin in the path */
    size_t count, capacity, offset_capacity;
};

bool fleet_path_is_ours(struct str target)
{
    if (!str_starts_with(target, GROUP_PREFIX))
        return false;
    const struct str rest = str_skip(target, GROUP_PREFIX.len);
    return rest.len == 0 || rest.ptr[0] == '/' || rest.ptr[0] == '?';
}

/* Text that may be a segment of a path for every program on the way. */
static bool is_plain_segment(struct str text)
{
    if (text.len == 0 || str_eq(text, STR(".")) || str_eq(text, STR("..")))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x20 || c == 0x7f || c == '/' || c == '\\')
            return false;
    }
    return true;
}

/* A slash at the end is allowed, once. */
static struct error *read_segments(struct arena *arena, struct str path, struct segments *ret)
{
    struct str rest = str_skip(path, 1);
    while (rest.len) {
        struct str escaped, text;
        const size_t offset = path.len - rest.len;
        str_cut(&rest, '/', &escaped);
        OWNED(error) broken = url_unescape(arena, escaped, &text);
        if (broken || !is_plain_segment(text))
            return status_bad_request("the path has a segment that is empty, made of dots, or has "
                                      "an escaped slash or control character");
        size_t count = ret->count;
        ARENA_ARRAY_PUSH(arena, ret->offsets, count, ret->offset_capacity, offset);
        ARENA_ARRAY_PUSH(arena, ret->items, ret->count, ret->capacity, text);
    }
    return NULL;
}

static bool segment_is(const struct segments *segments, size_t index, struct str text)
{
    return index < segments->count && str_eq(segments->items[index], text);
}

/* What follows the segment before this one, with its slash. */
static void set_rest(struct fleet_path *ret_path, struct str path, const struct segments *segments,
                     size_t first)
{
    ret_path->rest =
        first < segments->count ? str_skip(path, segments->offsets[first] - 1) : STR("/");
    ret_path->segments = segments->items + (first < segments->count ? first : 0);
    ret_path->segment_count = segments->count > first ? segments->count - first : 0;
}

/* The segments behind "apis", the group and the version. */
static void classify_path(struct fleet_path *ret_path, struct str path,
                          const struct segments *segments)
{
    if (segments->count == 2) {
        ret_path->kind = FLEET_PATH_GROUP;
    } else if (!segment_is(segments, 2, STR(FLEET_VERSION))) {
        return;
    } else if (segments->count == 3) {
        ret_path->kind = FLEET_PATH_ROOT;
    } else if (segment_is(segments, 3, STR("fleet"))) {
        ret_path->kind = FLEET_PATH_ALL;
        set_rest(ret_path, path, segments, 4);
    } else if (segment_is(segments, 3, STR("namespaces")) &&
               segment_is(segments, 5, STR("clusters")) && segment_is(segments, 7, STR("proxy"))) {
        ret_path->kind = FLEET_PATH_ONE;
        ret_path->cluster = (struct key){segments->items[4], segments->items[6]};
        set_rest(ret_path, path, segments, 8);
    }
}

struct error *fleet_path_read(struct arena *arena, struct str target, struct fleet_path *ret_path)
{
    struct segments segments = {0};
    struct str path;
    *ret_path = (struct fleet_path){.query = target};
    str_cut(&ret_path->query, '?', &path);
    TRY(read_segments(arena, path, &segments));
    classify_path(ret_path, path, &segments);
    return NULL;
}

bool fleet_path_has(const struct fleet_path *path, struct str segment)
{
    for (size_t i = 0; i < path->segment_count; i++)
        if (str_eq(path->segments[i], segment))
            return true;
    return false;
}
