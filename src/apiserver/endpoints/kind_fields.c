#include "apiserver/endpoints/kind_fields.h"

#include "apiserver/registry/kind.h"

static const struct field_label common[] = {
    {STR_INIT("metadata.name"),      "metadata.name"     },
    {STR_INIT("metadata.namespace"), "metadata.namespace"},
};

#define LABELS_MAX 32

/* Both tables as one; cluster-scoped custom resources have no namespace to select by. */
static size_t all_labels(const struct kind *kind, struct field_label labels[LABELS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < COUNT(common); i++)
        labels[count++] = common[i];
    for (size_t i = 0; i < kind->field_label_count && count < LABELS_MAX; i++)
        labels[count++] = kind->field_labels[i];
    return count;
}

/* In which words a label is refused depends on where upstream registers those that there are. */
struct error *kind_fields_check(const struct kind *kind, const struct field_selector *selector)
{
    struct field_label labels[LABELS_MAX];
    const size_t count = all_labels(kind, labels);
    OWNED(error) unknown = field_selector_check(selector, labels, count);
    const bool is_plain = kind->field_label_count == 0 || str_eq(kind->gvk.group, STR("apps"));
    if (!unknown || kind->is_custom || !is_plain)
        return TAKE(unknown);
    for (size_t i = 0; i < selector->count; i++) {
        const struct str field = selector->items[i].field;
        if (!str_eq(field, common[0].label) && !str_eq(field, common[1].label))
            return error_new(ERROR_BAD_REQUEST,
                             "\"%.*s\" is not a known field selector: only \"metadata.name\", "
                             "\"metadata.namespace\"",
                             STR_ARG(field));
    }
    return NULL;
}

bool kind_fields_match(const struct kind *kind, const struct field_selector *selector,
                       const struct json_value *object)
{
    struct field_label labels[LABELS_MAX];
    const size_t count = all_labels(kind, labels);
    return field_selector_matches(selector, labels, count, object);
}
