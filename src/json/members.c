/*
 * Repeated names in an object, and repeated searches in one.
 *
 * Objects of up to SMALL_MAX members are searched linearly; a bit set of hashed names avoids most
 * comparisons. Larger objects are checked for repeats with a hash table. The hash is not keyed, so
 * input can be made to collide: after too many probes the names are sorted instead, which bounds
 * the work at n log n. Lookups in large objects sort the members once and then search by halves.
 */
#include "json/members.h"

/* Objects of up to this many members are compared key by key. */
#define SMALL_MAX 32

/*
 * Compares first and last byte before memcmp(): names of one length usually differ in the first
 * byte, numbered ones in the last.
 */
static bool has_name(const yyjson_val *key, struct str name)
{
    if (val_len(key) != name.len)
        return false;
    return name.len == 0 || (key->uni.str[0] == name.ptr[0] &&
                             key->uni.str[name.len - 1] == name.ptr[name.len - 1] &&
                             memcmp(key->uni.str, name.ptr, name.len) == 0);
}

/* By name, then by place, so that of equal names the last one comes last. */
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

/* Marks the earlier member; the copy without marked members is made later. */
static void supersede(struct repeats *repeats, yyjson_val *earlier, yyjson_val *later)
{
    unsafe_yyjson_set_type(earlier, YYJSON_TYPE_NONE, YYJSON_SUBTYPE_NONE);
    ARRAY_PUSH(repeats->keys, repeats->count, repeats->capacity, later);
}

/* Equal names are adjacent in the sorted order. */
static void find_sorted(struct repeats *repeats, yyjson_val *object)
{
    OWNED_PTR yyjson_val **keys = sorted_keys(object);
    for (size_t i = 1; i < val_len(object); i++)
        if (str_eq(val_str(keys[i - 1]), val_str(keys[i])))
            supersede(repeats, keys[i - 1], keys[i]);
}

/* The upper bits of a product depend on all bits; the shift brings them down for the next step. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 29;
}

/* Eight bytes at a time. The last eight may overlap the ones before. */
static uint64_t hash_name(struct str name)
{
    uint64_t hash = name.len, word = 0;
    if (name.len < sizeof(word)) {
        for (size_t i = 0; i < name.len; i++)
            word = word << 8 | (unsigned char)name.ptr[i];
        return mix(hash, word);
    }
    for (size_t i = 0; i + sizeof(word) < name.len; i += sizeof(word)) {
        memcpy(&word, name.ptr + i, sizeof(word));
        hash = mix(hash, word);
    }
    memcpy(&word, name.ptr + name.len - sizeof(word), sizeof(word));
    return mix(hash, word);
}

/* Open addressing; a power of two places, at least twice as many as keys. */
struct table {
    yyjson_val **places;
    unsigned bits;
    size_t probes;
};

/* The place for a key: empty, or holding a key of the same name. */
static yyjson_val **find_place(struct table *table, const yyjson_val *key)
{
    const size_t mask = ((size_t)1 << table->bits) - 1;
    size_t i = hash_name(val_str(key)) >> (64 - table->bits);
    for (; table->places[i] && !has_name(table->places[i], val_str(key)); i = (i + 1) & mask)
        table->probes++;
    return &table->places[i];
}

/* False when names collide so often that they must be hostile. *ret_any: some name repeats. */
static bool try_to_find_any(const yyjson_val *object, bool *ret_any)
{
    const size_t count = val_len(object);
    const unsigned bits = 65 - (unsigned)__builtin_clzll(count);
    OWNED_PTR yyjson_val **places = mem_alloc_zero(sizeof(*places) << bits);
    struct table table = {.places = places, .bits = bits};
    const yyjson_val *key = object + 1;
    *ret_any = false;
    for (size_t i = 0; i < count && !*ret_any; i++, key = val_next(key + 1)) {
        yyjson_val **place = find_place(&table, key);
        if (table.probes > 8 * count)
            return false;
        *ret_any = *place != NULL;
        *place = (yyjson_val *)(uintptr_t)key;
    }
    return true;
}

/* Hashing shows in linear time that nothing repeats, the usual case. Otherwise names are sorted. */
static void find_in_large(struct repeats *repeats, yyjson_val *object)
{
    bool any;
    if (!try_to_find_any(object, &any) || any)
        find_sorted(repeats, object);
}

/* Searches the earlier members for the name of key. */
static void find_before(struct repeats *repeats, yyjson_val *object, yyjson_val *key)
{
    for (yyjson_val *earlier = object + 1; earlier < key;
         earlier = (yyjson_val *)(uintptr_t)val_next(earlier + 1))
        if (!member_is_superseded(earlier) && has_name(earlier, val_str(key))) {
            supersede(repeats, earlier, key);
            return;
        }
}

void repeats_find(struct repeats *repeats, yyjson_val *object)
{
    const size_t count = val_len(object);
    if (count > SMALL_MAX) {
        find_in_large(repeats, object);
        return;
    }
    /* A bit for each name seen: only names that share one are compared. */
    uint64_t seen = 0;
    yyjson_val *key = object + 1;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bit = UINT64_C(1) << (hash_name(val_str(key)) >> 58);
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

/* For small objects. */
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

/*
 * Tries the member behind the one found last: two objects with members in the same order are
 * compared without any search.
 */
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
