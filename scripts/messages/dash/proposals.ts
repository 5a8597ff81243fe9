import type { DashCode } from '@msg/dash';
import { emptyPage, PROPOSAL_LIMITS, ProposalList, readProposal } from '@msg/dash/internal';
import type { Provocations } from '../provocation.ts';
import { ID } from './stores.ts';

const BASE = { document: emptyPage(ID), isExact: true };

/** The list with one proposal, or with as many as it holds. */
function listOf(count: number): { readonly proposals: ProposalList; readonly name: string } {
  const proposals = new ProposalList();
  let name = '';
  for (let index = 0; index < count; index++) name = proposals.add(request(`${index}`), 'handed', BASE).name;
  return { proposals, name };
}

const request = (title: string) => ({ id: ID, ops: [{ op: 'add', path: '/$manifest/title', value: title }] });

/** Calls of the review that end in each of its codes. */
export function proposalCalls(): Provocations<DashCode> {
  return {
    PROPOSAL_NOT_FOUND: [{ when: 'a link of yesterday', call: () => new ProposalList().get('k3v7q2m5ab') }],
    PROPOSAL_LIMIT: [
      {
        when: 'one more open proposal',
        call: () => listOf(PROPOSAL_LIMITS.count).proposals.add(request('more'), 'handed', BASE),
      },
    ],
    PROPOSAL_INVALID: [{ when: 'no operations', call: () => readProposal({ id: ID, ops: [] }) }],
    PROPOSAL_DECIDED: [
      {
        when: 'a second decision',
        call: async () => {
          const { proposals, name } = listOf(1);
          const decide = () => proposals.decide(name, async () => [{ kind: 'committed' }, undefined]);
          await decide();
          await decide();
        },
      },
    ],
  };
}
