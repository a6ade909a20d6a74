"""What reached an API server, from its audit log: the server's own word on who asked for what."""
import json
import os


class Audit:
    """Entries after the moment it was made."""

    def __init__(self, plane_folder):
        self.path = os.path.join(plane_folder, "audit.log")
        self.begin = os.path.getsize(self.path) if os.path.exists(self.path) else 0

    def mark(self):
        """Forgets what was so far."""
        self.begin = os.path.getsize(self.path)

    def skip(self, file):
        """To the first line that was begun after the moment; one that was half written then is of before it."""
        file.seek(max(self.begin - 1, 0))
        if self.begin and file.read(1) != b"\n":
            file.readline()

    def entries(self, agent="corset", verbs=None, namespace=None, resource=None, user=None,
                stage="ResponseComplete"):
        """Requests of programs whose user agent begins with `agent`, in the order of their arrival.

        They are noted when they have been answered; streams once more when they begin ("ResponseStarted").
        """
        found = []
        with open(self.path, "rb") as file:
            self.skip(file)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                entry = json.loads(line)
                about = entry.get("objectRef", {})
                if entry["stage"] == stage and entry.get("userAgent", "").startswith(agent) and (
                        verbs is None or entry["verb"] in verbs) and (
                        namespace is None or about.get("namespace") == namespace) and (
                        resource is None or about.get("resource") == resource) and (
                        user is None or entry["user"].get("username") == user):
                    found.append(entry)
        return sorted(found, key=lambda entry: entry["requestReceivedTimestamp"])

    def streams(self, **more):
        """Watches that have begun."""
        return self.entries(verbs=("watch",), stage="ResponseStarted", **more)

    def open_streams(self, **more):
        """Of these, the ones that have not ended."""
        ended = {entry["auditID"] for entry in self.entries(verbs=("watch",), **more)}
        return [entry for entry in self.streams(**more) if entry["auditID"] not in ended]

    def writes(self, **more):
        return self.entries(verbs=("create", "update", "patch", "delete", "deletecollection"), **more)


def summary(entries):
    """Short lines for a message: verb, address, answer."""
    return [f"{entry['verb']} {entry['requestURI']} {entry.get('responseStatus', {}).get('code')}"
            for entry in entries]
