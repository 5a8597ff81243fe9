/** Members of a part of a token. */
type Members = Readonly<Record<string, unknown>>;

function membersOf(part: string): Members | undefined {
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, character => character.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Members)
      : undefined; // checked
  } catch {
    return undefined;
  }
}

/** What a token says of itself. */
export interface TokenParts {
  readonly header: Members;
  readonly claims: Members;
}

/** Decodes a token. Its signature is not looked at. Undefined for another text. */
export function readToken(text: string): TokenParts | undefined {
  const [first = '', second = '', signature, ...others] = text.trim().split('.');
  const header = membersOf(first);
  const claims = membersOf(second);
  if (header === undefined || claims === undefined || !signature || others.length > 0) return undefined;
  return { header, claims };
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A moment of a token, Unix milliseconds; undefined where it has none. */
export function momentOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value * 1000 : undefined;
}

/** A scope of a token. */
export interface ShownScope {
  readonly pattern: string;
  readonly verbs: readonly string[];
  readonly isDenied: boolean;
}

/** The rights that a token carries. */
export function scopesOf({ chs, scopes }: Members): readonly ShownScope[] {
  const channels = Array.isArray(chs) ? chs.filter(name => typeof name === 'string') : [];
  const listed = Array.isArray(scopes) ? (scopes as readonly (Members | null)[]) : []; // each is checked
  return [
    ...channels.map(pattern => ({ pattern, verbs: ['subscribe'], isDenied: false })),
    ...listed.flatMap(scope =>
      typeof scope?.['pat'] === 'string' && Array.isArray(scope['v'])
        ? [{ pattern: scope['pat'], verbs: scope['v'].map(String), isDenied: scope['deny'] === true }]
        : [],
    ),
  ];
}
