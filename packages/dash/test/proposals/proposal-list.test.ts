import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { emptyPage } from '#src/document/empty-page.ts';
import type { DashError } from '#src/errors.ts';
import { type ProposalRequest, proposalName } from '#src/proposals/proposal.ts';
import { PROPOSAL_LIMITS, ProposalList } from '#src/proposals/proposal-list.ts';

const base = { document: emptyPage('d'), revision: 'r1', isExact: true };
const proposer = { name: 'agent', version: '1' };
const title = (value: string, more: Partial<ProposalRequest> = {}): ProposalRequest => ({
  id: 'd',
  ops: [{ op: 'add', path: '/$manifest/title', value }],
  ...more,
});

function list() {
  const clock = new ManualClock();
  return { clock, proposals: new ProposalList(clock) };
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as DashError).code;
  }
  return 'nothing was thrown';
}

describe('the name of a proposal', () => {
  it('follows from document, operations and base, not from note, proposer or the order of members', () => {
    const name = proposalName(title('a'));
    expect(name).toMatch(/^[a-z2-7]{10}$/);
    expect(proposalName(title('a', { note: 'x', proposer }))).toBe(name);
    expect(proposalName({ id: 'd', ops: [{ value: 'a', path: '/$manifest/title', op: 'add' }] })).toBe(name);
    const others = [
      title('b'),
      title('a', { id: 'e' }),
      title('a', { baseRevision: 'r' }),
      title('a', { create: true }),
    ];
    expect(new Set([name, ...others.map(proposalName)]).size).toBe(5);
  });
});

