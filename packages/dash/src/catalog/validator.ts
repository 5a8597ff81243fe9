import {
  Ajv2020,
  type ErrorObject,
  type FuncKeywordDefinition,
  type Options,
  type ValidateFunction,
} from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject, ownMember } from '../document/json.ts';

const ANNOTATIONS = [
  'behavior',
  'configurable',
  'expectedResult',
  'rowFields',
  'documentScopes',
  'querySchema',
  'literalQuery',
];

/** `ascending: <member>`: the numbers under this member of the elements of a list grow from one element to the next. */
const ASCENDING: FuncKeywordDefinition = {
  keyword: 'ascending',
  type: 'array',
  schemaType: 'string',
  validate: (member: string, list: readonly unknown[]) => {
    const numbers = list.map(element => (isJsonObject(element) ? ownMember(element, member) : undefined));
    return numbers.every((number, at) => at === 0 || !(Number(numbers[at - 1]) >= Number(number)));
  },
  error: { message: ({ schema }) => `must have "${schema}" ascending` },
};

/**
 * Number of members and elements up to which all violations of a value are collected. Each takes memory and, where
 * schemas refer to each other, quadratic time: 5,000 invalid nodes take half a second.
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

/** A compiled schema, which checks values. */
export interface Validator {
  (value: unknown): boolean;
  /** Violations of the last value: all, or only the first for a large value. */
  errors: readonly ErrorObject[];
}

/** Compiles schemas that refer to each other by `$id`; nothing is ever fetched. */
export class Schemas {
  readonly #stopping = new Ajv2020(OPTIONS);
  readonly #collecting = new Ajv2020({ ...OPTIONS, allErrors: true, validateSchema: false });

  constructor() {
    for (const ajv of [this.#stopping, this.#collecting]) {
      ajv.addVocabulary(ANNOTATIONS);
      ajv.addKeyword(ASCENDING);
    }
  }

  /** @throws Error for a value that is not a schema. */
  add(schema: JsonObject): void {
    this.#stopping.addSchema(schema);
    this.#collecting.addSchema(schema);
  }

  /**
   * @param always whether all violations are collected for large values too, for callers that ignore some
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
