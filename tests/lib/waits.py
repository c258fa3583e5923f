"""Recordings of the event lock, for tests: the waits, and the books that must close."""
import candortest as ct

KINDS = {"jdk.JavaMonitorEnter": "monitor", "jdk.ThreadPark": "park"}


def text(value):
    return value["string"] if isinstance(value, dict) else value


class Wait:
    """One jdk.JavaMonitorEnter or jdk.ThreadPark."""
    def __init__(self, event):
        self.kind = KINDS[event["@type"]]
        lock, owner = event.get("monitorClass") or event.get("parkedClass"), event.get("previousOwner") or event.get("owner")
        self.weight, self.duration, self.finished, self.outcome = (event[key] for key in ("weight", "duration", "finished", "outcome"))
        thread = event["eventThread"] or {}
        self.thread, self.virtual, self.thread_id = thread.get("javaName") or "", thread.get("virtual"), thread.get("javaThreadId")
        self.carrier = (event.get("carrierThread") or {}).get("javaName")
        self.owner = owner and owner.get("javaName")
        self.lock = lock and text(lock["name"])
        self.address = event["address"]
        self.frames = [ct.frame_of(frame)[0] for frame in event["stackTrace"]["frames"]]


class Recording(ct.Recording):
    def take(self, kind, event):
        if kind in KINDS:
            self.all.append(Wait(event))
        else:
            super().take(kind, event)

    def of(self, prefix):
        return [one for one in self.all if one.thread.startswith(prefix)]


def closes(found, what, threads, threshold):
    whole = found.sum("lock_time")
    parts = sum(found.sum(account) for account in ("lock_whole", "lock_drawn", "lock_lost", "lock_residual"))
    ct.ok(whole == parts > 0, f"{what}: the books of the waiting close to the nanosecond", found.books)
    weights = sum(one.weight for one in found.all)
    ct.ok(weights == found.sum("lock_whole") + found.sum("lock_drawn"), f"{what}: they are the weights of the events",
          f"{weights} {found.books}")
    count = found.books["lock_whole", ""][1] + found.books["lock_drawn", ""][1]
    ct.ok(count == len(found.all), f"{what}: of as many", f"{count} {len(found.all)}")
    ct.ok(abs(found.sum("lock_residual")) <= (threads + 32) * threshold, f"{what}: off by less than a threshold per thread", found.books)
    ct.ok(found.settings.get("lock_parks") == "seen" and not [entry for entry in found.log if entry[0] != "info"],
          f"{what}: monitors and parks are both seen", found.log)
