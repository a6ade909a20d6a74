/*
 * Three rules, each of which is enough for most messages:
 *
 *   1. quoted text is replaced, unless it is a name or follows a word like "User";
 *   2. so is what follows "value: ", the form of field errors;
 *   3. so is every string of the object, wherever it occurs, also those that are base64.
 *
 * An object with too many strings to look for gets a message without the server's words.
 */
#include "clusterresourceset/apply/apply_redaction.h"

#include "base/base64.h"
#include "base/shorten.h"
#include "clusterresourceset/apply/apply_object.h"
#include "json/path.h"

#define MESSAGE_MAX ((size_t)1024)
#define STRINGS_MAX 10000 /* a look for each of them takes a microsecond */
#define STRING_MIN  4     /* shorter ones are part of ordinary words */
#define DEPTH_MAX   64

bool apply_redaction_is_secret(const struct object *object)
{
    const struct gvk gvk = apply_object_gvk(object);
    return !gvk.group.len && str_eq(gvk.kind, STR("Secret"));
}

/* Names that a message may have. */
static bool is_identity(const struct object *object, struct str text)
{
    const struct gvk gvk = apply_object_gvk(object);
    const struct str known[] = {object_name(object),
                                object_namespace(object),
                                object_api_version(object),
                                gvk.kind,
                                gvk.group,
                                gvk.version};
    for (size_t i = 0; i < COUNT(known); i++)
        if (str_eq(known[i], text))
            return true;
    return false;
}

/* Words in front of quotes that hold no value of the object. */
static bool is_harmless(struct str before)
{
    static const struct str words[] = {STR_INIT("User "),      STR_INIT("resource "),
                                       STR_INIT("API group "), STR_INIT("namespace "),
                                       STR_INIT("webhook "),   STR_INIT("namespaces ")};
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_ends_with(before, words[i]))
            return true;
    return false;
}

/* The length of quoted text, up to the quote that closes it or to the end. */
static size_t quoted_len(struct str text)
{
    size_t len = 0;
    while (len < text.len && text.ptr[len] != '"')
        len += text.ptr[len] == '\\' && len + 1 < text.len ? 2 : 1;
    return len;
}

/* The rules 1 and 2. */
static void redact_quoted(const struct object *object, struct str message, struct buf *out)
{
    static const struct str value = STR_INIT("value: ");
    for (size_t i = 0; i < message.len;) {
        const struct str before = str_slice(message, 0, i), rest = str_skip(message, i);
        if (rest.ptr[0] == '"') {
            const size_t len = quoted_len(str_skip(rest, 1));
            const struct str quoted = str_slice(rest, 1, len + 1);
            const bool is_kept = is_identity(object, quoted) || is_harmless(before);
            buf_print(out, "\"%.*s\"", STR_ARG(is_kept ? quoted : STR("…")));
            i += len + 2;
        } else if (str_ends_with(before, value)) {
            const size_t len = str_find(rest, STR(": "));
            buf_add(out, STR("…"));
            i += len == STR_NONE ? rest.len : len;
        } else {
            buf_add_char(out, message.ptr[i++]);
        }
    }
}

/* Replaces every occurrence of the text. */
static void redact_text(struct buf *message, struct str secret)
{
    SCOPED(buf) told = {.secret = true};
    struct str rest = buf_str(message);
    size_t at = str_find(rest, secret);
    if (at == STR_NONE)
        return;
    for (; at != STR_NONE; at = str_find(rest, secret)) {
        buf_add(&told, str_slice(rest, 0, at));
        buf_add(&told, STR("…"));
        rest = str_skip(rest, at + secret.len);
    }
    buf_add(&told, rest);
    buf_clear(message);
    buf_add(message, buf_str(&told));
}

static void redact_string(const struct object *object, struct buf *message, struct str secret)
{
    SCOPED(buf) decoded = {.secret = true};
    if (secret.len < STRING_MIN || is_identity(object, secret))
        return;
    redact_text(message, secret);
    OWNED(error) other = base64_decode(&decoded, secret);
    if (!other && decoded.len >= STRING_MIN)
        redact_text(message, buf_str(&decoded));
}

/* Rule 3. Returns false if there is too much to look for. */
static bool redact_strings(const struct object *object, const struct json_value *value,
                           struct buf *message, size_t depth, size_t *count)
{
    const struct json_value *item;
    if (depth == DEPTH_MAX || ++*count > STRINGS_MAX)
        return false;
    if (json_type(value) == JSON_STRING)
        redact_string(object, message, json_to_str(value));
    if (json_type(value) != JSON_ARRAY && json_type(value) != JSON_OBJECT)
        return true;
    JSON_FOREACH (key, item, value)
        if (!redact_strings(object, item, message, depth + 1, count))
            return false;
    return true;
}

/* Old servers quote the text around a syntax error, see ", error found in #10 byte of ...|…|". */
void apply_redaction_write(const struct object *object, struct str message, struct buf *out)
{
    SCOPED(buf) told = {.secret = true};
    size_t count = 0;
    const struct str words = shorten_to_beginning(
        str_slice(message, 0, str_find(message, STR(", error found in #"))), MESSAGE_MAX);
    redact_quoted(object, words, &told);
    if (!redact_strings(object, object_root(object), &told, 0, &count)) {
        buf_clear(&told);
        buf_add(&told, STR("the server's words are not shown: they may quote what is secret"));
    }
    buf_add(out, buf_str(&told));
}
