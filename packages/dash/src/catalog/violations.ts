import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';

/** One reason why a value does not fit a schema, short enough for a model to act on (dashboard details 10.1). */
export interface Violation {
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

const MOST_VIOLATIONS = 20;

/** The reasons of the last run of `validate`: deepest first, at most 20. */
export function violationsOf(validate: ValidateFunction): Violation[] {
  return cutViolations(allViolations(validate));
}

/** As {@link violationsOf}, uncut: for callers that leave some out. */
export function allViolations(validate: ValidateFunction): Violation[] {
  const seen = new Set<string>();
  return (validate.errors ?? [])
    .filter(error => error.keyword !== 'if')
    .map(toViolation)
    .filter(violation => {
      const key = JSON.stringify(violation);
      return !seen.has(key) && seen.add(key) !== undefined;
    });
}

export function cutViolations(violations: readonly Violation[]): Violation[] {
  return violations.toSorted((a, b) => depth(b) - depth(a)).slice(0, MOST_VIOLATIONS);
}

function depth({ pointer }: Violation): number {
  return pointer.split('/').length;
}

/** Names the offending member, which the validator keeps in its parameters. */
function toViolation(error: ErrorObject): Violation {
  const { instancePath: pointer, keyword, params } = error;
  const extra = params['additionalProperty'] ?? params['unevaluatedProperty'];
  const allowed =
    params['allowedValues'] ?? ('allowedValue' in params ? [params['allowedValue']] : undefined);
  const forbidden =
    keyword === 'false schema' ? `member "${pointer.split('/').at(-1)}" is not allowed here` : undefined;
  const detail =
    extra !== undefined ? `: "${extra}"` : allowed !== undefined ? `: ${JSON.stringify(allowed)}` : '';
  return { pointer, keyword, message: forbidden ?? `${error.message ?? 'is not valid'}${detail}` };
}
