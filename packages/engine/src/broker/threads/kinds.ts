/** Kinds of records between the two ends of a broker (threads 4). */
export const BrokerKind = {
  publish: 16,
  subscribe: 17,
  unsubscribe: 18,
  history: 19,
  join: 20,
  leave: 21,
  publication: 22,
  appended: 23,
  appendChanged: 24,
  missed: 25,
  gap: 26,
  historyPage: 27,
  restarted: 28,
} as const;

/** Names of calls: what is rare. */
export const BrokerCall = {
  removeHistory: 'broker.removeHistory',
  renewEpoch: 'broker.renewEpoch',
  removeStream: 'broker.removeStream',
  append: 'broker.append',
  appendState: 'broker.appendState',
  watch: 'broker.watch',
  unwatch: 'broker.unwatch',
  cancelAppend: 'broker.cancelAppend',
  claimOutcome: 'broker.claimOutcome',
  storeOutcome: 'broker.storeOutcome',
} as const;
