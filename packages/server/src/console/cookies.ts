import type { Place } from './place.ts';

/** The value of the one cookie of a name; undefined without one, and for several. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map(pair => pair.trim())
    .flatMap(pair => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
  return values.length === 1 ? values[0] : undefined;
}

function headerOf(kind: Place['kind'], cookie: string, sameSite: string, maxAgeS?: number): string {
  const parts = [cookie, 'HttpOnly', `SameSite=${sameSite}`, 'Path=/'];
  if (kind === 'secure') parts.push('Secure');
  if (maxAgeS !== undefined) parts.push(`Max-Age=${maxAgeS}`);
  return parts.join('; ');
}

/** The header that sets the session's cookie; an empty text removes it. */
export function sessionCookie({ cookie, kind }: Place, text: string): string {
  return headerOf(kind, `${cookie}=${text}`, 'Strict', text === '' ? 0 : undefined);
}

/**
 * The header that sets the cookie of a sign-in at the identity provider; without a lifetime it removes it. The provider
 * sends the browser back from another site, so it is not strict.
 */
export function loginCookie({ loginCookie: cookie, kind }: Place, text = '', maxAgeS = 0): string {
  return headerOf(kind, `${cookie}=${text}`, 'Lax', maxAgeS);
}
