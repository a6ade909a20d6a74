"""CRS-58 to CRS-65, CRS-07: what the shipped definitions refuse on a server without webhooks, and how."""
import json

from lib.kube import ApiError, until
from lib.fixture import GROUP, SELECTED, check, check_equal, check_in, refused
from lib.scenario import scenario

OLD = "addons.cluster.x-k8s.io/v1beta1"
OLD_PATH = "/apis/addons.cluster.x-k8s.io/v1beta1/namespaces/{}/clusterresourcesets/crs1{}"
RESOURCES = [{"kind": "ConfigMap", "name": "cm1"}]


def make(fixture, **spec):
    """A set whose spec is as given, on top of a good one."""
    whole = {"clusterSelector": {"matchLabels": SELECTED}, "resources": RESOURCES, **spec}
    return fixture.management.create({"kind": "ClusterResourceSet", "apiVersion": GROUP, "metadata": {
        "generateName": "made-", "namespace": fixture.namespace},
        "spec": {key: value for key, value in whole.items() if value is not None}})


def change(fixture, spec, kind="ClusterResourceSet", name="crs1"):
    return fixture.management.patch(kind, fixture.namespace, name, {"spec": spec})


@scenario()
def crs_58_without_a_strategy_a_set_applies_once(fixture):
    check_equal("the strategy", make(fixture)["spec"]["strategy"], "ApplyOnce")


@scenario()
def crs_59_the_schema_refuses_what_is_out_of_bounds(fixture):
    cases = (
        ({"strategy": "Foo"}, 'spec.strategy: Unsupported value: "Foo": supported values: "ApplyOnce", "Reconcile"'),
        ({"resources": []}, "spec.resources: Invalid value: 0: spec.resources in body should have at least 1 items"),
        ({"resources": RESOURCES * 101}, "spec.resources: Too many: 101: must have at most 100 items"),
        ({"resources": [{"kind": "Pod", "name": "x"}]},
         'spec.resources[0].kind: Unsupported value: "Pod": supported values: "Secret", "ConfigMap"'),
        ({"resources": [{"kind": "Secret", "name": ""}]},
         "spec.resources[0].name: Invalid value: \"\": spec.resources[0].name in body should be at least 1 chars"),
        ({"clusterSelector": None}, "spec.clusterSelector: Required value"),
    )
    for spec, wanted in cases:
        text = refused(make, fixture, **spec)
        check_in(json.dumps(spec)[:60], wanted, text)
        check_equal("the code", text[:3], "422")


