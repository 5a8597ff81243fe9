import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonObject } from '../document/json.ts';

const ANNOTATIONS = ['behavior', 'configurable', 'expectedResult', 'rowFields', 'documentScopes'];

/**
 * Up to so many members and elements all violations of a value are collected. That takes memory for each and, where a
 * schema refers to another one, time that grows with their square: 5,000 faulty nodes take half a second.
 */
const MOST_VALUES = 5_000;

const OPTIONS: Options = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  ownProperties: true,
  logger: false,
};

/** A compiled schema: whether a value fits it. */
export interface Validator {
  (value: unknown): boolean;
  /** What the last value lacked: everything, or the first violation alone when the value is large. */
  errors: readonly ErrorObject[];
}

/** Compiles schemas that refer to each other by `$id`; nothing is ever fetched. */
export class Schemas {
  readonly #stopping = new Ajv2020(OPTIONS);
  readonly #collecting = new Ajv2020({ ...OPTIONS, allErrors: true, validateSchema: false });

  constructor() {
    for (const ajv of [this.#stopping, this.#collecting]) ajv.addVocabulary(ANNOTATIONS);
  }

  /** @throws Error for a value that is not a schema. */
  add(schema: JsonObject): void {
    this.#stopping.addSchema(schema);
    this.#collecting.addSchema(schema);
  }

  /**
   * @param always whether all violations are collected however large the value is, for callers that leave some out.
   * @throws Error for a value that is not a schema.
   */
  compile(schema: JsonObject | boolean, always = false): Validator {
    const stopping = this.#stopping.compile(schema);
    let collecting: ValidateFunction | undefined;
    const errorsOf = (value: unknown) => {
      if (!always && holdsMoreThan(value, MOST_VALUES)) return stopping.errors ?? [];
      collecting ??= this.#collecting.compile(schema);
      collecting(value);
      return collecting.errors ?? [];
    };
    const validator: Validator = value => {
      const fits = stopping(value);
      validator.errors = fits ? [] : errorsOf(value);
      return fits;
    };
    validator.errors = [];
    return validator;
  }
}

function holdsMoreThan(value: unknown, most: number): boolean {
  let count = 0;
  const waiting = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const inner = Object.values(next);
    count += inner.length;
    if (count > most) return true;
    waiting.push(...inner);
  }
  return false;
}
