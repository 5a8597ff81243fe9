import type { SettingSources } from '@msg/command-line';
import { resolve, resolveAll } from '@msg/command-line/internal';
import { LOOPBACK_ORIGINS } from './loopback-origins.ts';
import { SERVE_SETTINGS, type ServeSettings } from './serve-settings.ts';

/**
 * Defaults under `server.dev`, for a developer's machine (messaging details 24.9). Other layers have precedence as usual.
 */
const DEV_DEFAULTS = {
  addr: '127.0.0.1:8000',
  stateDir: '.msg',
  allowedOrigins: [LOOPBACK_ORIGINS],
  strictRequests: true,
} as const satisfies Partial<ServeSettings>;

/** The settings of `serve`, with the defaults of `server.dev` where it is on. */
export function serveSettingGroup(sources: SettingSources): typeof SERVE_SETTINGS {
  if (!resolve(SERVE_SETTINGS.dev, sources)) return SERVE_SETTINGS;
  const group: Record<string, unknown> = { ...SERVE_SETTINGS };
  for (const [name, fallback] of Object.entries(DEV_DEFAULTS))
    group[name] = { ...SERVE_SETTINGS[name as keyof typeof DEV_DEFAULTS], fallback };
  // The same settings, whose other defaults have the same types.
  return group as typeof SERVE_SETTINGS;
}

/** Resolves the settings of `serve`. @throws UsageError */
export function settleServe(sources: SettingSources): ServeSettings {
  return resolveAll(serveSettingGroup(sources), sources);
}
