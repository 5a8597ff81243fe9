/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether the value is a promise. For the rare cases that {@link chain} cannot express. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise;
}

/**
 * Applies `next` to a value, without a promise when the value is not one. Throws, or rejects, with the error of `next`.
 */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? value.then(next) : next(value);
}

/**
 * The result of `work`, or, when it throws or rejects, the result of `failed`. Makes a promise only if one of them does.
 */
export function recover<T>(
  work: () => MaybePromise<T>,
  failed: (error: unknown) => MaybePromise<T>,
): MaybePromise<T> {
  try {
    const result = work();
    return isPromise(result) ? result.catch(failed) : result;
  } catch (error) {
    return failed(error);
  }
}

/**
 * Runs steps on a subject, one after the other, without a promise as long as no step waits. Throws, or rejects, with the
 * error of the first failing step, and skips the later ones.
 */
export function runSteps<T>(
  steps: readonly ((subject: T) => MaybePromise<unknown>)[],
  subject: T,
): MaybePromise<void> {
  for (let index = 0; index < steps.length; index++) {
    const result = steps[index]?.(subject);
    if (isPromise(result)) return runRest(result, steps, subject, index + 1);
  }
}

async function runRest<T>(
  result: Promise<unknown>,
  steps: readonly ((subject: T) => MaybePromise<unknown>)[],
  subject: T,
  next: number,
): Promise<void> {
  await result;
  for (let index = next; index < steps.length; index++) await steps[index]?.(subject);
}
