#!/usr/bin/env bash
# Makes the secrets of docker-compose.yml: an authority, the brokers' certificate, a password for each user, and a key for
# webhooks. It keeps existing ones. Each part has its own volume, so that it cannot read the secrets of another.
set -euo pipefail
umask 077
cd /secrets

# A key store requires a password. The permissions of the file protect it.
KEYS=(-storetype PKCS12 -storepass keystore)
NEW_KEY=(-genkeypair -keyalg EC -groupname secp256r1 -validity 3650)
# The user of the service's image and of Kafka's.
USER_ID=1000

keep_for_user() {
  chown "$USER_ID:$USER_ID" "$@"
}

if [[ ! -f authority/authority.p12 ]]; then
  rm -f authority/new.p12
  keytool "${NEW_KEY[@]}" -alias authority -dname CN=ballot-authority -ext bc:critical=ca:true \
    -keystore authority/new.p12 "${KEYS[@]}"
  keytool -exportcert -rfc -alias authority -file authority/ca.crt -keystore authority/new.p12 "${KEYS[@]}"
  mv authority/new.p12 authority/authority.p12
fi

if [[ ! -f kafka/keystore.p12 ]]; then
  rm -f authority/broker.p12
  broker() { keytool "$@" -keystore authority/broker.p12 "${KEYS[@]}"; }
  broker "${NEW_KEY[@]}" -alias broker -dname CN=kafka
  broker -certreq -alias broker |
    keytool -gencert -rfc -validity 3650 -ext "san=$BROKER_NAMES" -outfile authority/broker.crt \
      -alias authority -keystore authority/authority.p12 "${KEYS[@]}"
  broker -importcert -noprompt -alias authority -file authority/ca.crt
  broker -importcert -alias broker -file authority/broker.crt
  # For Kafka's own tools. The brokers trust this certificate with everything.
  cat > authority/client.properties <<END
security.protocol=SSL
ssl.keystore.location=/etc/kafka/secrets/keystore.p12
ssl.keystore.password=keystore
ssl.truststore.location=/etc/kafka/secrets/ca.crt
ssl.truststore.type=PEM
END
  cp authority/ca.crt authority/client.properties kafka/
  cp authority/broker.p12 kafka/new.p12
  keep_for_user kafka/ca.crt kafka/client.properties kafka/new.p12
  mv kafka/new.p12 kafka/keystore.p12
fi

# Seals the secrets of webhooks in the database.
if [[ ! -f webhooks/key ]]; then
  head -c 32 /dev/urandom | base64 > webhooks/new-key
  keep_for_user webhooks/new-key
  mv webhooks/new-key webhooks/key
fi

for part in postgres gateway apply relay deliver ops producer; do
  if [[ ! -f $part/password ]]; then
    head -c 24 /dev/urandom | base64 | tr '+/' '-_' > "$part/new-password"
    cp authority/ca.crt "$part/"
    keep_for_user "$part/ca.crt" "$part/new-password"
    mv "$part/new-password" "$part/password"
  fi
done
