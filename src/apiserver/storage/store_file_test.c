#include "apiserver/storage/store_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/storage/store_place_test.h"
#include "apiserver/storage/store_reserve.h"

#define A KEY("ns", "a")
#define B KEY("ns", "b")

/* Runs statements on a file that no store holds. */
static void tamper(const struct place *place, const char *sql)
{
    sqlite3 *db = NULL;
    CHECK_EQ(sqlite3_open(place->path, &db), SQLITE_OK);
    CHECK_EQ(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

LOOP_TEST(store_file_remembers)
{
    SCOPED(place) place = {0};
    place_init(&place);
    {
        OWNED(store) store = reopen(&place);
        CHECK_EQ(store_revision(store), 1);
        CHECK_OK(sample_put(store, A, 1, STORE_NEW, NULL));
        CHECK_OK(sample_put(store, B, 2, STORE_NEW, NULL));
        CHECK_OK(sample_put(store, A, 3, 2, NULL));
        CHECK_OK(sample_delete(store, B, 3));
    }
    struct stat status;
    CHECK_EQ(stat(place.path, &status), 0);
    CHECK_EQ(status.st_mode & 0777, 0600u);
    {
        OWNED(store) store = reopen(&place);
        CHECK_EQ(store_revision(store), 5); /* that of the deletion, which left no row */
        CHECK_EQ(sample_get(store, A), 3);
        CHECK_EQ(sample_get(store, B), -1);
        CHECK_OK(sample_put(store, A, 6, 4, NULL));
        CHECK_OK(sample_put(store, B, 7, STORE_NEW, NULL));
    }
    OWNED(store) store = reopen(&place);
    CHECK_EQ(store_revision(store), 7);
    CHECK_EQ(store->objects, (size_t)2);
    CHECK_EQ(sample_get(store, A), 6);
}

/* The first format had neither digest nor mark. */
LOOP_TEST(store_file_of_the_first_format_is_upgraded)
{
    SCOPED(place) place = {0};
    place_init(&place);
    struct store *store = reopen(&place);
    CHECK_OK(sample_put(store, A, 1, STORE_NEW, NULL));
    CHECK_OK(sample_put(store, B, 2, STORE_NEW, NULL));
    store_free(store);
    tamper(&place, "CREATE TABLE old(id INTEGER PRIMARY KEY, revision INTEGER NOT NULL);"
                   "INSERT INTO old SELECT id,revision FROM counter; DROP TABLE counter;"
                   "ALTER TABLE old RENAME TO counter; PRAGMA user_version=1");
    char mark[96];
    snprintf(mark, sizeof(mark), "%s.mark", place.path);
    CHECK_EQ(unlink(mark), 0);
    for (int64_t i = 0; i < 3; i++) {
        store = reopen(&place);
        CHECK_EQ(store_revision(store), 3 + i);
        CHECK_EQ(sample_get(store, B), 2 + i);
        CHECK_OK(sample_put(store, B, 3 + i, STORE_ANY, NULL));
        store_free(store);
    }
}

LOOP_TEST(store_file_forgets_its_history)
{
    SCOPED(place) place = {0};
    place_init(&place);
    {
        OWNED(store) store = reopen(&place);
        CHECK_OK(sample_put(store, A, 1, STORE_NEW, NULL));
        CHECK_OK(sample_put(store, A, 2, STORE_ANY, NULL));
    }
    OWNED(store) store = reopen(&place);
    const struct store_watch_filter filter = {.resource = STR("configmaps")};
    OWNED(store_watch) watch = NULL;
    CHECK_ERROR(store_watch_open(store, &filter, 2, &watch), ERROR_EXPIRED);
    CHECK_OK(store_watch_open(store, &filter, 3, &watch));
    CHECK_OK(sample_put(store, A, 3, STORE_ANY, NULL));
    SCOPED(store_event) event = {0};
    CHECK_OK(store_watch_next(watch, &event));
    CHECK_EQ(event.revision, 4);
}

LOOP_TEST(store_file_belongs_to_one)
{
    SCOPED(place) place = {0};
    place_init(&place);
    OWNED(store) store = reopen(&place);
    struct store *second = NULL;
    CHECK_FAILS(open_at(&place, &second), ERROR_IO, "in use by another process");
    CHECK_OK(sample_put(store, A, 1, STORE_NEW, NULL));
}

LOOP_TEST(store_file_of_others_is_refused)
{
    const struct {
        const char *name, *sql, *message;
    } cases[] = {
        {"a newer format",  "PRAGMA user_version=9",                 "a newer version of corset"    },
        {"another program", "PRAGMA application_id=7",               "a database of another program"},
        {"no counter",      "DELETE FROM counter",                   "has no revision"              },
        {"a missing row",   "DELETE FROM objects",                   "do not match its digest"      },
        {"no format",       "PRAGMA user_version=0",                 "has no format"                },
        {"a counter back",  "UPDATE counter SET revision=1",         "is newer than the file"       },
        {"a changed row",   "UPDATE objects SET resource='secrets'", "does not match its checksum"  },
        {"no tables",       "DROP TABLE objects",                    "no such table"                },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(place) place = {0};
        place_init(&place);
        struct store *store = reopen(&place);
        CHECK_OK(sample_put(store, A, 1, STORE_NEW, NULL));
        store_free(store);
        tamper(&place, cases[i].sql);
        CHECK_FAILS(open_at(&place, &store), ERROR_IO, cases[i].message);
        CHECK_FAILS(open_at(&place, &store), ERROR_IO, place.path);
    }
}

LOOP_TEST(store_file_that_cannot_be)
{
    struct store *store = NULL;
    struct place place = {.path = "/tmp/no/such/directory/store.db"};
    CHECK_FAILS(open_at(&place, &store), ERROR_IO, "No such file");
    snprintf(place.path, sizeof(place.path), "/tmp");
    CHECK_FAILS(open_at(&place, &store), ERROR_IO, "open store /tmp");
}

static void flip(const struct place *place, off_t offset, char *byte)
{
    const int fd = open(place->path, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    CHECK_EQ(pread(fd, byte, 1, offset), 1);
    *byte ^= 0x20;
    CHECK_EQ(pwrite(fd, byte, 1, offset), 1);
    close(fd);
}

static bool see_value(void *data, struct key key, struct object_text *text)
{
    (void)key;
    CHECK(sample_value(text) < 20);
    (*(size_t *)data)++;
    return true;
}

/* A byte that changed is noticed, or was in none of our data: never are other objects served. */
LOOP_TEST(store_file_notices_damage)
{
    SCOPED(place) place = {0};
    place_init(&place);
    struct store *store = reopen(&place);
    for (int64_t i = 0; i < 20; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%d", (int)i);
        struct sample sample = {
            {STR("ns"), str_from_c(name)},
            i, 7800
        };
        CHECK_OK(sample_store(store, sample_id(sample.key), STORE_NEW, &sample, NULL));
    }
    store_free(store);
    struct stat status;
    CHECK_EQ(stat(place.path, &status), 0);
    size_t noticed = 0, tries = 0;
    for (off_t offset = 0; offset < status.st_size; offset += 499, tries++) {
        TEST_CASE("byte %d", (int)offset);
        char byte;
        flip(&place, offset, &byte);
        struct error *err = open_at(&place, &store);
        if (err) {
            CHECK_FAILS(err, ERROR_IO, place.path);
            noticed++;
        } else {
            size_t seen = 0;
            struct store_page page;
            const struct store_range range = {.resource = STR("configmaps")};
            CHECK_OK(store_scan(store, &range, see_value, &seen, &page));
            CHECK_EQ(seen, (size_t)20);
            store_free(store);
        }
        flip(&place, offset, &byte);
    }
    CHECK(noticed > tries / 2); /* most of the file is rows */
    store_free(reopen(&place));
}

/*
 * SQLite's own files, except that they count syncs and, when told so, are on a full disk or on one
 * that is broken. SQLite has a table of methods for each kind of file; each gets a twin.
 */
static struct twin {
    sqlite3_io_methods methods;
    const sqlite3_io_methods *real;
} twins[4];
static int (*real_open)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
static atomic_int write_status, sync_status, syncs;
static const char *small_disk; /* path of the database on a disk of SMALL_DISK bytes, or NULL */

#define SMALL_DISK ((int64_t)(STORE_RESERVE_SIZE + 4 * MEGABYTE))

static const sqlite3_io_methods *real_of(const sqlite3_file *file)
{
    return CONTAINER_OF(file->pMethods, struct twin, methods)->real;
}

/* What the store's files take on the small disk. */
static int64_t used_space(void)
{
    static const char *const suffixes[] = {"", "-wal", ".reserve"};
    int64_t sum = 0;
    for (size_t i = 0; i < COUNT(suffixes); i++) {
        char path[96];
        struct stat status;
        snprintf(path, sizeof(path), "%s%s", small_disk, suffixes[i]);
        sum += stat(path, &status) == 0 ? (int64_t)status.st_size : 0;
    }
    return sum;
}

static int shim_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 offset)
{
    int status = atomic_load(&write_status);
    sqlite3_int64 size = 0;
    if (small_disk && real_of(file)->xFileSize(file, &size) == SQLITE_OK && offset + len > size &&
        used_space() + offset + len - size > SMALL_DISK)
        status = SQLITE_FULL;
    return status ? status : real_of(file)->xWrite(file, data, len, offset);
}

static int shim_sync(sqlite3_file *file, int flags)
{
    atomic_fetch_add(&syncs, 1);
    const int status = atomic_load(&sync_status);
    return status ? status : real_of(file)->xSync(file, flags);
}

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    const int status = real_open(vfs, name, file, flags, out);
    if (status != SQLITE_OK)
        return status;
    struct twin *twin = twins;
    while (twin->real && twin->real != file->pMethods)
        twin++;
    CHECK(twin < twins + COUNT(twins));
    twin->real = file->pMethods;
    twin->methods = *twin->real;
    twin->methods.xWrite = shim_write;
    twin->methods.xSync = shim_sync;
    file->pMethods = &twin->methods;
    return SQLITE_OK;
}

static void shim_install(void)
{
    static sqlite3_vfs shim;
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    shim = *real;
    real_open = real->xOpen;
    shim.xOpen = shim_open;
    shim.zName = "shim";
    shim.pNext = NULL;
    CHECK_EQ(sqlite3_vfs_register(&shim, 1), SQLITE_OK);
}

struct writer {
    struct store *store;
    size_t number, writes;
};

static struct error *writer_run(void *data)
{
    const struct writer *writer = data;
    char name[16];
    snprintf(name, sizeof(name), "w%zu", writer->number);
    for (size_t i = 0; i < writer->writes; i++)
        TRY(sample_put(writer->store, (struct key){STR("ns"), str_from_c(name)}, (int64_t)i,
                       STORE_ANY, NULL));
    return NULL;
}

LOOP_TEST(store_file_writers_share_syncs)
{
    shim_install();
    SCOPED(place) place = {0};
    place_init(&place);
    OWNED(store) store = reopen(&place);
    const int before = atomic_load(&syncs);
    CHECK_OK(sample_put(store, A, 1, STORE_NEW, NULL));
    CHECK(atomic_load(&syncs) > before); /* alone: one of its own */

    struct writer writers[200];
    SCOPED(scope) scope = {0};
    const int start = atomic_load(&syncs);
    for (size_t i = 0; i < COUNT(writers); i++) {
        writers[i] = (struct writer){store, i, 5};
        scope_start(&scope, "writer", writer_run, &writers[i]);
    }
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(store->writes, (uint64_t)1001);
    CHECK(store->commits < 100);
    CHECK(atomic_load(&syncs) - start >= (int)store->commits - 1);
    CHECK(atomic_load(&syncs) - start < 200);
}

static void await_recovery(const struct store *store)
{
    while (store_trouble(store))
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
}

/* Fills the disk or breaks it, for a while. */
static void check_failures(atomic_int *status, int value, const char *message)
{
    SCOPED(place) place = {0};
    place_init(&place);
    struct store *store = reopen(&place);
    CHECK_OK(sample_put(store, A, 1, STORE_NEW, NULL));
    atomic_store(status, value);
    {
        struct writer writers[20];
        SCOPED(scope) scope = {0};
        for (size_t i = 0; i < COUNT(writers); i++) {
            writers[i] = (struct writer){store, i, 1};
            scope_start(&scope, "writer", writer_run, &writers[i]);
        }
        struct error *err = scope_wait(&scope);
        /* Clients are told this, and have no business with places on this machine. */
        CHECK(err && str_find(str_from_c(err->message), str_from_c(place.dir)) == STR_NONE);
        CHECK_FAILS(err, ERROR_IO, message);
    }
    CHECK_FAILS(sample_put(store, A, 2, 2, NULL), ERROR_IO, message);
    CHECK_EQ(sample_get(store, A), 1);
    CHECK_EQ(store_revision(store), 2);
    CHECK_EQ(store->objects, (size_t)1);
    CHECK_EQ(store->history.count, (size_t)1);
    CHECK(store->failed_commits > 0);

    CHECK(strstr(store_trouble(store), message) != NULL);
    atomic_store(status, 0);
    await_recovery(store);
    CHECK_OK(sample_put(store, A, 3, 2, NULL)); /* still the one that was read */
    const int64_t revision = store_revision(store);
    CHECK(revision > 20); /* those that failed are not used again */
    store_free(store);
    store = reopen(&place);
    CHECK_EQ(store->objects, (size_t)1);
    CHECK_EQ(sample_get(store, A), 3);
    CHECK_EQ(store_revision(store), revision);
    store_free(store);
}

LOOP_TEST(store_file_on_a_full_disk)
{
    shim_install();
    check_failures(&write_status, SQLITE_FULL, "no space left");
}

/* Large enough to fill the small disk with a few. */
static struct error *put_large(struct store *store, int number)
{
    char name[32];
    snprintf(name, sizeof(name), "large%d", number);
    struct sample sample = {
        {STR("ns"), str_from_c(name)},
        number, 200000
    };
    return sample_store(store, sample_id(sample.key), STORE_NEW, &sample, NULL);
}

/* One delete after the other works, and with room again the store goes on by itself. */
LOOP_TEST(store_file_deletes_on_a_full_disk)
{
    shim_install();
    SCOPED(place) place = {0};
    place_init(&place);
    struct store *store = reopen(&place);
    small_disk = place.path;
    int count = 0;
    struct error *err;
    while (!(err = put_large(store, count)))
        count++;
    CHECK_FAILS(err, ERROR_IO, "no space left on device");
    CHECK(count >= 5 && count < 25);
    CHECK_EQ(store_trouble(store), "write to the store: no space left on device");
    CHECK_FAILS(sample_put(store, A, 1, STORE_NEW, NULL), ERROR_IO, "no space left on device");
    for (int i = 0; i < count - 2; i++) {
        char name[32];
        snprintf(name, sizeof(name), "large%d", i);
        CHECK_OK(sample_delete(store, (struct key){STR("ns"), str_from_c(name)}, STORE_ANY));
    }
    await_recovery(store);
    CHECK_EQ(store->objects, (size_t)2);
    CHECK_OK(sample_put(store, A, 1, STORE_NEW, NULL));
    store_free(store);
    store = reopen(&place);
    CHECK_EQ(store->objects, (size_t)3);
    CHECK_EQ(sample_get(store, A), 1);
    store_free(store);
    small_disk = NULL;
}

/* Nothing is written that would take the reserve; nothing that was accepted fails by it. */
LOOP_TEST(store_file_keeps_its_reserve_from_writes)
{
    SCOPED(place) place = {0};
    place_init(&place);
    OWNED(store) store = reopen(&place);
    CHECK_OK(sample_put(store, A, 1, STORE_NEW, NULL));
    CHECK_OK(sample_put(store, B, 1, STORE_NEW, NULL));
    store->room = 200000; /* less than log and database need for it */
    CHECK_FAILS(put_large(store, 0), ERROR_IO, "no space left on device");
    CHECK_FAILS(sample_put(store, A, 2, STORE_ANY, NULL), ERROR_IO, "no space left on device");
    CHECK_OK(sample_delete(store, A, STORE_ANY));
    CHECK_EQ(store->failed_commits, (uint64_t)0);
    await_recovery(store); /* there is room in truth */
    CHECK_OK(put_large(store, 0));
    CHECK_EQ(store->queued_need, (int64_t)0);
}

struct creator {
    struct store *store;
    enum error_code code;
};

static struct error *creator_run(void *data)
{
    struct creator *creator = data;
    OWNED(error) err = sample_put(creator->store, A, 1, STORE_NEW, NULL);
    creator->code = err ? err->code : ERROR_NONE;
    return NULL;
}

/* "Already exists" because of a write that failed would be a lie. */
LOOP_TEST(store_file_refusals_rest_on_what_is_durable)
{
    shim_install();
    SCOPED(place) place = {0};
    place_init(&place);
    OWNED(store) store = reopen(&place);
    for (int full = 1; full >= 0; full--) {
        TEST_CASE("the disk is %s", full ? "full" : "not full");
        atomic_store(&write_status, full ? SQLITE_FULL : 0);
        if (!full)
            await_recovery(store);
        struct creator creators[] = {{.store = store}, {.store = store}};
        SCOPED(scope) scope = {0};
        for (size_t i = 0; i < COUNT(creators); i++)
            scope_start(&scope, "creator", creator_run, &creators[i]);
        CHECK_OK(scope_wait(&scope));
        CHECK_EQ((int)creators[0].code, (int)(full ? ERROR_IO : ERROR_NONE));
        CHECK_EQ((int)creators[1].code, (int)(full ? ERROR_IO : ERROR_ALREADY_EXISTS));
    }
}

LOOP_TEST(store_file_on_a_broken_disk)
{
    shim_install();
    TEST_CASE("writes fail");
    check_failures(&write_status, SQLITE_IOERR_WRITE, "write to the store");
    TEST_CASE("syncs fail");
    check_failures(&sync_status, SQLITE_IOERR_FSYNC, "write to the store");
}

/* On the simulated loop the same file is written at random moments; interruptions lose nothing. */
static struct error *torture(void)
{
    SCOPED(place) place = {0};
    place_init(&place);
    struct store *store = NULL;
    TRY(open_at(&place, &store));
    struct writer writers[4];
    struct error *err;
    {
        SCOPED(scope) scope = {0};
        for (size_t i = 0; i < COUNT(writers); i++) {
            writers[i] = (struct writer){store, i % 2, 2};
            scope_start(&scope, "writer", writer_run, &writers[i]);
        }
        err = scope_wait(&scope);
    }
    store_free(store); /* is not interrupted */
    return err;
}

TORTURE_TEST(store_file_survives_interruptions)
{
    return torture();
}
