import { defined } from '@msg/foundation/json';
import { credentialsIn, MASK, maskedText, withoutCredentials } from '../document/credentials.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { Difference } from './differences.ts';

const CONNECTIONS = /^\/\$connections(?:\/|$)/;
/** What stands for a credential in place of another one. */
const ANOTHER = `${MASK} (another)`;
/** A shorter value would make the words of an error unreadable. */
const SHORTEST = 4;
/** Characters of a value that an error shows for certain, because it cuts texts. */
const COMPARED = 150;

/**
 * A difference whose values show no credential (page and review 5.8); that there is another one than before is told, because
 * a person would not know of the change otherwise.
 */
export function maskedDifference(difference: Difference): Difference {
  const name = difference.nodeId === '$connections' ? '' : undefined;
  const former = new Set<string>();
  const [from, to] = [difference.from, difference.to].map((value, side) =>
    value === undefined
      ? undefined
      : withoutCredentials(value, name, credential => {
          if (side === 0) former.add(credential);
          return former.size === 0 || former.has(credential) ? MASK : ANOTHER;
        }),
  );
  return from === difference.from && to === difference.to ? difference : defined({ ...difference, from, to });
}

/** Operations as a person may read them: those that people commit keep their values. */
export function maskedOperations(ops: readonly Json[]): readonly Json[] {
  return ops.map(operation => {
    if (!isJsonObject(operation)) return withoutCredentials(operation);
    const value = ownMember(operation, 'value');
    if (value === undefined) return operation;
    return { ...operation, value: withoutCredentials(value, nameAt(operation)) };
  });
}

/** An error without the credentials that its changeset brings; any other as it is. */
export function withMaskedCredentials(error: unknown, ops: unknown): unknown {
  if (!(error instanceof DashError)) return error;
  const mask = maskOf(ops);
  const message = mask(error.message);
  const details = maskedDeep(error.details, mask) as DashError['details'];
  if (message === error.message && details === error.details) return error;
  return new DashError(error.code, message, details, error.cause);
}

/** The name of the setting that an operation on connections sets; undefined for any other operation. */
function nameAt(operation: JsonObject): string | undefined {
  const path = ownMember(operation, 'path');
  if (typeof path !== 'string' || !CONNECTIONS.test(path)) return undefined;
  return path.split('/').findLast(step => !/^(?:\d+|-)$/.test(step)) ?? '';
}

function maskOf(ops: unknown): (text: string) => string {
  const values = (Array.isArray(ops) ? (ops as Json[]) : []).filter(isJsonObject).flatMap(operation => {
    const name = nameAt(operation);
    const value = ownMember(operation, 'value');
    return name === undefined || value === undefined ? [] : credentialsIn(value, [name]);
  });
  const texts = [...new Set(values.map(({ value }) => value))]
    .filter(value => value.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length);
  return text => texts.reduce(withoutText, maskedText(text));
}

/** A text without another one, which an error may have cut. */
function withoutText(text: string, value: string): string {
  if (value.length <= COMPARED) return text.replaceAll(value, MASK);
  const [first = '', ...others] = text.split(value.slice(0, COMPARED));
  return [first, ...others.map(rest => rest.replace(/^[^"\s]*/, ''))].join(MASK);
}

function maskedDeep(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) {
    const masked = value.map(element => maskedDeep(element, mask));
    return masked.some((element, index) => element !== value[index]) ? masked : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const masked = entries.map(([name, member]) => [mask(name), maskedDeep(member, mask)] as const);
  const isSame = masked.every(
    ([name, member], index) => name === entries[index]?.[0] && member === entries[index]?.[1],
  );
  return isSame ? value : Object.fromEntries(masked);
}
