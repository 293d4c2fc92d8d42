"""Asks the topic endorsement-changes by SQL, with Apache Spark, and ends. It needs Java 17.

python3 -m pip install pyspark==4.1.1 fastavro
python3 docs/examples/query_changes.py localhost:9092 endorsement-changes schemas/avro/endorsement-change.v*.avsc
"""

import json
import re
import sys
from functools import reduce

import pyspark
from fastavro.schema import fingerprint, to_parsing_canonical_form
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.avro.functions import from_avro
from pyspark.sql.functions import col, expr, lit

brokers, topic, *files = sys.argv[1:]
packages = ["spark-sql-kafka-0-10_2.13", "spark-avro_2.13"]
coordinates = [f"org.apache.spark:{name}:{pyspark.__version__}" for name in packages]
spark = SparkSession.builder.master("local[1]").config("spark.jars.packages", ",".join(coordinates)).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")

records = (
    spark.read.format("kafka")
    .option("kafka.bootstrap.servers", brokers)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .load()
)


def decode(schema, newest):
    """The records that this version of the schema wrote, as the newest one reads them."""
    # A value begins with C3 01 and the fingerprint of the schema that wrote it. The rest is plain Avro.
    beginning = bytes.fromhex("c301" + fingerprint(to_parsing_canonical_form(json.loads(schema)), "CRC-64-AVRO"))
    written = records.where(col("value").substr(1, 10) == lit(beginning))
    value = from_avro(expr("substring(value, 11)"), schema, {"avroSchema": newest})
    return written.select(value.alias("change"))


# By the number of the version: as text, v10 comes before v2.
files.sort(key=lambda file: int(re.search(r"\.v(\d+)\.avsc$", file)[1]))
schemas = [open(file).read() for file in files]
versions = [decode(schema, schemas[-1]) for schema in schemas]
reduce(DataFrame.unionAll, versions).select("change.*").dropDuplicates(["epoch", "sequence"]).createOrReplaceTempView("changes")
spark.sql(
    "SELECT endorser.state, type, count(*) AS changes, max(occurred_at) AS newest "
    "FROM changes GROUP BY ALL ORDER BY changes DESC, state, type LIMIT 5"
).show(truncate=False)
spark.stop()
