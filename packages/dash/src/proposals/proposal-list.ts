import { type Clock, systemClock } from '@msg/foundation/clock';
import { pause } from '@msg/foundation/promises';
import { display } from '../document/display.ts';
import { DashError } from '../errors.ts';
import {
  type Proposal,
  type ProposalBase,
  type ProposalRequest,
  type ProposalState,
  proposalName,
} from './proposal.ts';

const MAX_PROPOSALS = 200;
/** Of the request of one proposal. */
const MAX_PROPOSAL_BYTES = 1024 * 1024;
/** Of all, with the documents that they are based on. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** What a process holds for people (review details 3.1). */
export const PROPOSAL_LIMITS = {
  count: MAX_PROPOSALS,
  bytes: MAX_PROPOSAL_BYTES,
  totalBytes: MAX_TOTAL_BYTES,
  openMs: DAY_MS,
  decidedMs: DAY_MS,
} as const;

const OPEN: ProposalState = { kind: 'open' };

/** A proposal with what only the list knows of it. */
interface Entry {
  proposal: Proposal;
  bytes: number;
  /** Monotonic time of the last change of state. */
  since: number;
  /** A decision is being carried out. */
  isBusy: boolean;
  readonly waiting: Set<() => void>;
}

/** The proposals under review, in the memory of one process: no document and no file changes by a proposal. */
export class ProposalList {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /**
   * Takes a proposal. One with equal content is the same proposal: it is open again, unless it was committed. Older open
   * ones of the same document and proposer are superseded.
   * @throws DashError PROPOSAL_LIMIT when there is no room beside open proposals.
   */
  add(request: ProposalRequest, via: Proposal['via'], base: ProposalBase): Proposal {
    this.#sweep();
    const name = proposalName(request);
    const held = this.#entries.get(name);
    const earlier = held?.proposal;
    const way = earlier?.via === 'handed' ? 'handed' : via;
    if (held !== undefined && isKept(held)) {
      held.proposal = { ...held.proposal, via: way };
      return held.proposal;
    }
    const bytes = sizeOf(request) + sizeOf(base);
    if (sizeOf(request) > PROPOSAL_LIMITS.bytes) throw limit('bytes of a proposal', PROPOSAL_LIMITS.bytes);
    this.#makeRoom(bytes, held);
    this.#supersede(request);
    const proposedAt = earlier?.proposedAt ?? this.#clock.now();
    const proposal: Proposal = { name, request, via: way, base, proposedAt, state: OPEN };
    const since = this.#clock.monotonic();
    this.#entries.set(name, { proposal, bytes, since, isBusy: false, waiting: new Set() });
    return proposal;
  }

  /** @throws DashError PROPOSAL_NOT_FOUND. */
  get(name: string): Proposal {
    return this.#entry(name).proposal;
  }

