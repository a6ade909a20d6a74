/*
 * The program. Without --full a fixed sample, in which every pair of values of two dimensions
 * occurs: of the verbs that have bodies, every one with every type at every place; of the others,
 * every one with two types; bodies, options and answers' forms go round with different steps. And
 * where verb, type and options fit, every body at every place. --coverage checks that it is so.
 */
#include "matrix.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "json/path.h"
#include "testing/sim.h"
#include "testing/test.h"

static const struct {
    struct str method;
    bool has_body, is_write;
} verbs[MATRIX_VERBS] = {
    [MATRIX_GET] = {STR_INIT("GET"),    false, false},
    [MATRIX_HEAD] = {STR_INIT("HEAD"),   false, false},
    [MATRIX_WATCH] = {STR_INIT("GET"),    false, false},
    [MATRIX_POST] = {STR_INIT("POST"),   true,  true },
    [MATRIX_PUT] = {STR_INIT("PUT"),    true,  true },
    [MATRIX_PATCH] = {STR_INIT("PATCH"),  true,  true },
    [MATRIX_DELETE] = {STR_INIT("DELETE"), false, true },
    [MATRIX_BREW] = {STR_INIT("BREW"),   false, false},
};

static const struct str types[MATRIX_TYPES] = {
    [MATRIX_JSON] = STR_INIT("application/json"),
    [MATRIX_YAML] = STR_INIT("application/yaml"),
    [MATRIX_PROTOBUF] = STR_INIT("application/vnd.kubernetes.protobuf"),
    [MATRIX_JSON_PATCH] = STR_INIT("application/json-patch+json"),
    [MATRIX_MERGE_PATCH] = STR_INIT("application/merge-patch+json"),
    [MATRIX_STRATEGIC_PATCH] = STR_INIT("application/strategic-merge-patch+json"),
    [MATRIX_APPLY_PATCH] = STR_INIT("application/apply-patch+yaml"),
    [MATRIX_CHARSET] = STR_INIT("application/merge-patch+json; charset=utf-8"),
    [MATRIX_NO_TYPE] = STR_INIT(""),
    [MATRIX_WRONG_TYPE] = STR_INIT("text/plain"),
};

#define LONG_NAME                                                      \
    "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm" \
    "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"

static const char *const options[MATRIX_OPTIONS] = {
    "",
    "dryRun=All",
    "dryRun=Some",
    "fieldValidation=Strict",
    "fieldValidation=Warn",
    "fieldValidation=Ignore",
    "fieldValidation=Sometimes",
    "fieldManager=matrix",
    "fieldManager=matrix&force=true",
    "force=true",
    /* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one option with a long value */
    "fieldManager=" LONG_NAME,
    "fieldManager=matrix&force=true&dryRun=All&fieldValidation=Strict",
    "fieldManager=other&dryRun=All&propagationPolicy=Orphan",
    "propagationPolicy=Never&gracePeriodSeconds=-1&limit=1&labelSelector=a%3Db",
};

static const struct str accepts[MATRIX_ACCEPTS] = {
    STR_INIT(""),
    STR_INIT("application/json"),
    STR_INIT("application/json;as=Table;v=v1;g=meta.k8s.io,application/json"),
    STR_INIT("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json"),
    STR_INIT("application/yaml"),
    STR_INIT("application/vnd.kubernetes.protobuf,application/json"),
    STR_INIT("text/html"),
};

enum { PLACE, VERB, TYPE, BODY, OPTION, ACCEPT, DIMENSIONS };
static const size_t sizes[DIMENSIONS] = {
    [VERB] = MATRIX_VERBS,     [TYPE] = MATRIX_TYPES,     [BODY] = MATRIX_BODIES,
    [OPTION] = MATRIX_OPTIONS, [ACCEPT] = MATRIX_ACCEPTS,
};

/* At most this many values of one dimension, which is that of places. */
#define VALUES_MAX 1000

struct program {
    bool is_full, is_coverage;
    size_t part, parts;
    size_t requests, writes;
    size_t place_count;
    bool (*seen)[VALUES_MAX][DIMENSIONS][16]; /* [dimension][value][other dimension][value] */
};

typedef void cell_fn(void *data, const struct matrix_cell *cell);

/*
 * Options are wrong, or those of another verb, more often than not, and such a request does not get
 * far. So each verb with each type that fits it meets every body with options that fit, too.
 */
