/*
 * Checksum annotations: their keys, the decision whether to apply, and writing them.
 *
 * The key of a parent is "<namespace>.<kind>[.<group>].checksum.<domain>/<name>". The name part of
 * an annotation key has at most 63 characters, so long names are cut and get a hash. Two further
 * annotations take part in the decision:
 *
 *     static.checksum.<domain>/...        set by the controller; applied when it differs
 *     version.checksum.<domain>/applied   the <domain>/version that was applied last
 */
#include "framework/checksum_annotation.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/sha256.h"

/*
 * The name part of a key: at most 63 characters, of which 46, a dash and 16 hex digits stay of a
 * name that is too long.
 */
#define NAME_MAX_LEN    63
#define NAME_KEPT       46
#define NAME_HASH_BYTES 8

static bool is_legal(char c)
{
    return ascii_is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
}

/* True if the name can stand in an annotation key as it is. */
static bool fits(struct str name)
{
    if (name.len == 0 || name.len > NAME_MAX_LEN || !ascii_is_alphanumeric(name.ptr[0]) ||
        !ascii_is_alphanumeric(name.ptr[name.len - 1]))
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!is_legal(name.ptr[i]))
            return false;
    return true;
}

static void add_hash(struct buf *out, struct str name)
{
    uint8_t digest[SHA256_LEN];
    sha256_of(name, digest);
    buf_add_char(out, '-');
    for (size_t i = 0; i < NAME_HASH_BYTES; i++)
        buf_print(out, "%02x", digest[i]);
}

struct str checksum_annotation_fit_name(struct arena *arena, struct str name)
{
    SCOPED(buf) out = {.limit = 0};
    if (fits(name))
        return name;
    for (size_t i = 0; i < name.len && i < NAME_KEPT; i++) {
        const bool fine = i == 0 ? ascii_is_alphanumeric(name.ptr[i]) : is_legal(name.ptr[i]);
        buf_add_char(&out, fine ? name.ptr[i] : 'x');
    }
    add_hash(&out, name);
    return arena_str(arena, buf_str(&out));
}

struct str checksum_annotation_short_name(struct arena *arena, struct str name)
{
    SCOPED(buf) out = {.limit = 0};
    const size_t kept = name.len < NAME_KEPT ? name.len : NAME_KEPT;
    for (size_t i = 0; i < kept; i++) {
        const char c = ascii_to_lower(name.ptr[i]);
        const bool inside = i > 0 && i + 1 < kept; /* where a dot or a dash may stand */
        buf_add_char(&out,
                     ascii_is_alphanumeric(c) || (inside && (c == '-' || c == '.')) ? c : 'x');
    }
    add_hash(&out, name);
    return arena_str(arena, buf_str(&out));
}

static void add_lower(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        buf_add_char(out, ascii_to_lower(text.ptr[i]));
}

/* The key for a parent; group is empty unless two parents would otherwise have the same key. */
static struct str key_of(struct arena *arena, struct str domain,
                         const struct checksum_annotation_parent *parent, struct str group)
{
    SCOPED(buf) key = {.limit = 0};
    buf_add(&key, parent->namespace.len ? parent->namespace : STR("unknown"));
    buf_add_char(&key, '.');
    add_lower(&key, parent->kind.len ? parent->kind : STR("unknown"));
    if (group.len)
        buf_print(&key, ".%.*s", STR_ARG(group));
    const struct str name = checksum_annotation_fit_name(arena, parent->name);
    buf_print(&key, ".checksum.%.*s/%.*s", STR_ARG(domain), STR_ARG(name));
    return arena_str(arena, buf_str(&key));
}

struct checksum_annotation_set
checksum_annotation_set_new(struct arena *arena, struct str domain,
                            const struct checksum_annotation_parent *parents, size_t count)
{
    SCOPED(map) first = {0}; /* key -> the first parent with it */
    struct checksum_annotation *annotations =
        arena_alloc_array(arena, count + 1, sizeof(struct checksum_annotation));
    for (size_t i = 0; i < count; i++) {
        annotations[i] = (struct checksum_annotation){key_of(arena, domain, &parents[i], STR("")),
                                                      parents[i].checksum};
        const struct checksum_annotation_parent *other = map_find(&first, annotations[i].key);
        if (!other) {
            map_put(&first, annotations[i].key, (void *)&parents[i]);
        } else if (!str_eq(other->group, parents[i].group)) {
            annotations[other - parents].key = key_of(arena, domain, other, other->group);
            annotations[i].key = key_of(arena, domain, &parents[i], parents[i].group);
        }
    }
    return (struct checksum_annotation_set){domain, annotations, count};
}

static struct str annotation_value(const struct object *object, struct str key)
{
    struct str value = {0};
    (void)object_find_annotation(object, key, &value);
    return value;
}

/* True if a static checksum of the desired object is missing from the live one or differs there. */
static bool has_static_change(struct arena *arena, struct str domain, const struct object *desired,
                              const struct object *live)
{
    const struct str prefix = arena_print(arena, "static.checksum.%.*s/", STR_ARG(domain));
    const struct json_value *value;
    JSON_FOREACH (key, value, object_annotations(desired)) {
        struct str there;
        if (str_starts_with(key, prefix) &&
            (!object_find_annotation(live, key, &there) || !str_eq(there, json_to_str(value))))
            return true;
    }
    return false;
}

static struct str version_of(struct arena *arena, struct str domain, const struct object *desired)
{
    return annotation_value(desired, arena_print(arena, "%.*s/version", STR_ARG(domain)));
}

static struct str version_key(struct arena *arena, struct str domain)
{
    return arena_print(arena, "version.checksum.%.*s/applied", STR_ARG(domain));
}

/* A parent without a checksum cannot be compared, so the object is applied every time. */
bool checksum_annotation_needs_apply(struct arena *arena, const struct checksum_annotation_set *set,
                                     const struct object *desired, const struct object *live)
{
    if (has_static_change(arena, set->domain, desired, live))
        return true;
    for (size_t i = 0; i < set->count; i++) {
        const struct checksum_annotation *annotation = &set->annotations[i];
        if (!annotation->checksum.len ||
            !str_eq(annotation_value(live, annotation->key), annotation->checksum))
            return true;
    }
    const struct str version = version_of(arena, set->domain, desired);
    return version.len && !str_eq(annotation_value(live, version_key(arena, set->domain)), version);
}

void checksum_annotation_write(struct arena *arena, const struct checksum_annotation_set *set,
                               const struct object *desired, struct json_edit *edit)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->annotations[i].checksum.len)
            json_edit_set_str(edit, JSON_PLACE_KEY("metadata.annotations", set->annotations[i].key),
                              set->annotations[i].checksum);
    const struct str version = version_of(arena, set->domain, desired);
    if (version.len)
        json_edit_set_str(
            edit, JSON_PLACE_KEY("metadata.annotations", version_key(arena, set->domain)), version);
}
