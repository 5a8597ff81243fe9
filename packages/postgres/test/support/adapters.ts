/** What the program of the adapters publishes, for the test that reads it. */
export const VALUE = { b: 'it\'s $1 \\ "x"', a: [1] };
export const BYTES = new Uint8Array([0, 255, 92, 39]);
export const SINK = { sink: 'ops', recipient: { to: 'a' }, message: { title: 'hello' } };
export const EXTRAS = { tags: { kind: "it's" }, skipHistory: true, ordered: true };

export const ADAPTER_NAMES = ['postgres.js', 'pg', 'Drizzle over postgres.js', 'Drizzle over pg'];

/** The channels that an adapter publishes into. */
export function namesOf(adapter: string): {
  readonly order: string;
  readonly broadcast: readonly string[];
  readonly rolledBack: string;
} {
  const id = adapter.toLowerCase().replace(/[^a-z]/g, '');
  return {
    order: `private:shop.orders.${id}`,
    broadcast: [`public:shop.${id}.a`, `public:shop.${id}.b`],
    rolledBack: `public:shop.${id}.rolled-back`,
  };
}

/** What the program prints. */
export interface Printed {
  readonly adapters: Readonly<Record<string, { readonly key: string; readonly rolledBack: string }>>;
  /** Codes by what was given in place of a transaction. */
  readonly refusals: Readonly<Record<string, string>>;
}
