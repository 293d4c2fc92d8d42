{{- define "ballot.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- define "ballot.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ballot.labels" -}}
{{ include "ballot.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* The selector and the labels of a part. Context: root and component. */}}
{{- define "ballot.partSelector" -}}
{{ include "ballot.selector" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "ballot.partLabels" -}}
{{ include "ballot.labels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* The metadata of a resource of a part. Context: root and component. */}}
{{- define "ballot.metadata" -}}
name: {{ include "ballot.name" .root }}-{{ .component }}
labels:
  {{- include "ballot.partLabels" . | nindent 2 }}
{{- end }}

{{- define "ballot.image" -}}
{{- $repository := required "image.repository is required: the image of the project's Dockerfile in your registry" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* The addresses of the brokers: by default those of Strimzi's listener with TLS. */}}
{{- define "ballot.brokers" -}}
{{- if .Values.kafka.brokers -}}
{{ .Values.kafka.brokers }}
{{- else if .Values.strimzi.enabled -}}
{{ .Values.strimzi.cluster }}-kafka-bootstrap:9093
{{- else -}}
{{ fail "kafka.brokers is required, unless strimzi.enabled is true" }}
{{- end -}}
{{- end }}

{{- define "ballot.kafkaCaSecret" -}}
{{- if .Values.kafka.caSecret.name -}}
{{ .Values.kafka.caSecret.name }}
{{- else if .Values.strimzi.enabled -}}
{{ .Values.strimzi.cluster }}-cluster-ca-cert
{{- end -}}
{{- end }}
