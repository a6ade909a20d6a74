/*
 * Conditions: what a controller says about an object, one entry a type.
 *
 *     struct condition_list list;
 *     TRY(condition_list_read(arena, CONDITION_METAV1, object_path(object, "status.conditions"),
 * &list)); condition_list_set(&list, &(struct condition){.type = STR("Ready"), ...}, now); if
 * (list.changed) TRY(condition_list_build(&list, &doc));
 *
 * Entries of others keep their content and their place. Three forms are in use; they differ in the
 * members they have and in when lastTransitionTime moves.
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
    CONDITION_METAV1,  /* the standard; the time moves with the status alone */
    CONDITION_V1BETA1, /* Cluster API's old one; the time moves with any change */
    CONDITION_PLAIN,   /* type, status, reason, message; no time at all */
};

/* Characters a message may have; longer ones are cut, because a server would refuse them. */
#define CONDITION_MESSAGE_MAX         32768
#define CONDITION_V1BETA1_MESSAGE_MAX 10240

struct condition {
    struct str type;
    enum condition_status status;
    struct str reason, message;
    struct str severity;             /* CONDITION_V1BETA1 with status False; "" otherwise */
    int64_t observed_generation;     /* CONDITION_METAV1; 0 is not written */
    struct str last_transition_time; /* RFC 3339; when it is empty, setting takes the present */
};

/* "True", "False", "Unknown"; any other text reads as unknown. */
struct str condition_status_text(enum condition_status status);
enum condition_status condition_status_from(struct str text);

/* Borrows from the document; what is absent or of another type stays empty. */
struct condition condition_from_value(const struct json_value *value);

/* By type in a list as it stands in an object; false when absent. Borrows from the document. */
bool condition_find(const struct json_value *list, struct str type,
                    struct condition *ret_condition);

/* Absent and unknown are both not true. */
bool condition_is_true(const struct json_value *list, struct str type);

struct condition_entry {
    const struct json_value *value; /* as it was read; NULL for one that was set */
    struct condition condition;
};

struct condition_list {
    struct arena *arena;
    enum condition_form form;
    struct condition_entry *items;
    size_t count, capacity;
    bool changed; /* by any call so far */
};

/* An absent list is empty. ERROR_INVALID when it is no array of objects. Borrows from the value. */
MUST_USE struct error *condition_list_read(struct arena *arena, enum condition_form form,
                                           const struct json_value *value,
                                           struct condition_list *ret_list);

/*
 * Sets the condition of its type, in place or at the end. Returns whether anything changed. The
 * time is cut to seconds.
 */
bool condition_list_set(struct condition_list *list, const struct condition *condition,
                        timestamp now);

bool condition_list_find(const struct condition_list *list, struct str type,
                         struct condition *ret_condition);

/*
 * The order Cluster API keeps. CONDITION_METAV1: Available, Ready, then others by type, Paused and
 * Deleting last. CONDITION_V1BETA1: Ready, then others by type.
 */
void condition_list_sort(struct condition_list *list);

/* The list as a document. */
MUST_USE struct error *condition_list_build(const struct condition_list *list,
                                            struct json_doc **ret_doc);
