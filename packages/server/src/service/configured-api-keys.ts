import { readFile } from 'node:fs/promises';
import { resolve } from '@msg/command-line/internal';
import { defined } from '@msg/foundation/json';
import type { ApiKeyReader } from '../auth/api-keys/api-keys.ts';
import type { ApiKeyOptions } from '../auth/api-keys/declared.ts';
import type { ApiKeyEntry } from '../config/api-key-settings.ts';
import { SERVE_SETTINGS } from '../config/serve-settings.ts';

/** The library's options for an entry of `auth.api_keys`. */
export function configuredApiKey(entry: ApiKeyEntry): ApiKeyOptions {
  const { name, sha256, key, role, grants, expires: expiresAtMs, rate, allow_weak: allowWeak } = entry;
  return { name, ...defined({ sha256, key, role, grants, expiresAtMs, rate, allowWeak }) };
}

/** Reads `auth.api_keys` of a file and ignores the rest. */
export function apiKeysOfFile(path: string): ApiKeyReader {
  return async () => {
    const { loadConfigFile } = await import('../config/config-file.ts');
    const file = await loadConfigFile(path, SERVE_SETTINGS, { env: process.env, readFile });
    const entries = resolve(SERVE_SETTINGS.apiKeys, { flag: () => undefined, env: {}, file });
    return entries.map(configuredApiKey);
  };
}
