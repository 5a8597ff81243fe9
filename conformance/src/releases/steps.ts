/** What a client's program goes through, in this order, and what it must print after the step's name. */
export const STEPS = [
  { name: 'connect', title: 'connect', expected: '' },
  { name: 'subscribe', title: 'subscribe with token', expected: '' },
  { name: 'receive', title: 'receive', expected: '1' },
  { name: 'publish', title: 'publish', expected: '2' },
  { name: 'history', title: 'history', expected: '1 2' },
  { name: 'presence', title: 'presence', expected: '42' },
  { name: 'recovery', title: 'recovery after a cut', expected: 'recovered 3 4 5' },
] as const;
export type StepName = (typeof STEPS)[number]['name'];

/** The user of the tokens: the one that presence must show. */
export const USER = '42';

export const ENCODINGS = ['json', 'protobuf'] as const;
export type Encoding = (typeof ENCODINGS)[number];
