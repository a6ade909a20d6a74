#include "clusterresourceset/fault.h"

#include "base/memory.h"
#include "base/shorten.h"

/* Of each text that is kept: there is one fault for every set on every cluster. */
#define FAULT_TEXT_MAX ((size_t)1024)

bool fault_is_of_resource(enum fault_type type)
{
    return type == FAULT_MISSING || type == FAULT_UNREADABLE || type == FAULT_WRONG_TYPE;
}

bool fault_is_wait(enum fault_type type)
{
    return type == FAULT_WAITING || type == FAULT_WAVE;
}

bool fault_is_graver(const struct fault *candidate, const struct fault *current)
{
    return candidate->type > current->type;
}

/* Shortened texts are compared: long texts that differ in the middle alone count as equal. */
static bool replace_text(struct str *kept, struct str text)
{
    SCOPED(buf) copy = {.limit = 0};
    shorten_text(&copy, text, FAULT_TEXT_MAX);
    const struct str now = copy.len ? str_from_c(buf_take(&copy)) : (struct str){0};
    const bool is_same = str_eq(*kept, now);
    mem_free((char *)kept->ptr);
    *kept = now;
    return !is_same;
}

bool fault_replace(struct fault *kept, const struct fault *fault)
{
    bool changed = kept->type != fault->type;
    kept->type = fault->type;
    changed |= replace_text(&kept->resource, fault->resource);
    changed |= replace_text(&kept->name, fault->name);
    changed |= replace_text(&kept->text, fault->text);
    return changed;
}

void fault_done(struct fault *kept)
{
    mem_free((char *)kept->resource.ptr);
    mem_free((char *)kept->name.ptr);
    mem_free((char *)kept->text.ptr);
    *kept = (struct fault){0};
}
