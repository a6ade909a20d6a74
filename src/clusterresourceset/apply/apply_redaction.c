/*
 * Three rules, each of which is enough for most messages:
 *
 *   1. quoted text is replaced, unless it is a name or follows a word like "User";
 *   2. so is what follows "value: ", the form of field errors;
 *   3. so is every string and number of the object, wherever it occurs: also strings that are
 *      base64, single lines of longer ones, and what a cut message has left of one. Numbers and
 *      strings of a few characters are looked for as whole words.
 *
 * An object with too much to look for gets a message without the server's words.
 */
#include "clusterresourceset/apply/apply_redaction.h"

#include "base/base64.h"
#include "base/shorten.h"
#include "clusterresourceset/apply/apply_object.h"
#include "json/path.h"

#define MESSAGE_MAX ((size_t)1024)
#define LOOKS_MAX   10000 /* each of them takes a microsecond */
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

/* A message on its way through rule 3. */
struct redaction {
    const struct object *object;
    struct buf *message;
    size_t looks; /* so far */
};

static bool is_letter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* True if the text at this place neither continues a word nor is continued. */
static bool is_word(struct str message, size_t at, size_t len)
{
    const bool begins = at == 0 || !is_letter(message.ptr[at - 1]) || !is_letter(message.ptr[at]);
    const bool ends = at + len == message.len || !is_letter(message.ptr[at + len]) ||
                      !is_letter(message.ptr[at + len - 1]);
    return begins && ends;
}

/* Replaces every occurrence of the text, or those that are whole words. */
static void redact_text(struct redaction *redaction, struct str secret, bool as_word)
{
    SCOPED(buf) told = {.secret = true};
    const struct str message = buf_str(redaction->message);
    size_t from = 0, at;
    if (!message.ptr || !secret.len || !str_contains(message, secret))
        return;
    while ((at = str_find(str_skip(message, from), secret)) != STR_NONE) {
        const bool is_told = as_word && !is_word(message, from + at, secret.len);
        buf_add(&told, str_slice(message, from, from + at));
        buf_add(&told, is_told ? secret : STR("…"));
        from += at + secret.len;
    }
    buf_add(&told, str_skip(message, from));
    buf_clear(redaction->message);
    buf_add(redaction->message, buf_str(&told));
}

/* Replaces the beginning of the text at the end of the message, which may have been cut there. */
static void redact_beginning(struct redaction *redaction, struct str secret)
{
    const struct str message = buf_str(redaction->message);
    size_t len = secret.len < message.len ? secret.len : message.len;
    while (len >= STRING_MIN && !str_ends_with(message, str_slice(secret, 0, len)))
        len--;
    if (len < STRING_MIN)
        return;
    buf_truncate(redaction->message, message.len - len);
    buf_add(redaction->message, STR("…"));
}

/* The text, and each of its lines. Returns false if there is too much to look for. */
static bool redact_lines(struct redaction *redaction, struct str secret)
{
    struct str rest = secret, line;
    redact_text(redaction, secret, secret.len < STRING_MIN);
    redact_beginning(redaction, secret);
    while (str_find_char(secret, '\n') != STR_NONE && rest.len) {
        if (++redaction->looks > LOOKS_MAX)
            return false;
        str_cut(&rest, '\n', &line);
        line = str_trim(line);
        if (line.len < STRING_MIN)
            continue;
        redact_text(redaction, line, false);
        redact_beginning(redaction, line);
    }
    return true;
}

static bool redact_string(struct redaction *redaction, struct str secret)
{
    SCOPED(buf) decoded = {.secret = true};
    if (is_identity(redaction->object, secret))
        return true;
    if (!redact_lines(redaction, secret))
        return false;
    OWNED(error) other = secret.len >= STRING_MIN ? base64_decode(&decoded, secret) : NULL;
    return other || redact_lines(redaction, buf_str(&decoded));
}

static void redact_number(struct redaction *redaction, const struct json_value *number)
{
    SCOPED(buf) text = {.secret = true};
    json_write_with(&text, number, JSON_WRITE_NUMBERS_AS_READ);
    redact_text(redaction, buf_str(&text), true);
}

/* Rule 3. Returns false if there is too much to look for. */
static bool redact_values(struct redaction *redaction, const struct json_value *value, size_t depth)
{
    const struct json_value *item;
    if (depth == DEPTH_MAX || ++redaction->looks > LOOKS_MAX)
        return false;
    if (json_type(value) == JSON_STRING)
        return redact_string(redaction, json_to_str(value));
    if (json_type(value) == JSON_NUMBER)
        redact_number(redaction, value);
    if (json_type(value) != JSON_ARRAY && json_type(value) != JSON_OBJECT)
        return true;
    JSON_FOREACH (key, item, value)
        if (!redact_values(redaction, item, depth + 1))
            return false;
    return true;
}

/* Old servers quote the text around a syntax error, see ", error found in #10 byte of ...|…|". */
void apply_redaction_write(const struct object *object, struct str message, struct buf *out)
{
    SCOPED(buf) told = {.secret = true};
    const struct str words = shorten_to_beginning(
        str_slice(message, 0, str_find(message, STR(", error found in #"))), MESSAGE_MAX);
    redact_quoted(object, words, &told);
    struct redaction redaction = {.object = object, .message = &told};
    if (!redact_values(&redaction, object_root(object), 0)) {
        buf_clear(&told);
        buf_add(&told, STR("the server's words are not shown: they may quote what is secret"));
    }
    buf_add(out, buf_str(&told));
}

struct error *apply_redaction_error(const struct object *object, struct error *err)
{
    SCOPED(buf) text = {.secret = true};
    if (!err || !err->http_status)
        return err;
    apply_redaction_write(object, str_from_c(err->message), &text);
    struct error *told = error_new(err->code, "%s", buf_c(&text));
    told->http_status = err->http_status;
    told->retry_after = err->retry_after;
    error_free(err);
    return told;
}
