#include "clusterresourceset/apply/apply_ledger.h"

#include "base/sha256.h"
#include "testing/test.h"

static void add(struct apply_ledger *ledger, struct gvk gvk, const char *name, const char *uid,
                const char *ownership)
{
    struct apply_receipt receipt = {.uid = str_from_c(uid), .ownership = str_from_c(ownership)};
    receipt.key = (struct key){STR("ns"), str_from_c(name)};
    apply_ledger_add(ledger, gvk, &receipt);
}

TEST(a_ledger_has_each_kind_once_and_a_digest_of_all_objects)
{
    SCOPED(arena) arena = {0};
    SCOPED(apply_ledger) ledger = {.arena = &arena};
    char text[APPLY_LEDGER_DIGEST_LEN + 1], hex[SHA256_HEX_LEN + 1];
    uint8_t digest[SHA256_LEN];
    const struct gvk map = {STR(""), STR("v1"), STR("ConfigMap")};
    const struct gvk web = {STR("apps"), STR("v1"), STR("Deployment")};
    add(&ledger, web, "b", "u3", "o3");
    add(&ledger, map, "b", "u2", "o2");
    add(&ledger, map, "a", "u1", "old");
    add(&ledger, map, "a", "u1", "o1"); /* there twice: the last one counts */
    CHECK_EQ(ledger.kind_count, (size_t)2);
    CHECK_EQ(ledger.kinds[0], STR("apps/v1/Deployment"));
    CHECK_EQ(ledger.kinds[1], STR("v1/ConfigMap"));
    sha256_of(STR("/ConfigMap ns/a u1 o1\n/ConfigMap ns/b u2 o2\napps/Deployment ns/b u3 o3\n"),
              digest);
    CHECK_EQ(apply_ledger_digest(&ledger, text), str_slice(sha256_hex(digest, hex), 0, 32));
    TEST_CASE("an object that is not looked at for drift");
    apply_ledger_add(&ledger, web,
                     &(struct apply_receipt){.version = STR("9"), .ignores_drift = true});
    apply_ledger_add(&ledger, web,
                     &(struct apply_receipt){.version = STR("10"), .ignores_drift = true});
    apply_ledger_add(&ledger, web,
                     &(struct apply_receipt){.version = STR("8"), .ignores_drift = true});
    CHECK_EQ(apply_ledger_digest(&ledger, text), str_slice(sha256_hex(digest, hex), 0, 32));
    CHECK_EQ(str_from_c(map_find(&ledger.versions, STR("apps/Deployment"))), STR("10"));
}

TEST(a_ledger_is_completed_by_what_another_one_has)
{
    SCOPED(arena) arena = {0};
    SCOPED(apply_ledger) all = {.arena = &arena};
    SCOPED(apply_ledger) seen = {.arena = &arena};
    SCOPED(apply_ledger) mended = {.arena = &arena};
    char text[APPLY_LEDGER_DIGEST_LEN + 1], expected[APPLY_LEDGER_DIGEST_LEN + 1];
    const struct gvk map = {STR(""), STR("v1"), STR("ConfigMap")};
    add(&all, map, "a", "u1", "o1");
    add(&all, map, "b", "u3", "o2");
    add(&seen, map, "a", "u1", "o1");
    add(&seen, map, "b", "", "");
    add(&mended, map, "b", "u3", "o2");
    apply_ledger_add_missing(&mended, &seen.objects);
    CHECK_EQ(apply_ledger_digest(&mended, text), apply_ledger_digest(&all, expected));
}
