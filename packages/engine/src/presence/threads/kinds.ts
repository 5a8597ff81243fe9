/** Kinds of records between the two ends of presence (threads 4.6). */
export const PresenceKind = { add: 32, remove: 33, get: 34, counts: 35 } as const;
