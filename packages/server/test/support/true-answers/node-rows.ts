import { eventually } from '@msg/testkit';
import { expect } from 'vitest';
import { type MethodRow, methodRow } from './row.ts';
import { STRICT } from './stage.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** What operators see of nodes and of their configuration. */
export const nodeRows: readonly MethodRow[] = [
  methodRow('ListNodes', { name: 'nodes list', line: () => [] }, async (ask, stage) => {
    const name = await stage.opened();
    const connected = async () => (await stage.rpc('ListConnections', {})).body['total'];
    await eventually('the listeners of other rows have left', async () => {
      const before = await connected();
      await new Promise(resolve => setTimeout(resolve, 300));
      return before === (await connected());
    });
    const before = await ask({});
    const listener = await stage.listener(name);
    await stage.client().call('Publish', { name, data: new TextEncoder().encode('1') });
    const after = await ask({});
    return async () => {
      expect(after.missing_nodes).toEqual([]);
      const ids = after.nodes.map(({ id }) => id);
      expect(ids).toHaveLength(1);
      expect([...ids].sort()).toEqual(before.nodes.map(({ id }) => id).sort());
      for (const node of after.nodes) expect(node).toMatchObject({ ready: true, phase: 'running' });
      const { body } = await stage.rpc('ListConnections', { name });
      expect(body['connections']).toEqual([expect.objectContaining({ node: expect.toBeOneOf(ids) })]);
      const added = (of: (node: (typeof after.nodes)[number]) => number): number =>
        sum(after.nodes.map(of)) - sum(before.nodes.map(of));
      expect(added(({ connections }) => connections)).toBe(1);
      expect(added(({ publishes }) => publishes)).toBe(1);
      expect(added(({ deliveries }) => deliveries)).toBe(1);
      const allowed = after.nodes.map(
        ({ limits }) => limits.find(({ bucket }) => bucket === 'publish')?.allowed ?? 0,
      );
      expect(sum(allowed)).toBeGreaterThanOrEqual(1);
      expect(listener.publications.map(({ data }) => data)).toEqual([1]);
      expect((await stage.get('/readyz')).status).toBe(200);
      listener.leave();
    };
  }),
  methodRow('Config', { name: 'config running', line: () => [] }, async (ask, stage) => {
    const { settings, config_source } = await ask({});
    return async () => {
      expect(config_source).toBe(stage.config);
      const of = (key: string) => settings.find(setting => setting.key === key);
      expect(of('rate_limits.publish.rate')).toMatchObject({ value: '1234/1s', source: 'file' });
      expect(of('schema_validation')?.value).toMatchObject([{ pattern: STRICT, mode: 'strict' }]);
      expect(of('observability.metrics_bearer_token')).toMatchObject({
        value: null,
        secret: true,
        is_set: false,
      });
      const { body } = await stage.get('/manifest');
      expect(body['payload']).toMatchObject({ rate_limits: { publish: { rate: 1234 } } });
    };
  }),
];
