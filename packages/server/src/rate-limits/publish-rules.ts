import { isValidName, MsgError, parseName } from '@msg/core';
import { matchesPattern, parsePattern, type ScopePattern, specificity } from '@msg/core/internal';
import { isLimited, type RateLimit } from './limit.ts';

/** A limit for the publishes of one subject into the channels of a pattern. */
export interface PublishRule extends RateLimit {
  readonly pattern: string;
}

interface CompiledRule {
  readonly pattern: ScopePattern;
  readonly limit: RateLimit;
}

function compile({ pattern, ...limit }: PublishRule, index: number): CompiledRule {
  if (isLimited(limit) && limit.perMs <= 0) {
    const key = `rate_limits.per_channel_publish[${index}].per`;
    throw new MsgError('MSG_INVALID_ARGUMENT', `${key}: is required when rate is set`);
  }
  return { pattern: parsePattern(pattern), limit };
}

/** Most specific first; ties by the pattern's text. */
function bySpecificity(a: CompiledRule, b: CompiledRule): number {
  const difference = specificity(b.pattern) - specificity(a.pattern);
  return difference || (a.pattern.text < b.pattern.text ? -1 : 1);
}

/** The publish limits of channels besides the general one. Source: messaging details, section 22. */
export class PublishRules {
  readonly #rules: readonly CompiledRule[];

  /** @throws MsgError MSG_INVALID_ARGUMENT for a bad pattern or a rate without window. */
  constructor(rules: readonly PublishRule[]) {
    this.#rules = rules.map(compile).sort(bySpecificity);
  }

  /** The rule of a channel; `undefined` when no rule matches, and for an invalid channel name. */
  of(channel: string): { readonly pattern: string; readonly limit: RateLimit } | undefined {
    if (this.#rules.length === 0 || !isValidName(channel)) return undefined;
    const name = parseName(channel);
    const rule = this.#rules.find(({ pattern }) => matchesPattern(pattern, name));
    return rule === undefined ? undefined : { pattern: rule.pattern.text, limit: rule.limit };
  }

  /** The rules, most specific first. */
  *[Symbol.iterator](): Iterator<{ readonly pattern: string; readonly limit: RateLimit }> {
    for (const { pattern, limit } of this.#rules) yield { pattern: pattern.text, limit };
  }
}
