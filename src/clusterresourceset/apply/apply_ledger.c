#include "clusterresourceset/apply/apply_ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/sha256.h"

void apply_ledger_done(struct apply_ledger *ledger)
{
    map_done(&ledger->objects);
    map_done(&ledger->versions);
}

/* The last kinds are looked at first: objects of one kind stand together. */
static void add_kind(struct apply_ledger *ledger, struct gvk gvk)
{
    SCOPED(arena) scratch = {0};
    const struct str version = gvk_api_version(&scratch, gvk);
    const struct str kind = arena_print(&scratch, "%.*s/%.*s", STR_ARG(version), STR_ARG(gvk.kind));
    for (size_t i = ledger->kind_count; i-- > 0;)
        if (str_eq(ledger->kinds[i], kind))
            return;
    ARENA_ARRAY_PUSH(ledger->arena, ledger->kinds, ledger->kind_count, ledger->kind_capacity,
                     arena_str(ledger->arena, kind));
}

bool apply_ledger_is_newer(struct str version, struct str than)
{
    return version.len != than.len ? version.len > than.len : str_cmp(version, than) > 0;
}

static void add_version(struct apply_ledger *ledger, struct gvk gvk, struct str version)
{
    const struct str kind =
        arena_print(ledger->arena, "%.*s/%.*s", STR_ARG(gvk.group), STR_ARG(gvk.kind));
    if (apply_ledger_is_newer(version, str_from_c(map_find(&ledger->versions, kind))))
        map_put(&ledger->versions, kind, (char *)arena_str(ledger->arena, version).ptr);
}

void apply_ledger_add(struct apply_ledger *ledger, struct gvk gvk,
                      const struct apply_receipt *receipt)
{
    const struct str id =
        arena_print(ledger->arena, "%.*s/%.*s %.*s/%.*s", STR_ARG(gvk.group), STR_ARG(gvk.kind),
                    STR_ARG(receipt->key.namespace), STR_ARG(receipt->key.name));
    const struct str line = arena_print(ledger->arena, "%.*s %.*s %.*s\n", STR_ARG(id),
                                        STR_ARG(receipt->uid), STR_ARG(receipt->ownership));
    add_kind(ledger, gvk);
    add_version(ledger, gvk, receipt->version);
    if (!receipt->ignores_drift)
        map_put(&ledger->objects, id, (char *)line.ptr);
}

struct apply_receipt apply_ledger_receipt(const struct map_entry *entry)
{
    struct apply_receipt receipt = {0};
    struct str rest = str_skip(str_from_c(entry->value), map_key(entry).len + 1);
    str_cut(&rest, ' ', &receipt.uid);
    str_cut(&rest, '\n', &receipt.ownership);
    return receipt;
}

void apply_ledger_add_missing(struct apply_ledger *ledger, const struct map *objects)
{
    MAP_FOREACH (entry, objects)
        if (!map_has(&ledger->objects, map_key(entry)))
            map_put(&ledger->objects, map_key(entry), entry->value);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct str apply_ledger_digest(const struct apply_ledger *ledger,
                               char text[static APPLY_LEDGER_DIGEST_LEN + 1])
{
    SCOPED(buf) all = {.limit = 0};
    size_t count = 0;
    const char **lines = mem_realloc_array(NULL, map_count(&ledger->objects) + 1, sizeof(*lines));
    MAP_FOREACH (entry, &ledger->objects)
        lines[count++] = entry->value;
    qsort((void *)lines, count, sizeof(*lines), compare_lines);
    for (size_t i = 0; i < count; i++)
        buf_add(&all, str_from_c(lines[i]));
    mem_free((void *)lines);
    return sha256_start(buf_str(&all), APPLY_LEDGER_DIGEST_LEN, text);
}
