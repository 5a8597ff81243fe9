import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Service } from './service.ts';
import { BODY, PATHS, Stranger } from './stranger.ts';

/** The forgery suite proves something only if it fails without the rule: here the server runs without it. */
let service: Service;
let stranger: Stranger;

/** A module that makes the server accept the requests of every page. */
function withoutRule(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'msg-console-')), 'without-rule.mjs');
  writeFileSync(
    file,
    `import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (!/\\/console\\/forgery\\.[jt]s$/.test(url)) return next(url, context);
    return { format: 'module', source: 'export function requireOwnPage() {}', shortCircuit: true };
  },
});
`,
  );
  return pathToFileURL(file).href;
}

beforeAll(async () => {
  service = await Service.start({ env: { NODE_OPTIONS: `--import=${withoutRule()}` } });
  stranger = await Stranger.start(service);
});
beforeEach(async () => {
  await stranger.visit.page.context().clearCookies();
  await stranger.visit.signIn(service.server.token);
  await stranger.page.goto(stranger.at('127.0.0.1'));
});
afterAll(async () => {
  await stranger.stop();
  await service.stop();
});

it.each(['fetch as a page of another origin', 'XMLHttpRequest', 'beacon'])(
  'without the rule %s from another port changes something',
  async way => {
    const before = JSON.stringify(await stranger.state());
    for (const path of PATHS) await stranger.goes(way, path);
    expect(JSON.stringify(await stranger.state())).not.toBe(before);
  },
);

it('without the rule a form that leads the victim away changes something', async () => {
  await stranger.page.setContent(
    `<form method="POST" enctype="text/plain" action="${service.server.url}/console/session/end"><input name='${BODY}' value=""></form>`,
  );
  await stranger.page.evaluate('document.forms[0].submit()');
  await stranger.visit.until('the end of the session', async () =>
    JSON.stringify(await stranger.state()).includes('"signed_in":false'),
  );
});
