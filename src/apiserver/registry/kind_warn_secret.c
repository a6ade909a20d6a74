/*
 * Warnings about Secrets of type kubernetes.io/tls whose certificate or key cannot be found.
 *
 * Upstream: X509KeyPair() of Go's crypto/tls. Only the blocks of PEM are looked at, not what is in
 * them: a key that is another certificate's is not noticed.
 */
#include "apiserver/registry/kind_warn_internal.h"
#include "base/base64.h"

#define BEGIN       STR("-----BEGIN ")
#define END         STR("-----END ")
#define DASHES      STR("-----")
#define CERTIFICATE STR("CERTIFICATE")

/* As many types are named in a warning. */
#define TYPES_MAX 64

/* Goes behind the next beginning of a line with the words; false when there is none. */
static bool skip_to(struct str *rest, struct str words)
{
    for (;;) {
        const size_t at = str_find(*rest, words);
        if (at == STR_NONE)
            return false;
        const bool begins_line = at == 0 || rest->ptr[at - 1] == '\n';
        *rest = str_skip(*rest, at + words.len);
        if (begins_line)
            return true;
    }
}

/* Takes the next block off the text; false when there is none. Reads the text once. */
static bool take_block(struct str *rest, struct str *ret_type)
{
    while (skip_to(rest, BEGIN)) {
        const size_t end = str_find(*rest, DASHES);
        if (end == STR_NONE)
            return false;
        *ret_type = str_slice(*rest, 0, end);
        if (!skip_to(rest, END))
            return false;
        if (str_starts_with(*rest, *ret_type) && str_starts_with(str_skip(*rest, end), DASHES))
            return true;
    }
    return false;
}

/* What is looked for in a text, and what is said when it is not there. */
struct search {
    const char *name; /* of the text, in messages */
    const char *kind; /* what was looked for, in messages */
    bool (*is_it)(struct str type);
    bool (*is_swapped)(struct str type);
    const char *swapped;
};

static bool is_certificate(struct str type)
{
    return str_eq(type, CERTIFICATE);
}

static bool ends_in_key(struct str type)
{
    return str_ends_with(type, STR("PRIVATE KEY"));
}

static bool is_key(struct str type)
{
    return str_eq(type, STR("PRIVATE KEY")) || str_ends_with(type, STR(" PRIVATE KEY"));
}

static const struct search searches[] = {
    {"certificate", "\"CERTIFICATE\" PEM block",                     is_certificate, ends_in_key,
     "tls: failed to find certificate PEM data in certificate input, but did find a private key; "
     "PEM inputs may have been switched"                                        },
    {"key",         "PEM block with type ending in \"PRIVATE KEY\"", is_key,         is_certificate,
     "tls: found a certificate rather than a key in the PEM for the private key"},
};

/* False, with a warning, when there is no such block. */
static bool warn_of_blocks_in(struct kind_warner *w, struct str text, const struct search *search)
{
    SCOPED(buf) types = {.limit = 0, .secret = true};
    struct str type = {0}, only = {0};
    size_t count = 0;
    while (take_block(&text, &type)) {
        if (search->is_it(type))
            return true;
        only = type;
        if (count++ < TYPES_MAX)
            buf_print(&types, "%s%.*s", count > 1 ? " " : "", STR_ARG(type));
    }
    if (count == 0)
        json_warn(w->warnings, arena_print(w->arena, "tls: failed to find any PEM data in %s input",
                                           search->name));
    else if (count == 1 && search->is_swapped(only))
        json_warn(w->warnings, str_from_c(search->swapped));
    else
        json_warn(w->warnings,
                  arena_print(w->arena,
                              "tls: failed to find %s in %s input after skipping PEM blocks of the "
                              "following types: [%.*s]",
                              search->kind, search->name, STR_ARG(buf_str(&types))));
    return false;
}

void warn_of_secret(struct kind_warner *w)
{
    static const struct str keys[] = {STR_INIT("tls.crt"), STR_INIT("tls.key")};
    if (!str_eq(json_path_str(w->object, "type"), STR("kubernetes.io/tls")))
        return;
    for (size_t i = 0; i < COUNT(keys); i++) {
        SCOPED(buf) bytes = {.secret = true};
        error_free(
            base64_decode(&bytes, json_to_str(json_get(json_path(w->object, "data"), keys[i]))));
        if (!warn_of_blocks_in(w, buf_str(&bytes), &searches[i]))
            return;
    }
}
