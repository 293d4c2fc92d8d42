"""Keeps an SQLite file in step with all endorsements while it runs: API_KEY=bes_... python3 docs/examples/mirror.py [FILE]

BASE_URL is the address of the service. After a restart, the program continues from the cursor in the file.
"""

import json
import os
import sqlite3
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BASE_URL = os.environ.get("BASE_URL", "http://localhost:8080")
FILE = sys.argv[1] if len(sys.argv) > 1 else "mirror.sqlite"
HEADERS = {"Authorization": f"Bearer {os.environ['API_KEY']}"}
# A stream that is silent for a minute is dead: comments come every 20 seconds.
TIMEOUT_SECONDS = 60
RETRY_SECONDS = 2


def ask(path, **headers):
    return urlopen(Request(BASE_URL + path, headers={**HEADERS, **headers}), timeout=TIMEOUT_SECONDS)


def load():
    """Reads the whole list, and the place in the stream from which the changes follow."""
    with ask("/v1/endorsements", Accept="application/x-ndjson") as answer:
        lines = [json.loads(line) for line in answer]
    records = lines[1:-1]
    if not lines or lines[-1].get("count") != len(records):
        raise OSError("the list was cut")
    with mirror:
        mirror.execute("DELETE FROM endorsements")
        for record in records:
            keep(record)
        move(lines[0]["stream_cursor"])


def keep(record):
    mirror.execute("INSERT OR REPLACE INTO endorsements VALUES (?, ?)", (record["id"], json.dumps(record)))


def move(cursor):
    """Stores the cursor, in the transaction of the endorsements before it, so that neither is ahead of the other."""
    mirror.execute("INSERT OR REPLACE INTO position VALUES (1, ?)", (cursor,))


def find_cursor():
    found = mirror.execute("SELECT cursor FROM position").fetchone()
    return found and found[0]


def apply(event):
    """Applies an event. Events have all that the list has, except for `updated_at` and some details."""
    if event["type"] == "endorsement.deleted":
        mirror.execute("DELETE FROM endorsements WHERE id = ?", (event["endorsement"]["id"],))
    else:
        parts = {name: event[name] for name in ("endorser", "contest", "election", "choice")}
        keep({**event["endorsement"], **parts})


class Expired(Exception):
    """The stream no longer has the changes after the cursor."""


def follow(cursor):
    """Follows the stream until the connection ends."""
    with ask("/v1/stream", **{"Last-Event-ID": cursor}) as stream:
        frame = {}
        for line in stream:
            text = line.decode().rstrip("\n")
            if text != "":
                # A comment has no name.
                name, _, value = text.partition(": ")
                frame[name] = value
                continue
            if frame.get("event") == "error":
                is_expired = json.loads(frame["data"])["code"] == "cursor_expired"
                raise (Expired if is_expired else OSError)(frame["data"])
            if "id" in frame:
                with mirror:
                    if frame.get("event") == "endorsement":
                        apply(json.loads(frame["data"]))
                    move(frame["id"])
            frame = {}


mirror = sqlite3.connect(FILE)
mirror.execute("CREATE TABLE IF NOT EXISTS endorsements (id INTEGER PRIMARY KEY, record TEXT NOT NULL)")
mirror.execute("CREATE TABLE IF NOT EXISTS position (id INTEGER PRIMARY KEY, cursor TEXT NOT NULL)")
is_expired = False
while True:
    wait = RETRY_SECONDS
    try:
        if is_expired or find_cursor() is None:
            load()
            is_expired = False
        follow(find_cursor())
    except Expired:
        is_expired = True
    except HTTPError as error:
        if error.code == 410:
            # The cursor is older than the stream keeps: read the list again.
            is_expired, wait = True, 0
        elif error.code in (400, 401, 403, 404):
            raise SystemExit(error.read().decode())
        else:
            asked = error.headers.get("Retry-After", "")
            # A proxy can name a date instead of seconds.
            wait = int(asked) if asked.isdigit() else wait
    except (OSError, HTTPException, ValueError) as error:
        print(error, file=sys.stderr)
    time.sleep(wait)
