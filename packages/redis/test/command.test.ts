import fc from 'fast-check';
import { Command } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { type RedisArgument, StoreCommand } from '#src/command.ts';

const NO_SOCKET = {};

/** What the library would write. */
function reference(name: string, args: readonly RedisArgument[]): Buffer {
  const given = args.map(arg => (arg instanceof Uint8Array ? Buffer.from(arg) : arg));
  return Buffer.from(new Command(name, given).toWritable(NO_SOCKET));
}

describe('a command on the wire', () => {
  it('is an array of bulk strings, their lengths in bytes', () => {
    const written = new StoreCommand('SET', ['é', Uint8Array.of(0xff, 0x0d, 0x0a), 12]).toWritable();
    const expected = [
      '*4\r\n$3\r\nSET\r\n$2\r\n',
      Buffer.from('é'),
      '\r\n$3\r\n',
      Buffer.of(0xff, 0x0d, 0x0a),
      '\r\n$2\r\n12\r\n',
    ];
    expect(written).toEqual(Buffer.concat(expected.map(piece => Buffer.from(piece))));
  });

  it('is what the library writes, whatever the arguments', () => {
    const argument = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.double(),
      fc.uint8Array({ maxLength: 300 }),
    );
    fc.assert(
      fc.property(fc.constantFrom('GET', 'EVALSHA', 'hset'), fc.array(argument), (name, args) => {
        expect(Buffer.from(new StoreCommand(name, args).toWritable())).toEqual(reference(name, args));
      }),
    );
  });

  it('takes the bytes of a view, not those around it', () => {
    const view = Uint8Array.of(1, 2, 3, 4).subarray(1, 3);
    expect(new StoreCommand('SET', [view]).toWritable()).toEqual(reference('SET', [Uint8Array.of(2, 3)]));
  });

  it('carries the text of a script at its first use on each connection, its digest afterwards', () => {
    const script = { source: 'return ARGV[1]', sha1: 'a'.repeat(40) };
    const written = (connection: object, arg: string) =>
      String(new StoreCommand('EVALSHA', [script.sha1, 0, arg], { script }).toWritable(connection));
    const whole = String(reference('EVAL', [script.source, 0, 'x']));
    const named = String(reference('EVALSHA', [script.sha1, 0, 'x']));
    const [one, other] = [{}, {}];
    expect([one, one, other, one, other].map(connection => written(connection, 'x'))).toEqual([
      whole,
      named,
      whole,
      named,
      named,
    ]);
  });
});
