"""Must show 4: kubectl as Debian 13 ships it and as built, on sets and bindings."""
import os
import re

from lib.fixture import check, check_equal, check_in
from lib.scenario import scenario
from lib import install


def use(fixture, program):
    """Everything that is shown, with one kubectl."""
    config = install.admin_kubeconfig(fixture.options)

    def kubectl(*words):
        return fixture.run(program, "--kubeconfig", config, "--namespace", fixture.namespace, *words)
    fixture.tell(kubectl("version", "--client").splitlines()[0])
    fixture.ready()
    kubectl("wait", "--for=condition=ResourcesApplied", "clusterresourceset/crs1", "--timeout=30s")

    def table(*words):
        return [re.split(r" {2,}", line.strip()) for line in kubectl("get", *words).splitlines()]
    sets = table("clusterresourcesets")
    check_equal("columns of sets", sets[0], ["NAME", "APPLIED", "AGE"])
    check_equal("a set", sets[1][:2], ["crs1", "True"])
    wide = table("clusterresourcesets", "-o", "wide")
    check_equal("columns of sets, wide", wide[0], ["NAME", "APPLIED", "PAUSED", "AGE"])
    check_equal("a set, wide", wide[1][:3], ["crs1", "True", "False"])
    bindings = table("clusterresourcesetbindings")
    check_equal("columns of bindings", bindings[0], ["NAME", "CLUSTER", "AGE"])
    check_equal("a binding", bindings[1][:2], ["c1", "c1"])
    old = table("clusterresourcesets.v1beta1.addons.cluster.x-k8s.io")
    check_equal("columns of v1beta1", old[0], ["NAME", "AGE"])
    check_in("the category", "clusterresourceset.addons.cluster.x-k8s.io/crs1",
             kubectl("get", "cluster-api", "-o", "name"))
    explained = kubectl("explain", "clusterresourceset.spec")
    for text in ("clusterSelector", "resources", "strategy", "ApplyOnce"):
        check_in("explain", text, explained)
    check_in("describe", "ResourcesApplied", kubectl("describe", "clusterresourceset", "crs1"))
    kubectl("delete", "clusterresourceset", "crs1", "--timeout=30s")
    check("gone", fixture.get_set() is None)


@scenario(needs=("kubectl",))
def must_show_the_built_kubectl_reads_everything(fixture):
    use(fixture, os.path.join(fixture.options.assets, "kubectl"))


@scenario()
def must_show_debians_kubectl_reads_everything(fixture):
    program = os.path.join(fixture.options.root, "build", "tools", "kubectl-1.32")
    if not os.path.exists(program):
        fixture.tell("build/tools/kubectl-1.32 is not there; tools/kubectl fetches it")
        raise SystemExit(77)
    use(fixture, program)
