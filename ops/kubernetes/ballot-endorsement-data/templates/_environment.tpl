{{/*
The environment of a program. Context: root, role (gateway, apply, relay, deliver or ops) and kafka, whether it connects to Kafka.
*/}}
{{- define "ballot.environment" -}}
{{- $values := .root.Values -}}
{{- $kafka := $values.kafka -}}
- name: DATABASE_URL
  value: {{ required "database.url is required, such as postgres://ballot@postgres:5432/ballot" $values.database.url | quote }}
{{- if $values.database.readUrls }}
- name: READ_DATABASE_URLS
  value: {{ join "," $values.database.readUrls | quote }}
{{- end }}
{{- if $values.database.passwordSecret.name }}
- name: DATABASE_PASSWORD_FILE
  value: /run/secrets/ballot/database/password
{{- end }}
{{- if $values.database.caSecret.name }}
- name: DATABASE_CA_FILE
  value: /run/secrets/ballot/database/ca.crt
{{- end }}
{{- if .kafka }}
- name: KAFKA_BROKERS
  value: {{ include "ballot.brokers" .root | quote }}
{{- $login := ternary "SASL_" "" (eq $kafka.authentication "password") }}
- name: KAFKA_SECURITY_PROTOCOL
  value: {{ printf "%s%s" $login (ternary "SSL" "PLAINTEXT" $kafka.tls) }}
{{- if and $kafka.tls (include "ballot.kafkaCaSecret" .root) }}
- name: KAFKA_CA_FILE
  value: /run/secrets/ballot/kafka/ca.crt
{{- end }}
{{- if and $kafka.tls $kafka.serverName }}
- name: KAFKA_SERVER_NAME
  value: {{ $kafka.serverName | quote }}
{{- end }}
{{- if eq $kafka.authentication "password" }}
- name: KAFKA_SASL_MECHANISM
  value: {{ $kafka.saslMechanism }}
- name: KAFKA_USERNAME
  value: {{ (index $kafka.users .role).username | quote }}
- name: KAFKA_PASSWORD_FILE
  value: /run/secrets/ballot/kafka/password
{{- else if eq $kafka.authentication "certificate" }}
- name: KAFKA_CERT_FILE
  value: /run/secrets/ballot/kafka/user.crt
- name: KAFKA_KEY_FILE
  value: /run/secrets/ballot/kafka/user.key
{{- end }}
{{- if $kafka.readsNearby }}
- name: KAFKA_RACK
  valueFrom:
    fieldRef:
      fieldPath: metadata.labels['topology.kubernetes.io/zone']
{{- end }}
- name: TOPIC_PREFIX
  value: {{ $values.topicPrefix | quote }}
- name: RETENTION_MS
  value: {{ $values.retentionMs | int64 | quote }}
{{- end }}
{{- if and $values.webhooks.enabled (has .role (list "gateway" "deliver")) }}
- name: WEBHOOK_SECRET_KEY_FILE
  value: /run/secrets/ballot/webhooks/key
- name: ALLOW_PRIVATE_WEBHOOKS
  value: {{ ternary "1" "0" $values.webhooks.allowPrivate | quote }}
{{- with $values.webhooks.proxy }}
- name: WEBHOOK_PROXY
  value: {{ . | quote }}
{{- end }}
{{- with $values.webhooks.noticeUrl }}
- name: WEBHOOK_NOTICE_URL
  value: {{ . | quote }}
{{- end }}
{{- end }}
- name: LOG_LEVEL
  value: {{ $values.logLevel }}
{{- range $variable, $value := $values.tracing }}
- name: {{ $variable }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* All secrets of a program as one volume of files, which Kubernetes replaces together. Context as above. */}}
{{- define "ballot.secrets" -}}
{{- $values := .root.Values -}}
{{- $kafka := $values.kafka -}}
name: secrets
projected:
  defaultMode: 0440
  sources:
    {{- with $values.database.passwordSecret }}
    {{- if .name }}
    - secret:
        name: {{ .name }}
        items: [{ key: {{ .key }}, path: database/password }]
    {{- end }}
    {{- end }}
    {{- with $values.database.caSecret }}
    {{- if .name }}
    - secret:
        name: {{ .name }}
        items: [{ key: {{ .key }}, path: database/ca.crt }]
    {{- end }}
    {{- end }}
    {{- if and .kafka $kafka.tls (include "ballot.kafkaCaSecret" .root) }}
    - secret:
        name: {{ include "ballot.kafkaCaSecret" .root }}
        items: [{ key: {{ $kafka.caSecret.key }}, path: kafka/ca.crt }]
    {{- end }}
    {{- if and .kafka (eq $kafka.authentication "password") }}
    - secret:
        name: {{ (index $kafka.users .role).secret }}
        items: [{ key: {{ $kafka.secretKeys.password }}, path: kafka/password }]
    {{- else if and .kafka (eq $kafka.authentication "certificate") }}
    - secret:
        name: {{ (index $kafka.users .role).secret }}
        items:
          - { key: {{ $kafka.secretKeys.certificate }}, path: kafka/user.crt }
          - { key: {{ $kafka.secretKeys.key }}, path: kafka/user.key }
    {{- end }}
    {{- if and $values.webhooks.enabled (has .role (list "gateway" "deliver")) }}
    - secret:
        name: {{ required "webhooks.keySecret.name is required to enable webhooks" $values.webhooks.keySecret.name }}
        items: [{ key: {{ $values.webhooks.keySecret.key }}, path: webhooks/key }]
    {{- end }}
    {{- if and (eq .role "gateway") $values.console.oidc.issuer }}
    - secret:
        name: {{ required "console.oidc.clientSecret.name is required with an issuer" $values.console.oidc.clientSecret.name }}
        items: [{ key: {{ $values.console.oidc.clientSecret.key }}, path: oidc/client-secret }]
    {{- end }}
{{- end }}
