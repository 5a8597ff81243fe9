import { jsonPost } from '../json-post.ts';

/** A coded answer. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What the server says: its answer, or why it refused. */
export type Reply = { readonly body: Record<string, unknown> } | { readonly failure: Failure };

/** Asks the server: a POST of JSON where there is a body. Buttons of the page rest meanwhile. */
export async function send(address: string, body?: object): Promise<Reply> {
  const buttons = [...document.querySelectorAll<HTMLElement>('[data-do]')];
  for (const button of buttons) button.inert = true;
  try {
    const answer = await fetch(address, body === undefined ? {} : jsonPost(body));
    const read = (await answer.json()) as Record<string, unknown>;
    return answer.ok ? { body: read } : { failure: read as unknown as Failure };
  } catch {
    return { failure: { code: '', message: 'The server does not answer; try again.' } };
  } finally {
    for (const button of buttons) button.inert = false;
  }
}

/** Says in a place of the page why the server refused. */
export function showFailure(place: Element | null, { code, message }: Failure): void {
  const box = element('div', 'fault', element('span', 'code', code), element('p', 'wrap', message));
  place?.replaceChildren(box);
}

/** An element of texts and other elements. */
export function element(name: string, className: string, ...parts: (string | Node)[]): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.append(...parts);
  return made;
}
