import { MsgError } from '@msg/core';

/** A failed send that is marked transient or terminal. Dead letters show its text, which holds no secrets. */
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

/** Marks an error of an embedder's sink as transient: a retry may succeed. Text and code stay. */
export function transient(error: unknown): SinkFailure {
  return failure(true, error);
}

/** Marks an error of an embedder's sink as terminal: a retry cannot succeed. Text and code stay. */
export function terminal(error: unknown): SinkFailure {
  return failure(false, error);
}
