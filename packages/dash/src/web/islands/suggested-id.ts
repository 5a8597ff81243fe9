const LONGEST = 60;

/** An id for a title: its letters and digits in lower case, with a hyphen for everything between them. */
export function suggestedId(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST)
    .replace(/-$/, '');
}
