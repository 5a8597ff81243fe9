import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BodyDenial, NO_ROOM_RETRY_MS, READ_ELSEWHERE, TOO_MANY_CHUNKS } from './body-contract.ts';
import { answer } from './cors.ts';

/** Why a request opens no stream, or brings no commands. */
export type RequestDenial = BodyDenial | 'no_commands';

interface DenialAnswer {
  readonly status: number;
  readonly headers?: readonly string[];
  readonly text?: string;
}

const ANSWERS: Readonly<Record<RequestDenial, DenialAnswer>> = {
  no_commands: { status: 400 },
  too_slow: { status: 408 },
  too_many_chunks: { status: 400, text: TOO_MANY_CHUNKS },
  too_large: { status: 413 },
  read_elsewhere: { status: 500, text: READ_ELSEWHERE },
  no_room: { status: 503, headers: ['retry-after', String(NO_ROOM_RETRY_MS / 1000)] },
};

/** Answers a request whose body was not taken, or whose query holds no commands. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  headers: string[],
  denial: RequestDenial,
): void {
  const { status, headers: extra = [], text } = ANSWERS[denial];
  answer(request, response, [...headers, ...extra], status, text);
}
