#!/usr/bin/env bash
# Gives Kafka's users their passwords, and the rights that "ops topics acls" prints. It can be repeated.
set -euo pipefail
export PATH="/opt/kafka/bin:$PATH" KAFKA_HEAP_OPTS=-Xmx128m
# Each command starts a Java of its own. Without options for servers it takes half the processor time.
export KAFKA_JVM_PERFORMANCE_OPTS='-XX:+UseSerialGC -XX:TieredStopAtLevel=1'
# The printed lines use these names. kafka-acls.sh looks for other scripts in its own folder, so a link will not do.
kafka-acls() { kafka-acls.sh "$@"; }
cd "$(mktemp -d)"
ln -s /etc/kafka/secrets/client.properties admin.properties

for role in gateway apply relay deliver ops producer; do
  pids=()
  kafka-configs.sh --bootstrap-server "$KAFKA_BROKERS" --command-config admin.properties \
    --alter --entity-type users --entity-name "ballot-$role" \
    --add-config-file <(printf 'SCRAM-SHA-512=password=%s\n' "$(cat "/secrets/$role/password")") &
  pids+=($!)
  while IFS= read -r line; do
    eval "$line" > /dev/null &
    pids+=($!)
  done < <(grep -F "User:ballot-$role " /rights/commands)
  for pid in "${pids[@]}"; do wait "$pid"; done
done
echo 'The users of Kafka have their passwords and rights.'
