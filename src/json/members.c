#include "json/members.h"

/* Objects of up to this many members are compared key by key. */
#define SMALL_MAX 32

static bool has_name(const yyjson_val *key, struct str name)
{
    return val_len(key) == name.len && memcmp(key->uni.str, name.ptr, name.len) == 0;
}

/* By name, then by place. */
static int compare_keys(const void *a, const void *b)
{
    const yyjson_val *x = *(const yyjson_val *const *)a, *y = *(const yyjson_val *const *)b;
    const int order = str_cmp(val_str(x), val_str(y));
    return order ? order : (x > y) - (x < y);
}

static yyjson_val **sorted_keys(const yyjson_val *object)
{
    const size_t count = val_len(object);
    yyjson_val **keys = mem_realloc_array(NULL, count, sizeof(*keys));
    const yyjson_val *key = object + 1;
    for (size_t i = 0; i < count; i++, key = val_next(key + 1))
        keys[i] = (yyjson_val *)(uintptr_t)key;
    qsort(keys, count, sizeof(*keys), compare_keys);
    return keys;
}

static void repeats_add(struct repeats *repeats, yyjson_val *key)
{
    repeats->keys =
        json_grow(repeats->keys, repeats->count, &repeats->capacity, sizeof(*repeats->keys));
    repeats->keys[repeats->count++] = key;
}

static void supersede(struct repeats *repeats, yyjson_val *earlier, yyjson_val *later)
{
    unsafe_yyjson_set_type(earlier, YYJSON_TYPE_NONE, YYJSON_SUBTYPE_NONE);
    repeats_add(repeats, later);
}

static void find_in_large(struct repeats *repeats, yyjson_val *object)
{
    OWNED_PTR yyjson_val **keys = sorted_keys(object);
    for (size_t i = 1; i < val_len(object); i++)
        if (str_eq(val_str(keys[i - 1]), val_str(keys[i])))
            supersede(repeats, keys[i - 1], keys[i]);
}

static void find_before(struct repeats *repeats, yyjson_val *object, yyjson_val *key)
{
    for (yyjson_val *earlier = object + 1; earlier < key;
         earlier = (yyjson_val *)(uintptr_t)val_next(earlier + 1))
        if (!member_is_superseded(earlier) && has_name(earlier, val_str(key))) {
            supersede(repeats, earlier, key);
            return;
        }
}

/* A number below 64 that equal names share and different ones mostly do not. */
static unsigned fingerprint(const yyjson_val *key)
{
    const size_t len = val_len(key);
    if (len == 0)
        return 0;
    const unsigned char *bytes = (const unsigned char *)key->uni.str;
    return (unsigned)(len * 7 + bytes[0] * 5U + bytes[len - 1] * 3U + bytes[len / 2]) % 64;
}

void repeats_find(struct repeats *repeats, yyjson_val *object)
{
    const size_t count = val_len(object);
    if (count > SMALL_MAX) {
        find_in_large(repeats, object);
        return;
    }
    uint64_t seen = 0;
    yyjson_val *key = object + 1;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bit = UINT64_C(1) << fingerprint(key);
        if (seen & bit)
            find_before(repeats, object, key);
        seen |= bit;
        key = (yyjson_val *)(uintptr_t)val_next(key + 1);
    }
}

void repeats_done(struct repeats *repeats)
{
    mem_free(repeats->keys);
}

void lookup_done(struct lookup *lookup)
{
    mem_free(lookup->sorted);
    lookup->sorted = NULL;
}

static const yyjson_val *search_front(const struct lookup *lookup, struct str name)
{
    const yyjson_val *key = lookup->object + 1;
    for (size_t i = val_len(lookup->object); i > 0; i--, key = val_next(key + 1))
        if (has_name(key, name))
            return key;
    return NULL;
}

static const yyjson_val *search_sorted(struct lookup *lookup, struct str name)
{
    if (!lookup->sorted)
        lookup->sorted = (const yyjson_val **)(void *)sorted_keys(lookup->object);
    size_t low = 0, high = val_len(lookup->object);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = str_cmp(val_str(lookup->sorted[middle]), name);
        if (order == 0)
            return lookup->sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const yyjson_val *lookup_find(struct lookup *lookup, struct str name)
{
    if (!lookup->object)
        return NULL;
    const yyjson_val *key = lookup->next;
    if (key == val_next(lookup->object) || !has_name(key, name))
        key = val_len(lookup->object) > SMALL_MAX ? search_sorted(lookup, name)
                                                  : search_front(lookup, name);
    if (!key)
        return NULL;
    lookup->next = val_next(key + 1);
    return key + 1;
}
