import { describe, expect, it } from 'vitest';
import { request, TestState } from './connected.ts';

describe('a connection to the simulated Redis', () => {
  it('answers the same however the bytes of its commands are cut', () => {
    const bytes = `${request(['SET', 'key', 'a\r\nb\0'])}${request(['GET', 'key'])}PING "in \\x6cine"\r\n`;
    const whole = new TestState().connect();
    whole.session.receive(bytes);
    const cut = new TestState().connect();
    for (const byte of bytes) cut.session.receive(byte);
    expect(whole.take()).toBe('+OK\r\n$5\r\na\r\nb\0\r\n$7\r\nin line\r\n');
    expect(cut.take()).toBe('+OK\r\n$5\r\na\r\nb\0\r\n$7\r\nin line\r\n');
  });

  it('ends after bytes that are no request', () => {
    const connected = new TestState().connect();
    connected.session.receive('*1\r\n!3\r\nGET\r\n*1\r\n$4\r\nPING\r\n');
    expect(connected.take()).toBe("-ERR Protocol error: expected '$', got '!'\r\n");
    expect(connected.hasEnded).toBe(true);
  });

  it('forgets a key once its time is over, and not before', () => {
    const test = new TestState();
    const connected = test.connect();
    connected.ask('SET', 'key', 'text', 'PX', '10');
    test.nowMs += 10;
    expect(connected.ask('GET', 'key')).toBe('$4\r\ntext\r\n');
    test.nowMs += 1;
    expect(connected.ask('EXISTS', 'key')).toBe(':0\r\n');
  });

  it('notes by name what it does not simulate', () => {
    const test = new TestState();
    const unknown: string[] = [];
    test.state.unknown = command => void unknown.push(command);
    test.connect().ask('BITCOUNT', 'key');
    test.connect().ask('client', 'TRACKING', 'on');
    expect(unknown).toEqual(['bitcount', 'client|tracking']);
  });

  it('brings messages to subscribers alone, and to nobody after they left', () => {
    const test = new TestState();
    const [ann, bob] = [test.connect(), test.connect()];
    expect(ann.ask('SUBSCRIBE', 'news')).toBe('*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n');
    expect(bob.ask('PUBLISH', 'news', 'x')).toBe(':1\r\n');
    expect(ann.take()).toBe('*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$1\r\nx\r\n');
    ann.session.closed();
    expect(bob.ask('PUBLISH', 'news', 'x')).toBe(':0\r\n');
  });

  it('ends connections that CLIENT KILL names', () => {
    const test = new TestState();
    const [ann, bob] = [test.connect(), test.connect()];
    ann.ask('SUBSCRIBE', 'news');
    expect(bob.ask('CLIENT', 'KILL', 'TYPE', 'pubsub')).toBe(':1\r\n');
    expect([ann.hasEnded, bob.hasEnded]).toEqual([true, false]);
  });

  it('refuses commands without a login', () => {
    const connected = new TestState({ login: { user: 'app', password: 'secret' } }).connect();
    expect(connected.ask('GET', 'key')).toBe('-NOAUTH Authentication required.\r\n');
    expect(connected.ask('AUTH', 'app', 'wrong')).toMatch(/^-WRONGPASS /);
    expect(connected.ask('AUTH', 'app', 'secret')).toBe('+OK\r\n');
    expect(connected.ask('GET', 'key')).toBe('$-1\r\n');
  });
});

describe('HSCAN', () => {
  it('answers a small hash in one batch, in the order of insertion', () => {
    const connected = new TestState().connect();
    connected.ask('HSET', 'hash', 'b', '1', 'a', '2');
    expect(connected.ask('HSCAN', 'hash', '0', 'COUNT', '1')).toContain('$1\r\nb\r\n$1\r\n1\r\n$1\r\na\r\n');
  });

  it('returns what is there throughout, whatever comes and goes between the batches of a large hash', () => {
    const connected = new TestState().connect();
    for (let index = 0; index < 700; index++) connected.ask('HSET', 'hash', `field-${index}`, '1');
    const seen = new Set<string>();
    let cursor = '0';
    let batches = 0;
    do {
      const answer = connected.ask('HSCAN', 'hash', cursor, 'COUNT', '50');
      cursor = /^\*2\r\n\$\d+\r\n(\d+)/.exec(answer)?.[1] ?? '';
      for (const [field] of answer.matchAll(/field-\d+/g)) seen.add(field);
      connected.ask('HDEL', 'hash', `field-${batches}`);
      connected.ask('HSET', 'hash', `late-${batches}`, '1');
      batches++;
    } while (cursor !== '0');
    expect(batches).toBeGreaterThan(10);
    for (let index = batches; index < 700; index++) expect(seen).toContain(`field-${index}`);
  });
});
