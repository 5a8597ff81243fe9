import type { ErrorObject } from 'ajv/dist/2020.js';
import { display } from '../document/display.ts';
import type { Validator } from './validator.ts';

/** One violation of a schema, short enough for a model to act on (dashboard details 10.1). */
export interface Violation {
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

export const MOST_VIOLATIONS = 20;
/** Number of violations among which the deepest are chosen. */
const MOST_COMPARED = 20_000;
/** Longest pointer, because every violation below a long member name repeats it. */
const LONGEST_POINTER = 2_000;

/** The violations of the last run of `validate`: deepest first, at most 20. */
export function violationsOf(validate: Validator): Violation[] {
  return cutViolations(allViolations(validate));
}

/** As {@link violationsOf}, without the limit and without those at an `excused` pointer. */
export function allViolations(
  validate: Validator,
  excused: (pointer: string) => boolean = () => false,
): Violation[] {
  const seen = new Set<string>();
  return validate.errors
    .filter(({ keyword, instancePath }) => keyword !== 'if' && !excused(instancePath))
    .slice(0, MOST_COMPARED)
    .map(toViolation)
    .filter(violation => {
      const key = JSON.stringify(violation);
      return !seen.has(key) && seen.add(key) !== undefined;
    });
}

export function cutViolations(violations: readonly Violation[]): Violation[] {
  return violations
    .map(violation => ({ violation, depth: depthOf(violation) }))
    .sort((a, b) => b.depth - a.depth)
    .slice(0, MOST_VIOLATIONS)
    .map(({ violation }) => violation);
}

function depthOf({ pointer }: Violation): number {
  return pointer.split('/').length;
}

/** Longer than any error shows, so that different pointers stay different. */
function cutPointer(pointer: string): string {
  return pointer.slice(0, LONGEST_POINTER);
}

function lastSegment(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1);
}

/** The violation of an error, with the offending member from its parameters. */
function toViolation(error: ErrorObject): Violation {
  const { instancePath: pointer, keyword, params } = error;
  const extra = params['additionalProperty'] ?? params['unevaluatedProperty'];
  const allowed =
    params['allowedValues'] ?? ('allowedValue' in params ? [params['allowedValue']] : undefined);
  const forbidden =
    keyword === 'false schema' ? `member "${display(lastSegment(pointer))}" is not allowed here` : undefined;
  const detail =
    extra !== undefined
      ? `: "${display(String(extra))}"`
      : allowed !== undefined
        ? `: ${JSON.stringify(allowed)}`
        : '';
  return {
    pointer: cutPointer(pointer),
    keyword,
    message: forbidden ?? `${error.message ?? 'is not valid'}${detail}`,
  };
}

/** The first violation as the end of a sentence, `: /grid/gap must be number`; empty without one. */
export function whyOf([first]: readonly Violation[]): string {
  if (first === undefined) return '';
  return `: ${[display(first.pointer), first.message].filter(part => part !== '').join(' ')}`;
}
