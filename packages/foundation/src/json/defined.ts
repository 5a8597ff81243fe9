/** The members of `T`: those that may be undefined are optional and, where they exist, are not. */
export type Defined<T extends object> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * A copy without the members that are undefined: `defined({ a, b })` instead of a conditional spread for each. For
 * options, requests and records; not for what runs once per delivery, where it would cost more than the spread.
 */
export function defined<T extends object>(members: T): Defined<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<T>; // what is left of the members has these types
}
