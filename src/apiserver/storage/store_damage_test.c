#include <fcntl.h>
#include <sys/stat.h>

#include "apiserver/storage/store_place_test.h"
#include "base/random.h"
#include "testing/folder_fixture.h"

/*
 * Damage to the files of a store. While a store is open and idle, its files are what kill -9 would
 * leave: they are copied, the copy is damaged and opened. Whatever the damage is, the copy is
 * refused, or nothing is missing from it.
 */
#define OBJECTS 40

static const char *const suffixes[] = {"", "-wal", ".mark"};

static void copy_place(const struct place *from, const struct place *to)
{
    for (size_t i = 0; i < COUNT(suffixes); i++) {
        char source[96], target[96];
        snprintf(source, sizeof(source), "%s%s", from->path, suffixes[i]);
        snprintf(target, sizeof(target), "%s%s", to->path, suffixes[i]);
        unlink(target);
        folder_fixture_copy(source, target);
    }
}

static struct key name_of(int64_t number, char name[static 16])
{
    snprintf(name, 16, "n%d", (int)number);
    return (struct key){STR("ns"), str_from_c(name)};
}

/* Objects from..to-1, a tenth of which is changed and a tenth deleted again. */
static void fill_store(struct store *store, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        char name[16];
        struct sample sample = {name_of(i, name), i, 700};
        CHECK_OK(sample_store(store, sample_id(sample.key), STORE_NEW, &sample, NULL));
        if (i % 10 == 3)
            CHECK_OK(sample_put(store, sample.key, i, STORE_ANY, NULL));
        if (i % 10 == 7)
            CHECK_OK(sample_delete(store, sample.key, STORE_ANY));
    }
}

/* Everything that fill_store() acknowledged is there, and no revision comes again. */
static void check_complete(struct store *store, int64_t count, int64_t revision)
{
    CHECK(store_revision(store) >= revision);
    for (int64_t i = 0; i < count; i++) {
        char name[16];
        CHECK_EQ(sample_get(store, name_of(i, name)), i % 10 == 7 ? -1 : i);
    }
}

/* The first half is checkpointed, the second half is in the log alone. */
static void make_halves(const struct place *place, struct place *ret_copy, int64_t *ret_revision)
{
    struct store *store = reopen(place);
    fill_store(store, 0, OBJECTS / 2);
    store_free(store);
    store = reopen(place);
    fill_store(store, OBJECTS / 2, OBJECTS);
    *ret_revision = store_revision(store);
    copy_place(place, ret_copy);
    store_free(store);
}

static void damage_remove(const char *path)
{
    CHECK_EQ(unlink(path), 0);
}

static void damage_empty(const char *path)
{
    CHECK_EQ(truncate(path, 0), 0);
}

static void damage_halve(const char *path)
{
    struct stat status;
    CHECK_EQ(stat(path, &status), 0);
    CHECK_EQ(truncate(path, status.st_size / 2), 0);
}

static void flip_bit(const char *path, off_t offset, int bit)
{
    unsigned char byte;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    CHECK_EQ(pread(fd, &byte, 1, offset), 1);
    byte ^= (unsigned char)(1 << bit);
    CHECK_EQ(pwrite(fd, &byte, 1, offset), 1);
    close(fd);
}

static void damage_middle(const char *path)
{
    struct stat status;
    CHECK_EQ(stat(path, &status), 0);
    flip_bit(path, status.st_size / 2, 3);
}

LOOP_TEST(store_damage_of_a_whole_file_is_refused)
{
    const struct {
        const char *name, *suffix;
        void (*damage)(const char *path);
    } cases[] = {
        {"a missing log",      "-wal", damage_remove},
        {"an empty log",       "-wal", damage_empty },
        {"half a log",         "-wal", damage_halve },
        {"a bit in the log",   "-wal", damage_middle},
        {"a missing database", "",     damage_remove},
        {"an empty database",  "",     damage_empty },
        {"half a database",    "",     damage_halve },
    };
    SCOPED(place) place = {0};
    place_init(&place);
    SCOPED(place) copy = {0};
    place_init(&copy);
    int64_t revision;
    make_halves(&place, &copy, &revision);
    SCOPED(place) victim = {0};
    place_init(&victim);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        char path[96];
        copy_place(&copy, &victim);
        snprintf(path, sizeof(path), "%s%s", victim.path, cases[i].suffix);
        cases[i].damage(path);
        struct store *store = NULL;
        CHECK_FAILS(open_at(&victim, &store), ERROR_IO, victim.path);
        CHECK_FAILS(open_at(&victim, &store), ERROR_IO, victim.path); /* again: nothing changed */
        snprintf(path, sizeof(path), "%s%s", copy.path, cases[i].suffix);
        char target[96];
        snprintf(target, sizeof(target), "%s%s", victim.path, cases[i].suffix);
        folder_fixture_copy(path,
                            target); /* the damage undone, a refused start has changed nothing */
        OWNED(store) mended = reopen(&victim);
        check_complete(mended, OBJECTS, revision);
    }
}

