"""librdkafka behind the protocol of test/helpers/kafka/outside-client.ts. Arguments: the brokers and the topic."""

import base64
import json
import os
import sys

from confluent_kafka import Producer

producers = {}


def decode(text):
    return None if text is None else base64.b64decode(text)


def open_producer(settings, brokers):
    config = {
        "bootstrap.servers": brokers,
        "acks": "all",
        "linger.ms": 20,
        "batch.size": 900_000,
        "message.max.bytes": 1_048_600,
        "compression.type": settings.get("codec", "none"),
        "enable.idempotence": settings.get("idempotent", False),
    }
    transactional_id = settings.get("transactionalId")
    if transactional_id is not None:
        config["transactional.id"] = transactional_id
        config["enable.idempotence"] = True
    producer = Producer(config)
    if transactional_id is not None:
        producer.init_transactions(30)
    return producer


def send(producer, topic, records):
    places = [None] * len(records)
    errors = []

    def note(index):
        def on_delivery(error, message):
            if error is not None:
                errors.append(str(error))
            else:
                places[index] = [message.partition(), message.offset()]

        return on_delivery

    for index, record in enumerate(records):
        optional = {name: record[name] for name in ("timestamp", "headers") if name in record}
        producer.produce(
            topic,
            partition=record["partition"],
            key=decode(record["key"]),
            value=decode(record["value"]),
            on_delivery=note(index),
            **optional,
        )
    producer.flush(30)
    if errors:
        raise RuntimeError(errors[0])
    return places


def serve(request, brokers, topic):
    name, method = request["producer"], request["method"]
    if method == "open":
        producers[name] = open_producer(request, brokers)
        return {}
    producer = producers[name]
    if method == "send":
        return {"places": send(producer, topic, request["records"])}
    if method == "begin":
        producer.begin_transaction()
    elif method == "commit":
        producer.commit_transaction(30)
    elif method == "abort":
        producer.abort_transaction(30)
    elif method == "close":
        producer.flush(30)
        del producers[name]
    return {}


for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = serve(request, sys.argv[1], sys.argv[2])
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps({"id": request["id"], **answer}), flush=True)

# Leaves open producers as a crash would.
os._exit(0)
