import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@msg/testkit';
import { blocksOf, readPage } from './pages.ts';
import { scriptOf } from './runbook.ts';

const PAGE = readPage('docs/ai.md');
/** Ports that the page names. */
const PORTS = [8100, 8101];

/** Types that the page's own blocks do not say: the transport is the framework's, and takes its messages. */
const TYPED = `import { createChatTransport } from '@msg/ai/browser';
import { openRun, pipeToChannel } from '@msg/ai/server';
import type { MsgClient } from '@msg/client';
import { Msg } from '@msg/server';
import { type ChatTransport, streamText, toUIMessageStream, type UIMessage } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
declare const client: MsgClient;
export const transport: ChatTransport<UIMessage> = createChatTransport({ client, api: '/chat', channelOf: id => id });
// @ts-expect-error a channel is not a transport
export const wrong: ChatTransport<UIMessage> = { channel: 'public:app.a' };
export async function answer(msg: Msg): Promise<string> {
  const run = await openRun(msg, { channel: 'public:app.a' });
  const { stream, textStream } = streamText({ model: new MockLanguageModelV4(), prompt: 'x', abortSignal: run.signal });
  await pipeToChannel(msg, textStream, { channel: 'public:app.b', format: 'text' });
  return (await run.pipe(toUIMessageStream({ stream }))).text;
}
`;

/** Writes what docs/ai.md says as a shell script `page.sh` and TypeScript files, which are returned. */
export async function writeAiPage(folder: string): Promise<readonly string[]> {
  const free = await Promise.all(PORTS.map(async port => [port, await freePort()] as const));
  writeFileSync(join(folder, 'page.sh'), scriptOf(PAGE, { folder, ports: Object.fromEntries(free) }));
  const blocks = blocksOf(PAGE).filter(({ language }) => language === 'ts');
  writeFileSync(join(folder, 'page.mts'), blocks.map(({ text }) => text).join(''));
  writeFileSync(join(folder, 'typed.mts'), TYPED);
  return ['page.mts', 'typed.mts'];
}
