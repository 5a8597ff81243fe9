import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveAll } from '@msg/command-line/internal';
import { parseDuration } from '@msg/core/internal';
import { loadConfigFile, SERVE_SETTINGS } from '@msg/server/internal';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '..');
const file = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** A part of a YAML document; tests look only at what they name. */
// biome-ignore lint/suspicious/noExplicitAny: documents of others' formats
type Part = Readonly<Record<string, any>>;

/** After the window: the time until the process is gone (docs/restarts.md). */
const AFTER_WINDOW_MS = 6000;

describe.each(['compose.yaml', 'compose.cluster.yaml'])('%s', path => {
  const { services, volumes = {} } = parse(file(path), { merge: true }) as Part;
  const ours = (Object.entries(services) as [string, Part][]).filter(([, { image }]) =>
    image.startsWith('msg:'),
  );

  test('builds and runs our image without rights it does not need', () => {
    expect(ours.length).toBeGreaterThan(0);
    for (const [, service] of ours) {
      expect(existsSync(join(ROOT, service['build'].context, 'Dockerfile'))).toBe(true);
      expect(service['build'].args).toEqual({ VERSION: expect.stringMatching(/^..VERSION:-dev.$/) });
      expect(service['read_only']).toBe(true);
      expect(service['cap_drop']).toEqual(['ALL']);
    }
  });

  test('gives a node time to drain', () => {
    for (const [, { command = [], stop_grace_period: grace }] of ours) {
      const at = command.indexOf('--drain-window');
      const window = at < 0 ? 0 : parseDuration(command[at + 1]);
      expect(parseDuration(grace)).toBeGreaterThan((window ?? 0) + AFTER_WINDOW_MS);
    }
  });

  test('names only services, volumes and files that exist', () => {
    for (const service of Object.values(services) as Part[]) {
      for (const name of Object.keys(service['depends_on'] ?? {}))
        expect(Object.keys(services)).toContain(name);
      for (const mount of service['volumes'] ?? []) {
        const [source] = mount.split(':');
        if (source.startsWith('.')) expect(existsSync(join(ROOT, source)), source).toBe(true);
        else expect(Object.keys(volumes)).toContain(source);
      }
      for (const condition of Object.values(service['depends_on'] ?? {}) as Part[]) {
        expect(condition['condition']).toBe('service_healthy');
      }
    }
  });
});

