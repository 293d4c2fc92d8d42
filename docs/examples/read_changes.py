"""Prints the changes of the topic endorsement-changes as lines of JSON, from the oldest to the newest, and ends.

python3 -m pip install confluent-kafka fastavro
python3 docs/examples/read_changes.py localhost:9092 endorsement-changes schemas/avro/endorsement-change.v*.avsc
"""

import io
import json
import re
import sys

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition
from fastavro import parse_schema, schemaless_reader
from fastavro.schema import fingerprint, to_parsing_canonical_form

brokers, topic, *files = sys.argv[1:]
# By the number of the version: as text, v10 comes before v2.
files.sort(key=lambda file: int(re.search(r"\.v(\d+)\.avsc$", file)[1]))
schemas = [json.load(open(file)) for file in files]
newest = parse_schema(schemas[-1])
# A value begins with C3 01 and the fingerprint of the schema that wrote it.
writers = {
    bytes.fromhex(fingerprint(to_parsing_canonical_form(schema), "CRC-64-AVRO")): parse_schema(schema)
    for schema in schemas
}


def decode(value):
    if value[:2] != b"\xc3\x01" or value[2:10] not in writers:
        raise ValueError("a schema that this program does not know: add its file")
    return schemaless_reader(io.BytesIO(value[10:]), writers[value[2:10]], newest)


# Offsets are not committed, so that no right to a group is needed.
settings = {"group.id": "none", "enable.auto.commit": False, "enable.partition.eof": True}
consumer = Consumer({"bootstrap.servers": brokers, **settings})
metadata = consumer.list_topics(topic).topics[topic]
if metadata.error:
    raise SystemExit(f"{topic}: {metadata.error}")
partitions = metadata.partitions
ends = {p: consumer.get_watermark_offsets(TopicPartition(topic, p))[1] for p in partitions}
ends = {p: end for p, end in ends.items() if end > consumer.get_watermark_offsets(TopicPartition(topic, p))[0]}
consumer.assign([TopicPartition(topic, p, OFFSET_BEGINNING) for p in ends])
while ends:
    message = consumer.poll(5)
    if message is None:
        continue
    # Compaction and markers can leave nothing at the end of a partition.
    is_over = message.error() is not None and message.error().code() == KafkaError._PARTITION_EOF
    if message.error() and not is_over:
        raise SystemExit(str(message.error()))
    if not is_over:
        print(json.dumps(decode(message.value()), default=str))
    if is_over or message.offset() + 1 >= ends.get(message.partition(), 0):
        ends.pop(message.partition(), None)
        consumer.pause([TopicPartition(topic, message.partition())])
consumer.close()
