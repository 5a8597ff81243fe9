import { errorOfAnswer, TWIRP_PREFIX } from '@msg/core/internal';
import { defined } from '@msg/foundation/json';
import type { CliEnvironment } from './io.ts';

/** Time limit of a peer's answer (messaging details 7.5). */
const TIMEOUT_MS = 10_000;

/** A peer's answer to the request to reload its keyring. */
export interface NodeReport {
  /** As given. */
  readonly url: string;
  readonly ok: boolean;
  /** HTTP status; absent without an answer. */
  readonly status?: number;
  readonly error?: string;
}

function reloadAddress(url: string): string {
  return url.includes('/twirp/') ? url : `${url.replace(/\/+$/, '')}${TWIRP_PREFIX}ReloadKeys`;
}

async function bodyOf(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    return undefined;
  }
}

/** Calls ReloadKeys at a peer with the same bearer. Never rejects: the local change does not depend on peers. */
export async function notifyNode(io: CliEnvironment, url: string, token: string): Promise<NodeReport> {
  try {
    const answer = await io.fetch(reloadAddress(url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...defined({ authorization: token === '' ? undefined : `Bearer ${token}` }),
      },
      body: '{}',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await bodyOf(answer);
    if (answer.status === 200) return { url, ok: true, status: 200 };
    const { code, message } = errorOfAnswer(answer.status, body);
    return { url, ok: false, status: answer.status, error: `${code}: ${message}` };
  } catch {
    return { url, ok: false, error: 'no answer' };
  }
}
