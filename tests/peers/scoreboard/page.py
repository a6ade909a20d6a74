"""The page of a scoreboard, from its results: one table, and what is unfair about it.

  python3 page.py RESULTS.json >docs/scoreboard.md
"""
import json
import sys

HEAD = """# Scoreboard

<!-- Made by tests/peers/scoreboard/page.py from the results of `make scoreboard`. -->

```sh
make scoreboard                          # all of it, some hours; wants a machine that does nothing else
make scoreboard SIZES="1 50" ALONE=      # some minutes
```

corset beside Cluster API {cluster_api}, the same work for each, one after the other on the same machine ({cores} cores). The management
cluster is kube-apiserver {kubernetes} with etcd and Cluster API's definitions. Workload clusters are virtual clusters of `corset apiserver`
that answer after 20 ms. *Sets alone* is a program with Cluster API's ClusterResourceSet controllers and ClusterCache and nothing else; *manager* is
Cluster API's manager as it is shipped. All run with their defaults. "Times" is Cluster API's figure divided by corset's: above 1, corset is better.
Measured {first} to {last}.

"""

NOTES = """
## What is measured

- **Start until all are connected**: from the start of the process until its own gauge `capi_cluster_cache_connection_up` says so, with what that
  takes of the processor.
- **Memory for each cluster**: resident memory {rest:g} s and more after that, less that of the same process without clusters.
- **At rest**: processor time over {rest:g} s, all clusters connected and probed, no set.
- **Rollout**: from the creation of a set of ten ConfigMaps (`Reconcile`) until its `ResourcesApplied` is True.
- **A cluster joins**: from the creation of its Secret and Cluster until its binding says that the set is applied; the median of three.
- **One in ten dead**: a tenth of the clusters takes requests and never answers any more, and at once a second set is made: until all other
  clusters have it. "Over" means that it was not reached in {dead_patience:g} s, and how many of the other clusters had the set then.

## What is unfair

- The manager does more than sets: Machines, topology, webhooks. Its memory and its processor time are therefore not those of sets; *sets alone* is.
- Cluster API's defaults limit its requests to the management cluster (100 a second) and handle the clusters of a set one after the other; corset's defaults do
  neither. A user can raise the first, and cannot change the second.
- Go returns memory to the system late. Its figures are what the system sees, as corset's are, and not what is in use.
- The workload clusters, the management cluster and the script that measures share the cores with the contender. Where a contender is fast, they are what takes
  the time.
- Virtual clusters of one process share an address and a key, and users show tokens, not certificates: handshakes are cheaper than those with a certificate for
  each cluster, for both.
- The workload clusters are corset's own server. What it answers is checked against kube-apiserver ([real-kubernetes.md](real-kubernetes.md)), but it was not made
  by others.
"""


FEW = 10


def seconds(value):
    return f"{value:.2f} s" if value < 10 else f"{value:.0f} s"


def kibibytes(value):
    return f"{value / 1024:.0f} KiB"


def mebibytes(value):
    return f"{value / 2**20:.0f} MiB"


def percent(value):
    return f"{100 * value:.1f} %"


# What a row says, the field, how it is written.
ROWS = (
    ("start until all are connected", "connect_seconds", seconds),
    ("processor time of that", "connect_cpu", seconds),
    ("memory with no cluster", "empty_bytes", mebibytes),
    ("memory with all connected", "connected_bytes", mebibytes),
    ("memory for each cluster", "bytes_per_cluster", kibibytes),
    ("at rest, share of a core", "rest_share", percent),
    ("rollout of ten objects", "rollout_seconds", seconds),
    ("processor time of that", "rollout_cpu", seconds),
    ("a cluster joins", "join_seconds", seconds),
    ("set for the rest, one in ten dead", "dead_seconds", seconds),
)


def figure(found, field, write, results):
    """A cell; a measurement that was given up says so."""
    if found is None or (field not in found and field.startswith("dead")):
        return ""
    if found.get(field) is not None:
        return write(found[field])
    if field.startswith("dead"):
        return f"over {results['dead_patience']:g} s: {found['dead_served']} of {found['dead_alive']}"
    return f"over {results['patience']:g} s"


def times(found, ours, field):
    if found is None or ours is None or not ours.get(field) or found.get(field) is None:
        return ""
    return f"{found[field] / ours[field]:.1f}"


def write_rows(results, size, out):
    by = {one["contender"]: one for one in results["measurements"] if one["clusters"] == size}
    ours = by.get("corset")
    for what, field, write in ROWS:
        if field == "bytes_per_cluster" and size < FEW:
            continue  # less than what the process itself varies by
        cells = [figure(ours, field, write, results)]
        for other in ("sets", "manager"):
            cells += [figure(by.get(other), field, write, results), times(by.get(other), ours, field)]
        if any(cells):
            out.append(f"| {size:,} | {what} | {' | '.join(cells)} |")


def page_of(results):
    moments = sorted(one["at"][:16].replace("T", " ") for one in results["measurements"])
    out = [HEAD.format(first=moments[0], last=moments[-1], **results)
           + "| clusters | | corset | Cluster API's sets alone | times | Cluster API's manager | times |\n|---|---|---|---|---|---|---|"]
    for size in sorted({one["clusters"] for one in results["measurements"]}):
        write_rows(results, size, out)
    return "\n".join(out) + "\n" + NOTES.format(**results)


def write_page(results, path):
    with open(path, "w", encoding="utf-8") as file:
        file.write(page_of(results))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source:
        sys.stdout.write(page_of(json.load(source)))
