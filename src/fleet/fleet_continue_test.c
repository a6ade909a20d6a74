#include "fleet/fleet_continue.h"

#include "base/duration.h"
#include "testing/test.h"

#define NOW ((timestamp)1000000 * SECOND)

static const struct fleet_continue next = {
    {STR_INIT("prod"), STR_INIT("a1\0")},
    STR_INIT("a token\nof the cluster")
};

TEST(a_continue_token_is_read_again)
{
    SCOPED(arena) arena = {0};
    struct fleet_continue_key key;
    struct fleet_continue read;
    fleet_continue_key_init(&key);
    const struct str text = fleet_continue_write(&arena, &key, STR("q"), NOW, &next);
    CHECK_OK(fleet_continue_read(&arena, &key, STR("q"), NOW + HOUR, text, &read));
    CHECK(key_eq(read.cluster, next.cluster));
    CHECK_EQ(read.token, next.token);
}

TEST(fq_18_foreign_and_altered_continue_tokens_are_refused)
{
    SCOPED(arena) arena = {0};
    struct fleet_continue_key key, other;
    struct fleet_continue read;
    fleet_continue_key_init(&key);
    fleet_continue_key_init(&other);
    const struct str text = fleet_continue_write(&arena, &key, STR("q"), NOW, &next);
    CHECK_ERROR(fleet_continue_read(&arena, &other, STR("q"), NOW, text, &read), ERROR_EXPIRED);
    CHECK_ERROR(fleet_continue_read(&arena, &key, STR("r"), NOW, text, &read), ERROR_BAD_REQUEST);
    CHECK_ERROR(fleet_continue_read(&arena, &key, STR("q"), NOW + HOUR + SECOND, text, &read),
                ERROR_EXPIRED);
    CHECK_ERROR(fleet_continue_read(&arena, &key, STR("q"), NOW, STR(""), &read), ERROR_EXPIRED);
    for (size_t i = 0; i < text.len; i++) {
        char *altered = arena_alloc(&arena, text.len);
        memcpy(altered, text.ptr, text.len);
        altered[i] = altered[i] == 'A' ? 'B' : 'A';
        TEST_CASE("character %zu", i);
        OWNED(error)
        err = fleet_continue_read(&arena, &key, STR("q"), NOW, str_from(altered, text.len), &read);
        /* The last character has bits that decode to nothing. */
        CHECK(error_is(err, ERROR_EXPIRED) || i + 1 == text.len);
        CHECK_ERROR(fleet_continue_read(&arena, &key, STR("q"), NOW, str_slice(text, 0, i), &read),
                    ERROR_EXPIRED);
    }
}
