#include "clusterresourceset/values_room.h"

#include "testing/test.h"

#define A    STR("a")
#define B    STR("b")
#define PART (VALUES_ROOM_MAX / 4)

TEST(what_one_cluster_gets_fits_while_there_is_room)
{
    struct values_room room = {0};
    SCOPED(values_claim) claim = {0};
    CHECK(values_room_take(&room, A, VALUES_ROOM_MAX, &claim));
    CHECK_EQ(room.used, VALUES_ROOM_MAX);
    CHECK(!values_room_take(&room, B, 1, &claim));
    values_claim_done(&claim);
    CHECK_EQ(room.used, (size_t)0);
    CHECK_EQ(map_count(&room.parties), (size_t)0);
    CHECK(!values_room_take(&room, A, VALUES_ROOM_MAX + 1, &claim));
    CHECK(!values_room_take(&room, A, SIZE_MAX, &claim));
    values_room_done(&room);
}

TEST(a_namespace_leaves_room_to_the_others)
{
    struct values_room room = {0};
    struct values_claim of_a[8] = {0}, of_b = {0}, small = {0};
    size_t count = 0;
    while (count < COUNT(of_a) && values_room_take(&room, A, PART, &of_a[count]))
        count++;
    CHECK_EQ(count, (size_t)2);
    CHECK(values_room_take(&room, B, PART, &of_b));
    CHECK(!values_room_take(&room, B, PART, &small));
    CHECK(values_room_take(&room, STR("c"), PART, &small));
    CHECK_EQ(room.used, VALUES_ROOM_MAX);

    TEST_CASE("what was given back can be taken again");
    values_claim_done(&small);
    values_claim_done(&of_b);
    values_claim_done(&of_a[1]);
    CHECK(values_room_take(&room, A, PART, &of_a[1]));
    values_claim_done(&of_a[0]);
    values_claim_done(&of_a[1]);
    CHECK_EQ(room.used, (size_t)0);
    values_room_done(&room);
}

TEST(who_needs_nothing_gets_it_in_any_case)
{
    struct values_room room = {0};
    struct values_claim all = {0}, none = {0};
    CHECK(values_room_take(&room, A, VALUES_ROOM_MAX, &all));
    CHECK(values_room_take(&room, A, 0, &none));
    values_claim_done(&none);
    values_claim_done(&all);
    values_room_done(&room);
}
