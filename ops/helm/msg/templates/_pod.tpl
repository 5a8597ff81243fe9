{{/* The pod of both modes. */}}
{{- define "msg.pod" -}}
metadata:
  labels:
    {{- include "msg.selector" . | nindent 4 }}
  annotations:
    # A changed configuration replaces the pods.
    checksum/config: {{ include "msg.config" . | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  automountServiceAccountToken: false
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if eq .Values.mode "cluster" }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "msg.selector" . | nindent 10 }}
  {{- end }}
  {{- if and (eq .Values.mode "single") .Values.secrets.keyring.name }}
  initContainers:
    # The volume keeps the keys from then on, with those that are made later.
    - name: keyring
      image: {{ .Values.image.repository }}:{{ .Values.image.tag }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      command: [sh, -c, "test -e /var/lib/msg/keyring.json || install -m 0600 /keyring/{{ .Values.secrets.keyring.key }} /var/lib/msg/keyring.json"]
      securityContext:
        {{- include "msg.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - { name: keyring, mountPath: /keyring, readOnly: true }
        - { name: state, mountPath: /var/lib/msg }
  {{- end }}
  containers:
    - name: msg
      image: {{ .Values.image.repository }}:{{ .Values.image.tag }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve, --config, /etc/msg/msg.yaml]
      ports:
        - { name: http, containerPort: 8000 }
      env:
        - name: NODE_ID
          valueFrom: { fieldRef: { fieldPath: metadata.name } }
        {{- if eq .Values.mode "cluster" }}
        {{- with include "msg.secretEnv" (dict "variable" "REDIS_PASSWORD" "secret" .Values.secrets.redisPassword) | trim }}{{ . | nindent 8 }}{{ end }}
        {{- end }}
        {{- with include "msg.secretEnv" (dict "variable" "METRICS_TOKEN" "secret" .Values.secrets.metricsToken) | trim }}{{ . | nindent 8 }}{{ end }}
        {{- with include "msg.secretEnv" (dict "variable" "API_KEY" "secret" .Values.secrets.apiKey) | trim }}{{ . | nindent 8 }}{{ end }}
        {{- with include "msg.secretEnv" (dict "variable" "MSG_OUTBOX_POSTGRES_URL" "secret" .Values.secrets.outboxUrl) | trim }}{{ . | nindent 8 }}{{ end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      # The store is asked by readiness only: an outage of it must not restart the nodes.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 1
        failureThreshold: 30
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 10
        timeoutSeconds: 3
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 2
        timeoutSeconds: 3
        failureThreshold: 2
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        {{- include "msg.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - { name: config, mountPath: /etc/msg, readOnly: true }
        {{- if eq .Values.mode "single" }}
        - { name: state, mountPath: /var/lib/msg }
        {{- end }}
  volumes:
    - name: config
      configMap: { name: {{ include "msg.name" . }} }
    {{- if and (eq .Values.mode "single") .Values.secrets.keyring.name }}
    - name: keyring
      secret: { secretName: {{ .Values.secrets.keyring.name }} }
    {{- end }}
{{- end }}

{{- define "msg.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
