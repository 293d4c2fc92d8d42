#!/usr/bin/env bash
# Gives Kafka's users their passwords, and the rights that "ops topics acls" prints. It can be repeated.
set -euo pipefail
mkdir -p /tmp/users/bin
cd /tmp/users
# The printed lines use these names.
ln -sf /opt/kafka/bin/kafka-acls.sh bin/kafka-acls
ln -sf /etc/kafka/secrets/client.properties admin.properties
export PATH="$PWD/bin:/opt/kafka/bin:$PATH" KAFKA_HEAP_OPTS=-Xmx128m

for role in gateway apply relay deliver ops producer; do
  pids=()
  kafka-configs.sh --bootstrap-server "$KAFKA_BROKERS" --command-config admin.properties \
    --alter --entity-type users --entity-name "ballot-$role" \
    --add-config-file <(printf 'SCRAM-SHA-512=password=%s\n' "$(cat "/secrets/$role/password")") &
  pids+=($!)
  while IFS= read -r line; do
    bash -c "$line" > /dev/null &
    pids+=($!)
  done < <(grep -F "User:ballot-$role " /rights/commands)
  for pid in "${pids[@]}"; do wait "$pid"; done
done
echo 'The users of Kafka have their passwords and rights.'
