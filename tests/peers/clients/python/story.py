"""What a program with the Python client does all day: create, read, list in pages, watch, patch in four ways, write the
status, delete, and read errors as the client's own. The server is that of $KUBECONFIG. Each event must come within a
minute.
"""
import json

from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException

NAMESPACE = "default"
GROUP, VERSION, PLURAL = "python.example.com", "v1", "wheels"
LIMIT = 60  # seconds
PATCHES = {
    "application/json-patch+json": [{"op": "add", "path": "/data/json", "value": "1"}],
    "application/merge-patch+json": {"data": {"merge": "1"}},
    "application/strategic-merge-patch+json": {"data": {"strategic": "1"}},
}
SCHEMA = {"type": "object", "properties": {
    "spec": {"type": "object", "properties": {"spokes": {"type": "integer", "minimum": 1}}},
    "status": {"type": "object", "properties": {"turns": {"type": "integer"}}}}}


def sending(kind):
    """A client that sends bodies of this type."""
    made = client.ApiClient()
    made.set_default_header("Content-Type", kind)
    return made


def check(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: expected {expected!r}, saw {found!r}")


def check_error(status, reason, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except ApiException as error:
        body = json.loads(error.body)
        check("the code", (error.status, body["kind"], body["reason"]), (status, "Status", reason))
        print(f"{status} {reason}: {body['message']}")
        return
    raise AssertionError(f"expected {status} {reason}, saw a success")


def define():
    api = client.ApiextensionsV1Api()
    api.create_custom_resource_definition(client.V1CustomResourceDefinition(
        metadata=client.V1ObjectMeta(name=f"{PLURAL}.{GROUP}"),
        spec=client.V1CustomResourceDefinitionSpec(
            group=GROUP, scope="Namespaced",
            names=client.V1CustomResourceDefinitionNames(plural=PLURAL, kind="Wheel"),
            versions=[client.V1CustomResourceDefinitionVersion(
                name=VERSION, served=True, storage=True,
                schema=client.V1CustomResourceValidation(open_apiv3_schema=SCHEMA),
                subresources=client.V1CustomResourceSubresources(status={}))])))
    for event in watch.Watch().stream(api.list_custom_resource_definition, timeout_seconds=LIMIT,
                                      field_selector=f"metadata.name={PLURAL}.{GROUP}"):
        conditions = event["object"].status.conditions or []
        if any(one.type == "Established" and one.status == "True" for one in conditions):
            print("defined")
            return
    raise AssertionError("the definition is not Established")


class Events:
    """A watch of one ConfigMap, asked for one event after the other."""

    def __init__(self, api, name, version):
        self.stream = watch.Watch().stream(
            api.list_namespaced_config_map, NAMESPACE, field_selector=f"metadata.name={name}", resource_version=version,
            timeout_seconds=LIMIT)

    def expect(self, kind, value):
        event = next(self.stream, None)
        if event is None:
            raise AssertionError(f"no {kind} of {value} came")
        check("event", (event["type"], event["object"].data["key"]), (kind, value))
        print(f"watch: {kind} {value}")


def built_in():
    """A ConfigMap comes, changes and goes, and a watch sees it; then patches of three types."""
    api = client.CoreV1Api()
    version = api.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    events = Events(api, "python", version)
    made = api.create_namespaced_config_map(NAMESPACE, client.V1ConfigMap(
        metadata=client.V1ObjectMeta(name="python"), data={"key": "one"}))
    events.expect("ADDED", "one")
    made.data["key"] = "two"
    api.replace_namespaced_config_map("python", NAMESPACE, made)
    events.expect("MODIFIED", "two")
    check_error(409, "Conflict", api.replace_namespaced_config_map, "python", NAMESPACE, made)
    for kind, body in PATCHES.items():
        client.CoreV1Api(sending(kind)).patch_namespaced_config_map("python", NAMESPACE, body)
        events.expect("MODIFIED", "two")
    check("keys", sorted(api.read_namespaced_config_map("python", NAMESPACE).data), ["json", "key", "merge", "strategic"])
    api.delete_namespaced_config_map("python", NAMESPACE)
    events.expect("DELETED", "two")


def wheel(name, spokes):
    return {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Wheel", "metadata": {"name": name}, "spec": {"spokes": spokes}}


def list_pages(api):
    names, pages, token = [], 0, None
    while True:
        page = api.list_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, limit=2,
                                                 **({"_continue": token} if token else {}))
        names += [one["metadata"]["name"] for one in page["items"]]
        pages, token = pages + 1, page["metadata"].get("continue")
        if not token:
            break
    check("pages", (pages, names), (3, [f"page-{index}" for index in range(5)]))
    print(f"{pages} pages")


def apply(manager, spokes, **more):
    api = client.CustomObjectsApi(sending("application/apply-patch+yaml"))
    return api.patch_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, "applied", wheel("applied", spokes),
                                              field_manager=manager, **more)


def custom():
    api = client.CustomObjectsApi()
    place = (GROUP, VERSION, NAMESPACE, PLURAL)
    for index in range(5):
        api.create_namespaced_custom_object(*place, wheel(f"page-{index}", 3))
    list_pages(api)
    apply("one", 4)
    check_error(409, "Conflict", apply, "two", 5)
    check("spokes", apply("two", 5, force=True)["spec"], {"spokes": 5})
    turned = api.patch_namespaced_custom_object_status(*place, "applied", {"status": {"turns": 9}})
    check("status", (turned["status"], turned["spec"]), ({"turns": 9}, {"spokes": 5}))
    turned["status"]["turns"] = 10
    turned = api.replace_namespaced_custom_object_status(*place, "applied", turned)
    check("status", api.get_namespaced_custom_object_status(*place, "applied")["status"], {"turns": 10})
    check_error(404, "NotFound", api.get_namespaced_custom_object, *place, "absent")
    check_error(409, "AlreadyExists", api.create_namespaced_custom_object, *place, wheel("page-0", 3))
    check_error(422, "Invalid", api.create_namespaced_custom_object, *place, wheel("bad", 0))
    api.delete_collection_namespaced_custom_object(*place)
    check("left", api.list_namespaced_custom_object(*place)["items"], [])


config.load_kube_config()
define()
built_in()
custom()
print("passed")
