{{- define "msg.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "msg.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "msg.labels" -}}
{{ include "msg.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{/* The configuration file: that of the values, with the store or the state directory. */}}
{{- define "msg.config" -}}
{{- $config := deepCopy .Values.config }}
{{- if eq .Values.mode "cluster" }}
{{- $redis := dict "addr" .Values.redis.addr "node_id" "${NODE_ID}" }}
{{- if .Values.secrets.redisPassword.name }}{{ $_ := set $redis "password" "${REDIS_PASSWORD}" }}{{ end }}
{{- $config = mustMergeOverwrite (dict "redis" $redis) $config }}
{{- else }}
{{- $config = mustMergeOverwrite $config (dict "auth" (dict "state_dir" "/var/lib/msg")) }}
{{- end }}
{{- toYaml $config }}
{{- end }}

{{/* A variable out of a secret that exists; nothing where no secret is named. */}}
{{- define "msg.secretEnv" -}}
{{- if .secret.name }}
- name: {{ .variable }}
  valueFrom: { secretKeyRef: { name: {{ .secret.name }}, key: {{ .secret.key }} } }
{{- end }}
{{- end }}
