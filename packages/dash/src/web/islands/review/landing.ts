import { type LinkError, readFragment } from './fragment.ts';
import { type Failure, send, showFailure } from './send.ts';

const WORDS: Readonly<Record<LinkError, Failure>> = {
  damaged: {
    code: 'PROPOSAL_INVALID',
    message:
      'This link is damaged: a character is missing or is another one. Ask for the link again, copied as a whole.',
  },
  form: {
    code: 'PROPOSAL_INVALID',
    message:
      'This link holds another thing than a proposal: it must be #v1, a check and the proposal. Ask for the link again.',
  },
  version: {
    code: 'PROPOSAL_INVALID',
    message:
      'This link is of a newer version of dashdoc: update this server, or ask for the changeset itself.',
  },
};

/** A link that holds its proposal: it is handed over, and its review is opened in the place of the link. */
export function followLinks(): void {
  globalThis.addEventListener('hashchange', () => void land());
  void land();
}

async function land(): Promise<void> {
  const fragment = location.hash.slice(1);
  const place = document.getElementById('landing');
  if (fragment === '' || fragment === 'content' || place === null) return;
  const link = await readFragment(fragment);
  if ('error' in link) {
    showFailure(place, WORDS[link.error]);
    return;
  }
  const reply = await send('/api/proposals', link.body);
  if ('failure' in reply) showFailure(place, reply.failure);
  else location.replace(`/r/${String(reply.body['proposal'])}`);
}