/* One bit in one of the files, drawn at random. */
static void flip_somewhere(const struct place *place, struct random *random)
{
    char path[96];
    struct stat status;
    const size_t which = random_below(random, COUNT(suffixes));
    snprintf(path, sizeof(path), "%s%s", place->path, suffixes[which]);
    if (stat(path, &status) != 0 || status.st_size == 0)
        return;
    const off_t offset = (off_t)random_below(random, (uint64_t)status.st_size);
    const int bit = (int)random_below(random, 8);
    TEST_CASE("bit %d of byte %d of the file '%s'", bit, (int)offset, suffixes[which]);
    flip_bit(path, offset, bit);
}

LOOP_TEST(store_damage_of_a_bit_is_never_silent)
{
    SCOPED(place) place = {0};
    place_init(&place);
    SCOPED(place) copy = {0};
    place_init(&copy);
    int64_t revision;
    make_halves(&place, &copy, &revision);
    SCOPED(place) victim = {0};
    place_init(&victim);
    size_t refused = 0;
    for (size_t i = 0; i < 400; i++) {
        copy_place(&copy, &victim);
        flip_somewhere(&victim, loop_random(loop_current()));
        struct store *store = NULL;
        struct error *err = open_at(&victim, &store);
        if (err) {
            CHECK_FAILS(err, ERROR_IO, victim.path);
            refused++;
            continue;
        }
        check_complete(store, OBJECTS, revision);
        store_free(store);
    }
    CHECK(refused > 100);
}

static struct error *open_accepting(const struct place *place, struct store **ret_store)
{
    const struct store_options options = {.path = place->path, .accept_loss = true};
    return store_open(loop_current(), &options, ret_store);
}

/* Revisions go on above the ones that were lost, and the next start needs no permission. */
LOOP_TEST(store_damage_is_accepted_on_demand)
{
    const struct {
        const char *name, *suffix;
        int64_t objects; /* that are left */
    } cases[] = {
        {"a missing log",      "-wal",  18},
        {"a missing database", "",      0 },
        {"a missing mark",     ".mark", 36},
    };
    SCOPED(place) place = {0};
    place_init(&place);
    SCOPED(place) copy = {0};
    place_init(&copy);
    int64_t revision;
    make_halves(&place, &copy, &revision);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(place) victim = {0};
        place_init(&victim);
        copy_place(&copy, &victim);
        char path[96];
        snprintf(path, sizeof(path), "%s%s", victim.path, cases[i].suffix);
        damage_remove(path);
        struct store *store = NULL;
        CHECK_FAILS(open_at(&victim, &store), ERROR_IO, "--accept-data-loss");
        CHECK_OK(open_accepting(&victim, &store));
        CHECK(store_accepted_loss(store) != NULL);
        CHECK_EQ((int64_t)store->objects, cases[i].objects);
        CHECK(store_revision(store) > revision);
        CHECK_OK(sample_put(store, KEY("ns", "later"), 1, STORE_NEW, NULL));
        const int64_t later = store_revision(store);
        store_free(store);
        store = reopen(&victim);
        CHECK(store_accepted_loss(store) == NULL);
        CHECK_EQ(store_revision(store), later);
        CHECK_EQ(sample_get(store, KEY("ns", "later")), 1);
        store_free(store);
    }
}

LOOP_TEST(store_damage_is_known_by_a_used_folder_alone)
{
    SCOPED(place) place = {0};
    place_init(&place);
    const struct store_options options = {.path = place.path, .was_used = true};
    struct store *store = NULL;
    CHECK_FAILS(store_open(loop_current(), &options, &store), ERROR_IO,
                "the folder has been in use");
    store_free(reopen(&place));
    CHECK_OK(store_open(loop_current(), &options, &store));
    store_free(store);
}

