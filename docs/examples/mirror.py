"""Keeps a file in step with all endorsements while it runs: API_KEY=bes_... python3 docs/examples/mirror.py [FILE]

BASE_URL is the address of the service. After a restart, the program continues from the cursor in the file.
"""

import json
import os
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BASE_URL = os.environ.get("BASE_URL", "http://localhost:8080")
FILE = sys.argv[1] if len(sys.argv) > 1 else "mirror.json"
HEADERS = {"Authorization": f"Bearer {os.environ['API_KEY']}"}
# A stream that is silent for a minute is dead: comments come every 20 seconds.
TIMEOUT_SECONDS = 60
RETRY_SECONDS = 2


def ask(path, **headers):
    return urlopen(Request(BASE_URL + path, headers={**HEADERS, **headers}), timeout=TIMEOUT_SECONDS)


def save(mirror):
    """Writes endorsements and cursor together, so that neither is ahead of the other."""
    with open(FILE + ".new", "w") as file:
        json.dump(mirror, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(FILE + ".new", FILE)


def load():
    """Reads the whole list, and the place in the stream from which the changes follow."""
    with ask("/v1/endorsements", Accept="application/x-ndjson") as answer:
        lines = [json.loads(line) for line in answer]
    records = lines[1:-1]
    if not lines or lines[-1].get("count") != len(records):
        raise OSError("the list was cut")
    return {"cursor": lines[0]["stream_cursor"], "endorsements": {str(each["id"]): each for each in records}}


def apply(mirror, event):
    """Applies an event. Events have all that the list has, except for `updated_at` and some details."""
    key = str(event["endorsement"]["id"])
    if event["type"] == "endorsement.deleted":
        mirror["endorsements"].pop(key, None)
    else:
        parts = {name: event[name] for name in ("endorser", "contest", "election", "choice")}
        mirror["endorsements"][key] = {**event["endorsement"], **parts}


class Expired(Exception):
    """The stream no longer has the changes after the cursor."""


def follow(mirror):
    """Follows the stream until the connection ends."""
    with ask("/v1/stream", **{"Last-Event-ID": mirror["cursor"]}) as stream:
        frame = {}
        for line in stream:
            text = line.decode().rstrip("\n")
            if text != "":
                # A comment has no name.
                name, _, value = text.partition(": ")
                frame[name] = value
                continue
            if frame.get("event") == "endorsement":
                apply(mirror, json.loads(frame["data"]))
            if frame.get("event") == "error":
                is_expired = json.loads(frame["data"])["code"] == "cursor_expired"
                raise (Expired if is_expired else OSError)(frame["data"])
            if "id" in frame:
                mirror["cursor"] = frame["id"]
                save(mirror)
            frame = {}


try:
    mirror = json.load(open(FILE))
except FileNotFoundError:
    mirror = None
while True:
    wait = RETRY_SECONDS
    try:
        if mirror is None:
            mirror = load()
            save(mirror)
        follow(mirror)
    except Expired:
        mirror = None
    except HTTPError as error:
        if error.code == 410:
            # The cursor is older than the stream keeps: read the list again.
            mirror, wait = None, 0
        elif error.code in (400, 401, 403, 404):
            raise SystemExit(error.read().decode())
        else:
            asked = error.headers.get("Retry-After", "")
            # A proxy can name a date instead of seconds.
            wait = int(asked) if asked.isdigit() else wait
    except (OSError, HTTPException, ValueError) as error:
        print(error, file=sys.stderr)
    time.sleep(wait)
