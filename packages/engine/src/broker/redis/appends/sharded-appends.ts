import type { AppendStore, MirrorFigures } from '../../../append/contract.ts';

type Arguments<Name extends keyof AppendStore> = Parameters<
  Extract<AppendStore[Name], (...args: never[]) => unknown>
>;
type Result<Name extends keyof AppendStore> = ReturnType<
  Extract<AppendStore[Name], (...args: never[]) => unknown>
>;

/** The append streams of several stores. */
export class ShardedAppends implements AppendStore {
  readonly #stores: readonly AppendStore[];
  readonly #shardOf: (channel: string) => number;

  constructor(stores: readonly AppendStore[], shardOf: (channel: string) => number) {
    this.#stores = stores;
    this.#shardOf = shardOf;
  }

  append(...request: Arguments<'append'>): Result<'append'> {
    return this.#of(request[0]).append(...request);
  }

  state(...read: Arguments<'state'>): Result<'state'> {
    return this.#of(read[0]).state(...read);
  }

  cancel(...cancel: Arguments<'cancel'>): Result<'cancel'> {
    return this.#of(cancel[0]).cancel(...cancel);
  }

  async watch(channel: string): Promise<() => void> {
    return (await this.#of(channel).watch?.(channel)) ?? (() => {});
  }

  claimOutcome(...claim: Arguments<'claimOutcome'>): Result<'claimOutcome'> {
    return this.#of(claim[0]).claimOutcome(...claim);
  }

  storeOutcome(...outcome: Arguments<'storeOutcome'>): Result<'storeOutcome'> {
    return this.#of(outcome[0]).storeOutcome(...outcome);
  }

  get openMessages(): number {
    return this.#stores.reduce((sum, { openMessages }) => sum + openMessages, 0);
  }

  get mirrors(): MirrorFigures {
    const figures = this.#stores.flatMap(({ mirrors }) => mirrors ?? []);
    const sum = (member: keyof MirrorFigures): number =>
      figures.reduce((total, each) => total + each[member], 0);
    return { bytes: sum('bytes'), drops: sum('drops') };
  }

  #of(channel: string): AppendStore {
    return this.#stores[this.#shardOf(channel)] as AppendStore;
  }
}
