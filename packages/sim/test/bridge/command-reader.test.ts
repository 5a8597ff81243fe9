import { describe, expect, it } from 'vitest';
import { CommandReader } from '../../src/bridge/command-reader.ts';

const XADD = '*3\r\n$4\r\nXADD\r\n$3\r\nkey\r\n$4\r\n\r\n\xff\n\r\n';
const STREAM = Buffer.from(`*1\r\n$4\r\nPING\r\n${XADD}\n`, 'latin1');

describe('the reader of a replication stream', () => {
  it('reads the same commands in whatever pieces they come, with their lengths', () => {
    for (let size = 1; size <= STREAM.length; size++) {
      const reader = new CommandReader();
      const read: unknown[] = [];
      for (let at = 0; at < STREAM.length; at += size) {
        reader.add(STREAM.subarray(at, at + size));
        for (let command = reader.next(); command !== undefined; command = reader.next()) read.push(command);
      }
      expect(read, `pieces of ${size}`).toEqual([
        { args: ['PING'], length: 14 },
        { args: ['XADD', 'key', '\r\n\xff\n'], length: XADD.length },
        { args: [], length: 1 },
      ]);
    }
  });

  it('reads answers as lines, and leaves out a snapshot that comes in pieces', () => {
    const reader = new CommandReader();
    reader.add(Buffer.from('+FULLRESYNC id 7\r\n$5\r\nab'));
    expect([reader.line(), reader.line(), reader.line()]).toEqual(['+FULLRESYNC id 7', '$5', undefined]);
    expect(reader.skip(5)).toBe(3);
    reader.add(Buffer.from('cde*1\r\n$4\r\nPING\r\n'));
    expect(reader.skip(3)).toBe(0);
    expect(reader.next()?.args).toEqual(['PING']);
  });
});
