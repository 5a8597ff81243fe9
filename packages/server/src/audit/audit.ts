import { type MethodRights, MsgError } from '@msg/core';
import { formatTimestamp, toMsgError } from '@msg/core/internal';
import type { Clock, Random } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import { withDeadline } from '@msg/foundation/promises';
import type { AuditStore } from './contract.ts';
import { type AuditRecord, type AuditVia, detailOf, targetOf } from './record.ts';

/** How long a call waits for its record to be stored. */
const STORE_WITHIN_MS = 2000;
const ID_BYTES = 16;
const ID_COUNT_DIGITS = 8;

/** A call that may be audited. */
export interface AuditedCall {
  /** Subject and role of the caller. */
  readonly actor: string;
  readonly role: string;
  readonly via: AuditVia;
  readonly method: string;
  readonly rights: MethodRights;
  readonly request: unknown;
  readonly requestId: string;
  /** The caller's address, as in the access log. */
  readonly clientAddress: string;
}

/** Something that the service did by itself, such as the end of a job. */
export interface AuditedEvent
  extends Pick<AuditRecord, 'actor' | 'method' | 'target' | 'detail' | 'outcome' | 'duration_ms'> {}

export interface AuditParts {
  readonly store: AuditStore;
  readonly clock: Clock;
  readonly random: Random;
  /** A call whose record cannot be stored is refused. */
  readonly strict: boolean;
  /** Id of this node. */
  readonly nodeId: () => string;
  /** A call has ended: its record is for the log. */
  readonly onRecord: (record: AuditRecord) => void;
  /** A record was not stored; `refused`: the call was refused for that. */
  readonly onFailed: (error: unknown, record: AuditRecord, refused: boolean) => void;
}

/** Leaves a record of every call that changes something: in the log, and in the store. Source: console, section 6. */
export class Audit {
  readonly #options: AuditParts;
  /** Records that were begun. */
  #count = 0;

  constructor(options: AuditParts) {
    this.#options = options;
  }

  /**
   * Runs a call and records it with its outcome. Without `strict` a record that cannot be stored is a warning. Rejects
   * with the error of the call.
   * @throws MsgError MSG_BROKER_NOT_READY, strict, for a call that cannot be recorded; it does not run. As rejection.
   */
  async run<T>(call: AuditedCall, work: () => T | Promise<T>): Promise<T> {
    const { clock, strict } = this.#options;
    const startedAt = clock.monotonic();
    const started = this.#started(call);
    if (strict) await this.#require(started);
    const end = (outcome: string, answer?: unknown): Promise<void> =>
      this.#end(
        call,
        { ...started, outcome, duration_ms: Math.round(clock.monotonic() - startedAt) },
        answer,
      );
    let answer: T;
    try {
      answer = await work();
    } catch (error) {
      await end(toMsgError(error).code);
      throw error;
    }
    await end('ok', answer);
    return answer;
  }

  /** Records what no call did. */
  async note(event: AuditedEvent): Promise<void> {
    await this.#keep({ ...this.#blank(), ...event });
  }

  /** Unique among all nodes; of two records of this node in one millisecond the later has the greater one. */
  #nextId(): string {
    const count = (this.#count++).toString(36).padStart(ID_COUNT_DIGITS, '0');
    return `${count}-${Buffer.from(this.#options.random.bytes(ID_BYTES)).toString('base64url')}`;
  }

  /** A record of this moment and this node. */
  #blank(): Pick<AuditRecord, 'id' | 'at' | 'role' | 'via' | 'request_id' | 'remote_addr' | 'node'> {
    const { clock, nodeId } = this.#options;
    return {
      id: this.#nextId(),
      at: formatTimestamp(clock.now()),
      role: '',
      via: 'system',
      request_id: '',
      remote_addr: '',
      node: nodeId(),
    };
  }

  #started({
    actor,
    role,
    via,
    method,
    rights,
    request,
    requestId,
    clientAddress,
  }: AuditedCall): AuditRecord {
    return {
      ...this.#blank(),
      actor,
      role,
      via,
      method,
      target: rights.target?.ofAnswer === true ? '' : targetOf(rights.target, request),
      detail: detailOf(rights.detail, request),
      outcome: 'started',
      duration_ms: 0,
      request_id: requestId,
      remote_addr: clientAddress,
    };
  }

  async #end({ rights, request }: AuditedCall, record: AuditRecord, answer: unknown): Promise<void> {
    const target = rights.target?.ofAnswer === true ? targetOf(rights.target, answer) : record.target;
    const members = isRecord(answer) && isRecord(request) ? { ...answer, ...request } : request;
    await this.#keep({ ...record, target, detail: detailOf(rights.detail, members) });
  }

  async #keep(record: AuditRecord): Promise<void> {
    const { onRecord, onFailed } = this.#options;
    onRecord(record);
    try {
      await this.#store(record);
    } catch (error) {
      onFailed(error, record, false);
    }
  }

  async #require(record: AuditRecord): Promise<void> {
    try {
      await this.#store(record);
    } catch (cause) {
      this.#options.onFailed(cause, record, true);
      const text = `the audit record of ${record.method} cannot be stored, and audit.strict is on`;
      throw new MsgError('MSG_BROKER_NOT_READY', text, { cause });
    }
  }

  async #store(record: AuditRecord): Promise<void> {
    const { store, clock } = this.#options;
    await withDeadline(clock, STORE_WITHIN_MS, Promise.resolve(store.append(record)), () => {
      throw new Error(`the store did not take the record within ${STORE_WITHIN_MS} ms`);
    });
  }
}
