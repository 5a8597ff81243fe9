import { MsgError, type PayloadSchema, parseName } from '@msg/core';
import {
  findViolation,
  matchesPattern,
  parsePattern,
  type ScopePattern,
  specificity,
} from '@msg/core/internal';
import type { Logger } from '../observability/logger.ts';
import type { SchemaMatch } from './index-of-patterns.ts';
import type { SchemaRegistry } from './registry.ts';

/** What happens to a publication that does not fit: it is refused, logged, or not checked. */
const VALIDATION_MODES = ['strict', 'warn', 'off'] as const;
/** What happens to a payload that breaks its schema. */
export type ValidationMode = (typeof VALIDATION_MODES)[number];

/** How publications of the channels that one scope pattern covers are held to their schemas. */
export interface ValidationRule {
  readonly pattern: string;
  readonly mode: ValidationMode;
}

interface CompiledRule {
  readonly pattern: ScopePattern;
  readonly mode: ValidationMode;
}

/**
 * Holds publications to the schemas of their channels where that is asked for: a payload has to fit one aspect of the
 * pattern that matches the channel. Off by default, because publications have no imposed schema.
 * Source: messaging details 14.1.
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

  /** @throws MsgError MSG_INVALID_ARGUMENT naming the JSON path, where the mode is strict. */
  check(channel: string, data: Uint8Array): void {
    const mode = this.#modeOf(channel);
    if (mode === 'off') return;
    const match = this.#registry.find(channel);
    const problem = match === null ? undefined : problemOf(match, data);
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

/** Why a payload fits no aspect, with the JSON path in each; `undefined` when it fits one. Never any of its values. */
function problemOf({ schema }: SchemaMatch, data: Uint8Array): string | undefined {
  const aspects = Object.values(schema.aspects);
  const schemas = aspects.flatMap(({ name, payload_schema }): [string, PayloadSchema][] =>
    payload_schema === undefined ? [] : [[name, payload_schema]],
  );
  // Without any schema, or with an aspect that takes everything, there is nothing to hold it to.
  if (schemas.length < aspects.length || schemas.length === 0) return undefined;
  const value = parse(data);
  if (value === undefined) return '$ must be JSON';
  const problems: string[] = [];
  for (const [name, payload] of schemas) {
    const violation = findViolation(value, payload);
    if (violation === undefined) return undefined;
    problems.push(`${name}: ${violation.path} ${violation.problem}`);
  }
  return problems.join('; ');
}

function parse(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch {
    return undefined;
  }
}
