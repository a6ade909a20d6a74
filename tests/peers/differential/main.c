/* The program: draws sequences of requests and plays them on kube-apiserver and on corset. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/ascii.h"
#include "base/map.h"
#include "base/random.h"
#include "json/path.h"
#include "peers/conformance/fetch.h"
#include "peers/conformance/peer.h"
#include "peers/conformance/text_file.h"
#include "peers/differential/draw.h"
#include "peers/differential/shrink.h"
#include "peers/differential/survey.h"

#define JOBS         4
#define SERVED_EVERY (100 * MILLISECOND)
#define SERVED_LIMIT (60 * SECOND)

enum { GOOD = 0, NOT_GOOD = 1, USAGE = 2, FAILED = 3 };

struct program {
    struct str kubeconfig;
    const char *corset, *declared_file;
    uint64_t seed, number, only, sequences_max;
    duration span;
    int64_t end;
    size_t findings_max;

    struct loop *loop;
    struct catalogue catalogue;
    struct declared declared;
    struct play play;
    struct map findings; /* what was found, as text, to be told once */
    bool is_survey;
    struct survey survey;
    size_t differing; /* sequences, repetitions counted */
    bool has_crashed;
};

static void program_done(struct program *program)
{
    map_done(&program->findings);
    survey_done(&program->survey);
    declared_done(&program->declared);
    catalogue_done(&program->catalogue);
    exchange_list_done(&program->play.list);
}

static const char help[] =
    "differential --kubeconfig FILE --server CORSET [--seconds 600] [--seed 1] [--sequence N]\n"
    "             [--sequences MANY] [--findings 20] [--declared FILE] [--survey 1]\n"
    "\n"
    "Plays random sequences of requests on the server of the kubeconfig, which is a\n"
    "kube-apiserver of its own, and on CORSET, which is started. --sequence plays one of them,\n"
    "--sequences so many however long it takes. --survey 1 goes on and counts what differs.\n"
    "Ends with 1 when something differs that is not declared.\n";

static bool read_options(struct program *program, int argc, char **argv)
{
    static const struct option options[] = {
        {"kubeconfig",       required_argument, NULL, 'k'},
        {"server",              required_argument, NULL, 's'},
        {"seconds",                  required_argument, NULL, 't'},
        {"seed",required_argument, NULL, 'r'},
        {"sequence",               required_argument, NULL, 'n'},
        {"sequences",          required_argument, NULL, 'm'},
        {"findings",              required_argument, NULL, 'f'},
        {"declared",                  required_argument, NULL, 'd'},
        {"survey",              required_argument, NULL, 'v'},
        {0              },
    };
    uint64_t number;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): there are no threads yet */
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'k')
            program->kubeconfig = str_from_c(optarg);
        else if (c == 's')
            program->corset = optarg;
        else if (c == 'd')
            program->declared_file = optarg;
        else if (c == '?' || !str_to_uint64(str_from_c(optarg), &number))
            return false;
        else if (c == 't')
            program->span = (duration)number * SECOND;
        else if (c == 'r')
            program->seed = number;
        else if (c == 'n')
            program->only = number;
        else if (c == 'v')
            program->is_survey = number != 0;
        else if (c == 'm')
            program->sequences_max = number;
        else
            program->findings_max = number;
    }
    return program->kubeconfig.len && program->corset && optind == argc;
}

static struct error *read_files(struct program *program)
{
    static const char *const files[] = {DIFFERENTIAL_KINDS, DIFFERENTIAL_RICH};
    SCOPED(buf) declared = {.limit = TEXT_FILE_MAX};
    for (size_t i = 0; i < COUNT(files); i++) {
        SCOPED(buf) kinds = {.limit = TEXT_FILE_MAX};
        TRY(text_file_read(files[i], &kinds));
        TRY(catalogue_read(&program->catalogue, buf_str(&kinds)), "%s", files[i]);
    }
    TRY(text_file_read(program->declared_file, &declared));
    return error_wrap(declared_read(&program->declared, buf_str(&declared)), "%s",
                      program->declared_file);
}

