/*
 * The pages: HTML from a view of the facts and a query. Pure, and complete without a script.
 *
 * docs/web.md says what is on which page. Every text of others goes through the writer (html.h),
 * and no page shows contents of ConfigMaps, Secrets or kubeconfigs: the facts do not have them.
 */
#pragma once

#include "web/html.h"
#include "web/web_query.h"
#include "web/web_view.h"

/* Writes the page, whole, and returns the HTTP status: 200, or 404 if the subject is not there. */
int page_render(const struct web_view *view, const struct web_query *query, struct html *html);

/* A page of its own for what cannot be shown, such as 400, 403 and 500. */
void page_render_problem(struct html *html, int status, struct str title, struct str text);

/* The form in which a token is given; problem is what was wrong with the last one, or empty. */
void page_render_login(struct html *html, struct str problem);
