import type { FilterNode, Init } from '@msg/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { Harness, OPEN_POLICY } from '../harness.ts';

let harness: Harness;
afterEach(() => harness.stop());

async function start(tagsFilter: boolean): Promise<void> {
  harness = await Harness.start({
    policy: { ...OPEN_POLICY, subscribe: () => ({ recovery: 'stream', tagsFilter }) },
  });
}

const publish = (tags: Record<string, string>) =>
  harness.node.publish('a', Buffer.from(JSON.stringify(tags)), { tags: new Map(Object.entries(tags)) });

/** filter, tags, matches? (client protocol 13) */
const TABLE: [Init<FilterNode>, Record<string, string>, boolean][] = [
  [{ key: 'k', cmp: 'eq', val: 'v' }, { k: 'v' }, true],
  [{ key: 'k', cmp: 'eq', val: 'v' }, { k: 'w' }, false],
  [{ key: 'k', cmp: 'eq', val: 'v' }, {}, false],
  [{ key: 'k', cmp: 'neq', val: 'v' }, { k: 'w' }, true],
  [{ key: 'k', cmp: 'neq', val: 'v' }, { k: 'v' }, false],
  [{ key: 'k', cmp: 'neq', val: 'v' }, {}, true],
  [{ key: 'k', cmp: 'in', vals: ['a', 'b'] }, { k: 'b' }, true],
  [{ key: 'k', cmp: 'in', vals: ['a', 'b'] }, { k: 'c' }, false],
  [{ key: 'k', cmp: 'in', vals: ['a', ''] }, {}, true],
  [{ key: 'k', cmp: 'nin', vals: ['a', 'b'] }, { k: 'c' }, true],
  [{ key: 'k', cmp: 'nin', vals: ['a', 'b'] }, {}, true],
  [{ key: 'k', cmp: 'nin', vals: ['a', ''] }, {}, false],
  [{ key: 'k', cmp: 'ex' }, { k: '' }, true],
  [{ key: 'k', cmp: 'ex' }, {}, false],
  [{ key: 'k', cmp: 'nex' }, {}, true],
  [{ key: 'k', cmp: 'nex' }, { k: '1' }, false],
  [{ key: 'k', cmp: 'sw', val: 'ab' }, { k: 'abc' }, true],
  [{ key: 'k', cmp: 'sw', val: 'ab' }, {}, false],
  [{ key: 'k', cmp: 'ew', val: 'bc' }, { k: 'abc' }, true],
  [{ key: 'k', cmp: 'ct', val: 'b' }, { k: 'abc' }, true],
  [{ key: 'k', cmp: 'ct', val: 'x' }, { k: 'abc' }, false],
  [{ key: 'k', cmp: 'gt', val: '10.5' }, { k: '10.6' }, true],
  [{ key: 'k', cmp: 'gt', val: '10.5' }, { k: '9' }, false],
  [{ key: 'k', cmp: 'gt', val: '10.5' }, { k: 'many' }, false],
  [{ key: 'k', cmp: 'gt', val: 'x' }, { k: '1' }, false],
  [{ key: 'k', cmp: 'gte', val: '10' }, { k: '10' }, true],
  [{ key: 'k', cmp: 'lt', val: '10' }, { k: '-3' }, true],
  [{ key: 'k', cmp: 'lte', val: '10' }, { k: '10.0' }, true],
  [{ key: 'k', cmp: 'lt', val: '10' }, {}, false],
  [{ op: 'not', nodes: [{ key: 'k', cmp: 'ex' }] }, {}, true],
  [
    {
      op: 'and',
      nodes: [
        { key: 'k', cmp: 'ex' },
        { key: 'l', cmp: 'ex' },
      ],
    },
    { k: '1' },
    false,
  ],
  [
    {
      op: 'and',
      nodes: [
        { key: 'k', cmp: 'ex' },
        { key: 'l', cmp: 'ex' },
      ],
    },
    { k: '1', l: '2' },
    true,
  ],
  [
    {
      op: 'or',
      nodes: [
        { key: 'k', cmp: 'ex' },
        { key: 'l', cmp: 'ex' },
      ],
    },
    { l: '1' },
    true,
  ],
  [{ op: 'or', nodes: [{ key: 'k', cmp: 'ex' }] }, {}, false],
];

const leaf: Init<FilterNode> = { key: 'k', cmp: 'ex' };
const nested = (depth: number): Init<FilterNode> =>
  depth === 1 ? leaf : { op: 'not', nodes: [nested(depth - 1)] };

const INVALID: [string, Init<FilterNode>][] = [
  ['no comparison', { key: 'k' }],
  ['an unknown comparison', { key: 'k', cmp: 'like', val: 'x' }],
  ['no key', { cmp: 'eq', val: 'x' }],
  ['eq without value', { key: 'k', cmp: 'eq' }],
  ['eq with a list', { key: 'k', cmp: 'eq', val: 'x', vals: ['x'] }],
  ['in without list', { key: 'k', cmp: 'in' }],
  ['in with a value', { key: 'k', cmp: 'in', val: 'x', vals: ['x'] }],
  ['ex with a value', { key: 'k', cmp: 'ex', val: 'x' }],
  ['an unknown op', { op: 'xor', nodes: [leaf] }],
  ['and without nodes', { op: 'and' }],
  ['not with two nodes', { op: 'not', nodes: [leaf, leaf] }],
  ['9 levels', nested(9)],
  ['65 nodes', { op: 'and', nodes: Array.from({ length: 64 }, () => leaf) }],
];

describe('tags filter', () => {
  it.each(TABLE)('%j on %j: %s', async (tf, tags, matches) => {
    await start(true);
    const client = await harness.connected();
    expect((await client.request({ subscribe: { channel: 'a', tf } })).error).toBeNull();
    const witness = await harness.connected();
    await witness.request({ subscribe: { channel: 'a' } });
    await publish(tags);
    await witness.push();
    await client.request({ unsubscribe: { channel: 'a' } });
    expect(client.received.length).toBe(matches ? 1 : 0);
  });

  it.each(INVALID)('is refused with 107: %s', async (_name, tf) => {
    await start(true);
    const client = await harness.connected();
    expect((await client.request({ subscribe: { channel: 'a', tf } })).error?.code).toBe(107);
    expect(harness.node.stats().subscriptions).toBe(0);
  });

  it('takes 8 levels and 64 nodes', async () => {
    await start(true);
    const client = await harness.connected();
    const wide = { op: 'or', nodes: Array.from({ length: 63 }, () => leaf) };
    expect((await client.request({ subscribe: { channel: 'a', tf: nested(8) } })).error).toBeNull();
    expect((await client.request({ subscribe: { channel: 'b', tf: wide } })).error).toBeNull();
  });

  it('is refused where the server does not allow it', async () => {
    await start(false);
    const client = await harness.connected();
    expect((await client.request({ subscribe: { channel: 'a', tf: leaf } })).error?.code).toBe(107);
  });

  it('leaves out what does not pass, also in recovery, without breaking continuity', async () => {
    await start(true);
    const { epoch } = await harness.node.history('a', { limit: 0 });
    await publish({ k: '1' });
    await publish({});
    await publish({ k: '3' });
    await publish({});
    const client = await harness.connected();
    const { subscribe } = await client.request({
      subscribe: { channel: 'a', recover: true, offset: 0, epoch, tf: leaf },
    });
    expect(subscribe).toMatchObject({ recovered: true });
    expect(subscribe?.publications.map(({ offset }) => offset)).toEqual([1, 3]);
    await publish({});
    await publish({ k: '6' });
    expect((await client.push()).pub?.offset).toBe(6);
  });
});
