/* What pages have in common, and the page functions that page_render() calls. */
#pragma once

#include "web/page.h"
#include "web/web_reasons.h"
#include "web/web_rows.h"

#define PAGE_WHY_MAX   ((size_t)120)  /* characters of a reason in a table */
#define PAGE_TITLE_MAX ((size_t)2000) /* bytes of a title, which has all of it */
#define PAGE_NAME_MAX  ((size_t)253)  /* characters of a name */

/* What pages pass to the functions below. */
struct page {
    struct html *html;
    const struct web_view *view;
    const struct web_query *query;
};

/* The body of each page, inside of its element main. False: the subject is not there. */
bool page_overview(const struct page *page);
bool page_table(const struct page *page);
bool page_set(const struct page *page);
bool page_cluster(const struct page *page);
bool page_placement(const struct page *page);
bool page_reasons(const struct page *page);
bool page_events(const struct page *page);

/* A link to another page. */
void page_begin_link(struct html *html, const struct web_query *to, const char *class);
void page_link(struct html *html, const struct web_query *to, const char *class, struct str text);
void page_set_link(const struct page *page, struct key set);
void page_cluster_link(const struct page *page, struct key cluster);

/* Word and sign of a state, with its class; struct str for a state that others write. */
void page_state(struct html *html, enum status_state state);
struct str page_sign(enum status_state state);
const char *page_state_class(enum status_state state);

/* The bar of states: lengths in proportion, each part a link with the state in the query. */
void page_bar(const struct page *page, const size_t counts[static STATUS_STATES],
              const struct web_query *to);

/* "8 failed, 3 waiting": what is not applied, worst first, as links. Nothing if all is. */
void page_counts(const struct page *page, const size_t counts[static STATUS_STATES],
                 const struct web_query *to);

/* A text that is cut and has the whole in its title. */
void page_why(struct html *html, struct str why);

/* Rows of reasons as a table, at most max of them. */
void page_reason_table(const struct page *page, const struct web_reasons *reasons, size_t max);

/* Events about one object, or all of them if kind is empty; at most max. Returns their number. */
size_t page_event_table(const struct page *page, struct str kind, struct key about, size_t max);

/* The command that approves a wave. */
void page_write_approval(struct buf *out, struct key set, struct str wave);

/* A cell of a table; label is what a narrow page writes in front of it, or NULL. */
void page_begin_cell(struct html *html, const char *label, const char *class);

/* The first row of a table: th with scope. */
void page_columns(struct html *html, const char *const *names, size_t count);

/* "default/cni", or "cni" if there is one namespace. */
void page_name(const struct page *page, struct key key);

/* " Last probe 3 s ago. Next try in 14 s.", as far as a ClusterCache is asked. */
void page_connection(const struct page *page, const struct status_cluster *cluster);

/* If objects of the kind are missing, says so and which right is needed. True: they are missing. */
bool page_missing(const struct page *page, enum web_kind kind);
