/** How far a job has come; `queued`: its node works on as many others as it may. */
export type JobState = 'queued' | 'running' | 'stopping' | 'stopped' | 'done' | 'tripped' | 'interrupted';

/** What became of the letters of one group. */
export interface JobGroup {
  readonly group: string;
  /** The last error before the job, of one of them. */
  readonly sample: string;
  readonly sent: number;
  readonly parked: number;
}

/** A job that sends dead letters again. Times are Unix milliseconds. */
export interface RedriveJob {
  readonly id: string;
  readonly sink: string;
  readonly state: JobState;
  /** Letters per second that were asked for, and sends at a time. */
  readonly perSecond: number;
  readonly concurrency: number;
  /** So many failures in a row end the job. */
  readonly stopAfterFailures: number;
  /** Each letter is tried by the policy of its sink, not once. */
  readonly retries: boolean;
  /** Letters of the job when it began. */
  readonly matched: number;
  readonly sent: number;
  /** They failed again. */
  readonly parked: number;
  /** They were gone or claimed, or in work when a node died. */
  readonly skipped: number;
  readonly groups: readonly JobGroup[];
  /** Subject of the caller. */
  readonly startedBy: string;
  readonly startedAt: number;
  /** 0: it goes on. */
  readonly endedAt: number;
  /** Milliseconds for which it ran so far. */
  readonly ranMs: number;
  readonly node: string;
}

/** A letter that a job may send. */
export interface JobLetter {
  readonly id: string;
  readonly group: string;
  readonly lastError: string;
}

/** A job in the store. */
export interface StoredJob {
  readonly job: RedriveJob;
  /** Letters that were not taken yet. */
  readonly remaining: number;
  /** A node works on it. */
  readonly isHeld: boolean;
}

/** The next letter of a job. */
export interface TakenLetter {
  /** Absent: there are no more, or a stop was asked for. */
  readonly id?: string;
  readonly stop: boolean;
}

/**
 * The jobs of one service. A letter is taken from a job before it is sent, so that a crash never sends it twice. Source:
 * console, section 7.7.
 */
export interface JobStore {
  /**
   * Stores a new job with its letters, the first to send first, and holds its sink.
   * @returns the id of the job that holds the sink; undefined: it is stored
   */
  begin(job: RedriveJob, letters: readonly string[]): Promise<string | undefined>;
  /** Holds the sink of an interrupted job. @returns as {@link begin} */
  hold(job: RedriveJob): Promise<string | undefined>;
  /** Stores the state, and holds the sink for longer. */
  save(job: RedriveJob): Promise<void>;
  /** Stores the last state, and gives the sink free. */
  release(job: RedriveJob): Promise<void>;
  take(id: string): Promise<TakenLetter>;
  /** Whether a stop was asked for. */
  isStopRequested(id: string): Promise<boolean>;
  /** Asks the node that works on it to stop. */
  requestStop(id: string): Promise<void>;
  /** The jobs that were stored within the last day, the newest first. */
  list(): Promise<readonly StoredJob[]>;
}

/** How long a job is kept after it was last stored: one that goes on for days has its record. */
export const JOB_KEPT_MS = 86_400_000;
/** How long a sink stays held without a sign of life. */
export const HOLD_MS = 15_000;