  /** Newest first; of one document where an id is given. */
  list(id?: string): Proposal[] {
    this.#sweep();
    const proposals = [...this.#entries.values()].map(({ proposal }) => proposal).reverse();
    return id === undefined ? proposals : proposals.filter(({ request }) => request.id === id);
  }

  /** Answers when the state is not open any more, or after so long. @throws DashError PROPOSAL_NOT_FOUND. */
  async wait(name: string, ms: number, signal: AbortSignal): Promise<Proposal> {
    const entry = this.#entry(name);
    if (entry.proposal.state.kind !== 'open' || signal.aborted) return entry.proposal;
    const ended = new AbortController();
    const abort = (): void => ended.abort();
    signal.addEventListener('abort', abort);
    entry.waiting.add(abort);
    await pause(this.#clock, ms, ended.signal);
    entry.waiting.delete(abort);
    signal.removeEventListener('abort', abort);
    return entry.proposal;
  }

  /**
   * Carries a decision out: while it runs, and after it, no other one may. A decision that fails leaves the proposal open.
   * @throws DashError PROPOSAL_NOT_FOUND, PROPOSAL_DECIDED `{state}`, or what `decision` throws.
   */
  async decide<T>(
    name: string,
    decision: (proposal: Proposal) => Promise<readonly [ProposalState, T]>,
  ): Promise<T> {
    const entry = this.#entry(name);
    const { state } = entry.proposal;
    if (state.kind !== 'open' || entry.isBusy) throw decided(name, entry.isBusy ? 'committed' : state.kind);
    entry.isBusy = true;
    try {
      const [next, result] = await decision(entry.proposal);
      this.#change(entry, withinBounds(next));
      return result;
    } finally {
      entry.isBusy = false;
    }
  }

  /**
   * A person has read the queries of a proposal and lets them run, for as long as it is open.
   * @throws DashError PROPOSAL_NOT_FOUND, PROPOSAL_DECIDED `{state}`.
   */
  letQueriesRun(name: string): Proposal {
    const entry = this.#entry(name);
    const { kind } = entry.proposal.state;
    if (kind !== 'open') throw decided(name, kind);
    entry.proposal = { ...entry.proposal, runsQueries: true };
    return entry.proposal;
  }

  #entry(name: string): Entry {
    this.#sweep();
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry;
    const advice = 'proposals are kept for a day and not over a restart: validate the changeset again';
    const message = `Proposal "${display(name)}" does not exist; ${advice}.`;
    throw new DashError('PROPOSAL_NOT_FOUND', message, { proposal: name });
  }

  #supersede({ id, proposer }: ProposalRequest): void {
    for (const entry of this.#entries.values()) {
      const { request, state } = entry.proposal;
      const isSame = request.id === id && request.proposer?.name === proposer?.name && proposer !== undefined;
      if (isSame && state.kind === 'open' && !entry.isBusy) this.#change(entry, { kind: 'superseded' });
    }
  }

  #change(entry: Entry, state: ProposalState): void {
    entry.bytes += sizeOf(state) - sizeOf(entry.proposal.state);
    entry.proposal = { ...entry.proposal, state };
    entry.since = this.#clock.monotonic();
    for (const wake of entry.waiting) wake();
  }

  /** Decided proposals give way, the oldest first. @param held is replaced: it takes no room. */
  #makeRoom(bytes: number, held: Entry | undefined): void {
    const others = (): Entry[] => [...this.#entries.values()].filter(entry => entry !== held);
    const isFull = (): boolean => {
      const total = others().reduce((sum, entry) => sum + entry.bytes, bytes);
      return others().length >= PROPOSAL_LIMITS.count || total > PROPOSAL_LIMITS.totalBytes;
    };
    const ended = others().filter(({ proposal }) => proposal.state.kind !== 'open');
    for (const { proposal } of ended.toSorted((a, b) => a.since - b.since)) {
      if (!isFull()) return;
      this.#entries.delete(proposal.name);
    }
    if (isFull()) throw limit('proposals or their bytes', PROPOSAL_LIMITS.count);
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const [name, entry] of this.#entries) {
      const age = now - entry.since;
      const isOpen = entry.proposal.state.kind === 'open';
      if (isOpen && age >= PROPOSAL_LIMITS.openMs) this.#change(entry, { kind: 'expired' });
      else if (!isOpen && age >= PROPOSAL_LIMITS.decidedMs) this.#entries.delete(name);
    }
  }
}

/** True for a proposal that equal content does not open anew. */
function isKept({ proposal: { state }, isBusy }: Entry): boolean {
  return isBusy || state.kind === 'open' || state.kind === 'committed';
}

/** The way back is kept only while it is within the size that a proposal may have. */
function withinBounds(state: ProposalState): ProposalState {
  if (state.kind !== 'committed' || sizeOf(state) <= PROPOSAL_LIMITS.bytes) return state;
  const { inverse: _, ...rest } = state;
  return rest;
}

function sizeOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function limit(what: string, most: number): DashError {
  const message = `The ${what} are at their limit of ${most}; decide open proposals, then hand over again.`;
  return new DashError('PROPOSAL_LIMIT', message, { limit: most });
}

function decided(name: string, state: ProposalState['kind']): DashError {
  const message = `Proposal "${display(name)}" is ${state}; a decision is made once.`;
  return new DashError('PROPOSAL_DECIDED', message, { proposal: name, state });
}
