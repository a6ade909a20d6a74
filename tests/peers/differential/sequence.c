#include "peers/differential/sequence.h"

#include "base/array.h"
#include "base/memory.h"
#include "json/path.h"

void sequence_done(struct sequence *sequence)
{
    for (size_t i = 0; i < sequence->count; i++)
        json_doc_free(sequence->steps[i]);
    mem_free(sequence->steps);
    *sequence = (struct sequence){0};
}

void sequence_add(struct sequence *sequence, struct json_doc *step)
{
    ARRAY_PUSH(sequence->steps, sequence->count, sequence->capacity, step);
}

void sequence_copy(const struct sequence *sequence, size_t without, struct sequence *ret_copy)
{
    *ret_copy = (struct sequence){0};
    for (size_t i = 0; i < sequence->count; i++)
        if (i != without)
            sequence_add(ret_copy, json_doc_ref(sequence->steps[i]));
}

static void print_step(FILE *out, const struct json_value *step)
{
    const struct str body = json_path_str(step, "body");
    const struct json_value *value;
    const char *separator = "?";
    fprintf(out, "  curl -X %.*s '$SERVER%.*s", STR_ARG(json_path_str(step, "method")),
            STR_ARG(json_path_str(step, "path")));
    JSON_FOREACH (name, value, json_get(step, STR("query"))) {
        fprintf(out, "%s%.*s=%.*s", separator, STR_ARG(name), STR_ARG(json_to_str(value)));
        separator = "&";
    }
    fprintf(out, "'");
    JSON_FOREACH (name, value, json_get(step, STR("headers")))
        fprintf(out, " -H '%.*s: %.*s'", STR_ARG(name), STR_ARG(json_to_str(value)));
    if (body.len)
        fprintf(out, " -d '%.*s'", STR_ARG(body));
    fprintf(out, "\n");
}

void sequence_print(FILE *out, const struct sequence *sequence)
{
    for (size_t i = 0; i < sequence->count; i++)
        print_step(out, json_doc_root(sequence->steps[i]));
}
