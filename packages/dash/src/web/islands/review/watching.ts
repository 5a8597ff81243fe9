import { listen } from '../live.ts';
import type { ReviewedProposal } from './deciding.ts';

/** Tells that the document changes while a person reads, before a commit would be refused. */
export function watchDocument({ id, base }: ReviewedProposal): void {
  let expected = base;
  let isChanged = document.getElementById('stale') !== null;
  const state = document.getElementById('watch');
  const show = (kind: 'ok' | 'warn' | 'off', words: string): void => {
    if (state !== null) state.className = `state ${kind}`;
    const word = state?.querySelector('span');
    if (word) word.textContent = words;
  };
  const tell = (words: string | undefined): void => {
    const banner = document.getElementById('changed');
    const text = document.getElementById('changed-words');
    if (banner !== null) banner.hidden = words === undefined;
    if (text !== null && words !== undefined) text.textContent = words;
  };
  listen(`/api/d/${encodeURIComponent(id)}`, {
    connected: isConnected => {
      if (!isConnected) show('off', 'Reconnecting');
      else if (isChanged) show('warn', 'Document changed');
      else show('ok', 'Document unchanged');
    },
    gone: () => tell('The document does not exist any more.'),
    items: () => {},
    changed: revision => {
      expected ??= revision; // a store without revisions: what the page was made of
      isChanged = revision !== expected;
      show(isChanged ? 'warn' : 'ok', isChanged ? 'Document changed' : 'Document unchanged');
      const isTold = document.getElementById('stale') !== null;
      tell(isChanged && !isTold ? 'The document has changed while you were reading.' : undefined);
    },
  });
}
