import type { Verb } from '@msg/core';
import type { RealtimeNode } from '@msg/engine';
import type { AccessControl } from '../auth/access/access-control.ts';
import { type ClientPrincipal, NO_CREDENTIAL } from '../auth/access/principal.ts';
import { connectionToken, subscriptionToken } from '../realtime/credentials.ts';
import type { NodeSurveys, SurveyQuestion } from '../realtime/node-surveys.ts';

interface ExplainQuestion {
  readonly client: string;
  readonly channel: string;
  readonly verb: Verb;
}

/** A decision, and the state of its channel: `unknown` for a name without record. */
export interface Explanation {
  readonly allowed: boolean;
  /** The code of a denial; empty without one. */
  readonly code: string;
  readonly decided_by: string;
  readonly detail: string;
  readonly channel_state: string;
}

const EXPLAIN: SurveyQuestion<ExplainQuestion, Explanation | null> = { operation: 'msg_explain' };

/** Explains access decisions with the code that makes them. */
export class AccessExplainer {
  readonly #access: Pick<AccessControl, 'explain'>;
  readonly #node: () => Pick<RealtimeNode, 'connections'>;
  readonly #surveys: NodeSurveys;

  constructor(
    access: Pick<AccessControl, 'explain'>,
    node: () => Pick<RealtimeNode, 'connections'>,
    surveys: NodeSurveys,
  ) {
    this.#access = access;
    this.#node = node;
    this.#surveys = surveys;
    surveys.answer(EXPLAIN, question => this.#ofOwnConnection(question));
  }

  /** What a client with this credential may do. */
  async explain(principal: ClientPrincipal, verb: Verb, channel: string): Promise<Explanation> {
    const { decision, state } = await this.#access.explain({ principal, verb, resource: channel });
    return {
      allowed: decision.allowed,
      code: decision.code ?? '',
      decided_by: decision.rule,
      detail: decision.detail,
      channel_state: state ?? 'unknown',
    };
  }

  /** What a live connection of any node may do; undefined for an unknown one. */
  async explainConnection(client: string, verb: Verb, channel: string): Promise<Explanation | undefined> {
    const { answers } = await this.#surveys.ask(EXPLAIN, { client, channel, verb });
    return [...answers.values()].find(answer => answer !== null) ?? undefined;
  }

  /** The decision rests on the token of the subscription, where it has one, else on that of the connection. */
  async #ofOwnConnection({ client: id, channel, verb }: ExplainQuestion): Promise<Explanation | null> {
    const client = this.#node().connections.get(id)?.client;
    if (client === undefined) return null;
    const token = subscriptionToken(client, channel) ?? connectionToken(client);
    const credential = token === null ? NO_CREDENTIAL : ({ kind: 'verified', token } as const);
    return this.explain({ kind: 'client', credential, user: client.user, clientId: id }, verb, channel);
  }
}
