import { MsgError } from '@msg/core';
import type { ServeSettings } from '../config/serve-settings.ts';
import type { ConsoleOptions } from '../console/options.ts';

/** @throws MsgError MSG_INVALID_ARGUMENT for the two names of one setting with different values */
function isEnabled({ consoleEnabled, adminUi, trustedProxies }: ServeSettings, isLoopback: boolean): boolean {
  if (adminUi !== undefined && consoleEnabled !== 'auto' && consoleEnabled !== adminUi) {
    const text = `server.admin_ui.enabled is ${adminUi}, and console.enabled is ${consoleEnabled}: give one of them`;
    throw new MsgError('MSG_INVALID_ARGUMENT', text);
  }
  const wanted = adminUi ?? consoleEnabled;
  return wanted === 'auto' ? isLoopback && trustedProxies.length === 0 : wanted === 'on';
}

/** The console's options for resolved settings. `isLoopback`: the listener has a loopback address. */
export function consoleOptions(settings: ServeSettings, isLoopback: boolean): ConsoleOptions {
  return {
    enabled: isEnabled(settings, isLoopback),
    origin: settings.consoleOrigin,
    maxRole: settings.consoleMaxRole,
    sessionTtlMs: settings.consoleSessionTtl,
    // The default of a shorter session is its end.
    sessionIdleMs: settings.consoleSessionIdle,
    boundToLoopback: isLoopback,
    oidc: {
      clientId: settings.consoleOidcClientId,
      clientSecret: settings.consoleOidcClientSecret,
      scope: settings.consoleOidcScope,
    },
  };
}
