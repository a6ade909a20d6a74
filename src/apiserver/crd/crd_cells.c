/*
 * The cells of a Table row for a custom resource: metadata.name, then one cell per additional
 * printer column.
 *
 * A column's JSONPath selects a value, and the column's type decides how the value is shown. A path
 * that finds nothing, and a value that does not fit the type, give null. So does a column behind
 * those that have used up the steps of the row. Upstream:
 * k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go.
 */
#include <math.h>

#include "apiserver/crd/crd_internal.h"
#include "apiserver/registry/kind_age.h"
#include "apiserver/strategicpatch/strategic_print.h"
#include "base/duration.h"
#include "json/compare.h"
#include "json/path.h"

/*
 * What the columns of a row may look at and show together, some milliseconds at most. The text of
 * the largest object counts less, so that a column may show it.
 */
#define ROW_STEPS_MAX 200000

/* Shows a value in a column of type string: scalars as Go prints them, containers as JSON. */
static void add_text(struct json_builder *out, const struct json_value *value, size_t *budget)
{
    SCOPED(buf) text = {.limit = 0};
    if (json_type(value) == JSON_NULL)
        buf_add(&text, STR("<no value>"));
    else if (json_type(value) == JSON_ARRAY || json_type(value) == JSON_OBJECT)
        json_write_canonical(&text, value);
    else
        strategic_print(&text, value);
    jsonpath_spend(budget, text.len / JSONPATH_BYTES_PER_STEP);
    json_builder_str(out, buf_str(&text));
}

/*
 * Shows a number in a column of type integer. Fractions are cut off, as by Go's conversion to
 * int64.
 */
static void add_integer(struct json_builder *out, const struct json_value *value)
{
    double number;
    int64_t whole;
    if (json_to_int64(value, &whole))
        json_builder_int(out, whole);
    else if (json_to_double(value, &number) && fabs(number) < 0x1p63)
        json_builder_int(out, (int64_t)number);
    else
        json_builder_null(out);
}

static void add_number(struct json_builder *out, const struct json_value *value)
{
    if (json_type(value) == JSON_NUMBER)
        json_builder_value(out, value);
    else
        json_builder_null(out);
}

static void add_boolean(struct json_builder *out, const struct json_value *value)
{
    bool truth;
    if (json_to_bool(value, &truth))
        json_builder_bool(out, truth);
    else
        json_builder_null(out);
}

/* Shows the time since a timestamp. Unlike built-in kinds an unreadable time is "<invalid>". */
static void add_date(struct json_builder *out, const struct json_value *value, timestamp now)
{
    const struct str text = json_to_str(value);
    SCOPED(buf) age = {.limit = 0};
    char span[KIND_AGE_MAX];
    timestamp time;
    if (json_type(value) != JSON_STRING) {
        json_builder_null(out);
        return;
    }
    if (text.len == 0 || str_eq(text, STR("null")))
        buf_add(&age, STR("<unknown>"));
    else if (timestamp_read(text, &time))
        buf_add(&age, kind_age_write(kind_age_between(time, now), span));
    else
        buf_add(&age, STR("<invalid>"));
    json_builder_str(out, buf_str(&age));
}

static void add_cell(struct json_builder *out, const struct crd_column *column,
                     const struct json_value *object, timestamp now, size_t *budget)
{
    const struct json_value *value = jsonpath_first_within(column->path, object, budget);
    if (!value) {
        json_builder_null(out);
        return;
    }
    if (json_type(value) == JSON_NUMBER)
        jsonpath_spend(budget, jsonpath_scalar_steps(value));
    switch (column->type) {
    case COLUMN_STRING:
        add_text(out, value, budget);
        break;
    case COLUMN_INTEGER:
        add_integer(out, value);
        break;
    case COLUMN_NUMBER:
        add_number(out, value);
        break;
    case COLUMN_BOOLEAN:
        add_boolean(out, value);
        break;
    case COLUMN_DATE:
        add_date(out, value, now);
        break;
    case COLUMN_OTHER:
        json_builder_null(out);
        break;
    }
}

void crd_cells(const struct kind *kind, const struct json_value *object, timestamp now,
               struct json_builder *out)
{
    const struct crd_version *version = crd_version_of(kind);
    size_t budget = ROW_STEPS_MAX;
    json_builder_str(out, json_path_str(object, "metadata.name"));
    for (size_t i = 0; i + 1 < kind->column_count; i++)
        add_cell(out, &version->columns[i], object, now, &budget);
}
