import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generate, type PatternSource, readPatterns } from '@msg/codegen';
import { startMsg } from '@msg/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostileRegistry } from '../support/hostile.ts';

/** Fixed, so that a failing run can be repeated; `MSG_FUZZ_SEED` and `MSG_FUZZ_RUNS` make it another or longer. */
const SEED = Number(process.env['MSG_FUZZ_SEED'] ?? 20_261_121);
const RUNS = Number(process.env['MSG_FUZZ_RUNS'] ?? 60);

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'msg-gen-'));
/** What Go has compiled before, its standard library above all, is used again. */
const env = {
  ...process.env,
  GOFLAGS: '-mod=mod',
  GOTOOLCHAIN: 'local',
  GOWORK: 'off',
};
const golden = JSON.parse(
  readFileSync(new URL('../golden/registry.json', import.meta.url), 'utf8'),
) as unknown;

/** Runs a tool in the module; answers what it printed, also when it failed. */
async function tool(program: string, ...args: string[]): Promise<string> {
  try {
    const { stdout, stderr } = await run(program, args, { cwd: folder, env, maxBuffer: 50_000_000 });
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr, message } = error as { stdout: string; stderr: string; message: string };
    return `${message}\n${stdout}${stderr}`;
  }
}

function emit(name: string, patterns: readonly PatternSource[]): void {
  mkdirSync(join(folder, name), { recursive: true });
  const files = generate(patterns, { languages: ['go', 'ts'], packageName: name, header: '' });
  for (const file of files) writeFileSync(join(folder, name, file.name), file.text);
}

beforeAll(() => {
  writeFileSync(join(folder, 'go.mod'), 'module example.com/generated\n\ngo 1.21\n');
  emit('golden', readPatterns(golden));
  const registries = fc.sample(hostileRegistry, { seed: SEED, numRuns: RUNS });
  console.log(`hostile registries: seed ${SEED}, ${registries.length} runs`);
  for (const [at, registry] of registries.entries()) emit(`hostile${at}`, readPatterns(registry));
  const many = Array.from({ length: 10_000 }, (_, at) => ({
    pattern: `app${at % 7}.order.{id}${at}`.replace(/\}(\d+)$/, `}.n${at}`),
    aspects: at % 100 === 0 ? { status: { payload_schema: { type: 'string' } } } : {},
  }));
  emit('many', readPatterns({ patterns: many }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the generated Go', () => {
  test('is as gofmt would leave it', async () => {
    expect(await tool('gofmt', '-d', '.')).toBe('');
  }, 120_000);

  test('compiles and vets, whatever the registry holds', async () => {
    expect(await tool('go', 'vet', './...')).toBe('');
  }, 300_000);

  test('is used by a program that publishes to a server', async () => {
    mkdirSync(join(folder, 'publish'), { recursive: true });
    writeFileSync(join(folder, 'publish', 'main.go'), PROGRAM);
    const server = await startMsg();
    try {
      const call = async (method: string, request: object) => {
        const response = await fetch(`${server.url}/twirp/msg.MsgService/${method}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${server.token}` },
          body: JSON.stringify(request),
        });
        return (await response.json()) as Record<string, unknown>;
      };
      const name = 'public:shop.order.7';
      const shop = {
        pattern: 'public:shop.order.{id}',
        aspects: {
          status: {
            payload_schema: {
              type: 'object',
              required: ['state'],
              properties: { state: { type: 'string' }, lines: { type: 'array', items: { type: 'integer' } } },
            },
          },
        },
      };
      await call('RegisterSchema', { schema: shop });
      const snapshot: unknown = await (await fetch(`${server.url}/msg/schemas`)).json();
      emit('shop', readPatterns(snapshot));
      await call('OpenPublic', { name });
      expect(await tool('go', 'run', './publish', server.url, server.token)).toContain('"offset":1');
      const stream = await fetch(`${server.url}/sse?channel=${name}&from_offset=1`);
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
      expect((await reader?.read())?.value).toContain(
        `{"channel":"${name}","offset":1,"data":{"lines":[1,2],"state":"paid"}}`,
      );
      await reader?.cancel();
    } finally {
      await server.stop();
    }
  }, 120_000);
});

describe('the generated TypeScript', () => {
  test('type-checks under strict, whatever the registry holds', async () => {
    const config = {
      compilerOptions: { strict: true, noEmit: true, target: 'es2022', module: 'esnext', types: [] },
      include: ['*/index.ts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url).pathname;
    expect(await tool(process.execPath, tsc, '-p', '.')).toBe('');
  }, 120_000);

  test('builds channel names and runs nothing when it is loaded', async () => {
    const module = (await import(join(folder, 'golden', 'index.ts'))) as Record<
      string,
      (...args: unknown[]) => string
    >;
    expect(module['ordersLinesChannel']?.('7', ['a', 'b'])).toBe('orders:7.lines.a.b');
    expect(module['pattern__Channel']?.(['x', 'y'])).toBe('x.y');
    const before = Object.keys(globalThis);
    const registries = fc.sample(hostileRegistry, { seed: SEED, numRuns: RUNS });
    for (const at of registries.keys()) {
      const loaded = (await import(join(folder, `hostile${at}`, 'index.ts'))) as Record<string, unknown>;
      for (const value of Object.values(loaded)) expect(['string', 'function']).toContain(typeof value);
    }
    expect(Object.keys(globalThis)).toEqual(before);
  });
});

const PROGRAM = `package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"example.com/generated/shop"
)

func main() {
	status := shop.PublicShopOrderStatus{State: "paid", Lines: []int64{1, 2}}
	data, err := json.Marshal(status)
	if err != nil {
		panic(err)
	}
	body, err := json.Marshal(map[string]any{"name": shop.PublicShopOrderChannel("7"), "data": data})
	if err != nil {
		panic(err)
	}
	request, err := http.NewRequest("POST", os.Args[1]+"/twirp/msg.MsgService/Publish", bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+os.Args[2])
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(answer))
}
`;
