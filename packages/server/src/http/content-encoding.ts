/**
 * The coding to answer in: the first of `available` that the caller takes; empty when it takes none of them.
 * Source: RFC 9110, 12.5.3.
 */
export function preferredEncoding(accepted: string | undefined, available: readonly string[]): string {
  const weights = new Map<string, number>();
  for (const entry of (accepted ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = entry.split(';').map(part => part.trim());
    const weight = parameters.find(parameter => parameter.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return available.find(name => (weights.get(name) ?? weights.get('*') ?? 0) > 0) ?? '';
}
