/*
 * Sees every object that is deleted in a cluster, and knows why it may be.
 *
 * Nothing is deleted but what the policy asks for: objects that a set with the policy has applied,
 * that no other set has applied as well, and that its content no longer has or that are of a
 * resource which the set no longer names. What was so a moment ago counts: a request may be on its
 * way while people change their minds.
 */
#include <stdio.h>

#include "async/loop.h"
#include "json/path.h"
#include "soak/sets/sets.h"

#define MOMENT MINUTE

/* Whether the set did not name the resource at some time since. */
static bool has_left_out(const struct sets *sets, size_t set, size_t resource, int64_t since)
{
    for (size_t i = sets->naming_count; i-- > 0;) {
        const struct naming *naming = &sets->namings[i];
        if (naming->set != set)
            continue;
        if (!(naming->refs & 1U << resource))
            return true;
        if (naming->since < since)
            return false;
    }
    return false;
}

/* The sets that have an entry Apply in the object, a bit each. */
static unsigned find_owners(const struct json_doc *object)
{
    const struct json_value *entry;
    unsigned owners = 0;
    size_t set;
    JSON_FOREACH (key, entry, json_path(json_doc_root(object), "metadata.managedFields")) {
        struct str manager = json_path_str(entry, "manager"), head;
        if (str_eq(json_path_str(entry, "operation"), STR("Apply")) &&
            str_starts_with(manager, STR("corset:")) && str_cut(&manager, '/', &head) &&
            sets_number(manager, 's', SETS, &set))
            owners |= 1U << set;
    }
    return owners;
}

static bool is_unwanted(struct sets *sets, size_t set, size_t resource, char letter)
{
    const int64_t since = loop_now(loop_current()) - MOMENT;
    return tampering_has_policy(sets, set) && (has_left_out(sets, set, resource, since) ||
                                               catalog_lacks(sets, resource, letter, since));
}

/* "r0-a" at the end of a path; false for other names. */
static bool read_name(struct str target, size_t *ret_resource, char *ret_letter)
{
    struct str path;
    (void)str_cut(&target, '?', &path);
    const size_t slash = str_find_last_char(path, '/');
    const struct str name = str_skip(path, slash == STR_NONE ? 0 : slash + 1);
    if (name.len != 4 || name.ptr[2] != '-')
        return false;
    *ret_letter = name.ptr[3];
    return sets_number(str_slice(name, 0, 2), 'r', RESOURCES, ret_resource);
}

/*
 * What somebody has changed meanwhile is not deleted, because the request names the version that
 * was listed: of such objects the entries do not count.
 */
void pruning_witness(struct sets *sets, size_t cluster, struct str target)
{
    size_t resource;
    char letter;
    if (!sets->profile.prunes || !read_name(target, &resource, &letter))
        test_fail(TEST_PLACE("objects"), "of c%zu are deleted: %.*s", cluster, STR_ARG(target));
    OWNED(json_doc) object = catalog_find_object(sets, cluster, resource, letter);
    const bool is_tampered = sets->tampered[cluster] & 1U << resource;
    const unsigned owners = object ? find_owners(object) : 0;
    bool is_explained = false;
    for (size_t i = 0; i < SETS; i++)
        is_explained |=
            (is_tampered || !object || owners == 1U << i) && is_unwanted(sets, i, resource, letter);
    if (!is_explained)
        test_fail(TEST_PLACE("objects"), "of r%zu are deleted in c%zu, and no rule explains it",
                  resource, cluster);
    sets->tampered[cluster] |= 1U << resource; /* who claims that it is there may be wrong now */
}
