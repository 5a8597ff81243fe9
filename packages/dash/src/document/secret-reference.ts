import { type Json, type JsonObject, ownMember } from './json.ts';

/** A value of a config that the environment holds (dashboard details 7.2). */
export interface SecretReference {
  readonly name: Json | undefined;
  /** Text before the secret, such as `Bearer `. */
  readonly prefix: Json;
}

/** `{"$secret": "NAME"}`, with at most `prefix` beside it; undefined for any other object. */
export function secretReference(value: JsonObject): SecretReference | undefined {
  const keys = Object.keys(value);
  if (!Object.hasOwn(value, '$secret') || keys.some(key => key !== '$secret' && key !== 'prefix')) {
    return undefined;
  }
  return { name: ownMember(value, '$secret'), prefix: ownMember(value, 'prefix') ?? '' };
}
