#include "apiserver/storage/store_backup.h"

#include <sys/stat.h>

#include "apiserver/storage/store_place_test.h"

#define WRITERS 8
#define LARGE   20000
#define OBJECTS 300

/* Two stores beside each other, and a backup of the first one. */
struct backup_fixture {
    struct place from, to;
    char file[96];
};

static void backup_fixture_init(struct backup_fixture *fixture)
{
    place_init(&fixture->from);
    place_init(&fixture->to);
    snprintf(fixture->file, sizeof(fixture->file), "%s/x-journal", fixture->to.dir);
}

static void backup_fixture_done(struct backup_fixture *fixture)
{
    unlink(fixture->file);
    place_done(&fixture->from);
    place_done(&fixture->to);
}

static struct key key_of(int64_t number, char name[static 16])
{
    snprintf(name, 16, "w%d", (int)number);
    return (struct key){STR("ns"), str_from_c(name)};
}

/* Objects beside those of the writers. */
static void fill_store(struct store *store)
{
    for (int64_t i = WRITERS; i < WRITERS + OBJECTS; i++) {
        char name[16];
        struct sample sample = {key_of(i, name), i, LARGE};
        CHECK_OK(sample_store(store, sample_id(sample.key), STORE_NEW, &sample, NULL));
    }
}

/* The number of small files that were seen, each with the right content. */
static struct error *count_file(void *data, struct str name, struct str content)
{
    size_t *count = data;
    CHECK_EQ(name, STR("ca.key"));
    CHECK_EQ(content, STR("secret"));
    (*count)++;
    return NULL;
}

static struct error *back_up(const struct backup_fixture *fixture, struct store *store,
                             int64_t *ret_revision)
{
    const struct store_backup_file files[] = {
        {"ca.key", STR("secret")}
    };
    const struct store_backup_options options = {fixture->file, files, COUNT(files)};
    return store_backup(store, &options, ret_revision);
}

static struct store *restore(const struct backup_fixture *fixture)
{
    size_t files = 0;
    struct store *store = NULL;
    CHECK_OK(store_backup_read(fixture->file, count_file, &files));
    CHECK_EQ(files, (size_t)1);
    CHECK_OK(store_backup_extract(fixture->file, fixture->to.path));
    CHECK_OK(store_open(loop_current(),
                        &(struct store_options){.path = fixture->to.path, .accept_loss = true},
                        &store));
    return store;
}

/* A writer counts up in its object until it is told to end. */
struct backup_writer {
    struct store *store;
    int64_t number, value;
    bool *is_over;
};

static struct error *count_up(void *data)
{
    struct backup_writer *writer = data;
    char name[16];
    const struct key key = key_of(writer->number, name);
    while (!*writer->is_over) {
        struct sample sample = {key, writer->value + 1, LARGE};
        TRY(sample_store(writer->store, sample_id(key), STORE_ANY, &sample, NULL));
        writer->value++;
    }
    return NULL;
}

LOOP_TEST(a_backup_has_what_was_acknowledged_before_it_and_goes_on_with_new_revisions)
{
    struct backup_fixture fixture;
    struct backup_writer writers[WRITERS];
    int64_t before[WRITERS], revision = 0;
    bool is_over = false;
    backup_fixture_init(&fixture);
    struct store *store = reopen(&fixture.from);
    fill_store(store);
    {
        SCOPED(scope) scope = {0};
        for (int64_t i = 0; i < WRITERS; i++) {
            writers[i] = (struct backup_writer){store, i, 0, &is_over};
            scope_start(&scope, "writer", count_up, &writers[i]);
        }
        CHECK_OK(fiber_sleep(50 * MILLISECOND));
        for (size_t i = 0; i < WRITERS; i++)
            before[i] = writers[i].value;
        const uint64_t commits = store->commits;
        CHECK_OK(back_up(&fixture, store, &revision));
        CHECK(store->commits > commits); /* writes went on meanwhile */
        is_over = true;
        CHECK_OK(scope_wait(&scope));
    }
    const int64_t newest = store_revision(store);
    CHECK(revision <= newest);
    store_free(store);

    struct stat status;
    CHECK_EQ(stat(fixture.file, &status), 0);
    CHECK_EQ((int)(status.st_mode & 07777), 0600);
    struct store *restored = restore(&fixture);
    for (int64_t i = 0; i < WRITERS; i++) {
        char name[16];
        const int64_t value = sample_get(restored, key_of(i, name));
        TEST_CASE("writer %d: %d is in the backup", (int)i, (int)value);
        CHECK(value >= before[i] && value <= writers[i].value);
    }
    CHECK_EQ(restored->objects, (size_t)(WRITERS + OBJECTS));
    CHECK(store_revision(restored) > newest);
    store_free(restored);
    store_free(reopen(&fixture.to)); /* its mark fits */
    backup_fixture_done(&fixture);
}

