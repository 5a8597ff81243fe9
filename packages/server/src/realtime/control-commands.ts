import { isValidName, MsgError } from '@msg/core';
import type { CancelTarget, Client, PublishEvent } from '@msg/engine';
import { defined, isRecord } from '@msg/foundation/json';
import type { AppendStreams } from '../append/append-streams.ts';
import type { AccessControl } from '../auth/access/access-control.ts';
import { denialError } from '../auth/access/decision.ts';
import { type Credential, NO_CREDENTIAL } from '../auth/access/principal.ts';
import type { VerifiedToken } from '../auth/tokens/claims.ts';
import type { ControlNames } from '../channels/control-names.ts';
import type { ClientLimits } from '../rate-limits/client-limits.ts';

export interface ControlCommandsParts {
  readonly controls: ControlNames;
  readonly access: Pick<AccessControl, 'decide' | 'decideState'>;
  readonly limits: Pick<ClientLimits, 'publish'>;
  readonly appendStreams: Pick<AppendStreams, 'cancel'>;
}

/** What a client asks for. */
interface Cancel {
  readonly channel: string;
  readonly target: CancelTarget;
  readonly reason: string;
}

/** Commands that clients publish to the topic `control` of channels with append streams (append streams 7). */
export class ControlCommands {
  readonly #parts: ControlCommandsParts;

  constructor(parts: ControlCommandsParts) {
    this.#parts = parts;
  }

  /** True for a name that takes commands. */
  takes(name: string): boolean {
    return this.#parts.controls.has(name);
  }

  /**
   * Stores the cancel that a client published to a control name.
   * @throws MsgError MSG_INVALID_ARGUMENT, MSG_CHANNEL_CLOSED, MSG_RATE_LIMITED, MSG_AUTH_DENIED, MSG_AUTH_EXPIRED,
   * MSG_APPEND_NOT_FOUND
   */
  async run(
    client: Client,
    token: VerifiedToken | null,
    { channel: name, data }: PublishEvent,
  ): Promise<void> {
    const { controls, access, limits, appendStreams } = this.#parts;
    const { channel, target, reason } = cancelOf(data);
    if (!isValidName(channel) || !controls.reaches(name, channel)) {
      const text = `cancel.channel must be a channel with append streams beside ${name}`;
      throw new MsgError('MSG_INVALID_ARGUMENT', text);
    }
    const closed = await access.decideState(channel);
    if (closed !== undefined) throw denialError(closed);
    await limits.publish(client, name, token);
    const { user, id: clientId } = client;
    const credential: Credential = token === null ? NO_CREDENTIAL : { kind: 'verified', token };
    const principal = { kind: 'client', user, clientId, credential } as const;
    const decision = await access.decide({ principal, verb: 'publish', resource: name });
    if (!decision.allowed) throw denialError(decision);
    await appendStreams.cancel(channel, target, { by: user, reason });
  }
}

const SHAPE = 'a command is {"cancel":{"channel","message" or "input","reason"}}';

/** @throws MsgError MSG_INVALID_ARGUMENT for anything but a cancel */
function cancelOf(data: Uint8Array): Cancel {
  const { cancel, ...others } = recordOf(parsed(data));
  const { channel, message, input, reason = '', ...unknown } = recordOf(cancel);
  const [extra] = [...Object.keys(others), ...Object.keys(unknown)];
  if (extra !== undefined) throw invalid(`unknown member ${JSON.stringify(extra)}: ${SHAPE}`);
  if (typeof channel !== 'string' || typeof reason !== 'string') throw invalid(SHAPE);
  if (message !== undefined && input !== undefined)
    throw invalid(`message and input exclude each other: ${SHAPE}`);
  return { channel, target: defined({ message: idOf(message), input: idOf(input) }), reason };
}

function idOf(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw invalid(SHAPE);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw invalid(SHAPE);
}

function parsed(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch {
    return undefined;
  }
}

function invalid(text: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', text);
}
