/*
 * The kinds of Cluster API for an API server: CustomResourceDefinitions, and defaulting,
 * validation and conversion, which are webhooks in a real management cluster. And DeliveryPolicy,
 * with its rules, which are CEL there.
 */
#pragma once

#include "apiserver/apiserver.h"

/* Fills in webhooks and definitions. Both live as long as the process. */
void standalone_add_kinds(struct apiserver_options *options);
