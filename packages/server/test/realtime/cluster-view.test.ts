import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { answerView, ClusterView, type SurveyedNode } from '#src/realtime/cluster-view.ts';

const FACTS = { version: '1', clock: new ManualClock(), startedAt: 0 };

function nodeWith(id: string, channels: Readonly<Record<string, number>>): SurveyedNode {
  return {
    id,
    channels: () => Object.keys(channels),
    subscriberCount: channel => channels[channel] ?? 0,
    clients: function* () {},
  };
}

/** A view of nodes that all answer, but for those that are silent. */
function viewOf(nodes: readonly SurveyedNode[], silent: readonly string[] = []): ClusterView {
  return new ClusterView(() => ({
    operational: true,
    nodes: () => [...nodes.map(({ id }) => id), ...silent],
    async survey(operation, data) {
      const answers = nodes.map(node => [node.id, answerView(node, FACTS, operation, data)] as const);
      return new Map(
        answers.flatMap(([id, answer]) => (answer === undefined ? [] : [[id, answer] as const])),
      );
    },
  }));
}

describe('channels of all nodes', () => {
  const nodes = [
    nodeWith('a', { 'public:app.x': 1, 'public:app.y': 2, 'public:app.idle': 0 }),
    nodeWith('b', { 'public:app.y': 3, 'private:app.z': 1 }),
  ];

  it('are summed, without those that have no subscribers', async () => {
    const counts = await viewOf(nodes).channels('', 10);
    expect(Object.fromEntries(counts ?? [])).toEqual({
      'public:app.x': 1,
      'public:app.y': 5,
      'private:app.z': 1,
    });
    expect([...((await viewOf(nodes).channels('private:*', 10)) ?? [])]).toEqual([['private:app.z', 1]]);
  });

  it('are not listed when there are more than were asked for', async () => {
    expect(await viewOf(nodes).channels('', 3)).toHaveProperty('size', 3);
    expect(await viewOf(nodes).channels('', 2)).toBeUndefined();
    expect(await viewOf(nodes).channels('', 1)).toBeUndefined();
  });

  it('are an error when a live node does not answer', async () => {
    await expect(viewOf(nodes, ['c']).channels('', 10)).rejects.toMatchObject({
      code: 'MSG_BROKER_INTERNAL',
    });
    await expect(viewOf(nodes, ['c']).nodes()).rejects.toMatchObject({ code: 'MSG_BROKER_INTERNAL' });
  });
});
