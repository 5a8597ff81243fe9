import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { portableCopy } from '#src/bytes/arena.ts';
import { asciiText, portableAsciiText, portableUtf8Text, utf8Text } from '#src/bytes/text.ts';
import { utf8Length, writeUtf8 } from '#src/bytes/utf8.ts';
import { utf8 } from './support/bytes.ts';
import { Random, SEED } from './support/random.ts';

const SRC = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'));

describe('runs in a browser', () => {
  it.each(files)('%s imports only its own package', name => {
    const source = readFileSync(`${SRC}/${name}`, 'utf8');
    const imported = [...source.matchAll(/\bfrom '([^']+)'/g)].map(match => match[1]);
    expect(imported.filter(path => !path?.startsWith('.'))).toEqual([]);
    expect(source).not.toMatch(/\b(?:require|process|global)\b\s*[.([]/);
    if (name !== 'bytes/platform.ts') expect(source).not.toMatch(/\bBuffer(?:\.\w|\()/);
  });

  it('works without the globals of Node.js', async () => {
    const conditions = (process.env['MSG_TEST_BUILT'] ?? '') !== '' ? [] : ['--conditions=msg-source'];
    const run = promisify(execFile);
    const { stdout } = await run(
      process.execPath,
      [...conditions, '--input-type=module', '--eval', PROGRAM],
      {
        cwd: fileURLToPath(new URL('..', import.meta.url)),
      },
    );
    const channel = 'public:a-rather-long-channel-name:é';
    const perCodec = [1, 'publish', channel, 'json', 120, 7];
    expect(JSON.parse(stdout)).toEqual(['undefined', 'undefined', ...perCodec, ...perCodec, 101]);
  });
});

/** Uses the package in a process that looks like a browser. */
const PROGRAM = `
  for (const name of ['Buffer', 'process', 'global', 'setImmediate']) delete globalThis[name];
  const { jsonCodec, protobufCodec, ChannelAddress, Payload, createDelta, applyDelta } = await import('@msg/protocol');
  const encoder = new TextEncoder();
  const bytes = text => encoder.encode(text);
  const long = 'x'.repeat(100);
  const data = bytes(JSON.stringify({ long, e: 'é' }));
  const command = { id: 1, publish: { channel: 'public:a-rather-long-channel-name:é', data } };
  const out = [typeof Buffer, typeof process];
  for (const codec of [jsonCodec, protobufCodec]) {
    const { id, kind, request } = codec.commands(codec.encodeCommand(command)).next();
    out.push(id, kind, request.channel, request.data.kind, request.data.bytes.length);
    const push = codec.encodePublication(ChannelAddress.byName('c'), { data: new Payload(bytes(long)), offset: 7 }, 'plain');
    out.push(codec.replies(push).next().push.pub.offset);
  }
  out.push(applyDelta(bytes(long), createDelta(bytes(long), bytes(long + 'y'))).length);
  console.log(JSON.stringify(out));
`;

describe(`the portable ways do the same, seed ${SEED}`, () => {
  it('strings', () => {
    const random = new Random(SEED);
    for (let i = 0; i < 2_000; i++) {
      const value = random.text(30);
      const bytes = utf8(value);
      expect(portableUtf8Text(bytes, 0, bytes.length)).toBe(value);
      expect(utf8Text(bytes, 0, bytes.length)).toBe(value);
      expect(utf8Length(value)).toBe(bytes.length);
      const written = new Uint8Array(bytes.length);
      expect(writeUtf8(value, written, 0)).toBe(bytes.length);
      expect(written).toEqual(bytes);
    }
    for (const size of [0, 1, 5, 12, 13, 100, 4_096, 4_097, 100_000]) {
      const value = 'aZ0~'.repeat(size).slice(0, size);
      const bytes = utf8(`<${value}>`);
      expect(portableAsciiText(bytes, 1, size + 1)).toBe(value);
      expect(asciiText(bytes, 1, size + 1)).toBe(value);
    }
  });
  it('copies', () => {
    const from = new Random(SEED).bytes(1_000);
    const to = new Uint8Array(1_000);
    portableCopy(from, 100, 300, to, 50);
    expect(to.subarray(50, 250)).toEqual(from.subarray(100, 300));
    expect(to[49]).toBe(0);
    expect(to[250]).toBe(0);
  });
});
