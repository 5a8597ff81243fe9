/** What the orchestrating process may ask the load process of the RPC bench. */
export type RpcLoadQuestion =
  /** Opens so many keep-alive connections; each sends this request, base64, again and again. */
  | {
      readonly kind: 'connect';
      readonly port: number;
      readonly connections: number;
      readonly request: string;
    }
  /** Requests for so long. */
  | { readonly kind: 'run'; readonly ms: number }
  | { readonly kind: 'disconnect' };

/** What a run did. */
export interface RpcRun {
  /** Requests answered with 200. */
  readonly answered: number;
  readonly wallMs: number;
  /** Body of the last answer. */
  readonly lastBody: string;
}
