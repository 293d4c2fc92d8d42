{{/* The parts that all pods share. */}}
{{- define "ballot.podDefaults" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  # The files of secrets belong to this group.
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "ballot.containerDefaults" -}}
image: {{ include "ballot.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: secrets, mountPath: /run/secrets/ballot, readOnly: true }
{{- end }}

{{/* Where the pods of a part run: on different nodes and zones, if possible. Context: root and component. */}}
{{- define "ballot.placement" -}}
topologySpreadConstraints:
  {{- $context := . }}
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "ballot.partSelector" $context | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- with (index .root.Values .component).nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with (index .root.Values .component).tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
