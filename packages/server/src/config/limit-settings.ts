import { positiveCount, type Setting } from '@msg/command-line';

/** Bounds on what clients may use (`docs/limits.md`). */
export const LIMIT_SETTINGS = {
  bodyBytes: {
    key: 'limits.body_bytes',
    flag: '--body-bytes',
    env: 'MSG_BODY_BYTES',
    type: positiveCount,
    fallback: 67_108_864,
    help: 'memory in bytes that the bodies of all HTTP requests under way may hold; beyond, requests get 503',
  } satisfies Setting<number>,
} as const;
