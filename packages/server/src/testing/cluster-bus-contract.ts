import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import { systemRandom } from '@msg/foundation/clock';
import { generateKey, KeySet } from '../auth/keys/key-set.ts';
import type { ClusterBus, Stores } from '../stores/contract.ts';

/** Two nodes on one empty backend. */
export interface ClusterBusSubject {
  readonly here: Stores;
  readonly there: Stores;
  /** Interrupts the second node's connection to the backend; absent for a backend without connections. */
  readonly interrupt?: () => Promise<void>;
  /** Waits up to a deadline. Rejects with the name of the missing condition. */
  eventually(what: string, holds: () => boolean): Promise<void>;
}

/** A listening node and its events: `channel <kind> <name>`, `keyring`, `schemas`, `reconnected`. */
interface ListeningNode {
  readonly stores: Stores;
  readonly bus: ClusterBus;
  readonly received: string[];
}

async function listening(stores: Stores): Promise<ListeningNode> {
  const { clusterBus: bus } = stores;
  assert.ok(bus !== undefined, 'stores.clusterBus is missing');
  const received: string[] = [];
  await bus.start({
    onChannelChanged: ({ kind, name }) => received.push(`channel ${kind} ${name}`),
    onKeyringChanged: () => received.push('keyring'),
    onSchemasChanged: () => received.push('schemas'),
    onReconnected: () => received.push('reconnected'),
  });
  return { stores, bus, received };
}

type Nodes = { readonly here: ListeningNode; readonly there: ListeningNode };

/** A case in which both nodes listen; they are closed at its end. */
function promise(
  name: string,
  holds: (nodes: Nodes, subject: ClusterBusSubject) => Promise<void>,
): ContractCase<ClusterBusSubject> {
  return {
    name,
    async holds(subject) {
      const here = await listening(subject.here);
      const there = await listening(subject.there);
      try {
        await holds({ here, there }, subject);
      } finally {
        await here.bus.close();
        await there.bus.close();
      }
    },
  };
}

const channels = ({ received }: ListeningNode): string[] =>
  received.filter(text => text.startsWith('channel '));

/** What the bus of every backend does. */
export const CLUSTER_BUS_CONTRACT: readonly ContractCase<ClusterBusSubject>[] = [
  promise(
    'a change of a channel is told once to the other node, in order, and not to its own',
    async ({ here, there }, { eventually }) => {
      await here.stores.registry.openPublic('public:bus.a', 60_000);
      await here.stores.registry.openPublic('public:bus.a', 60_000);
      await here.stores.registry.delete('public:bus.a');
      await there.stores.registry.openPublic('public:bus.b', 60_000);
      await eventually('both nodes hear', () => channels(there).length > 1 && channels(here).length > 0);
      await here.stores.registry.openPublic('public:bus.last', 60_000);
      const last = 'channel opened public:bus.last';
      await eventually('the last change is received', () => there.received.includes(last));
      assert.deepEqual(channels(there), [
        'channel opened public:bus.a',
        'channel deleted public:bus.a',
        last,
      ]);
      assert.deepEqual(channels(here), ['channel opened public:bus.b']);
    },
  ),

  promise(
    'what the registry of the other node knows by heart follows the change',
    async ({ here, there }, { eventually }) => {
      await there.stores.registry.openPublic('public:bus.a', 60_000);
      await here.stores.registry.delete('public:bus.a');
      await eventually('the deletion is received', () =>
        there.received.includes('channel deleted public:bus.a'),
      );
      const seen = there.stores.registry.peek('public:bus.a');
      assert.ok(seen === undefined || seen.state === 'deleted', `peek answers ${seen?.state}`);
    },
  ),

  promise('a written keyring is told to the other node', async ({ here, there }, { eventually }) => {
    const { keyring } = here.stores;
    if (keyring === undefined) return;
    await keyring.save(new KeySet([]).with(await generateKey(systemRandom, 1_767_323_045_000)), undefined);
    await eventually('the keyring is received', () => there.received.includes('keyring'));
  }),

  promise('written schemas are told to the other node', async ({ here, there }, { eventually }) => {
    const { schemas } = here.stores;
    const { revision: seen } = await schemas.load();
    const history = [{ pattern: 'bus.{id}', version: 1, aspects: {} }];
    assert.equal(typeof (await schemas.step({ seen, pattern: 'bus.{id}', history })), 'string');
    await eventually('the schemas are received', () => there.received.includes('schemas'));
  }),

  promise('each part has a name, and one that does not work says why', async ({ here }) => {
    const parts = Object.entries(here.bus.health);
    assert.ok(parts.length > 0, 'health names no part');
    for (const [name, { ok, detail }] of parts)
      assert.ok(ok || (detail ?? '') !== '', `${name} does not say why`);
  }),

  promise('a node that was cut off learns that it is back', async ({ here, there }, subject) => {
    if (subject.interrupt === undefined) return;
    await subject.interrupt();
    await subject.eventually('the node is back', () => there.received.includes('reconnected'));
    await here.stores.registry.openPublic('public:bus.later', 60_000);
    const later = 'channel opened public:bus.later';
    await subject.eventually('what comes later is received', () => there.received.includes(later));
  }),

  promise('a closed bus tells nothing, and closing it again is harmless', async ({ here, there }) => {
    await there.bus.close();
    await there.bus.close();
    const before = [...there.received];
    // Several round trips to the backend, in which pending events arrive.
    for (const name of ['a', 'b', 'c']) await here.stores.registry.openPublic(`public:bus.${name}`, 60_000);
    assert.deepEqual(there.received, before);
  }),
];
