#include "http/conn_table.h"

#include "async/cpu_share.h"
#include "http/http_fixture_test.h"

#define ROOM       20
#define GUESTS_MAX ((size_t)10 * ROOM)

/* A server with few connections, whose clients say in the target who they are. */
struct hall {
    struct http_fixture fixture;
    struct cpu_share *ann, *bob, *chief;
    int refusals;
    struct guest *guests;
    size_t guest_count;
};

struct guest {
    struct transport *transport;
    bool is_gone;
};

static struct error *serve_hall(void *data, struct http_request *request)
{
    struct hall *hall = data;
    const struct str target = http_request_target(request);
    struct cpu_share *share = str_starts_with(target, STR("/ann"))     ? hall->ann
                              : str_starts_with(target, STR("/bob"))   ? hall->bob
                              : str_starts_with(target, STR("/chief")) ? hall->chief
                                                                       : NULL;
    if (share) {
        http_request_vouch(request);
        TRY(http_request_join_share(request, share));
    }
    if (str_ends_with(target, STR("/hang")))
        TRY(fiber_sleep(FOREVER));
    return http_request_answer(request, 200, STR("text/plain"), STR("fine\n"));
}

static void note_refusal(void *data, const struct error *err)
{
    struct hall *hall = data;
    hall->refusals += err != NULL;
}

static void hall_init(struct hall *hall, size_t strangers)
{
    struct loop *loop = loop_current();
    *hall = (struct hall){
        .ann = cpu_share_new(loop, false, NULL),
        .bob = cpu_share_new(loop, false, NULL),
        .chief = cpu_share_new(loop, true, NULL),
        .guests = mem_alloc_zero(GUESTS_MAX * sizeof(struct guest)),
    };
    http_fixture_init(&hall->fixture, HTTP_FIXTURE_PLAIN, serve_hall, hall);
    hall->fixture.server_options.connections = ROOM;
    hall->fixture.server_options.strangers = strangers;
    hall->fixture.server_options.on_accept = note_refusal;
    CHECK_OK(http_fixture_start(&hall->fixture));
}

static void hall_done(struct hall *hall)
{
    for (size_t i = 0; i < hall->guest_count; i++)
        transport_free(hall->guests[i].transport);
    http_fixture_done(&hall->fixture);
    cpu_share_free(hall->ann);
    cpu_share_free(hall->bob);
    cpu_share_free(hall->chief);
    mem_free(hall->guests);
}

/* So many connections, each of which asks for the target, or says nothing. */
static void hall_enter(struct hall *hall, size_t count, const char *target)
{
    SCOPED(buf) text = {0};
    if (target)
        buf_print(&text, "GET %s HTTP/1.1\r\nhost: a\r\n\r\n", target);
    for (size_t i = 0; i < count; i++) {
        struct guest *guest = &hall->guests[hall->guest_count++];
        FIBER_TIMEOUT(5 * SECOND);
        CHECK_OK(network_connect(hall->fixture.network, HTTP_FIXTURE_HOST,
                                 http_server_port(hall->fixture.server), &guest->transport));
        CHECK_OK(transport_write(guest->transport, buf_str(&text)));
    }
    CHECK_OK(fiber_sleep(10 * MILLISECOND));
}

/* How many of count guests from the first on are still connected. */
static size_t hall_count(struct hall *hall, size_t first, size_t count)
{
    size_t here = 0;
    for (size_t i = first; i < first + count; i++) {
        struct guest *guest = &hall->guests[i];
        enum transport_result result = TRANSPORT_OK;
        while (result == TRANSPORT_OK && !guest->is_gone) {
            char bytes[500];
            size_t len;
            result = transport_receive(guest->transport, bytes, sizeof(bytes), &len);
        }
        guest->is_gone |= result != TRANSPORT_WAIT;
        here += !guest->is_gone;
    }
    return here;
}

static duration time_of_get(struct hall *hall, struct str target)
{
    SCOPED(buf) body = {0};
    int status = 0;
    const int64_t began = loop_now(loop_current());
    FIBER_TIMEOUT(20 * SECOND);
    CHECK_OK(http_fixture_get(&hall->fixture, target, &status, &body));
    CHECK_EQ(status, 200);
    return loop_now(loop_current()) - began;
}

SIM_TEST(an_idle_stranger_makes_room)
{
    static const char *const habits[] = {NULL, "/nobody"};
    for (size_t i = 0; i < COUNT(habits); i++) {
        TEST_CASE("%s", habits[i] ? habits[i] : "nothing");
        SCOPED(hall) hall;
        hall_init(&hall, 0);
        hall_enter(&hall, ROOM, habits[i]);
        CHECK(time_of_get(&hall, STR("/ann")) < 400 * MILLISECOND);
        CHECK_EQ(hall_count(&hall, 0, ROOM), (size_t)ROOM - 1);
        CHECK_EQ(hall_count(&hall, 0, 1), (size_t)0); /* who came first */
        CHECK_EQ(hall.refusals, 0);
    }
}

