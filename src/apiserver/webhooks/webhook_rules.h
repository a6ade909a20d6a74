/*
 * The rules of a webhook: which requests it is asked about.
 *
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/gvk.h"
#include "base/str.h"
#include "json/json.h"

/* What a request does. */
struct webhook_attributes {
    struct gvr resource;
    struct str subresource;
    struct str operation; /* "CREATE", "UPDATE" or "DELETE" */
    bool namespaced;      /* the objects of the resource are in namespaces */
};

/* Whether one of the rules, a list of RuleWithOperations, means the request. */
bool webhook_rules_match(const struct json_value *rules,
                         const struct webhook_attributes *attributes);

/* Webhook configurations and admission policies: no webhook is ever asked about them. */
bool webhook_rules_exempt(struct gvr resource);
