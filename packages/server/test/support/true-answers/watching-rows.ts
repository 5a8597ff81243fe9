import { eventually } from '@msg/testkit';
import { expect } from 'vitest';
import type { Claim } from './row.ts';

/** Commands that show what happens until they are interrupted. */
export const watchingRows: Readonly<Record<string, Claim>> = {
  async 'connections record'(stage) {
    const pair = await stage.created('rosa');
    const listener = await stage.listener(pair.name, pair.access_token);
    const { connections } = await stage.client().call('ListConnections', { user: 'rosa' });
    const running = stage.succeed(['connections', 'record', connections[0]?.client ?? '', '--seconds', '3']);
    await eventually('a command of the client is in it', async () => {
      await listener.history(1);
      const row = await stage.client().call('GetConnection', { client: connections[0]?.client ?? '' });
      return row.connection?.recording === true;
    });
    await listener.history(1);
    const { stdout, stderr } = await running;
    return async () => {
      const frames = stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line));
      expect(frames).toContainEqual(
        expect.objectContaining({ direction: 'in', name: 'history', channel: pair.name }),
      );
      expect(stderr).toContain('the recording has ended: time');
      listener.leave();
    };
  },

  async console(stage) {
    const interrupt = new AbortController();
    let output = '';
    const run = stage.command(['console'], {
      interrupted: interrupt.signal,
      onOutput: text => {
        output += text;
      },
    });
    await eventually('a link', () => output.endsWith('\n'));
    const { origin, hash } = new URL(output.trim());
    const own = { 'content-type': 'application/json', 'x-msg-console': '1', origin };
    const signedIn = await fetch(`${origin}/console/session`, {
      method: 'POST',
      headers: own,
      body: JSON.stringify({ code: hash.slice('#code='.length) }),
    });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const answer = await fetch(`${origin}/console/twirp/msg.MsgService/ListChannels`, {
      method: 'POST',
      headers: { ...own, cookie },
      body: '{}',
    });
    const listed = (await answer.json()) as { readonly channels: readonly { readonly name: string }[] };
    interrupt.abort();
    const { code } = await run;
    return async () => {
      const { channels } = await stage.client().call('ListChannels', {});
      expect({ code, names: listed.channels.map(({ name }) => name) }).toEqual({
        code: 0,
        names: channels.map(({ name }) => name),
      });
    };
  },

  async watch(stage) {
    const interrupt = new AbortController();
    let output = '';
    const run = stage.command(['watch', 'lifecycle', 'stats'], {
      interrupted: interrupt.signal,
      onOutput: text => {
        output += text;
      },
    });
    await eventually('the feed is read', () => output.includes('"stats"'));
    const name = await stage.opened();
    await eventually('a line about the channel', () => output.includes(name));
    interrupt.abort();
    const { code, stdout } = await run;
    return async () => {
      const told = stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line));
      expect({ code, lines: told.filter(({ topic }) => topic === 'lifecycle') }).toEqual({
        code: 0,
        lines: [expect.objectContaining({ data: { events: [{ name, kind: 'opened' }], more: 0 } })],
      });
    };
  },

  async 'channels tail'(stage) {
    const name = await stage.opened();
    const interrupt = new AbortController();
    let [output, lines] = ['', 0];
    const run = stage.command(['channels', 'tail', name], {
      interrupted: interrupt.signal,
      onOutput: text => {
        output += text;
      },
    });
    await eventually('a line', async () => {
      lines++;
      await stage.client().call('Publish', { name, json: { n: lines } });
      return output.includes('"offset"');
    });
    const { subscribers } = await stage.client().call('Presence', { name });
    interrupt.abort();
    const { code, stdout } = await run;
    return async () => {
      const [first] = stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line));
      expect({ code, subscribers }).toEqual({ code: 0, subscribers: 0 });
      expect(first).toMatchObject({ encoding: 'json', data: JSON.stringify({ n: first.offset }) });
    };
  },

  async subscribe(stage) {
    const name = await stage.opened();
    const interrupt = new AbortController();
    let output = '';
    const run = stage.command(['subscribe', name], {
      env: { MSG_SERVER: stage.server.url },
      interrupted: interrupt.signal,
      onOutput: text => {
        output += text;
      },
    });
    await stage.listening(name, 1);
    const listener = await stage.listener(name);
    const ack = await stage.client().call('Publish', { name, data: Buffer.from('{"n":1}') });
    await eventually('a line', () => output.endsWith('\n'));
    interrupt.abort();
    const { code, stdout } = await run;
    return async () => {
      expect({ code, line: JSON.parse(stdout) }).toEqual({
        code: 0,
        line: { channel: name, offset: ack.offset, data: { n: 1 } },
      });
      await eventually('another listener got it', () => listener.publications.length === 1);
      expect(listener.publications[0]).toMatchObject({ offset: ack.offset, data: { n: 1 } });
      listener.leave();
      await stage.listening(name, 0);
    };
  },
};
