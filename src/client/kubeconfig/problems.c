#include "client/kubeconfig/problems.h"

/* A message with more problems than this would not be read. */
#define PROBLEMS_MAX 20

void problems_done(struct problems *problems)
{
    error_free(TAKE(problems->err));
    problems->count = 0;
}

/* Problems beyond the limit are only counted. */
void problems_add(struct problems *problems, struct error *err)
{
    if (!err)
        return;
    if (problems->count++ < PROBLEMS_MAX)
        problems->err = error_join(problems->err, err);
    else
        error_free(err);
}

void problems_add_at(struct problems *problems, struct str place, const char *field,
                     struct error *err)
{
    problems_add(problems, error_wrap(err, "%.*s.%s", STR_ARG(place), field));
}

/* The problems are empty afterwards and can be used again. */
struct error *problems_take(struct problems *problems)
{
    struct error *err = TAKE(problems->err);
    if (problems->count > PROBLEMS_MAX)
        err = error_join(err,
                         error_new(ERROR_INVALID, "and %zu more", problems->count - PROBLEMS_MAX));
    problems->count = 0;
    if (err)
        err->code = ERROR_INVALID; /* a missing certificate file is not a missing kubeconfig */
    return error_wrap(err, "invalid configuration");
}
