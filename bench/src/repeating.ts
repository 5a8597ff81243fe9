/** What the orchestrating process may ask a load process whose connections send again as soon as they are answered. */
export type RepeatingQuestion<Target> =
  /** Opens so many connections. */
  | ({ readonly kind: 'connect'; readonly port: number; readonly connections: number } & Target)
  /** Sends for so long; at most so often a second over all connections, default: as often as it is answered. */
  | { readonly kind: 'run'; readonly ms: number; readonly perSecond?: number }
  | { readonly kind: 'disconnect' };

/** What a run did. */
export interface RepeatingRun {
  readonly answered: number;
  readonly wallMs: number;
  /** The last answer of the first connection. */
  readonly last: string;
}
