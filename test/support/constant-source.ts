/** A constant in a source file; its value must stand in the row. The value is given where it is not a literal. */
export type Source = readonly [file: string, name: string, value?: number];

export const limit = (...names: readonly string[]): Source[] =>
  names.map(name => ['packages/engine/src/limits.ts', name]);
export const inServer = (file: string, name: string): Source => [`packages/server/src/${file}.ts`, name];
export const inEngine = (file: string, name: string): Source => [`packages/engine/src/${file}.ts`, name];
export const inRedis = (name: string): Source => ['packages/redis/src/clients.ts', name];
export const inRetryDelay = (name: string): Source => ['packages/redis/src/retry-delay.ts', name];
export const inTwirp = (name: string): Source => ['packages/core/src/rpc/twirp.ts', name];
