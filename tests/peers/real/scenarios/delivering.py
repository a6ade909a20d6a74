"""FL-44: FL-02, FL-09, FL-10 and FL-13 on real servers, with drift looked for every second."""
import json
import os
import time

from lib.audit import summary
from lib.install import kubectl
from lib.kube import until
from lib.fixture import check, check_equal, check_in
from lib.scenario import scenario

CHECKS = ("--drift-check", "1s")


def deployment(fixture, image="web:1", replicas=2):
    """A Deployment as a manifest; no Pod ever runs there."""
    return json.dumps({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {
        "name": "web", "namespace": fixture.namespace}, "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "web", "image": image}]}}}}) + "\n"


def begin(fixture, text, **policy):
    """c1 with crs1, delivered by policy p."""
    fixture.cluster()
    fixture.map(data=text)
    fixture.management.ask("POST", policies(fixture), {
        "apiVersion": "corset.dev/v1alpha1", "kind": "DeliveryPolicy", "metadata": {"name": "p"}, "spec": policy})
    fixture.start(*CHECKS)
    fixture.set(strategy="Reconcile", annotations={"corset.dev/policy": "p"})
    fixture.await_settled()


def policies(fixture):
    return f"/apis/corset.dev/v1alpha1/namespaces/{fixture.namespace}/deliverypolicies"


def record(fixture, name="crs1"):
    """What the binding of c1 records of a set."""
    annotations = fixture.get_binding()["metadata"].get("annotations", {})
    return json.loads(annotations.get("corset.dev/delivery", "{}")).get(name, {})


def entries(live):
    """Who owns something of an object, and how."""
    return [f"{one['manager']} {one['operation']}" for one in live["metadata"]["managedFields"]
            if not one.get("subresource")]


def web(fixture):
    return fixture.live("web", kind="Deployment")


def scale(fixture, replicas):
    """As a person does it."""
    path = os.path.join(fixture.folder, "blue.kubeconfig")
    with open(path, "w", encoding="utf-8") as file:
        file.write(fixture.blue.admin.kubeconfig())
    fixture.run(kubectl(fixture.options.root, fixture.options.assets), "--kubeconfig", path, "-n", fixture.namespace,
                "scale", "deployment", "web", f"--replicas={replicas}")


def applies(fixture):
    """Writes that the workload cluster took; dry runs are none."""
    return [one for one in fixture.blue.writes()
            if "dryRun=All" not in one["requestURI"] and one["responseStatus"]["code"] < 300]


@scenario()
def fl_02_objects_have_label_and_owner(fixture):
    begin(fixture, fixture.manifest("a") + "---\n" + deployment(fixture))
    for live in (fixture.live("a"), web(fixture)):
        check_equal("the label", live["metadata"]["labels"].get("corset.dev/managed"), "true")
        check_in("the owner", f"corset:{fixture.namespace}/crs1 Apply", entries(live))
    check_equal("the record", (record(fixture)["state"], record(fixture)["objects"]), ("Ready", 2))
    check_equal("the entry", fixture.entry(), "ConfigMap/cm1 true hash")
    fixture.mark_all()
    time.sleep(4)
    check_equal("writes at rest", summary(applies(fixture)), [])


@scenario()
def fl_09_what_somebody_changed_is_reported(fixture):
    begin(fixture, deployment(fixture), drift="Report")
    fixture.mark_all()
    scale(fixture, 7)
    fixture.await_condition("False/Drifted/1 of 1 clusters drifted: c1: apps/v1 Deployment", "DriftFree")
    check_in("why", "spec.replicas changed by kubectl", record(fixture)["why"][0]["message"])
    check_equal("the record", record(fixture)["state"], "Drifted")
    time.sleep(3)
    check_equal("replicas", web(fixture)["spec"]["replicas"], 7)
    check_equal("writes", summary(applies(fixture)), [])


@scenario()
def fl_10_what_somebody_changed_is_put_back(fixture):
    begin(fixture, fixture.manifest("a") + "---\n" + deployment(fixture), drift="Repair")
    fixture.await_condition("True/NoDrift", "DriftFree")
    fixture.mark_all()
    scale(fixture, 7)
    until("replicas are back", lambda: web(fixture)["spec"]["replicas"] == 2, 30)
    fixture.await_condition("True/NoDrift", "DriftFree")
    time.sleep(3)
    check_equal("one apply of one object", [one["objectRef"]["name"] for one in applies(fixture)], ["web"])
    check_in("the event", "spec.replicas changed by kubectl", " ".join(
        one["message"] for one in fixture.management.list("Event", fixture.namespace)
        if one["reason"] == "DriftRepaired"))


@scenario()
def fl_13_replicas_of_an_autoscaler_stay(fixture):
    begin(fixture, deployment(fixture), drift="Repair",
          ignore=[{"group": "apps", "kind": "Deployment", "paths": ["/spec/replicas"]}])
    scale(fixture, 7)
    fixture.mark_all()
    time.sleep(4)
    check_equal("writes", summary(applies(fixture)), [])
    fixture.change_map("cm1", deployment(fixture, "web:2"))
    until("the new image is there",
          lambda: web(fixture)["spec"]["template"]["spec"]["containers"][0]["image"] == "web:2", 30)
    check_equal("replicas", web(fixture)["spec"]["replicas"], 7)
    check("nothing has drifted", fixture.condition("DriftFree").startswith("True/"))