static void fitting_cells(size_t place, cell_fn *visit, void *data)
{
    static const struct {
        enum matrix_verb verb;
        enum matrix_type type;
        size_t options[2];
    } rows[] = {
        {MATRIX_POST,  MATRIX_JSON,            {1, 7} },
        {MATRIX_POST,  MATRIX_YAML,            {1, 7} },
        {MATRIX_POST,  MATRIX_PROTOBUF,        {1, 7} },
        {MATRIX_PUT,   MATRIX_JSON,            {1, 7} },
        {MATRIX_PUT,   MATRIX_YAML,            {1, 7} },
        {MATRIX_PUT,   MATRIX_PROTOBUF,        {1, 7} },
        {MATRIX_PATCH, MATRIX_JSON_PATCH,      {1, 7} },
        {MATRIX_PATCH, MATRIX_MERGE_PATCH,     {1, 7} },
        {MATRIX_PATCH, MATRIX_STRATEGIC_PATCH, {1, 7} },
        {MATRIX_PATCH, MATRIX_APPLY_PATCH,     {8, 11}},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t body = 0; body < MATRIX_BODIES; body++) {
            const struct matrix_cell cell = {
                .verb = rows[i].verb,
                .type = rows[i].type,
                .body = (enum matrix_body)body,
                .option = rows[i].options[(place + body) % 2],
                .accept = (place + i) % (MATRIX_ACCEPTS - 1),
            };
            if (body != MATRIX_HUGE) /* refused before it is looked at */
                visit(data, &cell);
        }
}

/* The sample of a place: 40 requests, and those of fitting_cells(). */
static void sample_cells(size_t place, cell_fn *visit, void *data)
{
    size_t count = place * 41;
    for (size_t verb = 0; verb < MATRIX_VERBS; verb++)
        for (size_t i = 0; i < MATRIX_TYPES; i++) {
            if (!verbs[verb].has_body && (i + place + verb) % 5 != 0)
                continue;
            count++;
            const struct matrix_cell cell = {
                .verb = (enum matrix_verb)verb,
                .type = (enum matrix_type)i,
                .body = (enum matrix_body)((count + count / MATRIX_BODIES) % MATRIX_BODIES),
                .option = (count * 3 + count / MATRIX_OPTIONS) % MATRIX_OPTIONS,
                .accept = (count * 5 + count / MATRIX_ACCEPTS) % MATRIX_ACCEPTS,
            };
            visit(data, &cell);
        }
    fitting_cells(place, visit, data);
}

/* All of a place but the forms of answers, which go round. */
static void all_cells(size_t place, cell_fn *visit, void *data)
{
    size_t count = place;
    for (size_t verb = 0; verb < MATRIX_VERBS; verb++)
        for (size_t type = 0; type < MATRIX_TYPES; type++)
            for (size_t body = 0; body < MATRIX_BODIES; body++)
                for (size_t option = 0; option < MATRIX_OPTIONS; option++) {
                    const struct matrix_cell cell = {(enum matrix_verb)verb, (enum matrix_type)type,
                                                     (enum matrix_body)body, option,
                                                     (count++ + option / 7) % MATRIX_ACCEPTS};
                    visit(data, &cell);
                }
}

/* One place of a resource, and the object as it is. */
struct visit {
    struct program *program;
    struct api_fixture *fixture;
    const struct matrix_resource *resource;
    const struct matrix_place *place;
    size_t number; /* of the place among all */
    struct json_doc *current;
};

/* The object makes room for one that is created, where the place is the collection. */
static void make_room(struct visit *visit)
{
    const struct matrix_place *place = &visit->resource->places[0];
    SCOPED(arena) arena = {0};
    if (visit->place != place || !visit->current)
        return;
    const struct str path =
        arena_print(&arena, "%.*s/%.*s", STR_ARG(place->path), STR_ARG(place->name));
    CHECK_EQ(api_fixture_call(visit->fixture, STR("DELETE"), path, STR(""), STR(""), NULL), 200);
    for (int i = 0; i < 5; i++) {
        if (api_fixture_call(visit->fixture, STR("GET"), path, STR(""), STR(""), NULL) == 404)
            break;
        api_fixture_settle(visit->fixture);
    }
    json_doc_free(TAKE(visit->current));
}

static void send_cell(void *data, const struct matrix_cell *cell)
{
    struct visit *visit = data;
    if (cell->verb == MATRIX_POST && cell->body == MATRIX_RIGHT)
        make_room(visit);
    SCOPED(arena) arena = {0};
    SCOPED(buf) body = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    const char *watch = cell->verb == MATRIX_WATCH ? "&watch=true&timeoutSeconds=1" : "";
    SCOPED(http_request)
    http = {
        .method = verbs[cell->verb].method,
        .target = arena_print(&arena, "%.*s?%s%s", STR_ARG(visit->place->path),
                              options[cell->option], watch),
    };
    const struct json_value *current = visit->current ? json_doc_root(visit->current) : NULL;
    matrix_body_write(&body, visit->resource, visit->place, cell, current);
    http.body = buf_str(&body);
    TEST_CASE("%.*s %.*s, %.*s, accept %.*s, body %d: %.*s", STR_ARG(http.method),
              STR_ARG(http.target), STR_ARG(types[cell->type]), STR_ARG(accepts[cell->accept]),
              (int)cell->body, STR_ARG(str_slice(http.body, 0, body.len < 200 ? body.len : 200)));
    direct_request_add_header(&http, STR("content-type"), types[cell->type]);
    direct_request_add_header(&http, STR("accept"), accepts[cell->accept]);
    api_fixture_send(visit->fixture, &http, &doc);
    matrix_check(visit->resource, visit->place, cell, &http, doc ? json_doc_root(doc) : NULL);
    visit->program->requests++;
    /* A collection is deleted before it turns out that the list cannot be shown as asked: 406. */
    if (verbs[cell->verb].is_write && (http.status < 300 || http.status == 406))
        visit->program->writes += http.status < 300;
    else if (visit->current || !visit->resource->is_stored)
        return;
    json_doc_free(TAKE(visit->current));
    matrix_restore(visit->fixture, visit->resource, &visit->current);
}

