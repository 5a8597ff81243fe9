/** Classes of worlds, the one that is played by default first. Apart from the worlds, which load what they run. */
export const WORLD_NAMES = [
  'memory',
  'standard',
  'storm',
  'quiet',
  'long',
  'cluster',
  'outbox',
  'bare',
] as const;
