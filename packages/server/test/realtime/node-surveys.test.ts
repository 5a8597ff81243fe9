import { describe, expect, it } from 'vitest';
import { NodeSurveys, type SurveyingNode, type SurveyQuestion } from '#src/realtime/node-surveys.ts';
import { RoleSupport } from '#src/realtime/role-support.ts';

const SUM: SurveyQuestion<readonly number[], number> = { operation: 'sum' };
const encoded = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** Nodes that answer with these codes; the first is this one. */
function nodesOf(codes: Readonly<Record<string, number | undefined>>, operational = true): SurveyingNode {
  return {
    operational,
    nodes: () => Object.keys(codes),
    survey: async () =>
      new Map(
        Object.entries(codes).flatMap(([id, code]) =>
          code === undefined
            ? []
            : [[id, { code, data: code === 0 ? encoded(7) : new Uint8Array(0) }] as const],
        ),
      ),
  };
}

describe('a question to all nodes', () => {
  it('has the answers by node, and names those that gave none with the reason', async () => {
    const surveys = new NodeSurveys(() => nodesOf({ a: 0, b: 404, c: 500, d: undefined }));
    const { answers, missing } = await surveys.ask(SUM, [1]);
    expect([...answers]).toEqual([['a', 7]]);
    expect(missing).toEqual([
      { node: 'b', reason: 'version' },
      { node: 'c', reason: 'failed' },
      { node: 'd', reason: 'silent' },
    ]);
  });

  it('of one node alone is about that node alone', async () => {
    const surveys = new NodeSurveys(() => nodesOf({ a: 0, b: undefined }));
    expect((await surveys.ask(SUM, [1], 'a')).missing).toEqual([]);
  });

  it('is refused while this node does not run', async () => {
    const surveys = new NodeSurveys(() => nodesOf({ a: 0 }, false));
    await expect(surveys.ask(SUM, [1])).rejects.toMatchObject({ code: 'MSG_BROKER_NOT_READY' });
  });

  it('is answered by what registered for it, and by nothing else', async () => {
    const surveys = new NodeSurveys(() => nodesOf({}));
    surveys.answer(SUM, async numbers => numbers.reduce((sum, number) => sum + number, 0));
    const answer = await surveys.respond('sum', encoded([1, 2]));
    expect([answer?.code, new TextDecoder().decode(answer?.data)]).toEqual([0, '3']);
    expect(await surveys.respond('other', encoded(null))).toBeUndefined();
  });
});

describe('a token with a role', () => {
  it('waits until every node knows roles', async () => {
    const mixed = new RoleSupport(new NodeSurveys(() => nodesOf({ a: 0, old: 404 })));
    await expect(mixed.require()).rejects.toMatchObject({
      code: 'MSG_BROKER_NOT_READY',
      message: expect.stringContaining('node old is older'),
    });
    await new RoleSupport(new NodeSurveys(() => nodesOf({ a: 0, b: 0, quiet: undefined }))).require();
  });
});
