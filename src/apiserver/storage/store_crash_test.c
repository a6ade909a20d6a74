#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "apiserver/storage/store_fixture_test.h"
#include "base/random.h"

/*
 * A child writes and tells, through a pipe, each write that was acknowledged; it is killed at a
 * random moment. Another child opens the file and checks that nothing told is missing. This process
 * itself starts no thread, so that forking is safe.
 */
#define ROUNDS     20
#define WRITERS    8
#define LIFE_MS    60 /* at most */
#define WRITES_MAX 1000000

struct acknowledged {
    int64_t writer, value, revision;
};

/* What is known of each writer's object, over all rounds. */
struct known {
    int64_t values[WRITERS]; /* the last acknowledged */
    int64_t revision;        /* the highest ever told */
};

struct child {
    const char *path;
    int pipe;
    struct store *store;
    struct known known;
};

struct writer {
    struct child *child;
    int64_t number;
};

static struct store *open_store(const struct child *child)
{
    struct store *store = NULL;
    CHECK_OK(store_open(loop_current(), &(struct store_options){.path = child->path}, &store));
    return store;
}

static struct key key_of(int64_t writer, char name[static 16])
{
    snprintf(name, 16, "w%d", (int)writer);
    return (struct key){STR("ns"), str_from_c(name)};
}

/* Every third write deletes, unless one whose answer was lost has done so already. */
static struct error *write_one(struct child *child, struct key key, int64_t value,
                               struct store_object *ret_object)
{
    struct sample sample = {key, value, 300};
    const struct store_id id = sample_id(key);
    if (value % 3)
        return sample_store(child->store, id, STORE_ANY, &sample, ret_object);
    struct error *err = sample_remove(child->store, id, STORE_ANY, &sample, ret_object);
    return error_ignore(err, ERROR_NOT_FOUND);
}

static struct error *write_on(void *data)
{
    const struct writer *writer = data;
    struct child *child = writer->child;
    char name[16];
    const struct key key = key_of(writer->number, name);
    for (int64_t value = child->known.values[writer->number] + 1; value < WRITES_MAX; value++) {
        SCOPED(store_object) object = {0};
        TRY(write_one(child, key, value, &object));
        const struct acknowledged told = {writer->number, value, object.revision};
        CHECK_EQ(write(child->pipe, &told, sizeof(told)), (long)sizeof(told));
    }
    return NULL;
}

static struct error *write_until_killed(void *data)
{
    struct child *child = data;
    child->store = open_store(child);
    struct writer writers[WRITERS];
    SCOPED(scope) scope = {0};
    for (int64_t i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){child, i};
        scope_start(&scope, "writer", write_on, &writers[i]);
    }
    return scope_wait(&scope);
}

/* At most one write of each writer was under way: its object is as told, or one write further. */
static struct error *check_nothing_is_missing(void *data)
{
    struct child *child = data;
    OWNED(store) store = open_store(child);
    CHECK(store_revision(store) >= child->known.revision);
    for (int64_t i = 0; i < WRITERS; i++) {
        char name[16];
        const int64_t seen = sample_get(store, key_of(i, name)), told = child->known.values[i];
        const bool as_told = seen == (told % 3 == 0 ? -1 : told);
        const bool further = seen == ((told + 1) % 3 == 0 ? -1 : told + 1);
        TEST_CASE("writer %d: %d is stored, %d was acknowledged", (int)i, (int)seen, (int)told);
        CHECK(as_told || further);
    }
    return NULL;
}

static pid_t start(struct child *child, fiber_fn fn)
{
    const pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid > 0)
        return pid;
    struct loop *loop = loop_new();
    struct error *err = loop_run(loop, fn, child);
    loop_free(loop);
    _exit(err ? 1 : 0);
}

/* Reads what was told until the pipe ends. Revisions of acknowledged writes are all different. */
static void learn(int pipe, struct known *known, bool *used, size_t used_count)
{
    struct acknowledged told;
    ssize_t len;
    while ((len = read(pipe, &told, sizeof(told))) > 0) {
        CHECK_EQ(len, (long)sizeof(told));
        CHECK((size_t)told.revision < used_count);
        CHECK(!used[told.revision]);
        used[told.revision] = told.revision > 0; /* none when there was nothing to delete */
        known->values[told.writer] = told.value;
        if (told.revision > known->revision)
            known->revision = told.revision;
    }
}

static void sleep_ms(uint64_t ms)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)ms * 1000000}, NULL);
}

static void kill_and_check(struct child *child, uint64_t life, bool *used, size_t used_count)
{
    int ends[2];
    CHECK_EQ(pipe(ends), 0);
    child->pipe = ends[1];
    const pid_t writer = start(child, write_until_killed);
    close(ends[1]);
    sleep_ms(life);
    CHECK_EQ(kill(writer, SIGKILL), 0);
    learn(ends[0], &child->known, used, used_count);
    close(ends[0]);
    int status;
    CHECK_EQ(waitpid(writer, &status, 0), writer);
    CHECK(WIFSIGNALED(status)); /* it did not fail by itself */
    const pid_t checker = start(child, check_nothing_is_missing);
    CHECK_EQ(waitpid(checker, &status, 0), checker);
    CHECK_EQ(status, 0);
}

TEST(store_keeps_what_it_acknowledged_when_it_is_killed)
{
    char dir[] = "/tmp/store_crash.XXXXXX", path[64], log[80], mark[80], reserve[80];
    CHECK(mkdtemp(dir) != NULL);
    snprintf(path, sizeof(path), "%s/store.db", dir);
    snprintf(log, sizeof(log), "%s-wal", path);
    snprintf(mark, sizeof(mark), "%s.mark", path);
    snprintf(reserve, sizeof(reserve), "%s.reserve", path);
    const size_t used_count = (size_t)WRITERS * WRITES_MAX;
    bool *used = mem_alloc_zero(used_count);
    struct child child = {.path = path};
    struct random random;
    random_init_secure(&random);
    for (int round = 0; round < ROUNDS; round++) {
        TEST_CASE("round %d", round);
        kill_and_check(&child, 10 + random_below(&random, LIFE_MS), used, used_count);
    }
    CHECK(child.known.revision > ROUNDS);
    mem_free(used);
    unlink(path);
    unlink(log);
    unlink(mark);
    unlink(reserve);
    CHECK_EQ(rmdir(dir), 0);
}
