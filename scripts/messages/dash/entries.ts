import { processIo } from '@msg/command-line';
import { readDocument } from '../../../packages/dash/src/cli/input.ts';
import type { DashCode } from '../../../packages/dash/src/errors.ts';
import { HttpServer } from '../../../packages/dash/src/http/server.ts';
import { readArguments } from '../../../packages/dash/src/mcp/arguments.ts';
import { failure } from '../../../packages/dash/src/mcp/result.ts';
import { DASH_TOOLS } from '../../../packages/dash/src/mcp/server.ts';
import { loadSkills, requireSkill } from '../../../packages/dash/src/mcp/skills.ts';
import { FileStore } from '../../../packages/dash/src/store/file-store.ts';
import { dashdoc } from '../../../packages/dash/test/cli/console.ts';
import { type Asked, ask } from '../../../packages/dash/test/http/serving.ts';
import { teamPulse } from '../../../packages/dash/test/resolve/team-pulse.ts';
import type { Provocations } from '../provocation.ts';
import { BrokenStore, engine } from './stores.ts';

/** Asks a server of its own; throws the error of the answer. */
async function served(
  options: Pick<Parameters<typeof HttpServer.listen>[0], 'served'>,
  path: string,
  asked: Asked = {},
): Promise<void> {
  const server = await HttpServer.listen({ ...options, engine, host: 'localhost', port: 0 });
  try {
    const { status, text } = await ask(`${server.url}${path}`, asked);
    if (status >= 400) throw JSON.parse(text);
  } finally {
    await server.stop();
  }
}

/** Calls of HTTP, tools and the command line that end in each of their codes. */
export function entryCalls(root: string): Provocations<DashCode> {
  const store = new FileStore({ root });
  const [tool] = DASH_TOOLS;
  if (tool === undefined) throw new Error('there are no tools');
  return {
    RESOLVE_IO: [{ when: 'a path without a file', call: () => readDocument('missing.json', processIo()) }],
    SERVE_INVALID: [
      {
        when: 'a body that is not JSON',
        call: () => served({ served: { store } }, '/api/patch', { method: 'POST', body: '{' }),
      },
      { when: 'an unknown path', call: () => served({ served: { store } }, '/api/nothing') },
    ],
    SERVE_READ_ONLY: [
      {
        when: 'a commit on a served file',
        call: () =>
          served({ served: { read: async () => teamPulse() } }, '/api/patch', { method: 'POST', body: '{}' }),
      },
    ],
    SERVE_ORIGIN_FORBIDDEN: [
      {
        when: 'another host name than the server’s',
        call: () =>
          served({ served: { store } }, '/api/dashboards', { headers: { host: 'attacker.example' } }),
      },
    ],
    SERVE_TOO_LARGE: [
      {
        when: 'a body above 4 MiB',
        call: () =>
          served({ served: { store } }, '/api/patch', {
            method: 'POST',
            body: ' '.repeat(4 * 1024 * 1024 + 1),
          }),
      },
    ],
    SERVE_INTERNAL: [
      {
        when: 'a store that fails without a code',
        call: () => served({ served: { store: new BrokenStore({ root }) } }, '/api/dashboards'),
      },
    ],
    MCP_INVALID: [
      { when: 'an argument that the tool does not know', call: () => readArguments(tool, { ghost: 1 }) },
    ],
    MCP_SKILL_NOT_FOUND: [{ when: 'an unknown skill', call: () => requireSkill(loadSkills(), 'ghost') }],
    MCP_INTERNAL: [
      {
        when: 'a tool that fails without a code',
        call: () => {
          const [content] = failure(tool, new Error('reset')).content;
          throw JSON.parse(content?.type === 'text' ? content.text : '');
        },
      },
    ],
    CLI_INVALID: [
      {
        when: 'an unknown command',
        call: async () => {
          throw JSON.parse((await dashdoc(['frobnicate', '--json'])).stderr);
        },
      },
    ],
  };
}
