/* The walk over both answers; private to the comparison. */
#pragma once

#include "peers/conformance/compare.h"

/* Recorded answers are a tenth as deep. The walk goes as deep as both sides do. */
#define COMPARE_DEPTH_MAX 200

struct comparison {
    const struct exchange *exchange;
    struct binding *binding;
    struct differences *differences;
    struct arena *arena;
    bool managed_fields;

    struct str path[COMPARE_DEPTH_MAX];
    size_t depth;
    const struct json_value *columns; /* of the table that was met last */
    struct str owner_kind;            /* of the object whose metadata is being compared */
    struct str item_kind;             /* of the items of the list around */
    bool causes_in_any_order;
};

/* A member of both sides, either of which may lack it (NULL). */
struct compare_member {
    const struct json_value *recorded_owner, *actual_owner; /* NULL: not known */
    struct str name;
    const struct json_value *recorded, *actual;
};

/* The walk. */
void compare_values(struct comparison *comparison, const struct json_value *recorded,
                    const struct json_value *actual);
void compare_member(struct comparison *comparison, const struct compare_member *member);
void compare_array(struct comparison *comparison, const struct json_value *recorded,
                   const struct json_value *actual);

/* compare_text.c */
void compare_strings(struct comparison *comparison, struct str recorded, struct str actual);

/* compare_special.c: true when the member follows rules of its own and was dealt with. */
bool compare_special(struct comparison *comparison, const struct compare_member *member);
void compare_managed_fields(struct comparison *comparison, const struct json_value *recorded,
                            const struct json_value *actual);

/* compare_path.c: where the walk is. */
bool compare_enter(struct comparison *comparison, struct str token);
bool compare_enter_index(struct comparison *comparison, size_t index);
void compare_leave(struct comparison *comparison);
struct str compare_token(const struct comparison *comparison, size_t up); /* 0: the last one */
bool compare_is_covered(const struct comparison *comparison,
                        const struct exchange_patterns *patterns);
struct str compare_place(const struct comparison *comparison);

#define COMPARE_DIFFERS(comparison, ...) \
    DIFFERENCES_PRINT((comparison)->differences, compare_place(comparison), __VA_ARGS__)
