/*
 * Writes HTML, and nothing else: whatever comes from outside goes in as text, escaped by one
 * function. There is no way to write markup that was made elsewhere.
 *
 *     html_begin(&html, "a");
 *     html_attr(&html, "href", STR("/sets"));
 *     html_text(&html, name);
 *     html_end(&html);
 *
 * Names of elements and attributes are literals of the caller. The result is valid UTF-8: bytes
 * that are not, controls, and characters that turn the direction of a line become U+FFFD. Elements
 * are closed in the order of their opening; forgetting one is a bug and asserted by html_finish().
 *
 * Parts. An element may be a part of its page, which has an id and changes as a whole:
 *
 *     html_begin(&html, "tr");
 *     html_part(&html, STR("c/default/vc-0001"));
 *
 * Of each part the writer keeps the place and a digest of its bytes. Texts that change by the clock
 * alone (html_time()) are not in the digest. Parts are not nested.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/timestamp.h"

#define HTML_DEPTH_MAX 32

struct html_part {
    struct str id;
    size_t begin, end; /* in the output */
    uint64_t digest;
};

struct html {
    struct buf out;
    timestamp now; /* what ages are counted to */
    /* Read only. */
    struct html_part *parts;
    size_t part_count, part_capacity;
    /* private */
    struct arena arena; /* of the parts' ids */
    const char *open[HTML_DEPTH_MAX];
    size_t depth, part_depth; /* part_depth 0: no part is open */
    size_t digested;          /* bytes of the output that are in the digest of the open part */
    bool is_in_tag;
};

void html_done(struct html *html);

/* "<!doctype html>" */
void html_doctype(struct html *html);

void html_begin(struct html *html, const char *tag);
void html_begin_class(struct html *html, const char *tag, const char *class);
void html_end(struct html *html);

/* Only between html_begin() and the first content. */
void html_attr(struct html *html, const char *name, struct str value);
void html_flag(struct html *html, const char *name);
void html_part(struct html *html, struct str id);

void html_text(struct html *html, struct str text);

/* At most max characters, with "…" behind them if there are more. */
void html_text_cut(struct html *html, struct str text, size_t max);

/* "10,000" */
void html_number(struct html *html, size_t number);

/* "3 min" in an element `time`, whose title is the time itself. 0: "–". */
void html_time(struct html *html, timestamp time);

/* A text that changes by the clock alone, and what of it is in the digest of the part. */
void html_clock_text(struct html *html, struct str text, struct str constant);

/* An element with a text; class may be NULL. */
void html_element(struct html *html, const char *tag, const char *class, struct str text);

/* Whole: everything is closed. */
void html_finish(const struct html *html);

/* A digest of the whole page: that of its parts and their order. */
uint64_t html_digest(const struct html *html);

/* "10,000", and "3 min", "2 h", "4 d" for other writers. */
void html_add_number(struct buf *out, size_t number);
void html_add_age(struct buf *out, timestamp time, timestamp now);
