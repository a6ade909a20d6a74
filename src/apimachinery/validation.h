/*
 * Syntax of names, labels and keys, with the messages of Kubernetes.
 *
 *     struct validation found = validation_label_value(value);
 *     for (size_t i = 0; i < found.count; i++)
 *         field_errors_add_str(&errors, FIELD_INVALID, path, value, found.messages[i]);
 *
 * A valid value gets no message. Messages are constants.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define VALIDATION_MESSAGES_MAX 4

struct validation {
    struct str messages[VALIDATION_MESSAGES_MAX];
    size_t count;
};

#define DNS1123_SUBDOMAIN_MAX 253
#define DNS1123_LABEL_MAX     63
#define LABEL_VALUE_MAX       63

/* Names of most objects: lower-case DNS labels with dots between them. */
struct validation validation_dns1123_subdomain(struct str value);

/* Names of namespaces. */
struct validation validation_dns1123_label(struct str value);

/* Names of services: a DNS label that starts with a letter. */
struct validation validation_dns1035_label(struct str value);

/*
 * "[prefix/]name": the key of a label or the name of a finalizer; also the key of an annotation,
 * after its letters were made lower case.
 */
struct validation validation_label_key(struct str value);
struct validation validation_label_value(struct str value);

/* Keys in the data of ConfigMaps and Secrets. */
struct validation validation_config_map_key(struct str value);

/* Names that may stand as one segment of a path, for kinds without a stricter rule. */
struct validation validation_path_segment(struct str value);

static inline bool validation_is_ok(struct validation found)
{
    return found.count == 0;
}
