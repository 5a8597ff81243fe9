import { hostName, isLoopbackName } from '@msg/foundation/http-guard';
import type { Place } from './place.ts';

/** Features of browsers that the console's pages never use. */
const FEATURES = ['camera', 'geolocation', 'microphone', 'payment', 'usb', 'display-capture', 'fullscreen'];

const FIXED: readonly (readonly [name: string, value: string])[] = [
  ['x-frame-options', 'DENY'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'same-origin'],
  ['x-content-type-options', 'nosniff'],
  ['permissions-policy', FEATURES.map(feature => `${feature}=()`).join(', ')],
];

/** The address of WebSockets of the own origin, which never comes from a header that a stranger can choose. */
function webSocketOrigin({ kind, origin }: Place, configured: URL | undefined): string {
  const isKnown =
    configured !== undefined || (kind === 'local' && isLoopbackName(hostName(new URL(origin).host) ?? ''));
  return isKnown ? ` ${origin.replace(/^http/, 'ws')}` : '';
}

/** The headers of every answer of the console: names and values in turns. Source: console, section 3. */
export function policyHeaders(place: Place, configured: URL | undefined): readonly string[] {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${webSocketOrigin(place, configured)}`,
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return ['content-security-policy', policy, ...FIXED.flat()];
}
