import { MsgError } from '@msg/core';
import type { NodeSurveys, SurveyQuestion } from './node-surveys.ts';

const ROLES: SurveyQuestion<null, boolean> = { operation: 'msg_roles' };

/** Whether every live node knows roles: an older one would take any management token for an administrator's. */
export class RoleSupport {
  readonly #surveys: NodeSurveys;

  constructor(surveys: NodeSurveys) {
    this.#surveys = surveys;
    surveys.answer(ROLES, () => true);
  }

  /** @throws MsgError MSG_BROKER_NOT_READY while a node of an earlier version is live, as rejection */
  async require(): Promise<void> {
    const { missing } = await this.#surveys.ask(ROLES, null);
    const older = missing.find(({ reason }) => reason === 'version');
    if (older === undefined) return;
    const text = `node ${older.node} is older and would take the token for an administrator's; update it first`;
    throw new MsgError('MSG_BROKER_NOT_READY', text);
  }
}
