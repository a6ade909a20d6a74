/*
 * The kinds of add-ons for an API server: definitions, and what these leave to webhooks elsewhere.
 */
#pragma once

#include "apiserver/apiserver.h"

/* Fills in webhooks and definitions, which live as long as the process. */
void standalone_add_kinds(struct apiserver_options *options);