/* However many come, whoever has shown who he is stays. */
SIM_TEST(strangers_drive_out_no_known_client)
{
    SCOPED(hall) hall;
    hall_init(&hall, 0);
    hall_enter(&hall, 5, "/ann");
    hall_enter(&hall, 5, "/bob/hang");
    for (int i = 0; i < 5; i++) {
        hall_enter(&hall, ROOM, NULL);
        CHECK_OK(fiber_sleep(300 * MILLISECOND));
    }
    CHECK_EQ(hall_count(&hall, 0, 10), (size_t)10);
}

SIM_TEST(strangers_have_a_part_of_the_connections)
{
    SCOPED(hall) hall;
    hall_init(&hall, 4);
    hall_enter(&hall, 4, "/ann");
    for (int i = 0; i < 8; i++) {
        hall_enter(&hall, 1, NULL);
        CHECK_OK(fiber_sleep(300 * MILLISECOND));
    }
    CHECK_EQ(hall_count(&hall, 0, 4), (size_t)4);
    CHECK_EQ(hall_count(&hall, 4, 8), (size_t)4);
    CHECK_EQ(hall_count(&hall, 8, 4), (size_t)4); /* the last ones */
}

/* A stranger has time to send his first request, and stays while it runs. */
SIM_TEST(a_stranger_who_is_busy_or_new_stays)
{
    SCOPED(hall) hall;
    hall_init(&hall, 4);
    hall_enter(&hall, 4, "/nobody/hang");
    CHECK_OK(fiber_sleep(SECOND));
    hall_enter(&hall, 4, NULL);
    CHECK_EQ(hall_count(&hall, 0, 8), (size_t)8);
    CHECK_OK(fiber_sleep(300 * MILLISECOND));
    hall_enter(&hall, 4, NULL);
    CHECK_EQ(hall_count(&hall, 0, 4), (size_t)4);
    CHECK_EQ(hall_count(&hall, 4, 4), (size_t)0);
    CHECK_EQ(hall_count(&hall, 8, 4), (size_t)4);
}

SIM_TEST(the_owner_of_most_connections_makes_room)
{
    SCOPED(hall) hall;
    hall_init(&hall, 0);
    hall_enter(&hall, 4, "/bob");
    hall_enter(&hall, ROOM - 4, "/ann");
    CHECK_OK(fiber_sleep(SECOND));
    CHECK(time_of_get(&hall, STR("/bob")) < 100 * MILLISECOND);
    CHECK_EQ(hall_count(&hall, 0, 4), (size_t)4);
    CHECK(hall_count(&hall, 4, ROOM - 4) < ROOM - 4);
}

SIM_TEST(administrators_make_no_room)
{
    SCOPED(hall) hall;
    hall_init(&hall, 0);
    hall_enter(&hall, ROOM, "/chief");
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK_EQ(hall.refusals, 0); /* nobody wants to come in */
    hall_enter(&hall, 1, "/nobody");
    CHECK_OK(fiber_sleep(5 * SECOND));
    CHECK_EQ(hall.refusals, 1);
    CHECK_EQ(hall_count(&hall, 0, ROOM), (size_t)ROOM);
    hall.guests[0].is_gone = true;
    transport_free(TAKE(hall.guests[0].transport));
    CHECK(time_of_get(&hall, STR("/ann")) < 400 * MILLISECOND); /* in the place of nobody */
    CHECK_EQ(hall_count(&hall, 0, ROOM + 1), (size_t)ROOM - 1);
}

/* A connection that several use belongs to none of them. */
SIM_TEST(a_connection_of_several_owners_is_counted_once)
{
    SCOPED(hall) hall;
    hall_init(&hall, 0);
    hall_enter(&hall, 10, "/ann");
    hall_enter(&hall, 3, "/bob");
    for (size_t i = 0; i < 7; i++)
        CHECK_OK(
            transport_write(hall.guests[i].transport, STR("GET /bob HTTP/1.1\r\nhost: a\r\n\r\n")));
    CHECK_OK(fiber_sleep(SECOND));
    hall_enter(&hall, 7, "/bob/hang"); /* ten of bob, seven of several, three of ann */
    CHECK(time_of_get(&hall, STR("/chief")) < 100 * MILLISECOND);
    CHECK_EQ(hall_count(&hall, 0, 10), (size_t)10);
    CHECK_EQ(hall_count(&hall, 13, 7), (size_t)7);
    CHECK(hall_count(&hall, 10, 3) < 3);
}
