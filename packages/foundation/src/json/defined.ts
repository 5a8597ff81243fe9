/** True for a type that includes undefined; `unknown` counts as a value. */
type MayBeAbsent<T> = unknown extends T ? false : undefined extends T ? true : false;

/** The members of `T`: those that may be undefined are optional and, where they exist, are not. */
export type Defined<T extends object> = {
  [K in keyof T as MayBeAbsent<T[K]> extends true ? never : K]: T[K];
} & {
  [K in keyof T as MayBeAbsent<T[K]> extends true ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * A copy without undefined members: `defined({ a, b })` instead of a conditional spread for each. For options, requests
 * and records; not for the delivery path, where a spread costs less.
 */
export function defined<T extends object>(members: T): Defined<T> {
  let copy: Record<string, unknown> = {};
  for (const name in members) {
    const value = members[name];
    if (value === undefined) continue;
    // An assignment to this name would set the prototype.
    if (name === '__proto__') copy = { ...copy, [name]: value };
    else copy[name] = value;
  }
  return copy as Defined<T>; // the remaining members have these types
}
