/** Answers an `rpc` command of a connected client; `user` is empty for anonymous ones. */
export type ClientRpc = (call: {
  readonly method: string;
  readonly data: Uint8Array;
  readonly user: string;
  readonly clientId: string;
}) => Uint8Array | Promise<Uint8Array>;
