#include "framework/marker.h"

#include "base/buf.h"
#include "base/sha256.h"

#define NAME_MAX_LEN    63
#define NAME_KEPT       46
#define NAME_HASH_BYTES 8

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_legal(char c)
{
    return is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
}

static bool fits(struct str name)
{
    if (name.len == 0 || name.len > NAME_MAX_LEN || !is_alphanumeric(name.ptr[0]) ||
        !is_alphanumeric(name.ptr[name.len - 1]))
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!is_legal(name.ptr[i]))
            return false;
    return true;
}

struct str marker_fit_name(struct arena *arena, struct str name)
{
    SCOPED(buf) out = {.limit = 0};
    uint8_t digest[SHA256_LEN];
    if (fits(name))
        return name;
    for (size_t i = 0; i < name.len && i < NAME_KEPT; i++) {
        const bool fine = i == 0 ? is_alphanumeric(name.ptr[i]) : is_legal(name.ptr[i]);
        buf_add_char(&out, fine ? name.ptr[i] : 'x');
    }
    buf_add_char(&out, '-');
    sha256_of(name, digest);
    for (size_t i = 0; i < NAME_HASH_BYTES; i++)
        buf_print(&out, "%02x", digest[i]);
    return arena_str(arena, buf_str(&out));
}

static void add_lower(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        buf_add_char(out, text.ptr[i] >= 'A' && text.ptr[i] <= 'Z' ? (char)(text.ptr[i] - 'A' + 'a')
                                                                   : text.ptr[i]);
}

struct str marker_key(struct arena *arena, struct str domain, const struct marker_parent *parent,
                      bool is_shared)
{
    SCOPED(buf) key = {.limit = 0};
    buf_add(&key, parent->namespace.len ? parent->namespace : STR("unknown"));
    buf_add_char(&key, '.');
    add_lower(&key, parent->kind.len ? parent->kind : STR("unknown"));
    if (is_shared && parent->group.len)
        buf_print(&key, ".%.*s", STR_ARG(parent->group));
    const struct str name = marker_fit_name(arena, parent->name);
    buf_print(&key, ".checksum.%.*s/%.*s", STR_ARG(domain), STR_ARG(name));
    return arena_str(arena, buf_str(&key));
}

/* Two parents of one kind name, namespace and name, but of different groups. */
static bool is_shared(const struct marker_set *set, size_t index)
{
    const struct marker_parent *own = &set->parents[index];
    for (size_t i = 0; i < set->count; i++) {
        const struct marker_parent *other = &set->parents[i];
        if (i != index && str_eq_nocase(own->kind, other->kind) &&
            str_eq(own->namespace, other->namespace) && str_eq(own->name, other->name) &&
            !str_eq(own->group, other->group))
            return true;
    }
    return false;
}

static struct str annotation(const struct object *object, struct str key)
{
    struct str value = {0};
    (void)object_find_annotation(object, key, &value);
    return value;
}

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
    return annotation(desired, arena_print(arena, "%.*s/version", STR_ARG(domain)));
}

static struct str version_key(struct arena *arena, struct str domain)
{
    return arena_print(arena, "version.checksum.%.*s/applied", STR_ARG(domain));
}

bool marker_needs_apply(struct arena *arena, const struct marker_set *set,
                        const struct object *desired, const struct object *live)
{
    if (has_static_change(arena, set->domain, desired, live))
        return true;
    for (size_t i = 0; i < set->count; i++) {
        const struct str key = marker_key(arena, set->domain, &set->parents[i], is_shared(set, i));
        const struct str checksum = set->parents[i].checksum;
        if (checksum.len == 0 || !str_eq(annotation(live, key), checksum))
            return true;
    }
    const struct str version = version_of(arena, set->domain, desired);
    return version.len && !str_eq(annotation(live, version_key(arena, set->domain)), version);
}

void marker_write(struct arena *arena, const struct marker_set *set, const struct object *desired,
                  struct json_edit *edit)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->parents[i].checksum.len)
            json_edit_set_str(
                edit,
                JSON_PLACE_KEY("metadata.annotations",
                               marker_key(arena, set->domain, &set->parents[i], is_shared(set, i))),
                set->parents[i].checksum);
    const struct str version = version_of(arena, set->domain, desired);
    if (version.len)
        json_edit_set_str(
            edit, JSON_PLACE_KEY("metadata.annotations", version_key(arena, set->domain)), version);
}
