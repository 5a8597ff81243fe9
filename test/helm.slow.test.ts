import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { helm, manifestFaults, missingHelm, missingJudge, prepareHelm } from './support/helm.ts';

const CHART = 'ops/helm/msg';
const VALUES = readdirSync(join(CHART, 'ci'));

/** A part of a YAML document; tests look only at what they name. */
// biome-ignore lint/suspicious/noExplicitAny: documents of others' formats
type Part = Record<string, any>;

const missing = missingHelm() ?? missingJudge();
const notRun = missing === undefined ? '' : ` (not run: ${missing})`;

/** What a chart says beside the raw manifests: who installed it, and which release a pod belongs to. */
const OF_HELM = ['app.kubernetes.io/instance', 'app.kubernetes.io/managed-by', 'helm.sh/chart'];

/** A resource without what only Helm adds, its configuration read. */
function normalized(value: Part): Part {
  const text = JSON.stringify(value, (key, member) =>
    OF_HELM.includes(key) || key === 'checksum/config' || key === 'imagePullPolicy' ? undefined : member,
  );
  const resource = JSON.parse(text, (key, member) =>
    key === 'annotations' && Object.keys(member).length === 0 ? undefined : member,
  ) as Part;
  if (resource['kind'] === 'ConfigMap') resource['data']['msg.yaml'] = parse(resource['data']['msg.yaml']);
  if (resource['kind'] === 'Deployment') {
    const [container] = resource['spec'].template.spec.containers;
    container.image = container.image.replace(/:dev$/, ''); // kustomize sets the tag
  }
  return resource;
}

const documents = (text: string): Part[] =>
  parseAllDocuments(text)
    .map(document => document.toJS() as Part | null)
    .filter(part => part !== null);

describe.skipIf(missing !== undefined)(`the Helm chart${notRun}`, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'msg-helm-'));
    prepareHelm();
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const rendered = (...args: readonly string[]): Part[] => {
    const { ok, text } = helm('template', 'msg', CHART, ...args);
    if (!ok) throw new Error(text);
    return documents(text);
  };
  const ofKind = (resources: readonly Part[], kind: string): Part | undefined =>
    resources.find(resource => resource['kind'] === kind);

  it.each(VALUES)('with %s passes the lint, and its manifests those of Kubernetes', name => {
    const values = join(CHART, 'ci', name);
    expect(helm('lint', '--strict', CHART, '--values', values)).toMatchObject({ ok: true });
    const { ok, text } = helm('template', 'msg', CHART, '--values', values);
    expect(ok, text).toBe(true);
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, text);
    expect(manifestFaults(file)).toBe('');
  });

  it('makes what the raw manifests are', () => {
    const chart = rendered('--values', join(CHART, 'ci/cluster-values.yaml'));
    const raw = ['ops/kubernetes', 'ops/kubernetes/monitoring'].flatMap(path =>
      readdirSync(path)
        .filter(name => name.endsWith('.yaml') && name !== 'kustomization.yaml')
        .flatMap(name => documents(readFileSync(join(path, name), 'utf8'))),
    );
    const byKind = (one: Part, other: Part): number => one['kind'].localeCompare(other['kind']);
    expect(chart.map(normalized).sort(byKind)).toEqual(raw.map(normalized).sort(byKind));
  });

  it('in mode single keeps its keys in a volume, and needs no store', () => {
    const resources = rendered('--values', join(CHART, 'ci/keyring-values.yaml'));
    expect(ofKind(resources, 'Deployment')).toBeUndefined();
    const { spec } = ofKind(resources, 'StatefulSet') ?? {};
    expect(spec.replicas).toBe(1);
    const [container] = spec.template.spec.containers;
    expect(container.env.map(({ name }: Part) => name)).not.toContain('REDIS_PASSWORD');
    const config = parse(ofKind(resources, 'ConfigMap')?.['data']['msg.yaml']);
    const volume = spec.volumeClaimTemplates[0].metadata.name;
    expect(container.volumeMounts).toContainEqual({ name: volume, mountPath: config.auth.state_dir });
    expect(config).not.toHaveProperty('redis');
    const [init] = spec.template.spec.initContainers;
    expect(init.command.at(-1)).toContain('/keyring/ring.json');
  });

  it('gives the address of an outbox to the nodes alone where a secret of it is named', () => {
    const address = (...args: readonly string[]): Part | undefined =>
      ofKind(rendered(...args), 'Deployment')?.['spec'].template.spec.containers[0].env.find(
        ({ name }: Part) => name === 'MSG_OUTBOX_POSTGRES_URL',
      );
    expect(address()).toBeUndefined();
    const secretKeyRef = { name: 'shop', key: 'outbox-url' };
    expect(address('--set', 'secrets.outboxUrl.name=shop')?.['valueFrom']).toEqual({ secretKeyRef });
  });

  it('leaves optional parts out, and the replicas to an autoscaler', () => {
    const defaults = rendered().map(({ kind }) => kind);
    expect(defaults.sort()).toEqual(['ConfigMap', 'Deployment', 'PodDisruptionBudget', 'Service']);
    const scaled = rendered('--values', join(CHART, 'ci/autoscaling-values.yaml'));
    expect(ofKind(scaled, 'Deployment')?.['spec']).not.toHaveProperty('replicas');
    const target = ofKind(scaled, 'HorizontalPodAutoscaler')?.['spec'].scaleTargetRef;
    expect(target.name).toBe(ofKind(scaled, 'Deployment')?.['metadata'].name);
  });

  it('a changed configuration replaces the pods', () => {
    const checksum = (...args: readonly string[]): string =>
      ofKind(rendered(...args), 'Deployment')?.['spec'].template.metadata.annotations['checksum/config'];
    expect(checksum('--set', 'config.server.drain_window=10s')).not.toBe(checksum());
    expect(checksum('--set', 'replicas=5')).toBe(checksum());
  });

  it.each([
    ['an unknown mode', ['mode=both'], "'/mode'"],
    ['an unknown value', ['replica=3'], "additional properties 'replica' not allowed"],
    ['a store inside the configuration', ['config.redis.addr=a:1'], "'/config'"],
    ['signing keys of a cluster', ['secrets.keyring.name=keys'], 'msg keys import --redis-addr'],
    ['an autoscaler of a single node', ['mode=single,autoscaling.enabled=true'], 'needs mode cluster'],
  ])('%s is refused', (_, set, message) => {
    const { ok, text } = helm('template', 'msg', CHART, '--set', set.join(','));
    expect(ok).toBe(false);
    expect(text).toContain(message);
  });
});
