/** HTML of this server's own renderer, which escaped every text in it. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML(text: string): string },
  ): { createHTML(text: string): string };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };

/** The only way from text to elements: the name is the one that the page's policy lets in. */
const policy = trustedTypes?.createPolicy('dash', { createHTML: text => text });

/** The one element that a fragment of this server holds. */
export function elementOf(fragment: string): Element | undefined {
  return parsedBody(fragment).firstElementChild ?? undefined;
}

/** The body of a document of its own, in which nothing runs and nothing is loaded. */
export function parsedBody(fragment: string): HTMLElement {
  const text = policy === undefined ? fragment : policy.createHTML(fragment);
  return new DOMParser().parseFromString(text as string, 'text/html').body;
}
