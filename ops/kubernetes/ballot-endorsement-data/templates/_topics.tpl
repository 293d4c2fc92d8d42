{{/*
The settings of the topics, and the rights of the users. kafka/topics/topic-settings.ts and
kafka/connection/role-rights.ts say the same
and why; tests compare them.
*/}}
{{- define "ballot.topics" -}}
{{- $retention := .Values.retentionMs | int64 -}}
{{- $part := min 3600000 (max 1000 (div (add $retention 23) 24)) -}}
{{- $margin := max (div (add $retention 9) 10) (mul 3 $part) -}}
{{- $keep := add $retention $margin -}}
{{- $insync := ternary 2 1 (ge (int .Values.strimzi.replicas) 3) -}}
endorsement-submissions:
  partitions: 12
  config:
    cleanup.policy: delete
    retention.ms: "604800000"
    message.timestamp.type: LogAppendTime
    min.insync.replicas: {{ $insync | quote }}
endorsement-submissions-rejected:
  partitions: 3
  config:
    cleanup.policy: delete
    retention.ms: "2592000000"
    min.insync.replicas: {{ $insync | quote }}
    max.message.bytes: "2097152"
endorsement-changes:
  partitions: {{ .Values.changesPartitions }}
  config:
    cleanup.policy: compact,delete
    retention.ms: {{ $keep | quote }}
    retention.bytes: "-1"
    min.compaction.lag.ms: {{ $keep | quote }}
    segment.ms: {{ $part | quote }}
    message.timestamp.type: LogAppendTime
    min.insync.replicas: {{ $insync | quote }}
    unclean.leader.election.enable: "false"
{{- end }}

{{- define "ballot.rights" -}}
gateway:
  - { topic: endorsement-changes, operations: [Read] }
  {{- if .Values.console.enabled }}
  - { topic: endorsement-submissions-rejected, operations: [Read] }
  {{- end }}
  - { topic: endorsement-submissions, operations: [Write] }
apply:
  - { topic: endorsement-submissions, operations: [Read] }
  - { topic: endorsement-submissions-rejected, operations: [Write] }
  - { topic: endorsement-changes, operations: [Read] }
  - { group: endorsement-apply, operations: [Read] }
relay:
  - { topic: endorsement-changes, operations: [Write, Read, DescribeConfigs] }
{{- if .Values.webhooks.enabled }}
deliver:
  - { topic: endorsement-changes, operations: [Read] }
{{- end }}
ops:
  - { topic: endorsement-submissions, operations: [Create, Alter, AlterConfigs, Read, Write] }
  - { topic: endorsement-submissions-rejected, operations: [Create, Alter, AlterConfigs, Read] }
  - { topic: endorsement-changes, operations: [Create, Alter, AlterConfigs, Read, Write] }
producer:
  - { topic: endorsement-submissions, operations: [Write] }
{{- end }}
