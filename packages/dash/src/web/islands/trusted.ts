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
  const text = policy === undefined ? fragment : policy.createHTML(fragment);
  const parsed = new DOMParser().parseFromString(text as string, 'text/html');
  return parsed.body.firstElementChild ?? undefined;
}
