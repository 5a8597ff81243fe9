/** What is there, or will be. */
export type Awaitable<T> = T | Promise<T>;
