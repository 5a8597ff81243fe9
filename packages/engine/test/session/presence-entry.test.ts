import { describe, expect, it } from 'vitest';
import { PresenceEntry } from '#src/session/presence-entry.ts';
import { infoOf, settled } from './parts.ts';

/** Backends that note the order of what begins, and answer when they are told to. */
class Backends {
  readonly calls: string[] = [];
  readonly errors: unknown[] = [];
  readonly #open: PromiseWithResolvers<void>[] = [];
  readonly presence = {
    add: (_channel: string, _client: string, info: { client: string }) => this.#call(`add ${info.client}`),
    remove: () => this.#call('remove'),
  };
  readonly broker = {
    publishJoin: () => this.#call('join'),
    publishLeave: () => this.#call('leave'),
  };
  readonly reportError = (error: unknown) => void this.errors.push(error);

  /** Ends the oldest call. */
  async next(error?: Error): Promise<void> {
    const call = this.#open.shift();
    if (error === undefined) call?.resolve();
    else call?.reject(error);
    await settled();
  }

  #call(name: string): Promise<void> {
    this.calls.push(name);
    const call = Promise.withResolvers<void>();
    this.#open.push(call);
    return call.promise;
  }
}

function entryOf(visibility = { presence: true, joinLeave: true }) {
  const backends = new Backends();
  const context = backends as unknown as ConstructorParameters<typeof PresenceEntry>[0];
  return { backends, entry: new PresenceEntry(context, 'c', infoOf('a'), visibility) };
}

describe('what others learn of a subscription', () => {
  it('comes in order whatever the backends take: entry, join, entry away, leave', async () => {
    const { backends, entry } = entryOf();
    void entry.add();
    entry.join();
    const left = entry.leave();
    await settled();
    expect(backends.calls).toEqual(['add a']);
    for (let i = 0; i < 4; i++) await backends.next();
    await left;
    expect(backends.calls).toEqual(['add a', 'join', 'remove', 'leave']);
  });

  it('ends once, and a late refresh or join brings nothing back', async () => {
    const { backends, entry } = entryOf();
    void entry.add();
    await settled();
    void entry.leave();
    void entry.leave();
    entry.refresh(infoOf('b'));
    entry.join();
    for (let i = 0; i < 3; i++) await backends.next();
    expect(backends.calls).toEqual(['add a', 'remove']);
  });

  it('has no leave without a join', async () => {
    const { backends, entry } = entryOf({ presence: false, joinLeave: true });
    await entry.leave();
    expect(backends.calls).toEqual([]);
  });

  it('is kept alive with the newest info, and only what was allowed is shown', async () => {
    const { backends, entry } = entryOf({ presence: true, joinLeave: false });
    void entry.add();
    entry.join();
    await settled();
    entry.refresh(infoOf('b'));
    await backends.next();
    expect(backends.calls).toEqual(['add a', 'add b']);
    const hidden = entryOf({ presence: false, joinLeave: true });
    await hidden.entry.add();
    hidden.entry.refresh(infoOf('b'));
    hidden.entry.join();
    await settled();
    expect(hidden.backends.calls).toEqual(['join']);
  });

  it('fails where a caller waits for it, and continues where none does', async () => {
    const { backends, entry } = entryOf();
    const added = entry.add();
    await settled();
    const failure = new Error('backend');
    const rejection = expect(added).rejects.toBe(failure);
    await backends.next(failure);
    await rejection;
    expect(backends.errors).toEqual([]);
    const left = entry.leave();
    await settled();
    await backends.next(failure);
    await left;
    expect(backends.errors).toEqual([failure]);
  });
});
