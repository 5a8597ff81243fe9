import type { AuditTarget } from '@msg/core';

/** The entry point of a call; `cli`: the RPC, called by the program `msg`. */
export type AuditVia = 'rpc' | 'api' | 'console' | 'cli' | 'system';

/** One audited call. Never a token, payload, body, recipient or secret. Source: console, section 6. */
export interface AuditRecord {
  readonly id: string;
  /** Begin of the call, RFC 3339. */
  readonly at: string;
  /** Subject of the bearer; empty without one. */
  readonly actor: string;
  /** Role of the bearer; `none` for a bearer without one, empty where no bearer is asked for. */
  readonly role: string;
  readonly via: AuditVia;
  readonly method: string;
  /** `<kind>:<name>`: `channel:public:shop.news`, `kid:k-0a1b2c3d4e5f`; empty for calls about no single thing. */
  readonly target: string;
  /** Members of the request that the method declares; at most 256 bytes. */
  readonly detail: string;
  /** `ok`, the code of a failure, or `started`: a strict audit has no outcome of it yet. */
  readonly outcome: string;
  readonly duration_ms: number;
  readonly request_id: string;
  readonly remote_addr: string;
  /** Id of the node that served the call. */
  readonly node: string;
}

const MAX_DETAIL_BYTES = 256;
const MAX_TARGET_BYTES = 512;
/** A word, in which a token or a key may stand by mistake. */
const WORD = /[\w.-]+/g;

/** The longest beginning of a text that fits, in whole characters. */
function cut(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let bytes = 0;
  let beginning = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes - 3) break;
    beginning += character;
  }
  return `${beginning}…`;
}

/** A value of a request without what could be a secret. */
export function withoutSecrets(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(WORD, word => (isSecret(word) ? '(a secret)' : word));
}

function isSecret(word: string): boolean {
  return word.includes('msgk_') || (word.includes('eyJ') && word.includes('.'));
}

function memberOf(message: unknown, path: string): unknown {
  let value = message;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** The target of a call; empty without one, and where the message does not name it. */
export function targetOf(target: AuditTarget | undefined, message: unknown): string {
  if (target === undefined) return '';
  const value = memberOf(message, target.member);
  if (typeof value !== 'string' || value === '') return targetOf(target.otherwise, message);
  return cut(`${target.kind}:${withoutSecrets(value)}`, MAX_TARGET_BYTES);
}

/** The declared members that a request fills: `ttl_seconds=3600, reason=left`. */
export function detailOf(members: readonly string[], request: unknown): string {
  const parts: string[] = [];
  for (const member of members) {
    const value = memberOf(request, member);
    if (value === undefined || value === null || value === '' || value === 0 || value === false) continue;
    if (Array.isArray(value) && value.length === 0) continue;
    parts.push(`${member}=${withoutSecrets(value)}`);
  }
  return cut(parts.join(', '), MAX_DETAIL_BYTES);
}