@scenario()
def crs_60_a_selector_that_selects_all_or_nothing_is_refused(fixture):
    cases = (
        ({}, "selector must not be empty"),
        ({"matchLabels": {}}, "selector must not be empty"),
        ({"matchExpressions": [{"key": "a", "operator": "Foo"}]}, "operators are In, NotIn, Exists and DoesNotExist"),
        ({"matchExpressions": [{"key": "a", "operator": "In"}]}, "In and NotIn need values"),
        ({"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]}, "Exists and DoesNotExist take none"),
    )
    for selector, wanted in cases:
        check_in(json.dumps(selector), wanted, refused(make, fixture, clusterSelector=selector))


@scenario()
def crs_61_strategy_and_selector_stay_as_they_are(fixture):
    fixture.set(strategy="Reconcile")
    check_in("the strategy", "spec.strategy: Invalid value: ", refused(change, fixture, {"strategy": "ApplyOnce"}))
    check_in("the strategy", "field is immutable", refused(change, fixture, {"strategy": "ApplyOnce"}))
    check_in("without one", "field is immutable", refused(change, fixture, {"strategy": None}))
    text = refused(change, fixture, {"clusterSelector": {"matchLabels": {"cni": "x"}}})
    check_in("the selector", "spec.clusterSelector: Invalid value: ", text)
    check_in("the selector", "field is immutable", text)


@scenario()
def crs_62_all_else_may_change(fixture):
    fixture.set()
    change(fixture, {"resources": [{"kind": "Secret", "name": "s2"}]})
    fixture.management.patch("ClusterResourceSet", fixture.namespace, "crs1", {"metadata": {"labels": {"a": "b"}}})
    change(fixture, {"strategy": "ApplyOnce", "clusterSelector": {"matchLabels": SELECTED}})


@scenario()
def crs_63_a_binding_names_its_cluster(fixture):
    def create(spec):
        return fixture.management.create({"kind": "ClusterResourceSetBinding", "apiVersion": GROUP, "metadata": {
            "name": "c1", "namespace": fixture.namespace}, "spec": spec})
    check_in("without", "spec.clusterName: Required value", refused(create, {}))
    check_in("empty", "spec.clusterName in body should be at least 1 chars", refused(create, {"clusterName": ""}))
    check_in("long", "spec.clusterName: Too long: may not be more than 63", refused(create, {"clusterName": "x" * 64}))


@scenario()
def crs_64_and_keeps_naming_it(fixture):
    fixture.management.create({"kind": "ClusterResourceSetBinding", "apiVersion": GROUP, "metadata": {
        "name": "c1", "namespace": fixture.namespace}, "spec": {"clusterName": "c1"}})
    change(fixture, {"bindings": [{"clusterResourceSetName": "x"}]}, "ClusterResourceSetBinding", "c1")
    text = refused(change, fixture, {"clusterName": "c2"}, "ClusterResourceSetBinding", "c1")
    check_in("another", "spec.clusterName: Invalid value: ", text)
    check_in("another", "field is immutable", text)


@scenario()
def crs_65_the_older_version_reads_and_writes(fixture):
    """Conversion "None": spec and observedGeneration are the same, conditions are those of v1beta2."""
    fixture.ready()
    path = OLD_PATH.format(fixture.namespace, "")
    old = fixture.management.ask("GET", path)
    new = fixture.get_set()
    check_equal("apiVersion", old["apiVersion"], OLD)
    check_equal("spec", old["spec"], new["spec"])
    check_equal("observedGeneration", old["status"]["observedGeneration"], new["status"]["observedGeneration"])
    check_equal("conditions", [(one["type"], one["status"]) for one in old["status"]["conditions"]],
                [(one["type"], one["status"]) for one in new["status"]["conditions"]])
    fixture.management.ask("PATCH", path, {"metadata": {"labels": {"from": "v1beta1"}}},
                         content_type="application/merge-patch+json")
    after = fixture.get_set()
    check_equal("the label", after["metadata"]["labels"], {"from": "v1beta1"})
    check_equal("the status after a write as v1beta1", after["status"], new["status"])
    fixture.check_quiet()


@scenario()
def crs_65_a_set_made_as_v1beta1_is_applied(fixture):
    fixture.cluster()
    fixture.map(data=fixture.manifest())
    fixture.start()
    fixture.management.ask("POST", OLD_PATH.format(fixture.namespace, "").rpartition("/")[0], {
        "kind": "ClusterResourceSet", "apiVersion": OLD, "metadata": {"name": "crs1"},
        "spec": {"clusterSelector": {"matchLabels": SELECTED}, "resources": RESOURCES}})
    fixture.await_settled()
    check_equal("the object", fixture.value(), "1")


@scenario()
def crs_07_a_selector_the_rules_cannot_see_is_told(fixture):
    """The syntax of labels is beyond the rules' budget, so such a set can be stored."""
    fixture.cluster()
    fixture.start()
    fixture.set(selector={"matchLabels": {"-123-foo": "bar"}})
    fixture.await_condition("False/InternalError/Please check controller logs for errors")
    check_in("v1beta1", "False/ClusterMatchFailed/Warning/unable to convert selector: key: Invalid value: "
             '"-123-foo": name part must consist of alphanumeric characters', fixture.deprecated())
    check("not observed", "observedGeneration" not in fixture.get_set()["status"])
    fixture.management.delete("ClusterResourceSet", fixture.namespace, "crs1")
    until("the set is gone", lambda: fixture.get_set() is None)


@scenario()
def must_show_the_definitions_are_established(fixture):
    """The server's own judgement of the schemas: structural, rules compiled, within their budgets."""
    for plural in ("clusterresourcesets", "clusterresourcesetbindings"):
        found = fixture.management.get("CustomResourceDefinition", None, f"{plural}.addons.cluster.x-k8s.io")
        conditions = {one["type"]: one["status"] for one in found["status"]["conditions"]}
        check_equal("Established", conditions.get("Established"), "True")
        check_equal("NamesAccepted", conditions.get("NamesAccepted"), "True")
        check("no complaint about the schema", "NonStructuralSchema" not in conditions)
        check_equal("stored as", found["status"]["storedVersions"], ["v1beta2"])


@scenario()
def must_show_unknown_fields_are_told_about(fixture):
    """Strict validation names a field that the schema does not know; without it the field is dropped."""
    try:
        fixture.management.create({"kind": "ClusterResourceSet", "apiVersion": GROUP, "metadata": {
            "name": "crs1", "namespace": fixture.namespace}, "spec": {
                "clusterSelector": {"matchLabels": SELECTED}, "resources": RESOURCES, "mode": "x"}},
            query={"fieldValidation": "Strict"})
        raise AssertionError("was not refused")
    except ApiError as error:
        check_in("the message", 'unknown field "spec.mode"', error.message)
