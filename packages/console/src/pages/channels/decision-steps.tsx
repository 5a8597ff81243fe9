import type { RpcResponse, Verb } from '@msg/core';
import type { JSX } from 'preact';
import { State } from '../../parts/basics.tsx';

/** What a decision was about, and how it came out. */
export interface Decided {
  readonly answer: RpcResponse<'ExplainAccess'>;
  readonly verb: Verb;
}

/** How far a decision came at a step. */
type Outcome = 'passed' | 'allowed' | 'denied' | 'not reached' | 'not needed';

interface Step {
  readonly name: string;
  /** Rules that decide here. */
  readonly rules: readonly string[];
}

/** In the order in which the server asks (messaging details, section 24.7). */
const STEPS: readonly Step[] = [
  { name: 'The name is one of a channel', rules: ['grammar'] },
  { name: 'The channel is public, and subscribing needs no token', rules: ['public'] },
  { name: 'The token, if there is one, is valid', rules: ['token'] },
  { name: 'No scope of a token denies it', rules: ['deny-scope'] },
  { name: 'A grant of a token gives the right', rules: ['chs', 'allow-scope', 'none'] },
  { name: 'Neither a token nor its user is revoked', rules: ['revoked'] },
  { name: 'The authorizer of the embedding program', rules: ['authorizer'] },
  { name: 'The channel is open', rules: ['channel-state'] },
];
const [PUBLIC, AUTHORIZER, STATE] = [1, 6, 7];

/** The step that decided. A right that is there does not open a closed channel. */
function decidingStep({ allowed, code, decided_by: rule }: Decided['answer']): number {
  if (!allowed && code === 'MSG_CHANNEL_CLOSED') return STATE;
  return STEPS.findIndex(({ rules }) => rules.includes(rule));
}

/** What became of each step; the program's authorizer is named only where it decided. */
function stepsOf({ answer, verb }: Decided): readonly { readonly name: string; readonly outcome: Outcome }[] {
  const at = decidingStep(answer);
  const isPublic = answer.decided_by === 'public';
  const isAsked = (index: number): boolean => {
    if (index === AUTHORIZER) return at === AUTHORIZER;
    if (index === PUBLIC) return isPublic;
    // A right to manage needs no open channel.
    return index !== STATE || verb !== 'manage';
  };
  const outcomeOf = (index: number): Outcome => {
    if (index === at) return answer.allowed ? 'allowed' : 'denied';
    if (isPublic && index > PUBLIC && index < STATE) return 'not needed';
    return index < at || answer.allowed ? 'passed' : 'not reached';
  };
  return STEPS.map(({ name }, index) => ({ name, index }))
    .filter(({ index }) => isAsked(index))
    .map(({ name, index }) => ({ name, outcome: outcomeOf(index) }));
}

const TONES = {
  passed: 'ok',
  allowed: 'ok',
  denied: 'bad',
  'not reached': 'off',
  'not needed': 'off',
} as const;
const WORDS: Readonly<Record<Outcome, string>> = {
  passed: 'passed',
  allowed: 'decided: allowed',
  denied: 'decided: refused',
  'not reached': 'not reached',
  'not needed': 'not needed',
};

/** Each step of a decision in its order, the one that decided marked. */
export function DecisionSteps(decided: Decided): JSX.Element {
  return (
    <ol class="decision" aria-label="Steps of the decision">
      {stepsOf(decided).map(({ name, outcome }) => (
        <li key={name} class={outcome === 'allowed' || outcome === 'denied' ? 'strong' : ''}>
          <span>{name}</span>
          <State tone={TONES[outcome]}>{WORDS[outcome]}</State>
        </li>
      ))}
    </ol>
  );
}
