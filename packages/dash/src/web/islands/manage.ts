/** The pages beside the dashboards: creation, history, deletion. What changes something is a POST of JSON. */

import { ask } from './ask.ts';
import { followDeletion } from './deletion.ts';
import { suggestedId } from './suggested-id.ts';

const { page, id, revision } = document.body.dataset;
if (page === 'new') followCreation();
if (page === 'history' && id !== undefined) followHistory(id, revision);

/** An operation of a changeset. */
interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

function followCreation(): void {
  const form = document.getElementById('create') as HTMLFormElement;
  const [title, name] = ['title', 'id'].map(field => form.elements.namedItem(field) as HTMLInputElement);
  if (title === undefined || name === undefined) return;
  let isSuggested = true;
  title.addEventListener('input', () => {
    if (isSuggested) name.value = suggestedId(title.value);
  });
  name.addEventListener('input', () => {
    isSuggested = name.value === '';
  });
  form.addEventListener('submit', event => {
    event.preventDefault();
    const template = (form.elements.namedItem('template') as RadioNodeList).value;
    void propose({ id: name.value, ops: creation(template, title.value.trim()), create: true }, form);
  });
}

/** The changeset from an empty page to a template with another title. */
function creation(template: string, title: string): Operation[] {
  const path = '/$manifest/title';
  const all = JSON.parse(document.getElementById('templates')?.textContent ?? '{}') as Record<
    string,
    Operation[]
  >;
  const ops = (all[template] ?? []).filter(operation => operation.path !== path);
  return [{ op: 'add', path, value: title }, ...ops];
}

/** Hands a proposal over and goes to its review. */
async function propose(body: object, busy: Element): Promise<void> {
  const answer = await ask('/api/proposals', body, busy);
  if (answer !== undefined) location.assign(`/r/${String(answer['proposal'])}`);
}

function followHistory(documentId: string, current: string | undefined): void {
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-act=restore]') : null;
    if (button !== null) void restore(documentId, button.dataset['revision'] ?? '', current, button);
  });
  followDeletion(documentId, current);
}

/** The way back to a revision is a changeset of its own, reviewed like every other. */
async function restore(
  documentId: string,
  wanted: string,
  current: string | undefined,
  button: HTMLElement,
): Promise<void> {
  const address = `/api/d/${encodeURIComponent(documentId)}/changes?undo=1&from=${encodeURIComponent(wanted)}`;
  const changes = await ask(address, undefined, button);
  if (changes === undefined) return;
  const ops = (changes['undoOps'] ?? []) as Operation[];
  const create = changes['create'] === true;
  const note = `${create ? 'Bring back' : 'Restore'} revision ${wanted.slice(0, 7)}`;
  const base = create ? { create } : current === undefined ? {} : { baseRevision: current };
  await propose({ id: documentId, ops, note, ...base }, button);
}
