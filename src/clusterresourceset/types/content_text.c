/*
 * manifest_read() makes messages of the form
 *
 *     failed to … yaml document: "<quoted document>": <cause>
 *
 * split_message() takes them apart. The public text is then put together without the document, or
 * with a part of it; for a Secret causes that quote a word of the document are replaced by general
 * ones, too.
 */
#include "clusterresourceset/types/content_text.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/quote.h"

#define FIXED   "failed converting data to unstructured objects: "
#define OPENING "yaml document: \""
#define KEY_MAX 253

/* A message of manifest_read(). Without a quoted document all of it is the front. */
struct message_parts {
    struct str front, quoted, cause;
};

/* Bytes of the character or escape sequence at the front of quoted text. */
static size_t quoted_char_len(struct str quoted)
{
    if (quoted.len < 2 || quoted.ptr[0] != '\\') {
        const size_t len = str_char_len(quoted);
        return len ? len : 1;
    }
    const char letter = quoted.ptr[1];
    return letter == 'x' ? 4 : letter == 'u' ? 6 : letter == 'U' ? 10 : 2;
}

static struct message_parts split_message(const struct content_text *text)
{
    const struct str message = str_from_c(text->err->message);
    const size_t at = text->fault->document ? str_find(message, STR(OPENING)) : STR_NONE;
    if (at == STR_NONE)
        return (struct message_parts){.front = message};
    const struct str rest = str_skip(message, at + sizeof(OPENING) - 1);
    size_t end = 0;
    while (end < rest.len && rest.ptr[end] != '"')
        end += quoted_char_len(str_skip(rest, end));
    return (struct message_parts){
        .front = str_slice(message, 0, at + sizeof(OPENING) - 4), /* less the colon */
        .quoted = str_slice(rest, 0, end),
        .cause = str_skip(rest, end + sizeof("\": ") - 1),
    };
}

/* For causes that quote a word of the document: the same in general. NULL for the other causes. */
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

/* As much of the document as is allowed, with "…" at the end if it is cut. */
static void add_quoted(struct buf *out, struct str quoted)
{
    size_t end = 0;
    while (end < quoted.len) {
        const size_t next = end + quoted_char_len(str_skip(quoted, end));
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

/* Adds " (key "b.yaml", line 12, column 3)". The place is left out if the message has it already.
 */
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

static struct error *finish_error(const struct content_text *text, struct buf *message,
                                  struct str said)
{
    add_place(message, text, said);
    return error_new(text->err->code, "%s", buf_c(message));
}

/* The part of the message that may name a line: not the document. */
static struct str what_is_said(const struct content_text *text)
{
    const struct message_parts parts = split_message(text);
    return parts.cause.len ? parts.cause : parts.front;
}

struct error *content_text_whole(const struct content_text *text)
{
    SCOPED(buf) message = {0};
    buf_add(&message, STR(FIXED));
    buf_add(&message, str_from_c(text->err->message));
    return finish_error(text, &message, what_is_said(text));
}

static void add_secret(struct buf *out, const struct content_text *text,
                       const struct message_parts *parts)
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
    const struct message_parts parts = split_message(text);
    buf_add(&message, STR(FIXED));
    if (text->secret) {
        add_secret(&message, text, &parts);
        return finish_error(text, &message, buf_str(&message));
    }
    buf_add(&message, parts.front);
    if (parts.cause.len) {
        add_quoted(&message, parts.quoted);
        buf_add(&message, STR(": "));
        buf_add(&message, parts.cause);
    }
    return finish_error(text, &message, what_is_said(text));
}
