import { eventually } from '@msg/testkit';
import { expect } from 'vitest';
import { type MethodRow, methodRow } from './row.ts';
import { STRICT } from './stage.ts';

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
      const [first, second] = [before.nodes[0], after.nodes[0]];
      expect(second).toMatchObject({ ready: true, phase: 'running', id: first?.id });
      const { body } = await stage.rpc('ListConnections', { name });
      expect(body['connections']).toMatchObject([{ node: second?.id }]);
      expect((second?.connections ?? 0) - (first?.connections ?? 0)).toBe(1);
      expect((second?.publishes ?? 0) - (first?.publishes ?? 0)).toBe(1);
      expect((second?.deliveries ?? 0) - (first?.deliveries ?? 0)).toBe(1);
      const allowed = second?.limits.find(({ bucket }) => bucket === 'publish')?.allowed;
      expect(allowed).toBeGreaterThanOrEqual(1);
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
