import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { isAnswer, Visit } from './visit.ts';

let service: Service;
let visit: Visit;

beforeAll(async () => {
  service = await Service.start();
  visit = await Visit.start(service.server.url);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

describe('from the terminal to the overview', () => {
  it('the server prints the address and how to sign in; the token is nowhere on the page', async () => {
    const { token } = service.server;
    for (const { url, output } of service.nodes)
      expect(output().stderr).toContain(`console: ${url}/console (sign in with the token above)`);
    await visit.open('');
    await visit.sees('Management token');
    expect(await visit.axeFaults()).toEqual([]);
    await visit.page.locator('#token').fill('not a token');
    await visit.page.keyboard.press('Enter');
    await visit.sees('token type mismatch');
    expect(await visit.page.locator('#token').inputValue()).toBe('');
    await visit.signIn(token);
    await visit.sees(service.everyNodeAnswers);
    const kept = await visit.page.evaluate(
      'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href, document.documentElement.outerHTML])',
    );
    expect(kept).not.toContain(token.slice(0, 30));
  });

  it('signing out ends it, and the page comes back to where it was', async () => {
    await visit.open('users?q=u-');
    await visit.button('Sign out').click();
    await visit.sees('You are signed out.');
    await visit.page.locator('#token').fill(service.server.token);
    await visit.page.keyboard.press('Enter');
    await visit.sees('No user matches');
    expect(visit.page.url()).toContain('users?q=u-');
  });

  // The page asks twice who is signed in: of its bar, and of the form.
  it.each([
    { late: 'who is signed in', path: 'session', passes: 1 },
    { late: 'a call', path: 'twirp/**/ListUsers', passes: 0 },
  ])('the page says so, though the answer to $late comes after it', async ({ path, passes }) => {
    const { page } = visit;
    const [held, isSignedOut] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let requests = 0;
    await page.route(`**/console/${path}`, async route => {
      if (++requests <= passes) return route.continue();
      const answer = path === 'session' ? await route.fetch() : undefined;
      held.resolve();
      await isSignedOut.promise;
      await (answer === undefined ? route.continue() : route.fulfill({ response: answer }));
    });
    await page.reload();
    await held.promise;
    await visit.button('Sign out').click();
    await visit.sees('You are signed out.');
    const late = page.waitForResponse(`**/console/${path}`);
    isSignedOut.resolve();
    await (await late).finished();
    await page.unrouteAll({ behavior: 'wait' });
    // The page draws what it makes of the answer.
    await page.evaluate('new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    await visit.sees('You are signed out.');
    await page.locator('#token').fill(service.server.token);
    await page.keyboard.press('Enter');
    await visit.sees('No user matches');
  });
});

it('nothing went to another origin, and the browser had nothing to complain about', () => {
  expect(visit.complaints.filter(complaint => !isAnswer(complaint))).toEqual([]);
});
