"""Deletion protection on kube-apiserver: the ValidatingAdmissionPolicy that deploy/kustomize/components/protection brings."""
import os
import tempfile

from lib.fixture import check, check_equal, check_in, refused
from lib.install import admin_kubeconfig, kubectl
from lib.kube import ApiError, path_of, until
from lib.scenario import scenario

COMPONENT = "deploy/kustomize/components/protection"
WORDS = "it is protected from deletion by the annotation corset.dev/protect; remove the annotation first"


def protect(fixture, kind, name, value):
    """Sets the annotation; None removes it."""
    fixture.management.patch(kind, fixture.namespace, name, {"metadata": {"annotations": {"corset.dev/protect": value}}})


def delete(fixture, kind, name, **query):
    return fixture.management.ask("DELETE", path_of(kind, fixture.namespace, name), query=query)


def refuses(fixture, kind, name):
    """Whether a deletion would be refused; nothing is deleted."""
    try:
        delete(fixture, kind, name, dryRun="All")
    except ApiError as error:
        return error.status == 403
    return False


@scenario()
def protection_refuses_deletions_until_the_annotation_is_gone(fixture):
    by_kubectl = (kubectl(fixture.options.root, fixture.options.assets), "--kubeconfig", admin_kubeconfig(fixture.options))
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "kustomization.yaml"), "w", encoding="utf-8") as file:
            file.write(f"components: [{os.path.relpath(os.path.join(fixture.options.root, COMPONENT), folder)}]\n")
        manifests = fixture.run(*by_kubectl, "kustomize", folder)
    fixture.run(*by_kubectl, "apply", "--server-side", "-f", "-", input=manifests)
    try:
        fixture.cluster()
        fixture.map("cm1", fixture.manifest("a"))
        fixture.secret("s1", fixture.manifest("b"))
        fixture.set(resources=("ConfigMap/cm1", "Secret/s1"))
        things = (("Cluster", "c1"), ("ConfigMap", "cm1"), ("Secret", "s1"), ("ClusterResourceSet", "crs1"))
        for kind, name in things:
            protect(fixture, kind, name, "true")
        until("the policy is in force", lambda: refuses(fixture, *things[0]), 60)
        for kind, name in things:
            text = refused(delete, fixture, kind, name)
            check_equal(f"the code for {kind}", text[:3], "403")
            check_in(f"the words for {kind}", WORDS, text)
        collection = refused(fixture.management.ask, "DELETE", path_of("ClusterResourceSet", fixture.namespace))
        check_in("the words for all sets", WORDS, collection)
        for kind, name in things:
            found = fixture.management.get(kind, fixture.namespace, name)
            check(f"{kind} is there", found and "deletionTimestamp" not in found["metadata"])
        protect(fixture, "ConfigMap", "cm1", "false")
        delete(fixture, "ConfigMap", "cm1")
        for kind, name in (things[0], *things[2:]):
            protect(fixture, kind, name, None)
            delete(fixture, kind, name)
    finally:
        fixture.run(*by_kubectl, "delete", "--ignore-not-found", "-f", "-", input=manifests)
