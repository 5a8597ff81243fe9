import type { JSX } from 'preact';
import { Facts, State } from '../../parts/basics.tsx';
import { sentence, visible } from '../../parts/text.ts';
import { type Decided, DecisionSteps } from './decision-steps.tsx';

/** What the rule that decided is called. */
const RULES: Readonly<Record<string, string>> = {
  public: 'The channel is public: subscribing needs no token',
  'allow-scope': 'A scope of the token allows it',
  'deny-scope': 'A scope of the token denies it, and a denial wins',
  chs: 'The token names the channel',
  none: 'No grant of the token gives the right',
  token: 'The token itself was refused',
  revoked: 'The token or its user was revoked',
  authorizer: 'The authorizer of the embedding program decided',
  grammar: 'The name is not one of a channel',
  'channel-state': 'The channel is not open',
  bearer: 'The bearer has no scopes',
  role: 'The role of the bearer is not enough',
};

/** Whether it may, which rule says so, and how the decision came to it. */
export function Decision({ answer, verb }: Decided): JSX.Element {
  const { allowed, code, decided_by: rule, detail, channel_state: state } = answer;
  return (
    <section class="panel" aria-label="Decision">
      <div class="inner stack s4" role="status">
        <h2>
          <State tone={allowed ? 'ok' : 'bad'}>{allowed ? `It may ${verb}` : `It may not ${verb}`}</State>
        </h2>
        <p class="wrap">{`${sentence(visible(detail))}.`}</p>
        <Facts
          isList
          rows={[
            ['Decided by', RULES[rule] ?? rule],
            ['Rule', <code>{rule}</code>],
            ['Channel', state === '' ? 'does not exist' : state],
            ...(code === '' ? [] : [['Clients get', <code>{code}</code>] as const]),
          ]}
        />
        <DecisionSteps answer={answer} verb={verb} />
      </div>
    </section>
  );
}
