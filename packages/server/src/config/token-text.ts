import { isRecord } from '@msg/foundation/json';

/** Members of a part of a token. */
export type Claims = Readonly<Record<string, unknown>>;

function decode(part: string | undefined): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));
    return isRecord(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Header and claims of a token, `undefined` for a text that is not one. The signature is not checked. */
export function readToken(token: string): { readonly header: Claims; readonly claims: Claims } | undefined {
  const [headerPart, claimsPart, signature, ...rest] = token.split('.');
  const header = decode(headerPart);
  const claims = decode(claimsPart);
  if (header === undefined || claims === undefined || !signature || rest.length > 0) return undefined;
  return { header, claims };
}
