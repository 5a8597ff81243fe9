import { describe, expect, it } from 'vitest';
import type { NodeSurveys, SurveyResult } from '#src/realtime/node-surveys.ts';
import { excessOf, type NodeLoad, Rebalancer } from '#src/realtime/rebalancer.ts';

const load = (connections: number, takes = true): NodeLoad => ({ connections, takes });

describe('what a node has above its share', () => {
  it.each([
    ['alone', 1000, [1000], 0],
    ['equal', 500, [500, 500], 0],
    ['beside an empty node', 1000, [1000, 0], 500],
    ['after a rolling restart of three', 6250, [6250, 3750, 0], 2916],
    ['with fewer than the others', 10, [10, 1000], 0],
    ['at five percent', 1050, [1050, 950], 0],
    ['above five percent', 1060, [1060, 940], 60],
    ['too few to be worth it', 8, [8, 0], 0],
  ])('%s', (_name, own, all, excess) => {
    const loads = all.map(connections => load(connections));
    expect(excessOf(load(own), loads)).toBe(excess);
  });

  it('is nothing while a node takes no connections', () => {
    expect(excessOf(load(900), [load(900), load(0), load(100, false)])).toBe(0);
  });
});

it('a process with threads is one node, which has what its threads have', async () => {
  const answers = new Map([
    ['own', load(1000)],
    ['p', load(0)],
    ['p/1.1', load(500)],
    ['p/2.4', load(500)],
  ]);
  let shed = 0;
  const rebalancer = new Rebalancer({
    node: () => ({
      running: true,
      stats: () => ({ connections: 1000 }),
      shed: async count => {
        shed += count;
        return count;
      },
    }),
    surveys: { answer: () => {}, ask: async () => ({ answers, missing: [] }) } as unknown as NodeSurveys, // one question
    ready: () => true,
    windowMs: 20_000,
    clock: { monotonic: () => 0 },
    logger: { info: () => {}, warn: () => {} },
  });
  await rebalancer.compare();
  expect(shed).toBe(0);
  answers.delete('p/2.4');
  await rebalancer.compare();
  expect(shed).toBeGreaterThan(0);
});

const COMPARISON_MS = 4000;

/** Nodes behind a balancer, which gives each client that is sent elsewhere to the node it chooses. */
class Nodes {
  readonly connections: number[];
  readonly running: boolean[];
  readonly logged: string[] = [];
  readonly moved: number[] = [];
  missing: SurveyResult<NodeLoad>['missing'] = [];
  now = 0;
  readonly #rebalancers: Rebalancer[];
  readonly #choose: () => number;

  constructor(connections: readonly number[], choose: (client: number) => number, windowMs = 20_000) {
    this.connections = [...connections];
    this.running = connections.map(() => true);
    let client = 0;
    this.#choose = () => choose(client++);
    this.#rebalancers = connections.map((_, index) => this.#rebalancer(index, windowMs));
  }

  /** Each node compares once. */
  async compare(): Promise<void> {
    for (const rebalancer of this.#rebalancers) await rebalancer.compare();
    this.now += COMPARISON_MS;
  }

  #rebalancer(index: number, windowMs: number): Rebalancer {
    const loadHere = (): NodeLoad => load(this.connections[index] ?? 0, this.running[index]);
    return new Rebalancer({
      node: () => ({
        running: this.running[index] ?? false,
        stats: () => ({ connections: loadHere().connections }),
        shed: async count => {
          this.moved.push(count);
          this.connections[index] = loadHere().connections - count;
          for (let moved = 0; moved < count; moved++) {
            const to = this.#choose();
            this.connections[to] = (this.connections[to] ?? 0) + 1;
          }
          return count;
        },
      }),
      surveys: { answer: () => {}, ask: () => Promise.resolve(this.#survey()) } as unknown as NodeSurveys, // one question
      ready: () => true,
      windowMs,
      clock: { monotonic: () => this.now },
      logger: {
        info: (_fields, message) => this.logged.push(message),
        warn: (_fields, message) => this.logged.push(message),
      },
    });
  }

  #survey(): SurveyResult<NodeLoad> {
    const answers = this.connections.map(
      (connections, index) => [String(index), load(connections, this.running[index])] as const,
    );
    return { answers: new Map(answers), missing: this.missing };
  }
}

describe('nodes that send clients elsewhere', () => {
  it('share them evenly behind a balancer that takes turns, a part of the window at a time', async () => {
    const nodes = new Nodes([6000, 4000, 0], client => client % 3);
    await nodes.compare();
    expect(nodes.moved[0]).toBeLessThan(6000 / 5);
    for (let round = 0; round < 20; round++) await nodes.compare();
    for (const connections of nodes.connections) expect(connections - 10_000 / 3).toBeLessThan(170);
    expect(nodes.logged).toContain('clients were sent elsewhere');
    const settled = nodes.moved.length;
    await nodes.compare();
    expect(nodes.moved).toHaveLength(settled);
  });

  it('send none while one of them stops, or does not answer', async () => {
    const nodes = new Nodes([900, 0, 0], client => client % 3);
    nodes.running[2] = false;
    await nodes.compare();
    expect(nodes.moved).toEqual([]);
    nodes.running[2] = true;
    nodes.missing = [{ node: '1', reason: 'silent' }];
    await nodes.compare();
    expect(nodes.moved).toEqual([]);
    nodes.missing = [];
    await nodes.compare();
    expect(nodes.moved).not.toEqual([]);
  });

  it('stop for ten minutes when the clients come back to the same node', async () => {
    const nodes = new Nodes([1000, 0], () => 0);
    for (let round = 0; round < 25; round++) await nodes.compare();
    expect(nodes.logged.at(-1)).toContain('the balancer is sticky');
    const sent = nodes.moved.reduce((sum, count) => sum + count, 0);
    expect(sent).toBeLessThan(3000);
    nodes.now += 600_000;
    await nodes.compare();
    expect(nodes.moved.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(sent);
  });
});
