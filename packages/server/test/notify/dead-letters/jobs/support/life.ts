import type { DeadLetterClaim, DeadLetterQueue } from '#src/notify/dead-letters/contract.ts';

type Call = (...args: unknown[]) => Promise<unknown>;

/** A node that may die: what it asks of its stores afterwards does not happen, and what they answer does not arrive. */
export class Life {
  isDead = false;
  /** Letters whose claim it holds. */
  readonly held = new Set<string>();

  of<T extends object>(store: T): T {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => this.#run(() => (member as Call).apply(target, args));
      },
    });
  }

  /** A queue whose claims end with the node. `onSent`: a letter is removed, because it was sent. */
  queue(queue: DeadLetterQueue, onSent: (id: string) => void): DeadLetterQueue {
    const claim = async (id: string): Promise<DeadLetterClaim | undefined> => {
      const held = await queue.claim(id);
      if (held === undefined) return undefined;
      this.held.add(id);
      const end = (work: () => Promise<void>) => this.#run(() => work()).finally(() => this.held.delete(id));
      return {
        letter: held.letter,
        remove: () =>
          end(() => {
            onSent(id);
            return held.remove();
          }),
        fail: failure => end(() => held.fail(failure)),
        release: () => end(() => held.release()),
      };
    };
    return new Proxy(this.of(queue), {
      get: (target, name) =>
        name === 'claim' ? (id: string) => this.#run(() => claim(id)) : Reflect.get(target, name),
    });
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isDead) return new Promise(() => {});
    const answer = await work();
    return this.isDead ? new Promise(() => {}) : answer;
  }
}
