import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Msg, type MsgOptions, sinkKind } from '@msg/server';
import { WebhookReceiver } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/folders.ts';

/** A kind that is not part of the package. */
const PAGER = sinkKind({
  kind: 'pager',
  settings: {
    url: { type: 'url', help: 'where the pager listens', required: true, secret: true },
    urgent: { type: 'switch', help: 'rings at night' },
    repeat: { type: 'count', help: 'rings that often' },
    pause: { type: 'duration', help: 'between two' },
    tags: { type: 'list', help: 'labels' },
  },
  load: async () => ({
    create: ({ url, ...others }, { name }) => ({
      name,
      async send(_recipient, { body }) {
        await fetch(url, { method: 'POST', body: JSON.stringify({ body, ...others }) });
      },
    }),
  }),
});

async function created(yaml: string, options: MsgOptions = {}): Promise<Msg> {
  const folder = await temporaryFolder();
  const configFile = join(folder, 'msg.yaml');
  await writeFile(configFile, yaml);
  return Msg.create({ configFile, ...options });
}

describe('a sink kind of the embedder', () => {
  it('is configured in YAML, with values of its types, and delivers', async () => {
    const pager = new WebhookReceiver();
    const url = await pager.listen();
    const yaml = `sinks:\n  night: { kind: pager, url: "${url}", urgent: yes, repeat: 3, pause: 1m30s, tags: [a, b] }\n`;
    const msg = await created(yaml, { sinkKinds: [PAGER] });
    expect(msg.sinks.names()).toEqual(['night']);
    expect(msg.manifest().payload.sinks).toEqual(['night']);
    await msg.sinks.require('night').send(null, { body: 'wake up' });
    expect(JSON.parse(pager.received[0]?.body ?? '')).toEqual({
      body: 'wake up',
      urgent: true,
      repeat: 3,
      pause: 90_000,
      tags: ['a', 'b'],
    });
    await msg.close();
    await pager.close();
  });

  it('is listed beside the others where a kind does not exist', async () => {
    const failed = created('sinks:\n  night:\n    kind: pidgin\n', { sinkKinds: [PAGER] });
    await expect(failed).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: expect.stringMatching(
        /^sinks\.night\.kind must be one of email, slack, webpush, webhook, pager; got "pidgin" \(.*msg\.yaml:3\)$/,
      ),
    });
  });

  it('does not exist unless it is passed', async () => {
    await expect(created('sinks: { night: { kind: pager } }')).rejects.toThrow('got "pager"');
  });

  it.each([
    ['without a required setting', 'kind: pager', 'MSG_SINK_CONFIG_INVALID', 'sinks.night.url is required'],
    [
      'with a wrong value',
      'kind: pager, url: "http://h/", repeat: often',
      'MSG_INVALID_ARGUMENT',
      'repeat must be',
    ],
    [
      'with a setting of another kind',
      'kind: pager, url: "http://h/", headers: {}',
      'MSG_SINK_CONFIG_INVALID',
      'must be one of kind, url',
    ],
  ])('%s is refused', async (_, entry, code, text) => {
    const failed = created(`sinks: { night: { ${entry} } }`, { sinkKinds: [PAGER] });
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
  });

  it('must not have the name of another', async () => {
    const twice = Msg.create({ sinkKinds: [PAGER, PAGER] });
    await expect(twice).rejects.toThrow('sink kind "pager" is already used');
  });

  it('options that are given win over the file', async () => {
    const msg = await created('region: north\nsinks: { a: { kind: slack, webhook_url: "http://h/" } }', {
      region: 'south',
    });
    expect(msg.manifest().payload.region).toBe('south');
    expect(msg.sinks.names()).toEqual(['a']);
    await msg.close();
  });
});
