/** What each channel holds. */
export const TEXT_BYTES = 5_242_880;

/** As few large publications, and as many small ones. */
export const CHANNELS = [
  { name: 'large', count: 100, bytes: TEXT_BYTES / 100 },
  { name: 'small', count: 5000, bytes: TEXT_BYTES / 5000 },
] as const;