/* Suspends until the custom resource is served. */
static struct error *define(struct program *program, struct caller *caller)
{
    FIBER_TIMEOUT(SERVED_LIMIT);
    int status;
    TRY(fetch_create(caller, STR("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
                     program->catalogue.definition, &status));
    for (;;) {
        OWNED(json_doc) doc = NULL;
        TRY(fetch_document(caller, STR("/apis/matrix.test/v1/widgets"), &status, &doc));
        if (status == 200)
            return NULL;
        TRY(fiber_sleep(SERVED_EVERY), "wait for the custom resource");
    }
}

#define NAME_MAX_LEN ((size_t)80)

/* A text as far as it is the same for all objects: without digits and what stands in quotes. */
static struct str plain_words(struct arena *arena, struct str text)
{
    SCOPED(buf) out = {0};
    bool is_quoted = false;
    for (size_t i = 0; i < text.len && out.len < NAME_MAX_LEN; i++) {
        const char c = text.ptr[i];
        is_quoted = is_quoted != (c == '"');
        if (!is_quoted && !ascii_is_digit(c))
            buf_add_char(&out, c);
    }
    return arena_str(arena, buf_str(&out));
}

/* The first difference, to tell it from others: one of many resources is told once. */
static struct str name_finding(struct arena *arena, const struct outcome *outcome)
{
    const struct difference *first = &outcome->differences.items[0];
    return arena_print(
        arena, "%.*s %.*s %.*s", STR_ARG(json_path_str(json_doc_root(outcome->request), "method")),
        STR_ARG(plain_words(arena, first->place)), STR_ARG(plain_words(arena, first->text)));
}

static void print_finding(const struct program *program, uint64_t number,
                          const struct sequence *sequence, const struct outcome *outcome)
{
    const struct json_value *request = json_doc_root(outcome->request);
    printf("\n%s, --seed %lu --sequence %lu, at %.*s %.*s\n",
           outcome->crashed ? "corset has ended" : "different", (unsigned long)program->seed,
           (unsigned long)number, STR_ARG(json_path_str(request, "method")),
           STR_ARG(json_path_str(request, "path")));
    sequence_print(stdout, sequence);
    for (size_t i = 0; i < outcome->differences.count && i < 5; i++)
        printf("    %.*s: %.*s\n", STR_ARG(outcome->differences.items[i].place),
               STR_ARG(outcome->differences.items[i].text));
    if (outcome->differences.count > 5)
        printf("    and %zu more\n", outcome->differences.count - 5);
    fflush(stdout);
}

/* Suspends. What was told before is only counted. */
static struct error *tell(struct program *program, uint64_t number, struct sequence *sequence,
                          struct outcome *outcome)
{
    SCOPED(arena) arena = {0};
    const struct str finding = name_finding(&arena, outcome);
    program->differing++;
    program->has_crashed = program->has_crashed || outcome->crashed;
    if (program->is_survey) {
        survey_add(&program->survey, number, json_doc_root(outcome->request),
                   &outcome->differences);
        return NULL;
    }
    if (map_has(&program->findings, finding))
        return NULL;
    map_put(&program->findings, finding, NULL);
    TRY(shrink_sequence(&program->play, sequence, outcome));
    print_finding(program, number, sequence, outcome);
    return NULL;
}

static bool is_over(const struct program *program)
{
    const bool is_enough = program->sequences_max ? program->number >= program->sequences_max
                                                  : loop_now(program->loop) >= program->end;
    return program->has_crashed || map_count(&program->findings) >= program->findings_max ||
           (program->only ? program->number > 0 : is_enough);
}

static struct error *work(void *data)
{
    struct program *program = data;
    while (!is_over(program)) {
        SCOPED(sequence) sequence = {0};
        SCOPED(outcome) outcome = {0};
        const uint64_t number = ++program->number + (program->only ? program->only - 1 : 0);
        draw_sequence(&program->catalogue, program->seed * 1000000 + number, &sequence);
        TRY(play_sequence(&program->play, &sequence, &outcome));
        program->play.sequences++;
        if (outcome.differs)
            TRY(tell(program, number, &sequence, &outcome));
    }
    return NULL;
}

static void print_figures(struct program *program)
{
    survey_print(stdout, &program->survey);
    printf("\ndeclared differences:\n");
    const size_t used =
        declared_print(stdout, &program->declared, !program->only && !program->sequences_max);
    printf("%zu requests in %zu sequences of %zu resources, seed %lu: %zu differences in %zu "
           "sequences; %zu declared ones met, %zu sequences cut short by them; %zu requests that "
           "kube-apiserver did not answer\n",
           program->play.requests, program->play.sequences, program->catalogue.count,
           (unsigned long)program->seed, map_count(&program->findings), program->differing, used,
           program->play.cut_short, program->play.panics);
}

static struct error *run(void *data)
{
    struct program *program = data;
    char run_id[EXCHANGE_RUN_LEN + 1];
    struct random random;
    SCOPED(peer) real, corset;
    peer_init(&real, program->loop);
    peer_init(&corset, program->loop);
    random_init_secure(&random);
    TRY(exchange_list_read(&program->play.list, STR(""), exchange_run_id(&random, run_id)));
    TRY(peer_open(&real, program->kubeconfig));
    TRY(peer_start(&corset, program->corset, NULL));
    const struct caller_options to_real = peer_caller(&real), to_corset = peer_caller(&corset);
    OWNED(caller) real_caller = caller_new(program->loop, &to_real);
    OWNED(caller) corset_caller = caller_new(program->loop, &to_corset);
    program->play.real = real_caller;
    program->play.corset = corset_caller;
    program->play.launch = corset.launch;
    program->play.declared = &program->declared;
    TRY(define(program, real_caller), "kube-apiserver");
    TRY(define(program, corset_caller), "corset");
    TRY(catalogue_fetch(&program->catalogue, real_caller));
    program->end = loop_now(program->loop) + program->span;
    SCOPED(scope) scope = {0};
    for (int i = 0; i < (program->only ? 1 : JOBS); i++)
        scope_start(&scope, "play", work, program);
    TRY(scope_wait(&scope));
    print_figures(program);
    return program->has_crashed ? NULL : launch_stop(corset.launch);
}

int main(int argc, char **argv)
{
    SCOPED(program)
    program = {.seed = 1,
               .span = 600 * SECOND,
               .findings_max = 20,
               .declared_file = DIFFERENTIAL_DECLARED};
    if (!read_options(&program, argc, argv)) {
        fputs(help, stderr);
        return USAGE;
    }
    OWNED(error) err = read_files(&program);
    OWNED(loop) loop = loop_new();
    program.loop = loop;
    if (!err)
        err = loop_run(loop, run, &program);
    if (err) {
        fprintf(stderr, "differential: %s\n", err->message);
        return FAILED;
    }
    return program.differing ? NOT_GOOD : GOOD;
}
