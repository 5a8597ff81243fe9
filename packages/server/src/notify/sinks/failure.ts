import { MsgError } from '@msg/core';

/** A failed send that says whether sending again may help. Its text shows in dead letters: it holds no secrets. */
export class SinkFailure extends MsgError {
  readonly transient: boolean;

  constructor(transient: boolean, ...details: ConstructorParameters<typeof MsgError>) {
    super(...details);
    this.transient = transient;
  }
}

function failure(transient: boolean, error: unknown): SinkFailure {
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof MsgError ? error.code : 'MSG_SINK_UNAVAILABLE';
  return new SinkFailure(transient, code, text, { cause: error });
}

/** Marks an error of an embedder's sink: sending again may succeed. Text and code are kept. */
export function transient(error: unknown): SinkFailure {
  return failure(true, error);
}

/** Marks an error of an embedder's sink: sending again cannot succeed. Text and code are kept. */
export function terminal(error: unknown): SinkFailure {
  return failure(false, error);
}
