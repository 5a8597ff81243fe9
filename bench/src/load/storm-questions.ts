/** What the orchestrating process may ask the load of a storm. */
export type StormQuestion =
  | {
      readonly kind: 'open';
      readonly port: number;
      /** Where clients go that lose their connection. */
      readonly refuge: number;
      readonly count: number;
      readonly channels: number;
      /** All subscribe to this one instead. */
      readonly channel?: string;
      /** Fail when a publication is missing, or not recovered. */
      readonly isChecked: boolean;
    }
  /** Answered when so many clients, or all, have lost their connection and are subscribed again. */
  | { readonly kind: 'recovered'; readonly count?: number }
  /** Answered, with their number, when every client has got everything up to that offset. */
  | { readonly kind: 'complete'; readonly offset: number }
  | { readonly kind: 'stop' };

export interface Recovered {
  /** When the half of the clients, and the last one, were subscribed again; on the clock of `nowUs`. */
  readonly medianUs: number;
  readonly lastUs: number;
  /** The last reply to a subscribe, with all of its frame, base64. */
  readonly reply: string;
}

export interface Complete {
  /** Clients that have every publication. */
  readonly clients: number;
}
