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
