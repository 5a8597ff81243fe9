/**
 * Reads the address of a destination. Errors never contain it, because it may be a secret.
 * @returns the normalised URL, or the problem
 */
export function parseEndpoint(text: string): { readonly url: string } | { readonly problem: string } {
  const url = URL.parse(text);
  if (url === null) return { problem: 'must be a URL' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: 'must be http or https' };
  if (url.username !== '' || url.password !== '')
    return { problem: 'must not hold credentials, they belong into a header' };
  return { url: url.href };
}