test('the proxy of the cluster knows its nodes, is not sticky and never repeats a publish', () => {
  const { services } = parse(file('compose.cluster.yaml'), { merge: true }) as Part;
  const config = file('ops/nginx/msg.conf').replaceAll(/^\s*#.*\n/gm, '');
  const upstream = [...config.matchAll(/^\s*server ([\w-]+):8000/gm)].map(([, name]) => name);
  expect(upstream).toEqual(Object.keys(services).filter(name => name.startsWith('node-')));
  expect(config).not.toMatch(/ip_hash|sticky|hash |non_idempotent/);
  for (const line of [
    'proxy_buffering off;',
    'proxy_request_buffering off;',
    'proxy_set_header Upgrade $http_upgrade;',
  ])
    expect(config).toContain(line);
  expect(upstream.map(name => services[name ?? ''].environment.MSG_REDIS_ADDR)).toEqual([
    'redis:6379',
    'redis:6379',
  ]);
});

describe('ops/kubernetes', () => {
  const folder = 'ops/kubernetes';
  const names = readdirSync(join(ROOT, folder)).filter(
    name => name.endsWith('.yaml') && name !== 'kustomization.yaml',
  );
  const resources = names.flatMap(name =>
    parseAllDocuments(file(`${folder}/${name}`)).map(document => document.toJS() as Part),
  );
  const ofKind = (kind: string): Part => {
    const found = resources.find(resource => resource['kind'] === kind);
    if (found === undefined) throw new Error(`no ${kind}`);
    return found;
  };
  const { spec } = ofKind('Deployment');
  const pod = spec.template.spec;
  const [container] = pod.containers;

  test('every file is part of the kustomization, and every resource has its name and labels', () => {
    const { resources: listed } = parse(file(`${folder}/kustomization.yaml`)) as Part;
    expect([...listed].sort()).toEqual(names.sort());
    for (const { apiVersion, metadata } of resources) {
      expect(apiVersion).toMatch(/^([a-z0-9.]+\/)?v1$/);
      expect(metadata).toMatchObject({ name: 'msg', labels: { 'app.kubernetes.io/name': 'msg' } });
    }
  });

  test('service, deployment and disruption budget mean the same pods', () => {
    const labels = spec.template.metadata.labels;
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(ofKind('Service')['spec'].selector).toEqual(labels);
    expect(ofKind('PodDisruptionBudget')['spec'].selector.matchLabels).toEqual(labels);
    expect(ofKind('PodDisruptionBudget')['spec'].maxUnavailable).toBeLessThan(spec.replicas);
    const [port] = ofKind('Service')['spec'].ports;
    expect(container.ports.map(({ name }: Part) => name)).toContain(port.targetPort);
    const [rule] = ofKind('Ingress')['spec'].rules;
    expect(rule.http.paths[0].backend.service).toEqual({ name: 'msg', port: { name: port.name } });
    expect(ofKind('Service')['spec'].sessionAffinity).toBeUndefined();
  });

  test('liveness does not depend on the store, readiness does; no node is missing while another is replaced', () => {
    expect(container.livenessProbe.httpGet.path).toBe('/healthz');
    expect(container.startupProbe.httpGet.path).toBe('/healthz');
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
  });

  test('the container is unprivileged and reads variables and files that are there', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const mounts = container.volumeMounts.map(({ name }: Part) => name);
    expect(pod.volumes.map(({ name }: Part) => name)).toEqual(mounts);
    const [config] = Object.keys(ofKind('ConfigMap')['data']);
    expect(container.args).toContain(`${container.volumeMounts[0].mountPath}/${config}`);
  });

  test('metrics are scraped with the secret, under the job that the alerts name', () => {
    const kustomization = parse(file(`${folder}/monitoring/kustomization.yaml`)) as Part;
    expect(kustomization['resources']).toEqual(['service-monitor.yaml']);
    const monitor = parse(file(`${folder}/monitoring/service-monitor.yaml`)) as Part;
    const service = ofKind('Service');
    expect(monitor).toMatchObject({ apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor' });
    expect(monitor['spec'].selector.matchLabels).toEqual(service['metadata'].labels);
    expect(service['metadata'].labels[monitor['spec'].jobLabel]).toBe('msg');
    const [{ port, path, authorization }] = monitor['spec'].endpoints;
    expect([port, path]).toEqual([service['spec'].ports[0].name, '/metrics']);
    const { valueFrom } = container.env.find(({ name }: Part) => name === 'METRICS_TOKEN');
    expect(authorization).toEqual({ type: 'Bearer', credentials: valueFrom.secretKeyRef });
    expect(spec.template.metadata.annotations ?? {}).not.toHaveProperty('prometheus.io/scrape');
  });

  test('its configuration is read by the server, and leaves time to drain', async () => {
    const source = ofKind('ConfigMap')['data']['msg.yaml'];
    const env: Record<string, string> = Object.fromEntries(
      container.env.map(({ name }: Part) => [name, 'given']),
    );
    const io = { env, readFile: async () => new TextEncoder().encode(source) };
    const loaded = await loadConfigFile('/etc/msg/msg.yaml', SERVE_SETTINGS, io);
    const settings = resolveAll(SERVE_SETTINGS, { flag: () => undefined, env, file: loaded });
    expect(settings).toMatchObject({ redisPassword: 'given', metricsToken: 'given' });
    expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(settings.drainWindow + AFTER_WINDOW_MS);
    const references = [...source.matchAll(/\$\{(\w+)\}/g)].map(([, name]: RegExpMatchArray) => name);
    for (const name of references) expect(Object.keys(env)).toContain(name);
  });
});
