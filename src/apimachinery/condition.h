/*
 * Conditions: what a controller reports about an object, one entry for each type.
 *
 *     struct condition_list list;
 *     TRY(condition_list_read(arena, CONDITION_METAV1, value, &list));
 *     condition_list_set(&list, &(struct condition){.type = STR("Ready"), ...}, now);
 *     if (list.changed)
 *         TRY(condition_list_build(&list, &doc));
 *
 * Entries of other controllers keep their content and their place. Three forms are in use. They
 * differ in the members they have and in when lastTransitionTime changes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "base/timestamp.h"
#include "json/json.h"

enum condition_status {
    CONDITION_UNKNOWN,
    CONDITION_TRUE,
    CONDITION_FALSE,
};

enum condition_form {
    CONDITION_METAV1,  /* metav1.Condition; the time changes with the status alone */
    CONDITION_V1BETA1, /* Cluster API v1beta1; the time changes with any member */
    CONDITION_PLAIN,   /* type, status, reason and message, without a time */
};

/* The most characters of a message. A longer message is cut, because a server would refuse it. */
#define CONDITION_MESSAGE_MAX         32768
#define CONDITION_V1BETA1_MESSAGE_MAX 10240

struct condition {
    struct str type;
    enum condition_status status;
    struct str reason, message;
    struct str severity;         /* CONDITION_V1BETA1 with status False; "" otherwise */
    int64_t observed_generation; /* CONDITION_METAV1; 0 is not written */
    struct str
        last_transition_time; /* RFC 3339; condition_list_set() replaces an empty one by now */
};

/* "True", "False", "Unknown"; any other text reads as unknown. */
struct str condition_status_text(enum condition_status status);
enum condition_status condition_status_from(struct str text);

/* Borrows from the document. Members that are absent or of another type are empty. */
struct condition condition_from_value(const struct json_value *value);

/*
 * The condition of a type in a list as it stands in an object; false when absent. Borrows from the
 * document.
 */
bool condition_find(const struct json_value *list, struct str type,
                    struct condition *ret_condition);

/* False for a condition that is absent or unknown. */
bool condition_is_true(const struct json_value *list, struct str type);

struct condition_entry {
    const struct json_value *value; /* the entry as read; NULL for one that was set */
    struct condition condition;
};

struct condition_list {
    struct arena *arena;
    enum condition_form form;
    struct condition_entry *items;
    size_t count, capacity;
    bool changed; /* by any call so far */
};

/*
 * An absent list is empty. ERROR_INVALID when the value is no array of objects. Borrows from the
 * value.
 */
MUST_USE struct error *condition_list_read(struct arena *arena, enum condition_form form,
                                           const struct json_value *value,
                                           struct condition_list *ret_list);

/*
 * Sets the condition of its type, in place or at the end. Returns whether anything changed. The
 * time is cut to seconds.
 */
bool condition_list_set(struct condition_list *list, const struct condition *condition,
                        timestamp now);

/* Takes the condition of this type out. Returns whether there was one. */
bool condition_list_remove(struct condition_list *list, struct str type);

bool condition_list_find(const struct condition_list *list, struct str type,
                         struct condition *ret_condition);

/*
 * The order that Cluster API keeps. CONDITION_METAV1: Available, Ready, then others by type, Paused
 * and Deleting last. CONDITION_V1BETA1: Ready, then others by type.
 */
void condition_list_sort(struct condition_list *list);

/* The list as a document. */
MUST_USE struct error *condition_list_build(const struct condition_list *list,
                                            struct json_doc **ret_doc);
