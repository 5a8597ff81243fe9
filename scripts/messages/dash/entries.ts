import { processIo } from '@msg/command-line';
import { type DashCode, FileStore } from '@msg/dash';
import {
  DASH_TOOLS,
  failure,
  HttpServer,
  loadSkills,
  readArguments,
  readDocument,
  requireSkill,
} from '@msg/dash/internal';
import { dashdoc, fullDashdoc } from '../../../packages/dash/test/cli/console.ts';
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
    RENDER_UNAVAILABLE: [
      {
        when: 'a PNG without a font',
        call: async () => {
          await fullDashdoc(['create', 'drawn', '--template', 'first-steps', '--root', root]);
          const flags = ['--root', root, '--out', `${root}/drawn.png`, '--font', '/missing.ttf', '--json'];
          throw JSON.parse((await fullDashdoc(['render', 'drawn', ...flags])).stderr);
        },
      },
    ],
    IMPORT_INVALID: [
      {
        when: 'a file that is no dashboard of Grafana',
        call: async () => {
          throw JSON.parse((await dashdoc(['import', 'grafana', '-', '--json'], '{}')).stderr);
        },
      },
      {
        when: 'a loss with `--strict`',
        call: async () => {
          const file = '{"schemaVersion":39,"style":"dark","panels":[]}';
          throw JSON.parse((await dashdoc(['import', 'grafana', '-', '--strict', '--json'], file)).stderr);
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
