/** Error codes of Redis for commands that the server currently refuses. It has not executed the command. */
const REJECTIONS = {
  OOM: 'it is out of memory',
  READONLY: 'it is a read-only replica',
  LOADING: 'it is loading its data',
  MISCONF: 'it cannot save its data',
  NOREPLICAS: 'too few of its replicas answer',
  MASTERDOWN: 'it has lost its master',
  CLUSTERDOWN: 'its cluster is down',
  TRYAGAIN: 'it is moving the keys',
  BUSY: 'a script keeps it busy',
  NOAUTH: 'it asks for credentials',
  WRONGPASS: 'it refuses the credentials',
  NOPERM: 'the user may not run the command',
} as const;

/** `DISCONNECTED`: there is no connection; `NO_ANSWER`: none within the time, or the connection ended first. */
export type StoreErrorCode = keyof typeof REJECTIONS | 'DISCONNECTED' | 'NO_ANSWER';

/** Commands that change nothing, so that they are safe to repeat without an answer. */
const READS: ReadonlySet<string> = new Set([
  'EXISTS',
  'GET',
  'HGET',
  'HGETALL',
  'HLEN',
  'HMGET',
  'HSCAN',
  'MGET',
  'SCAN',
  'SMEMBERS',
  'TTL',
  'XLEN',
  'XRANGE',
  'XREVRANGE',
  'ZCARD',
  'ZRANGE',
]);

/** The error of a script may contain that of its command (Redis 6): `ERR Error running script …: -OOM command …`. */
const ERROR_CODE = /^(?:ERR Error running script .*?: -)?([A-Z]+) /s;

function isRejection(code: string | undefined): code is keyof typeof REJECTIONS {
  return code !== undefined && Object.hasOwn(REJECTIONS, code);
}

function textOf(code: StoreErrorCode): string {
  if (code === 'DISCONNECTED') return 'the shared store is not connected';
  if (code === 'NO_ANSWER') return 'the shared store did not answer';
  return `the shared store refuses the command: ${code}, ${REJECTIONS[code]}`;
}

/**
 * A command that failed because of the store's state or its connection, not because of the command. The message contains
 * no address, key or value, because callers may see it.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  /** True: the store may have executed the command. False: it certainly has not. */
  readonly mayHaveHappened: boolean;

  constructor(code: StoreErrorCode, mayHaveHappened: boolean, options?: ErrorOptions) {
    super(textOf(code), options);
    this.code = code;
    this.mayHaveHappened = mayHaveHappened;
  }

  /** The server's reason to refuse such commands: `OOM, it is out of memory`; undefined without one. */
  get rejection(): string | undefined {
    return isRejection(this.code) ? `${this.code}, ${REJECTIONS[this.code]}` : undefined;
  }
}

/** The facts about a failed command. */
export interface FailedCommand {
  readonly name: string;
  /** Its bytes were written to the connection. */
  readonly wasWritten: boolean;
}

/** The {@link StoreError} of an error reply about the server's state; undefined for any other error. */
export function rejectionOf(cause: unknown): StoreError | undefined {
  if (!(cause instanceof Error) || cause.name !== 'ReplyError') return undefined;
  const code = ERROR_CODE.exec(cause.message)?.[1];
  return isRejection(code) ? new StoreError(code, false, { cause }) : undefined;
}

/**
 * The {@link StoreError} of a client's error; any other error reply, such as `WRONGTYPE` or `NOSCRIPT`, is returned
 * unchanged.
 */
export function storeError(cause: unknown, command: FailedCommand): unknown {
  if (!(cause instanceof Error)) return cause;
  if (cause.name === 'ReplyError') return rejectionOf(cause) ?? cause;
  if (!command.wasWritten) return new StoreError('DISCONNECTED', false, { cause });
  return new StoreError('NO_ANSWER', !READS.has(command.name.toUpperCase()), { cause });
}
