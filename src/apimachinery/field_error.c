/*
 * Errors of fields, in the words of k8s.io/apimachinery/pkg/util/validation/field.
 *
 * The text of an error is made when it is added: "Invalid value: 5: too big" without the path,
 * since a Status shows both the message with the path and the body alone.
 */
#include "apimachinery/field_error.h"

#include "base/array.h"
#include "base/map.h"
#include "base/quote.h"

/* Type, words of the message, and reason of the cause in a Status; by type. */
static const struct {
    enum field_error_type type;
    struct str words, reason;
} types[] = {
    {FIELD_NOT_FOUND,     STR_INIT("Not found"),         STR_INIT("FieldValueNotFound")    },
    {FIELD_REQUIRED,      STR_INIT("Required value"),    STR_INIT("FieldValueRequired")    },
    {FIELD_DUPLICATE,     STR_INIT("Duplicate value"),   STR_INIT("FieldValueDuplicate")   },
    {FIELD_INVALID,       STR_INIT("Invalid value"),     STR_INIT("FieldValueInvalid")     },
    {FIELD_NOT_SUPPORTED, STR_INIT("Unsupported value"), STR_INIT("FieldValueNotSupported")},
    {FIELD_FORBIDDEN,     STR_INIT("Forbidden"),         STR_INIT("FieldValueForbidden")   },
    {FIELD_TOO_LONG,      STR_INIT("Too long"),          STR_INIT("FieldValueTooLong")     },
    {FIELD_TOO_MANY,      STR_INIT("Too many"),          STR_INIT("FieldValueTooMany")     },
    {FIELD_INTERNAL,      STR_INIT("Internal error"),    STR_INIT("InternalError")         },
    {FIELD_TYPE_INVALID,  STR_INIT("Invalid value"),     STR_INIT("FieldValueTypeInvalid") },
};

struct str field_error_reason(enum field_error_type type)
{
    return types[type].reason;
}

/*
 * value is text ready to be shown; empty for none. Errors past the limits are dropped. An
 * empty path is written as "<nil>", as Go does.
 */
static void add_error(struct field_errors *errors, enum field_error_type type, struct str field,
                      struct str value, struct str detail)
{
    SCOPED(buf) body = {.limit = 0};
    if (field_errors_is_full(errors))
        return;
    buf_add(&body, types[type].words);
    if (value.len) {
        buf_add(&body, STR(": "));
        buf_add(&body, value);
    }
    if (detail.len) {
        buf_add(&body, STR(": "));
        buf_add(&body, detail);
    }
    const struct field_error item = {
        .type = type,
        .field = arena_str(errors->arena, field.len ? field : STR("<nil>")),
        .body = arena_str(errors->arena, buf_str(&body)),
    };
    ARENA_ARRAY_PUSH(errors->arena, errors->items, errors->count, errors->capacity, item);
    errors->text += item.field.len + item.body.len;
}

void field_errors_add(struct field_errors *errors, enum field_error_type type, struct str field,
                      struct str detail)
{
    add_error(errors, type, field, STR(""), detail);
}

void field_errors_add_str(struct field_errors *errors, enum field_error_type type, struct str field,
                          struct str value, struct str detail)
{
    SCOPED(buf) text = {.limit = 0};
    str_quote_go(&text, value);
    add_error(errors, type, field, buf_str(&text), detail);
}

void field_errors_add_int(struct field_errors *errors, enum field_error_type type, struct str field,
                          int64_t value, struct str detail)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text, "%lld", (long long)value);
    add_error(errors, type, field, buf_str(&text), detail);
}

/* Strings in quotes, everything else as JSON. */
void field_errors_add_value(struct field_errors *errors, enum field_error_type type,
                            struct str field, const struct json_value *value, struct str detail)
{
    SCOPED(buf) text = {.limit = 0};
    if (field_errors_is_full(errors))
        return; /* the value may be large */
    if (json_type(value) == JSON_STRING)
        str_quote_go(&text, json_to_str(value));
    else if (value)
        json_write(&text, value);
    else
        buf_add(&text, STR("null"));
    add_error(errors, type, field, buf_str(&text), detail);
}

void field_errors_add_not_supported(struct field_errors *errors, struct str field, struct str value,
                                    const struct str *supported, size_t count)
{
    SCOPED(buf) detail = {.limit = 0};
    for (size_t i = 0; i < count; i++) {
        buf_add(&detail, i ? STR(", ") : STR("supported values: "));
        str_quote_go(&detail, supported[i]);
    }
    field_errors_add_str(errors, FIELD_NOT_SUPPORTED, field, value, buf_str(&detail));
}

void field_errors_add_too_long(struct field_errors *errors, struct str field, size_t max)
{
    SCOPED(buf) detail = {.limit = 0};
    buf_print(&detail, "may not be more than %zu bytes", max);
    add_error(errors, FIELD_TOO_LONG, field, STR(""), buf_str(&detail));
}

void field_errors_add_too_many(struct field_errors *errors, struct str field, size_t count,
                               size_t max)
{
    SCOPED(buf) detail = {.limit = 0};
    buf_print(&detail, "must have at most %zu %s", max, max == 1 ? "item" : "items");
    field_errors_add_int(errors, FIELD_TOO_MANY, field, (int64_t)count, buf_str(&detail));
}

/*
 * Aggregate.Error() of apimachinery: equal messages are shown once, several messages in brackets.
 */
void field_errors_write(struct buf *out, const struct field_errors *errors)
{
    SCOPED(map) seen = {.release = NULL};
    SCOPED(buf) all = {.limit = 0};
    SCOPED(buf) one = {.limit = 0};
    for (size_t i = 0; i < errors->count; i++) {
        buf_clear(&one);
        buf_add(&one, errors->items[i].field);
        buf_add(&one, STR(": "));
        buf_add(&one, errors->items[i].body);
        if (map_has(&seen, buf_str(&one)))
            continue;
        map_put(&seen, buf_str(&one), NULL);
        buf_add(&all, all.len ? STR(", ") : STR(""));
        buf_add(&all, buf_str(&one));
    }
    const bool several = map_count(&seen) > 1;
    buf_add(out, several ? STR("[") : STR(""));
    buf_add(out, buf_str(&all));
    buf_add(out, several ? STR("]") : STR(""));
}
