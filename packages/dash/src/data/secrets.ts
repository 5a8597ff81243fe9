import { isJsonObject, type Json, type JsonObject, setMember } from '../document/json.ts';
import { secretReference } from '../document/secret-reference.ts';
import { DashError } from '../errors.ts';
import { Masking } from './masking.ts';

/** Variables with the secrets. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the secrets of connections, and masks each that was ever read. */
export class Secrets {
  readonly masking = new Masking();
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** A copy of a config with secrets in place of their references. @throws DashError SECRET_MISSING. */
  fill(config: JsonObject): JsonObject {
    return this.#fill(config) as JsonObject;
  }

  #fill(value: Json): Json {
    if (Array.isArray(value)) return value.map(item => this.#fill(item));
    if (!isJsonObject(value)) return value;
    const reference = secretReference(value);
    if (reference !== undefined) return `${String(reference.prefix)}${this.#read(String(reference.name))}`;
    const filled: JsonObject = {};
    for (const [key, member] of Object.entries(value)) setMember(filled, key, this.#fill(member));
    return filled;
  }

  #read(name: string): string {
    const value = Object.hasOwn(this.#environment, name) ? this.#environment[name] : undefined;
    if (value === undefined || value === '') throw secretMissing([name]);
    this.masking.add(value);
    return value;
  }
}

/** The error of secrets that are not set. */
export function secretMissing(names: readonly string[]): DashError {
  const message = `Environment variable ${names.join(', ')} is required on the server.`;
  return new DashError('SECRET_MISSING', message, { names });
}
