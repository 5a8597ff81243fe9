import { positiveCount, setting } from '@msg/command-line';

/** Bounds on what clients may use (`docs/limits.md`). */
export const LIMIT_SETTINGS = {
  bodyBytes: setting(
    'limits.body_bytes',
    positiveCount,
    67_108_864,
    'memory in bytes that the bodies of all HTTP requests under way may hold; beyond, requests get 503',
    { flag: '--body-bytes', env: 'MSG_BODY_BYTES' },
  ),
} as const;