/* Each resource has an API of its own. */
static void run_resource(struct program *program, const struct matrix_resource *resource,
                         size_t number)
{
    struct api_fixture fixture;
    api_fixture_init(&fixture);
    matrix_prepare(&fixture);
    struct visit visit = {.program = program, .fixture = &fixture, .resource = resource};
    matrix_restore(&fixture, resource, &visit.current);
    for (size_t i = 0; i < resource->place_count; i++) {
        visit.place = &resource->places[i];
        visit.number = number + i;
        (program->is_full ? all_cells : sample_cells)(visit.number, send_cell, &visit);
    }
    json_doc_free(visit.current);
    api_fixture_settle(&fixture);
    api_fixture_done(&fixture);
}

static void note_cell(void *data, const struct matrix_cell *cell)
{
    const struct visit *visit = data;
    const size_t values[DIMENSIONS] = {
        [PLACE] = visit->number, [VERB] = cell->verb,     [TYPE] = cell->type,
        [BODY] = cell->body,     [OPTION] = cell->option, [ACCEPT] = cell->accept,
    };
    for (size_t a = PLACE; a < DIMENSIONS; a++)
        for (size_t b = VERB; b < DIMENSIONS; b++)
            visit->program->seen[a][values[a]][b][values[b]] = true;
}

static void check_coverage(struct program *program)
{
    for (size_t a = PLACE; a < DIMENSIONS; a++)
        for (size_t i = 0; i < (a == PLACE ? program->place_count : sizes[a]); i++)
            for (size_t b = a + 1; b < DIMENSIONS; b++)
                for (size_t j = 0; j < sizes[b]; j++) {
                    TEST_CASE("value %zu of dimension %zu with %zu of %zu", i, a, j, b);
                    CHECK(program->seen[a][i][b][j]);
                }
}

static void run_coverage(struct program *program, const struct matrix_resources *resources)
{
    for (size_t i = 0; i < resources->count; i++)
        for (size_t j = 0; j < resources->items[i].place_count; j++) {
            struct visit visit = {.program = program, .number = program->place_count++};
            CHECK(visit.number < VALUES_MAX);
            sample_cells(visit.number, note_cell, &visit);
        }
    check_coverage(program);
    printf("%zu places, every pair occurs\n", program->place_count);
}

static struct error *run_matrix(void *data)
{
    struct program *program = data;
    struct api_fixture fixture;
    struct matrix_resources resources;
    api_fixture_init(&fixture);
    matrix_prepare(&fixture);
    matrix_resources_init(&resources, &fixture);
    api_fixture_done(&fixture);
    if (program->is_coverage) {
        run_coverage(program, &resources);
    } else {
        size_t number = 0;
        for (size_t i = 0; i < resources.count; number += resources.items[i].place_count, i++)
            if (i % program->parts == program->part)
                run_resource(program, &resources.items[i], number);
        printf("%zu requests, %zu of them wrote\n", program->requests, program->writes);
    }
    matrix_resources_done(&resources);
    return NULL;
}

static bool read_part(const char *text, struct program *program)
{
    struct str rest = str_from_c(text), part;
    uint64_t number, count;
    str_cut(&rest, '/', &part);
    if (!str_to_uint64(part, &number) || !str_to_uint64(rest, &count) || number >= count)
        return false;
    program->part = (size_t)number;
    program->parts = (size_t)count;
    return true;
}

int main(int argc, char **argv)
{
    static const struct option flags[] = {
        {"full",       no_argument, NULL, 'f'},
        {"coverage",        no_argument, NULL, 'c'},
        {"part",            required_argument, NULL, 'p'},
        {0},
    };
    struct program program = {.parts = 1};
    int flag;
    bool is_good = true;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread */
    while ((flag = getopt_long(argc, argv, "", flags, NULL)) != -1)
        if (flag == 'f')
            program.is_full = true;
        else if (flag == 'c')
            program.is_coverage = true;
        else
            is_good = is_good && flag == 'p' && read_part(optarg, &program);
    if (!is_good || optind != argc) {
        fputs("Usage: matrix [--full] [--part N/COUNT] | --coverage\n", stderr);
        return 2;
    }
    program.seen = calloc(DIMENSIONS, sizeof(*program.seen));
    CHECK(program.seen);
    OWNED(loop) loop = sim_loop_new(1);
    CHECK_OK(loop_run(loop, run_matrix, &program));
    free(program.seen);
    return 0;
}
