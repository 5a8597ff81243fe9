import type { Json } from '../document/json.ts';
import { jsonSize } from '../document/size.ts';
import { ExpressionError } from './failure.ts';

const MAX_STEPS = 10_000;
export const MAX_LENGTH = 100_000;
const READ_PER_STEP = 100;

/** The remaining steps of one evaluation. */
export class Steps {
  #left = MAX_STEPS;

  take(count = 1): void {
    this.#left -= count;
    if (this.#left < 0) throw new ExpressionError(`more than ${MAX_STEPS} steps`);
  }

  /** Counts native work: a step per 100 characters or elements. */
  read(length: number): void {
    this.take(Math.floor(length / READ_PER_STEP));
  }

  /** Counts a text search, which may compare all of `part` at each character. */
  search(text: string, part: string): void {
    this.read(text.length * Math.ceil(part.length / READ_PER_STEP));
  }
}

/** Refuses a text or array longer than 100,000 before it is built. */
export function requireLength(length: number): void {
  if (length > MAX_LENGTH) throw new ExpressionError(`a value longer than ${MAX_LENGTH}`);
}

/** Length of the JSON text of `value`, within the same limit. */
export function textSize(value: Json): number {
  const size = jsonSize(value, MAX_LENGTH);
  requireLength(size);
  return size;
}

/** Deep equality without coercion; each visited element is a step, as shared parts can repeat without end. */
export function equal(left: Json, right: Json, steps: Steps): boolean {
  if (typeof left === 'string') steps.read(left.length);
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
    return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  steps.read(keys.length);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(key => {
    steps.take();
    if (!Object.hasOwn(right, key)) return false;
    return equal((left as never)[key] as Json, (right as never)[key] as Json, steps);
  });
}