LOOP_TEST(a_backup_that_is_interrupted_leaves_nothing)
{
    struct backup_fixture fixture;
    int64_t revision;
    backup_fixture_init(&fixture);
    struct store *store = reopen(&fixture.from);
    fill_store(store);
    {
        FIBER_TIMEOUT(1);
        CHECK_ERROR(back_up(&fixture, store, &revision), ERROR_DEADLINE);
    }
    CHECK(access(fixture.file, F_OK) != 0);
    CHECK_OK(back_up(&fixture, store, &revision));
    CHECK_FAILS(back_up(&fixture, store, &revision), ERROR_IO, "File exists");
    CHECK_EQ(access(fixture.file, F_OK), 0); /* that of others stays */
    store_free(store);
    backup_fixture_done(&fixture);
}

LOOP_TEST(what_is_no_backup_is_not_extracted)
{
    struct backup_fixture fixture;
    size_t files = 0;
    backup_fixture_init(&fixture);
    store_free(reopen(&fixture.from));
    CHECK_FAILS(store_backup_read(fixture.from.path, count_file, &files), ERROR_IO,
                "is no backup of corset");
    CHECK_FAILS(store_backup_extract(fixture.from.path, fixture.to.path), ERROR_IO,
                "is no backup of corset");
    CHECK(access(fixture.to.path, F_OK) != 0);
    backup_fixture_done(&fixture);
}

/* Remembers the content as it is, and that it was there. */
static struct error *keep_file(void *data, struct str name, struct str content)
{
    bool *is_whole = data;
    *is_whole = str_eq(name, STR("ca.key")) && str_eq(content, STR("secret"));
    return NULL;
}

/* The page that has a text, and where the text is in the file. */
static long place_of(const char *bytes, size_t len, struct str text)
{
    for (size_t i = 0; i + text.len <= len; i++)
        if (memcmp(bytes + i, text.ptr, text.len) == 0)
            return (long)i;
    return -1;
}

/* Each bit of the head of the page that lists the small files: none of them hides one. */
LOOP_TEST(a_small_file_does_not_get_lost_by_a_flipped_bit)
{
    struct backup_fixture fixture;
    static char bytes[1 << 20];
    int64_t revision;
    backup_fixture_init(&fixture);
    struct store *store = reopen(&fixture.from);
    CHECK_OK(back_up(&fixture, store, &revision));
    store_free(store);
    FILE *file = fopen(fixture.file, "r+");
    CHECK(file != NULL);
    setvbuf(file, NULL, _IONBF, 0);
    const size_t len = fread(bytes, 1, sizeof(bytes), file);
    const long text = place_of(bytes, len, STR("ca.keysecret"));
    CHECK(text > 0);
    const long page = text - text % 8192;
    for (long bit = 0; bit < 128; bit++) {
        bool is_whole = false;
        TEST_CASE("bit %ld", bit);
        CHECK_EQ(fseek(file, page + bit / 8, SEEK_SET), 0);
        CHECK_EQ(fputc(bytes[page + bit / 8] ^ (1 << bit % 8), file) == EOF, 0);
        OWNED(error) err = store_backup_read(fixture.file, keep_file, &is_whole);
        CHECK(err || is_whole);
        CHECK_EQ(fseek(file, page + bit / 8, SEEK_SET), 0);
        CHECK_EQ(fputc(bytes[page + bit / 8], file) == EOF, 0);
    }
    CHECK_EQ(fclose(file), 0);
    backup_fixture_done(&fixture);
}
