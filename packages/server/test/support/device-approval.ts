/** A browser with just enough in it for the provider's pages: cookies, redirects, forms. */
class FormBrowser {
  readonly #cookies = new Map<string, string>();

  /** Addresses that begin so are not opened: the page is then their address alone. */
  readonly #end: string | undefined;

  constructor(end?: string) {
    this.#end = end;
  }

  async open(url: string, form?: URLSearchParams): Promise<{ readonly url: string; readonly html: string }> {
    if (this.#end !== undefined && url.startsWith(this.#end)) return { url, html: '' };
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location !== null) return this.open(new URL(location, url).href);
    return { url, html: await answer.text() };
  }
}

function fieldsOf(html: string): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [input] of html.matchAll(/<input[^>]*>/g)) {
    const name = /\bname="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined) fields.set(name, /\bvalue="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  return fields;
}

/** Approves a device login as that user, as a person would: code page, login page, consent page. */
export async function approveLogin(completeAddress: string, user: string): Promise<void> {
  await approve(new FormBrowser(), completeAddress, user);
}

/** Approves a login as that user, and returns the address below `back` that the provider sends the browser to. */
export function approveCode(address: string, user: string, back: string): Promise<string> {
  return approve(new FormBrowser(back), address, user);
}

async function approve(browser: FormBrowser, address: string, user: string): Promise<string> {
  let page = await browser.open(address);
  for (let step = 0; step < 6; step++) {
    const action = /<form[^>]*\baction="([^"]*)"/.exec(page.html)?.[1];
    if (action === undefined) return page.url;
    const fields = fieldsOf(page.html);
    if (fields.has('login')) fields.set('login', user);
    if (fields.has('password')) fields.set('password', 'anything');
    page = await browser.open(new URL(action.replaceAll('&amp;', '&'), page.url).href, fields);
  }
  throw new Error(`the login did not end:\n${page.html}`);
}

/** Refuses a device login on the code page. */
export async function denyLogin(completeAddress: string): Promise<void> {
  const browser = new FormBrowser();
  const page = await browser.open(completeAddress);
  const fields = fieldsOf(page.html);
  fields.set('abort', 'yes');
  const action = /<form[^>]*\baction="([^"]*)"/.exec(page.html)?.[1] ?? '';
  await browser.open(new URL(action, page.url).href, fields);
}
