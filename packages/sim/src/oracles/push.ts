/** An answer of the push service. */
export interface PushAnswer {
  readonly row: number;
  /** 0: none is given. */
  readonly status: number;
  /** The connection ended instead. */
  readonly isLost: boolean;
  /** The header `Retry-After`; 0: absent. */
  readonly retryAfterS: number;
  readonly atUs: number;
}

/** One attempt of a sink in the words of the service. */
export interface SinkAttempt {
  readonly row: number;
  /** Attempts of one delivery have the same number. */
  readonly delivery: number;
  readonly begunUs: number;
  /** Absent: its node was killed meanwhile. */
  readonly endedUs: number | undefined;
  readonly outcome: 'sent' | 'gone' | 'transient' | 'terminal' | 'refused' | 'unknown';
  /** Of the answer, if the failure names it. */
  readonly status: number | undefined;
}

/** A message that was parked as a dead letter. */
export interface ParkedLetter {
  readonly row: number;
  readonly lastError: string;
}

/** What became of push messages. */
export interface PushRecord {
  readonly answers: readonly PushAnswer[];
  readonly attempts: readonly SinkAttempt[];
  readonly letters: readonly ParkedLetter[];
  /** How often each row was claimed. */
  readonly claims: ReadonlyMap<number, number>;
  /** What the push service got and must not get. */
  readonly faults: readonly string[];
}
