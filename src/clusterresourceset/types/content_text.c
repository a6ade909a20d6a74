#include "clusterresourceset/types/content_text.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/quote.h"

#define FIXED   "failed converting data to unstructured objects: "
#define OPENING "yaml document: \""
#define KEY_MAX 253

/* A message of manifest_read(): what is in front of the quoted document, the document, the cause.
 */
struct parts {
    struct str front, quoted, cause;
};

/* Bytes of the character or escape at the front of quoted text. */
static size_t unit_len(struct str quoted)
{
    if (quoted.len < 2 || quoted.ptr[0] != '\\') {
        const size_t len = str_char_len(quoted);
        return len ? len : 1;
    }
    const char letter = quoted.ptr[1];
    return letter == 'x' ? 4 : letter == 'u' ? 6 : letter == 'U' ? 10 : 2;
}

static struct parts split(const struct content_text *text)
{
    const struct str message = str_from_c(text->err->message);
    const size_t at = text->fault->document ? str_find(message, STR(OPENING)) : STR_NONE;
    if (at == STR_NONE)
        return (struct parts){.front = message};
    const struct str rest = str_skip(message, at + sizeof(OPENING) - 1);
    size_t end = 0;
    while (end < rest.len && rest.ptr[end] != '"')
        end += unit_len(str_skip(rest, end));
    return (struct parts){
        .front = str_slice(message, 0, at + sizeof(OPENING) - 4), /* less the colon */
        .quoted = str_slice(rest, 0, end),
        .cause = str_skip(rest, end + sizeof("\": ") - 1),
    };
}

/* Causes that quote a word of the document; NULL for those that have a text of their own only. */
static const char *cause_in_general(enum manifest_error error)
{
    switch (error) {
    case MANIFEST_TAG:
        return "a tag or a merge does not fit its value";
    case MANIFEST_MAP_KEY:
        return "a key that has no text form";
    case MANIFEST_NO_JSON_FORM:
        return "a number that is infinite or none at all";
    case MANIFEST_ANCHOR:
        return "an anchor that is unknown or inside of itself";
    default:
        return NULL;
    }
}

static void add_quoted(struct buf *out, struct str quoted)
{
    size_t end = 0;
    while (end < quoted.len) {
        const size_t next = end + unit_len(str_skip(quoted, end));
        if (next > CONTENT_TEXT_QUOTE_MAX)
            break;
        end = next;
    }
    buf_add(out, STR(": \""));
    buf_add(out, str_slice(quoted, 0, end));
    buf_add(out, end < quoted.len && !str_ends_with(str_slice(quoted, 0, end), STR("…"))
                     ? STR("…\"")
                     : STR("\""));
}

static void add_separator(struct buf *out, bool *first)
{
    buf_add(out, *first ? STR(" (") : STR(", "));
    *first = false;
}

/* Where it is, unless what was said tells the same: " (key "b.yaml", line 12, column 3)". */
static void add_place(struct buf *out, const struct content_text *text, struct str said)
{
    char place[64];
    const struct manifest_fault *fault = text->fault;
    bool first = true;
    snprintf(place, sizeof(place), "line %zu, column %zu", fault->line, fault->column);
    const bool is_said = str_contains(said, str_from_c(place));
    if (text->key.len) {
        add_separator(out, &first);
        buf_add(out, STR("key "));
        str_quote_go(out, str_slice(text->key, 0, KEY_MAX));
    }
    if (fault->line && !is_said) {
        add_separator(out, &first);
        buf_add(out, str_from_c(place));
    }
    if (!first)
        buf_add_char(out, ')');
}

static struct error *make(const struct content_text *text, struct buf *message, struct str said)
{
    add_place(message, text, said);
    return error_new(text->err->code, "%s", buf_c(message));
}

/* The message without the document. */
static struct str what_is_said(const struct content_text *text)
{
    const struct parts parts = split(text);
    return parts.cause.len ? parts.cause : parts.front;
}

struct error *content_text_whole(const struct content_text *text)
{
    SCOPED(buf) message = {0};
    buf_add(&message, STR(FIXED));
    buf_add(&message, str_from_c(text->err->message));
    return make(text, &message, what_is_said(text));
}

static void add_secret(struct buf *out, const struct content_text *text, const struct parts *parts)
{
    const char *general = cause_in_general(text->fault->error);
    if (text->fault->error == MANIFEST_SEPARATOR) {
        buf_add(out, STR("failed to read yaml: invalid Yaml document separator"));
        return;
    }
    buf_add(out, parts->front);
    if (!parts->cause.len && !general)
        return;
    buf_add(out, STR(": "));
    buf_add(out, general ? str_from_c(general) : parts->cause);
}

struct error *content_text_public(const struct content_text *text)
{
    SCOPED(buf) message = {.limit = 0};
    const struct parts parts = split(text);
    buf_add(&message, STR(FIXED));
    if (text->secret) {
        add_secret(&message, text, &parts);
        return make(text, &message, buf_str(&message));
    }
    buf_add(&message, parts.front);
    if (parts.cause.len) {
        add_quoted(&message, parts.quoted);
        buf_add(&message, STR(": "));
        buf_add(&message, parts.cause);
    }
    return make(text, &message, what_is_said(text));
}
