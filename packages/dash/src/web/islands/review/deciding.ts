import { showOutcome } from './outcome.ts';
import { send, showFailure } from './send.ts';

/** The proposal on the page. */
export interface ReviewedProposal {
  readonly name: string;
  readonly id: string;
  /** The revision that the page shows as base; a creation and some stores have none. */
  readonly base: string | undefined;
}

/** What a person may decide. */
export interface Deciding {
  /** To the subject of the commit, which is not made by a single key. */
  toSubject(): void;
  sendBack(): void;
}

export function followDeciding(proposal: ReviewedProposal): Deciding {
  const deeds: Readonly<Record<string, () => void>> = {
    commit: () => void commit(proposal),
    'send-back': sendBack,
    return: () => void giveBack(proposal),
    rebase: () => void rebase(proposal),
    run: () => void run(proposal),
    undo: () => void undo(proposal),
  };
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-do]') : null;
    if (button !== null) deeds[button.dataset['do'] ?? '']?.();
  });
  const subject = subjectField();
  subject?.addEventListener('keydown', event => {
    if (event.key !== 'Enter') return;
    event.preventDefault(); // a subject is one line; the next Enter is the button's
    document.querySelector<HTMLElement>('#decide [data-do=commit]')?.focus();
  });
  return { toSubject: () => subject?.select(), sendBack };
}

const subjectField = (): HTMLTextAreaElement | null => document.querySelector('#subject');

const refusedPlace = (): Element | null => document.getElementById('refused');

/** The commit of exactly what is proposed, onto the base that the page shows. */
async function commit(proposal: ReviewedProposal): Promise<void> {
  const read = await send(`/api/proposals/${proposal.name}`);
  if ('failure' in read) {
    showFailure(refusedPlace(), read.failure);
    return;
  }
  const { ops, create } = read.body;
  const message = subjectField()?.value.replace(/\s+/g, ' ').trim() ?? '';
  const reply = await send('/api/patch', {
    id: proposal.id,
    ops,
    create,
    expectedRevision: create === true ? undefined : proposal.base,
    message: message === '' ? undefined : message,
    proposal: proposal.name,
    inverse: true,
    result: 'none',
  });
  if ('body' in reply || reply.failure.code === 'PROPOSAL_DECIDED') location.reload();
  else if (reply.failure.code === 'CHANGESET_REVISION_CONFLICT') await rebase(proposal);
  else showFailure(refusedPlace(), reply.failure);
}

/** What of the proposal still applies to the stored document; nothing is committed without a second look. */
async function rebase({ name }: ReviewedProposal): Promise<void> {
  const place = document.getElementById('outcome');
  const reply = await send(`/api/proposals/${name}/rebase`, {});
  if (place === null) return;
  if ('failure' in reply) showFailure(place, reply.failure);
  else showOutcome(place, reply.body);
  place.focus();
  place.scrollIntoView({ block: 'center' });
}

function sendBack(): void {
  (document.getElementById('back') as HTMLDialogElement | null)?.showModal();
  document.getElementById('comment')?.focus();
}

async function giveBack({ name }: ReviewedProposal): Promise<void> {
  const comment = document.querySelector<HTMLTextAreaElement>('#comment')?.value ?? '';
  const reply = await send(`/api/proposals/${name}/return`, { comment });
  if ('body' in reply || reply.failure.code === 'PROPOSAL_DECIDED') location.reload();
  else showFailure(document.getElementById('back-refused'), reply.failure);
}

async function run({ name }: ReviewedProposal): Promise<void> {
  const reply = await send(`/api/proposals/${name}/run`, {});
  if ('body' in reply) location.reload();
  else showFailure(document.getElementById('outcome'), reply.failure);
}

/** The way back is a proposal of its own. */
async function undo({ name, id }: ReviewedProposal): Promise<void> {
  const read = await send(`/api/proposals/${name}`);
  const inverse = 'body' in read ? (read.body['inverse'] as Inverse | undefined) : undefined;
  if ('failure' in read || inverse === undefined) {
    const gone = { code: 'PROPOSAL_NOT_FOUND', message: 'The way back is not kept any more.' };
    showFailure(refusedPlace(), 'failure' in read ? read.failure : gone);
    return;
  }
  const note = `Undo proposal ${name}`;
  const { ops, expectedRevision: baseRevision } = inverse;
  const reply = await send('/api/proposals', { id, ops, baseRevision, note });
  if ('failure' in reply) showFailure(refusedPlace(), reply.failure);
  else location.assign(`/r/${String(reply.body['proposal'])}`);
}

interface Inverse {
  readonly ops: readonly unknown[];
  readonly expectedRevision?: string;
}
