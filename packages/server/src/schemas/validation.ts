import { MsgError, parseName } from '@msg/core';
import { findMisfit, matchesPattern, parsePattern, type ScopePattern, specificity } from '@msg/core/internal';
import type { Logger } from '../observability/logger.ts';
import type { SchemaRegistry } from './registry.ts';

/**
 * The modes for a publication that does not match its schema: `strict` refuses it, `warn` logs it, `off` does not check.
 */
const VALIDATION_MODES = ['strict', 'warn', 'off'] as const;
/** The mode of validation. */
export type ValidationMode = (typeof VALIDATION_MODES)[number];

/** The validation mode of the channels that one scope pattern covers. */
export interface ValidationRule {
  readonly pattern: string;
  readonly mode: ValidationMode;
}

interface CompiledRule {
  readonly pattern: ScopePattern;
  readonly mode: ValidationMode;
}

/**
 * Validates publications by the schemas of their channels, where a rule turns it on: a payload must match one aspect of
 * the channel's pattern. Off by default, because publications have no imposed schema. Source: messaging details 14.1.
 */
export class SchemaValidator {
  readonly #registry: Pick<SchemaRegistry, 'find'>;
  readonly #logger: Logger;
  /** Most specific first. */
  readonly #rules: readonly CompiledRule[];

  /** @throws MsgError MSG_INVALID_ARGUMENT for a bad pattern. */
  constructor(registry: Pick<SchemaRegistry, 'find'>, rules: readonly ValidationRule[], logger: Logger) {
    this.#registry = registry;
    this.#logger = logger;
    this.#rules = rules
      .map(({ pattern, mode }) => ({ pattern: parsePattern(pattern), mode }))
      .sort(
        (a, b) =>
          specificity(b.pattern) - specificity(a.pattern) || (a.pattern.text < b.pattern.text ? -1 : 1),
      );
  }

  /** False: nothing is checked in this channel. */
  checks(channel: string): boolean {
    return this.#modeOf(channel) !== 'off';
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT with the JSON path, in strict mode */
  check(channel: string, data: Uint8Array): void {
    const mode = this.#modeOf(channel);
    if (mode === 'off') return;
    const match = this.#registry.find(channel);
    const problem = match === null ? undefined : findMisfit(match.schema, parse(data));
    if (problem === undefined) return;
    const pattern = match?.schema.pattern ?? '';
    if (mode === 'strict') {
      throw new MsgError(
        'MSG_INVALID_ARGUMENT',
        `the publication does not fit ${JSON.stringify(pattern)}: ${problem}`,
      );
    }
    this.#logger.warn({ pattern, problem }, 'a publication does not fit its schema');
  }

  #modeOf(channel: string): ValidationMode {
    if (this.#rules.length === 0) return 'off';
    const name = parseName(channel);
    return this.#rules.find(rule => matchesPattern(rule.pattern, name))?.mode ?? 'off';
  }
}

function parse(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch {
    return undefined;
  }
}
