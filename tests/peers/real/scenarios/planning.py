"""FL-42, without a policy: corset plan on real servers, whose audit logs say that nothing was written."""
import os
import subprocess

from lib.audit import summary
from lib.fixture import check, check_equal, check_in
from lib.scenario import scenario

PASSWORD = "hunter2-hunter2"


def secret(fixture, value):
    """A Secret as a manifest."""
    return (f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: token\n  namespace: {fixture.namespace}\n"
            f"stringData:\n  k: \"{PASSWORD}-{value}\"\n")


def write_files(fixture, value):
    """cm1 and s1 as a person has them, with other content."""
    path = os.path.join(fixture.folder, "new.yaml")

    def indented(text):
        return "".join(f"    {line}\n" for line in text.splitlines())
    with open(path, "w", encoding="utf-8") as file:
        file.write("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm1\ndata:\n  manifests: |\n"
                   + indented(fixture.manifest("a", value)) +
                   "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: s1\n"
                   "type: addons.cluster.x-k8s.io/resource-set\nstringData:\n  manifests: |\n"
                   + indented(secret(fixture, value)))
    return path


def plan(fixture, *flags):
    """The exit code, and what was printed."""
    path = os.path.join(fixture.folder, "plan.kubeconfig")
    with open(path, "w", encoding="utf-8") as file:
        file.write(fixture.kubeconfig(fixture.token()))
    done = subprocess.run([fixture.options.corset, "plan", "--kubeconfig", path, "-n", fixture.namespace,
                           "--reconcile-with", "server-side-apply", *flags],
                          capture_output=True, text=True, timeout=60, check=False)
    check("no byte of the Secret is shown", PASSWORD not in done.stdout + done.stderr)
    return done.returncode, done.stdout + done.stderr


@scenario()
def fl_42_a_plan_is_asked_of_the_clusters_and_writes_nothing(fixture):
    fixture.cluster("c1")
    fixture.cluster("c2", workload=fixture.green)
    fixture.map("cm1", fixture.manifest("a"))
    fixture.secret("s1", secret(fixture, "1"))
    controller = fixture.start("--reconcile-with", "server-side-apply")
    fixture.set(resources=("ConfigMap/cm1", "Secret/s1"), strategy="Reconcile")
    fixture.await_settled()
    controller.stop()
    fixture.green.admin.patch("ConfigMap", fixture.namespace, "a", {"data": {"k": "local"}})
    path = write_files(fixture, "2")
    fixture.mark_all()
    code, said = plan(fixture)
    check_equal("nothing would change", (code, said), (0, "2 clusters  no change\n"))
    for form in ("table", "diff", "json"):
        code, said = plan(fixture, "-f", path, "-o", form)
        check_equal("the exit code", code, 1)
        check_in("the Secret", "(secret 2)", said)
    _, said = plan(fixture, "-f", path)
    name = f"{fixture.namespace}/a"
    check_in("c1", f"1 cluster  crs1: ~ v1 ConfigMap {name}   data.k: \"1\" -> \"2\"\n", said)
    check_in("c2", f"crs1: ~ v1 ConfigMap {name}   data.k: local -> \"2\"\n", said)
    check_in("the conflict", f"crs1: ! v1 ConfigMap {name}   data.k owned by ", said)
    check_equal("writes to the management cluster", summary(fixture.audit.writes(namespace=fixture.namespace)), [])
    for workload in (fixture.blue, fixture.green):
        writes = workload.writes()
        check(f"{workload.described['name']} was asked", writes)
        check_equal("writes that are no dry runs", summary(
            entry for entry in writes if "dryRun=All" not in entry["requestURI"]), [])
    check_equal("a", (fixture.value("a"), fixture.value("a", fixture.green)), ("1", "local"))