describe('proposals under review', () => {
  it('give one link for equal content, and stay handed over once they were', () => {
    const { proposals } = list();
    const first = proposals.add(title('a'), 'link', base);
    expect(proposals.add(title('a'), 'handed', base)).toMatchObject({ name: first.name, via: 'handed' });
    expect(proposals.add(title('a'), 'link', base).via).toBe('handed');
    expect(proposals.list()).toHaveLength(1);
  });

  it('supersede older ones of the same document and proposer, and of no other', () => {
    const { proposals } = list();
    const kinds = () =>
      proposals
        .list()
        .map(({ state }) => state.kind)
        .reverse();
    proposals.add(title('a', { proposer }), 'handed', base);
    proposals.add(title('b', { proposer: { name: 'other', version: '1' } }), 'handed', base);
    proposals.add(title('c', { proposer, id: 'e' }), 'handed', base);
    proposals.add(title('d'), 'handed', base);
    proposals.add(title('e', { proposer }), 'handed', base);
    expect(kinds()).toEqual(['superseded', 'open', 'open', 'open', 'open']);
    proposals.add(title('a', { proposer }), 'handed', base);
    expect(kinds()).toEqual(['open', 'open', 'open', 'open', 'superseded']);
  });

  it('are decided once; a decision that fails leaves them open, and while one runs no other may', async () => {
    const { proposals } = list();
    const { name } = proposals.add(title('a'), 'handed', base);
    await expect(proposals.decide(name, () => Promise.reject(new Error('full disk')))).rejects.toThrow(
      'full disk',
    );
    expect(proposals.get(name).state).toEqual({ kind: 'open' });
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = proposals.decide(name, async () => {
      await promise;
      return [{ kind: 'committed', revision: 'r2' }, 'done'];
    });
    await expect(proposals.decide(name, async () => [{ kind: 'superseded' }, 0])).rejects.toMatchObject({
      code: 'PROPOSAL_DECIDED',
    });
    resolve();
    expect(await running).toBe('done');
    await expect(proposals.decide(name, async () => [{ kind: 'superseded' }, 0])).rejects.toMatchObject({
      code: 'PROPOSAL_DECIDED',
      details: { state: 'committed' },
    });
    expect(proposals.add(title('a'), 'handed', base).state).toEqual({ kind: 'committed', revision: 'r2' });
  });

  it('tell who waits when the state changes, and nothing before', async () => {
    const { clock, proposals } = list();
    const { name } = proposals.add(title('a'), 'handed', base);
    const signal = new AbortController().signal;
    const waiting = proposals.wait(name, 45_000, signal);
    await proposals.decide(name, async () => [{ kind: 'returned', comment: 'no' }, undefined]);
    expect((await waiting).state).toEqual({ kind: 'returned', comment: 'no' });
    expect((await proposals.wait(name, 45_000, signal)).state.kind).toBe('returned');
    const open = proposals.add(title('b'), 'handed', base);
    const elapsed = proposals.wait(open.name, 45_000, signal);
    await clock.advance(45_000);
    expect((await elapsed).state.kind).toBe('open');
    const gone = new AbortController();
    const left = proposals.wait(open.name, 45_000, gone.signal);
    gone.abort();
    expect((await left).state.kind).toBe('open');
  });

  it('expire after a day, are known for one more, and are alive again when they are handed over again', async () => {
    const { clock, proposals } = list();
    const { name } = proposals.add(title('a'), 'handed', base);
    await clock.advance(PROPOSAL_LIMITS.openMs - 1);
    expect(proposals.get(name).state.kind).toBe('open');
    await clock.advance(1);
    expect(proposals.get(name).state.kind).toBe('expired');
    await clock.advance(PROPOSAL_LIMITS.decidedMs);
    expect(codeOf(() => proposals.get(name))).toBe('PROPOSAL_NOT_FOUND');
    expect(proposals.add(title('a'), 'handed', base)).toMatchObject({ name, state: { kind: 'open' } });
  });

  it('are at most 200: decided ones give way, the oldest first, open ones never', async () => {
    const { proposals } = list();
    const names = Array.from(
      { length: PROPOSAL_LIMITS.count },
      (_, index) => proposals.add(title(`${index}`), 'handed', base).name,
    );
    expect(codeOf(() => proposals.add(title('more'), 'handed', base))).toBe('PROPOSAL_LIMIT');
    for (const name of names.slice(0, 2))
      await proposals.decide(name, async () => [{ kind: 'returned', comment: '' }, 0]);
    proposals.add(title('more'), 'handed', base);
    expect(codeOf(() => proposals.get(names[0] ?? ''))).toBe('PROPOSAL_NOT_FOUND');
    expect(proposals.get(names[1] ?? '').state.kind).toBe('returned');
    expect(proposals.list()).toHaveLength(PROPOSAL_LIMITS.count);
  });

  it('hold at most 1 MiB each and 64 MiB together', () => {
    const { proposals } = list();
    expect(codeOf(() => proposals.add(title('x'.repeat(PROPOSAL_LIMITS.bytes)), 'handed', base))).toBe(
      'PROPOSAL_LIMIT',
    );
    const large = { ...base, document: { text: 'x'.repeat(16 * 1024 * 1024) } };
    for (const value of ['a', 'b', 'c']) proposals.add(title(value), 'handed', large);
    expect(codeOf(() => proposals.add(title('d'), 'handed', large))).toBe('PROPOSAL_LIMIT');
  });

  it('count with the document of today when they are handed over again', async () => {
    const { proposals } = list();
    const large = { ...base, document: { text: 'x'.repeat(16 * 1024 * 1024) } };
    const small = proposals.add(title('small'), 'handed', base);
    for (const value of ['a', 'b', 'c']) proposals.add(title(value), 'handed', large);
    await proposals.decide(small.name, async () => [{ kind: 'returned', comment: '' }, 0]);
    expect(codeOf(() => proposals.add(title('small'), 'handed', large))).toBe('PROPOSAL_LIMIT');
  });

  it('wait for a person again to run their queries when they are handed over again', async () => {
    const { proposals } = list();
    const { name } = proposals.add(title('a'), 'handed', base);
    expect(proposals.letQueriesRun(name).runsQueries).toBe(true);
    expect(proposals.add(title('a'), 'handed', base).runsQueries).toBe(true);
    await proposals.decide(name, async () => [{ kind: 'returned', comment: '' }, 0]);
    const again = proposals.add(title('a'), 'link', base);
    expect(again).toMatchObject({ name, via: 'handed', state: { kind: 'open' } });
    expect(again.runsQueries).toBeUndefined();
  });
});
