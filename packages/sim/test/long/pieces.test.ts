import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CORPUS, corpusOf, openOf } from '../../src/cli/corpus.ts';
import { type Finished, lostSeed } from '../../src/cli/long/finished.ts';
import {
  countOf,
  isRecorded,
  nextSeed,
  type Result,
  readResult,
  sumOf,
  writePiece,
} from '../../src/cli/long/result.ts';
import { beginState, Journal, lockState, type PieceIdentity, readState } from '../../src/cli/long/state.ts';

const HOUR_MS = 3_600_000;
const IDENTITY: PieceIdentity = { commit: 'c1', node: 'v26.0.0', class: 'all', from: 1 };
let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'msg-piece-'));
  file = join(folder, 'campaign/result.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

function finished(seed: number, change: Partial<Finished> = {}): Finished {
  return {
    ...{ world: 'standard', seed, hash: 'h', virtualMs: HOUR_MS, isCluster: true, coreMs: HOUR_MS / 10 },
    ...{ rssMiB: 100 + seed, events: 7, counts: { deliveries: 1000, recovered: 2 }, faults: { cut: 3 } },
    ...{ codes: { 2500: 1 }, violations: [] },
    ...change,
  };
}

/** The state of a folder in which these seeds have been finished. */
function stateWith(seeds: readonly Finished[], identity = IDENTITY) {
  beginState(folder, identity);
  const journal = new Journal(folder);
  for (const seed of seeds) journal.append(seed);
  const state = readState(folder);
  if (state === undefined) throw new Error('no piece has begun');
  return state;
}

describe('the state of a piece', () => {
  it('is what its finished seeds come to', () => {
    const { identity, done, totals } = stateWith([
      finished(2),
      finished(1, { world: 'memory', isCluster: false, counts: { deliveries: 5 }, codes: { 3012: 2 } }),
    ]);
    expect(identity).toEqual(IDENTITY);
    expect(done).toEqual(new Set([1, 2]));
    expect(totals).toMatchObject({
      seeds: 2,
      deliveries: 1005,
      clusterMs: HOUR_MS,
      failures: 0,
      rssMiB: 102,
    });
    expect([totals.faults, totals.codes]).toEqual([{ cut: 6 }, { 2500: 1, 3012: 2 }]);
    expect(totals.classes['standard']?.counts).toEqual({ deliveries: 1000, recovered: 2 });
  });

  it('does not count a line that a kill cut off, and the next line stands alone', () => {
    stateWith([finished(1)]);
    appendFileSync(join(folder, 'finished.jsonl'), '{"world":"standard","seed":2,"ha');
    expect(readState(folder)?.done).toEqual(new Set([1]));
    new Journal(folder).append(finished(3));
    expect(readState(folder)?.done).toEqual(new Set([1, 3]));
  });

  it('counts seeds with findings, of the service and of the simulator', () => {
    const violations = [{ oracle: 'O1', atUs: 5, text: 'a gap' }];
    const { totals } = stateWith([
      finished(1, { violations }),
      lostSeed({ world: 'memory', seed: 2 }, 'SIGKILL'),
    ]);
    expect(totals.failures).toBe(2);
    expect(totals.findings.map(({ oracle, seed }) => [oracle, seed])).toEqual([
      ['O1', 1],
      ['simulator', 2],
    ]);
  });

  it('is kept by one process at a time, and a dead one keeps nobody out', () => {
    const unlock = lockState(folder);
    expect(() => lockState(folder)).toThrow(`process ${process.pid} plays a campaign in ${folder}`);
    unlock();
    lockState(folder)();
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });
});

describe('the recorded pieces', () => {
  it('add up', () => {
    const first = stateWith([finished(1), finished(2), finished(4)]);
    expect(isRecorded(first, readResult(file))).toBe(false);
    const piece = writePiece(first, '2026-11-28', file);
    expect(piece.seeds).toEqual([
      [1, 2],
      [4, 4],
    ]);
    expect(countOf(piece)).toBe(3);
    expect(isRecorded(first, readResult(file))).toBe(true);
    expect(nextSeed(readResult(file))).toBe(5);
    writePiece(stateWith([finished(5)], { ...IDENTITY, commit: 'c2', from: 5 }), '2026-11-29', file);
    const sum = sumOf(readResult(file));
    expect(sum).toMatchObject({ seeds: 4, deliveries: 4000, clusterHours: 4, faults: { cut: 12 } });
    expect(sum.coreHours).toBeCloseTo(0.4);
    expect(sum.classes['standard']).toMatchObject({ seeds: 4, hours: 4, counts: { recovered: 8 } });
  });

  it('have one entry of a piece that is added again, and keep where its findings are', () => {
    const broken = finished(1, { violations: [{ oracle: 'O1', atUs: 5, text: 'a gap' }] });
    writePiece(stateWith([broken]), '2026-11-28', file);
    const result = JSON.parse(
      readFileSync(file, 'utf8').replace('"corpus": null', '"corpus": "a-gap"'),
    ) as Result;
    expect(result.pieces[0]?.findings).toMatchObject([{ oracle: 'O1', corpus: 'a-gap' }]);
    rmSync(file);
    appendFileSync(file, JSON.stringify(result));
    writePiece(stateWith([broken, finished(2)]), '2026-11-29', file);
    const { pieces } = readResult(file);
    expect(pieces).toHaveLength(1);
    expect(pieces[0]).toMatchObject({
      date: '2026-11-29',
      deliveries: 2000,
      findings: [{ corpus: 'a-gap' }],
    });
  });
});

describe('the campaign of this repository', () => {
  const { pieces } = readResult();
  const plans = new Set([...corpusOf(CORPUS), ...corpusOf(openOf(CORPUS))].map(({ name }) => name));

  it('has a plan in the corpus for every finding', () => {
    for (const { findings } of pieces)
      for (const { oracle, seed, corpus } of findings)
        expect(plans, `${oracle} of seed ${seed}`).toContain(corpus);
  });

  it('has pieces whose classes come to what they say', () => {
    for (const piece of pieces) {
      const classes = Object.values(piece.classes);
      const seeds = classes.reduce((sum, each) => sum + each.seeds, 0);
      const deliveries = classes.reduce((sum, { counts }) => sum + (counts['deliveries'] ?? 0), 0);
      expect([countOf(piece), piece.deliveries], piece.commit).toEqual([seeds, deliveries]);
    }
  });
});
