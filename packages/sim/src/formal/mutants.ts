/** A bug that is planted in the model and, where the code has the rule, in the code. Texts occur once. */
export interface FormalMutant {
  readonly name: string;
  /** Changes of recovery.qnt: a text, and what replaces it. */
  readonly model: readonly (readonly [text: string, replacement: string])[];
  /** The same bug in the code: a file from the root of the repository, a text in it, and what replaces it. */
  readonly code?: { readonly file: string; readonly text: string; readonly replacement: string };
}

const SUBSCRIBE = 'packages/engine/src/session/subscribe.ts';
const SUBSCRIPTION = 'packages/engine/src/session/subscription.ts';
const APPEND = '{ ...c, epoch: p.epoch, offset: p.offset, view: c.view.append(p) }';

export const FORMAL_MUTANTS: readonly FormalMutant[] = [
  {
    name: 'history-before-the-subscribe',
    model: [['phase: if (w.listening.contains(n)) "reading" else "joining" }', 'phase: "reading" }']],
    code: {
      file: SUBSCRIBE,
      text: 'await subscription.session.context.hub.add(subscription).catch(brokerFailed);',
      replacement: 'void subscription.session.context.hub.add(subscription).catch(brokerFailed);',
    },
  },
  {
    name: 'hole-before-the-buffer',
    model: [
      ['if (isWhole(c)) newer', 'if (true) newer'],
      ['if (k.phase == "off") k else heard(k, p)', '{ ...k, offset: p.offset, view: k.view.append(p) }'],
    ],
    code: {
      file: SUBSCRIBE,
      text: '(top !== null && !continues(top, subscription.buffered))',
      replacement: 'false',
    },
  },
  {
    name: 'epoch-ignored',
    model: [['    c.epoch == 0 or c.epoch == s.epoch,\n    c.offset <= top(s),', '    c.offset <= top(s),']],
    code: {
      file: 'packages/engine/src/stream/recovery.ts',
      text: "if (client.epoch !== '' && client.epoch !== history.epoch) return false;",
      replacement: '',
    },
  },
  {
    name: 'late-offset-again',
    model: [['    else if (p.offset <= c.offset) c\n', '']],
    code: { file: SUBSCRIPTION, text: 'if (offset <= this.offset) {', replacement: 'if (false) {' },
  },
  {
    name: 'foreign-epoch-adopted',
    model: [['if (p.epoch != c.epoch) ended(c)', `if (p.epoch != c.epoch) ${APPEND}`]],
    code: {
      file: SUBSCRIPTION,
      text: 'if (epoch !== this.epoch || offset > this.offset + 1) {',
      replacement:
        'if (epoch !== this.epoch) { this.epoch = epoch; this.offset = offset - 1; }\n' +
        '      if (offset > this.offset + 1) {',
    },
  },
  {
    name: 'position-check-off',
    model: [['if (c.phase == "live" and (c.epoch != s.epoch or c.offset != top(s))) ended(c) else c', 'c']],
    code: {
      file: 'packages/engine/src/delivery/position-check.ts',
      text: 'if (clock.monotonic() - channel.verifiedAt >= limits.positionCheckMs) this.#checkNow(channel);',
      replacement: '',
    },
  },
  {
    name: 'rewound-stream-keeps-its-epoch',
    model: [['store: { ...v.store, epoch: v.epochs + 1 } }', 'store: v.store }']],
    code: {
      file: 'packages/engine/src/delivery/position-check.ts',
      text: 'await broker.renewEpoch(channel.name, seen);',
      replacement: '',
    },
  },
];

/** The bug of that name. */
export function mutantNamed(name: string): FormalMutant {
  const mutant = FORMAL_MUTANTS.find(candidate => candidate.name === name);
  if (mutant === undefined) throw new Error(`no bug is named ${name}`);
  return mutant;
}

/** The text with these changes. Throws where one is stale: its text must occur once. */
export function changed(text: string, changes: FormalMutant['model']): string {
  return changes.reduce((result, [from, to]) => {
    if (result.split(from).length !== 2) throw new Error(`this text does not occur once: ${from}`);
    return result.replace(from, () => to);
  }, text);
}
