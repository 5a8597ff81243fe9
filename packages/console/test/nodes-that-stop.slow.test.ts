// Bad luck with nodes (console 10): one that does not answer, and one that is started anew in memory.
import { freePort, startMsg } from '@msg/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

describe('a page', () => {
  it('says which node did not answer, shows the rest, and is whole when it is back', async () => {
    process.env['MSG_TEST_CONSOLE_NODES'] = '2';
    const service = await Service.start();
    onTestFinished(() => service.stop());
    const [near, far] = service.nodes;
    if (near === undefined || far === undefined) throw new Error('two nodes were started');
    const visit = await Visit.start(near.url);
    onTestFinished(() => visit.stop());
    await visit.signIn(service.server.token);
    await service.connectTo(near, await service.accessOf('ann'));
    await service.connectTo(far, await service.accessOf('ben'));
    await visit.open('connections');
    await visit.sees('ann');
    await visit.sees('ben');
    far.kill('SIGSTOP');
    const bar = visit.page.locator('.banner', { hasText: 'A node did not answer' });
    try {
      await visit.open('connections');
      await bar.waitFor();
      await visit.sees('ann');
      expect(await visit.page.locator('#content tbody').getByText('ben').count()).toBe(0);
      expect(await visit.axeFaults()).toEqual([]);
    } finally {
      far.kill('SIGCONT');
    }
    await visit.open('connections');
    await visit.sees('ben');
    await bar.waitFor({ state: 'detached' });
  });

  it('whose server was started anew, in memory, says so, and goes on at the same place', async () => {
    const port = await freePort();
    const first = await startMsg({ port });
    const visit = await Visit.start(first.url);
    onTestFinished(() => visit.stop());
    await visit.signIn(first.token);
    await visit.open('users');
    await visit.settles();
    first.kill('SIGKILL');
    await first.exited();
    const second = await startMsg({ port });
    onTestFinished(() => second.stop());
    await visit.sees('You are signed out: the server restarted.');
    expect(await visit.axeFaults()).toEqual([]);
    await visit.page.locator('#token').fill(second.token);
    await visit.page.keyboard.press('Enter');
    await visit.page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
  });
});