/* A database with the epoch of another one is not taken for a newer state of this one. */
LOOP_TEST(store_damage_by_another_database_is_refused)
{
    SCOPED(place) place = {0};
    place_init(&place);
    SCOPED(place) other = {0};
    place_init(&other);
    struct store *store = reopen(&place);
    fill_store(store, 0, 2);
    store_free(store);
    store = reopen(&other);
    fill_store(store, 0, OBJECTS);
    store_free(store);
    folder_fixture_copy(other.path, place.path);
    CHECK_FAILS(open_at(&place, &store), ERROR_IO, "belongs to another database");
}

/* The log and the mark of an older time agree with each other, but not with the database. */
LOOP_TEST(store_damage_by_an_older_log_and_mark_is_refused)
{
    SCOPED(place) place = {0};
    place_init(&place);
    SCOPED(place) older = {0};
    place_init(&older);
    struct store *store = reopen(&place);
    fill_store(store, 0, OBJECTS / 2);
    copy_place(&place, &older);
    fill_store(store, OBJECTS / 2, OBJECTS);
    const int64_t revision = store_revision(store);
    store_free(store); /* moves all that is in the log into the database */
    for (size_t i = 1; i < COUNT(suffixes); i++) {
        char source[96], target[96];
        snprintf(source, sizeof(source), "%s%s", older.path, suffixes[i]);
        snprintf(target, sizeof(target), "%s%s", place.path, suffixes[i]);
        folder_fixture_copy(source, target);
    }
    CHECK_FAILS(open_at(&place, &store), ERROR_IO, "are of an older time");
    CHECK_FAILS(open_at(&place, &store), ERROR_IO, "are of an older time");
    CHECK_OK(open_accepting(&place, &store));
    CHECK(store_revision(store) > revision);
    store_free(store);
    store_free(reopen(&place));
}

/* A pipe has no other end: whoever opens it would wait for ever. */
LOOP_TEST(store_damage_by_a_pipe_is_refused)
{
    for (size_t i = 0; i < COUNT(suffixes); i++) {
        TEST_CASE("'%s'", suffixes[i]);
        SCOPED(place) place = {0};
        place_init(&place);
        struct store *store = reopen(&place);
        fill_store(store, 0, 3);
        store_free(store);
        char path[96];
        snprintf(path, sizeof(path), "%s%s", place.path, suffixes[i]);
        unlink(path);
        CHECK_EQ(mkfifo(path, 0600), 0);
        CHECK_FAILS(open_at(&place, &store), ERROR_IO, "is not a file");
    }
}

/* What was never acknowledged may be missing: the log ends in the middle of a write. */
LOOP_TEST(store_damage_by_a_power_loss_is_harmless)
{
    SCOPED(place) place = {0};
    place_init(&place);
    SCOPED(place) copy = {0};
    place_init(&copy);
    int64_t revision;
    make_halves(&place, &copy, &revision);
    char log[96];
    snprintf(log, sizeof(log), "%s-wal", copy.path);
    const int fd = open(log, O_WRONLY | O_APPEND | O_CLOEXEC);
    for (int i = 0; i < 3000; i++)
        CHECK_EQ(write(fd, "torn", 4), (ssize_t)4);
    close(fd);
    OWNED(store) store = reopen(&copy);
    check_complete(store, OBJECTS, revision);
}

/* Left alone for some seconds, a store needs its log no more. */
LOOP_TEST(store_damage_of_the_log_of_an_idle_store_is_harmless)
{
    SCOPED(place) place = {0};
    place_init(&place);
    SCOPED(place) copy = {0};
    place_init(&copy);
    OWNED(store) store = reopen(&place);
    fill_store(store, 0, OBJECTS);
    char log[96];
    snprintf(log, sizeof(log), "%s-wal", place.path);
    struct stat status;
    do
        CHECK_OK(fiber_sleep(50 * MILLISECOND));
    while (stat(log, &status) == 0 && status.st_size > 0);
    copy_place(&place, &copy);
    snprintf(log, sizeof(log), "%s-wal", copy.path);
    damage_remove(log);
    OWNED(store) again = reopen(&copy);
    check_complete(again, OBJECTS, store_revision(store));
}
