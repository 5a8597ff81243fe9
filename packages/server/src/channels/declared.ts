import { isValidName, MsgError, parseName } from '@msg/core';
import { matchesPattern, parsePattern, type ScopePattern, specificity } from '@msg/core/internal';
import type { ChannelRecord } from './record.ts';

/** A declaration of channels that open by themselves (messaging details 24.2). */
export interface DeclaredChannel {
  /** A public channel that opens when the service starts. Either this or `pattern`. */
  readonly name?: string;
  /** Public channels that open on first use by a subscribe, a publish or a PublishOrSink. */
  readonly pattern?: string;
  /** Inactivity TTL, milliseconds; 0 or absent: 30 minutes; `Infinity`: never closes. */
  readonly ttlMs?: number;
}

interface Declaration {
  readonly pattern: ScopePattern;
  readonly ttlMs: number;
}

function invalid(problem: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', `channels.open: ${problem}`);
}

function checked({ name, pattern, ttlMs = 0 }: DeclaredChannel): Declaration {
  const text = name ?? pattern ?? '';
  if ((name === undefined) === (pattern === undefined))
    throw invalid('an entry has either a name or a pattern');
  if (!text.startsWith('public:')) throw invalid(`${text} must be public: private channels need credentials`);
  if (name !== undefined && !isValidName(name)) throw invalid(`${name} is not a channel name`);
  if (Number.isNaN(ttlMs) || ttlMs < 0)
    throw invalid(`the TTL of ${text} must be 0 or more; got ${ttlMs} ms`);
  return { pattern: parsePattern(text), ttlMs };
}

/**
 * The channels that a configuration declares. A declared name counts as a pattern too: after it closes, its next use
 * opens it again.
 */
export class DeclaredChannels {
  /** Names that open when the service starts. */
  readonly names: readonly string[];
  /** Most specific first. */
  readonly #declarations: readonly Declaration[];

  /** True for a name that no channel may have, because it takes commands. */
  readonly isReserved: (name: string) => boolean;

  /** @throws MsgError MSG_INVALID_ARGUMENT for an entry that is not a public name or pattern, or a negative TTL. */
  constructor(entries: readonly DeclaredChannel[] = [], isReserved: (name: string) => boolean = () => false) {
    this.isReserved = isReserved;
    this.names = entries.flatMap(({ name }) => (name === undefined ? [] : [name]));
    this.#declarations = entries.map(checked).sort((a, b) => specificity(b.pattern) - specificity(a.pattern));
  }

  /** The declared TTL of a channel, milliseconds; 0: the default; `undefined`: the channel is not declared. */
  ttlOf(name: string): number | undefined {
    if (this.#declarations.length === 0 || !isValidName(name)) return undefined;
    const parsed = parseName(name);
    return this.#declarations.find(({ pattern }) => matchesPattern(pattern, parsed))?.ttlMs;
  }

  /** Whether a use of the channel opens it: it is declared, not open, and was not deleted. */
  opensOnUse(name: string, state: ChannelRecord['state'] | undefined): boolean {
    return state !== 'open' && state !== 'deleted' && this.ttlOf(name) !== undefined;
  }
}
