import { isRecord } from '@msg/foundation/json';
import { base64Bytes } from './base64.ts';

/** A scope of an access token, read without verification. */
export interface TokenScope {
  readonly pattern: string;
  readonly verbs: readonly string[];
  readonly deny: boolean;
}

/** The unverified claims of a token: for display, never for decisions. */
export interface TokenInspection {
  readonly subject: string;
  readonly type: string;
  readonly channels: readonly string[];
  readonly scopes: readonly TokenScope[];
  /** Unix seconds; 0 when absent. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly expired: boolean;
  readonly jti: string;
  readonly fid: string;
  readonly raw: Readonly<Record<string, unknown>>;
}

interface Decoder {
  decode(bytes: Uint8Array): string;
}
declare const TextDecoder: new () => Decoder;

/** The claims of a JWT, unverified; `null` for a text that is not a JWT. */
export function decodeJwtPayload(token: string): Readonly<Record<string, unknown>> | null {
  const part = token.split('.')[1] ?? '';
  try {
    const bytes = base64Bytes(part.replace(/-/g, '+').replace(/_/g, '/'));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isRecord(claims) ? claims : null;
  } catch {
    return null;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];
}

function scopeOf(value: unknown): readonly TokenScope[] {
  if (!isRecord(value)) return [];
  const { pat, v, deny } = value;
  return [{ pattern: text(pat), verbs: texts(v), deny: deny === true }];
}

/**
 * The rights of an access token, without verification; `null` for a text that is not a JWT.
 * @param now unix milliseconds
 */
export function inspectScopes(token: string, now: number = Date.now()): TokenInspection | null {
  const raw = decodeJwtPayload(token);
  if (raw === null) return null;
  const number = (name: string): number => (typeof raw[name] === 'number' ? raw[name] : 0);
  const expiresAt = number('exp');
  return {
    subject: text(raw['sub']),
    type: text(raw['typ']),
    channels: texts(raw['chs']),
    scopes: Array.isArray(raw['scopes']) ? raw['scopes'].flatMap(scopeOf) : [],
    issuedAt: number('iat'),
    expiresAt,
    expired: expiresAt * 1000 <= now,
    jti: text(raw['jti']),
    fid: text(raw['fid']),
    raw,
  };
}
