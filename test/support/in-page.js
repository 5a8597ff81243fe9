// Runs inside a page of the built documentation: what test/support/page-visit.ts asks of it.
globalThis.pageChecks = {
  /** Ids of the page, and path with fragment of each link to the same site. */
  links() {
    const anchors = [...document.querySelectorAll('a[href]')].filter(
      ({ origin }) => origin === location.origin,
    );
    return {
      ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
      targets: anchors.map(({ pathname, hash }) => pathname + decodeURIComponent(hash)),
    };
  },

  /** Title, text outside of code and attributes that hold a template which was not filled in. */
  unfilledTemplates() {
    const attributes = [...document.querySelectorAll('*')].flatMap(element =>
      [...element.attributes].map(({ name, value }) => `${element.tagName} ${name}="${value}"`),
    );
    const prose = document.body.cloneNode(true);
    for (const code of prose.querySelectorAll('pre, code, script')) code.remove();
    return [document.title, prose.textContent ?? '', ...attributes].filter(text => text.includes('{{'));
  },

  /** How far the page can be pushed sideways, in pixels. */
  sidewaysScroll() {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  },

  /** Whether the program of the page has taken over from the markup that was sent. */
  isAlive: () => '__vue_app__' in (document.querySelector('#app') ?? {}),

  /** The violations that axe finds, one line each; of some rules or of all, without some parts of the page. */
  async axeFaults({ rules, without = [] }) {
    const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
    const context = { include: [['html']], exclude: without.map(selector => [selector]) };
    const { violations } = await globalThis.axe.run(context, options);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html }) => `${id}: ${target.join(' ')} ${html.slice(0, 160)}`),
    );
  },
};
