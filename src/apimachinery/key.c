#include "apimachinery/key.h"

bool key_eq(struct key a, struct key b)
{
    return str_eq(a.name, b.name) && str_eq(a.namespace, b.namespace);
}

uint64_t key_hash(struct key key, uint64_t seed)
{
    /* The first hash seeds the second, so that "a" + "bc" and "ab" + "c" differ. */
    return str_hash(key.name, str_hash(key.namespace, seed));
}

struct key key_copy(struct arena *arena, struct key key)
{
    return (struct key){arena_str(arena, key.namespace), arena_str(arena, key.name)};
}

void key_write(struct buf *out, struct key key)
{
    if (key.namespace.len) {
        buf_add(out, key.namespace);
        buf_add_char(out, '/');
    }
    buf_add(out, key.name);
}

struct str key_text(struct arena *arena, struct key key)
{
    const struct str slash = key.namespace.len ? STR("/") : STR("");
    return arena_print(arena, "%.*s%.*s%.*s", STR_ARG(key.namespace), STR_ARG(slash),
                       STR_ARG(key.name));
}

struct error *key_read(struct str text, struct key *ret_key)
{
    struct str rest = text, head;
    const bool has_namespace = str_cut(&rest, '/', &head);
    if (str_find_char(rest, '/') != STR_NONE)
        return error_new(ERROR_INVALID, "unexpected key format: \"%.*s\"", STR_ARG(text));
    *ret_key = has_namespace ? (struct key){head, rest} : (struct key){STR(""), head};
    return NULL;
}
