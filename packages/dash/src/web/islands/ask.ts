import { jsonPost } from './json-post.ts';

/** A coded answer. */
interface Failure {
  readonly code: string;
  readonly message: string;
}

/**
 * Asks the server, with a body of JSON where there is one; undefined when it refused, which then stands in `place`.
 * @param busy What must not be used meanwhile.
 */
export async function ask(
  address: string,
  body: object | undefined,
  busy: Element,
  place = document.getElementById('notice'),
): Promise<Record<string, unknown> | undefined> {
  busy.toggleAttribute('inert', true);
  show(place, undefined);
  try {
    const answer = await fetch(address, body === undefined ? {} : jsonPost(body));
    const read = (await answer.json()) as Record<string, unknown>;
    if (answer.ok) return read;
    show(place, read as unknown as Failure);
  } catch {
    show(place, { code: '', message: 'The server does not answer; try again.' });
  } finally {
    busy.toggleAttribute('inert', false);
  }
  return undefined;
}

function show(place: HTMLElement | null, failure: Failure | undefined): void {
  if (place === null) return;
  place.hidden = failure === undefined;
  const [code, message] = place.children;
  if (code) code.textContent = failure?.code ?? '';
  if (message) message.textContent = failure?.message ?? '';
  if (failure !== undefined) place.scrollIntoView({ block: 'nearest' });
}
