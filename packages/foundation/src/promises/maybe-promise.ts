/** A value that is there, or will be. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether the value is still to come. For the rare case that {@link chain} cannot express. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise;
}

/**
 * What `next` makes of a value: at once, without a promise, when the value is there. Throws, or rejects, with what
 * `next` throws.
 */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** What `work` answers, or, where it throws or rejects, what `failed` makes of the error. Without a promise if it can. */
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
 * Runs steps on a subject, one after the other: at once, without a promise, as far as no step has to be waited for. Throws,
 * or rejects, as the first step does that fails; no later one runs then.
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
