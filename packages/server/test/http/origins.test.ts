import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Origins } from '#src/http/origins.ts';

const request = (origin: string | undefined, host = 'msg.example.com:8000') => {
  const message = new IncomingMessage(new Socket());
  message.headers = { host, ...(origin === undefined ? {} : { origin }) };
  return message;
};

describe('origins', () => {
  const origins = new Origins(['https://app.example.com', 'https://*.example.org', 'http://localhost:3000']);

  test.each([
    [undefined, 'none'],
    ['http://msg.example.com:8000', 'none'],
    ['HTTP://MSG.example.com:8000', 'none'],
    ['http://msg.example.com', 'refused'],
    ['https://app.example.com', 'listed'],
    ['https://app.example.com:8443', 'refused'],
    ['http://app.example.com', 'refused'],
    ['https://a.example.org', 'listed'],
    ['https://a.b.example.org', 'listed'],
    ['https://example.org', 'refused'],
    ['https://.example.org', 'refused'],
    ['https://evilexample.org', 'refused'],
    ['https://a.example.org.evil.io', 'refused'],
    ['http://localhost:3000', 'listed'],
    ['null', 'refused'],
    ['nonsense', 'refused'],
  ])('%s is %s', (origin, decision) => {
    expect(origins.decide(request(origin))).toBe(decision);
  });

  test('a star allows any, without credentials', () => {
    const any = new Origins(['*', 'https://app.example.com']);
    expect(any.allowsAny).toBe(true);
    expect(any.decide(request('https://evil.io'))).toBe('any');
    expect(any.decide(request('null'))).toBe('any');
    expect(any.decide(request('https://app.example.com'))).toBe('listed');
  });

  test.each([
    'example.com',
    'https://',
    'https://a.com/path',
    'https://*',
    'https://a.*.com',
    'ftp://a.com',
    '**',
  ])('%s is no entry', entry => {
    expect(() => new Origins([entry])).toThrow(expect.objectContaining({ code: 'MSG_INVALID_ARGUMENT' }));
  });
});
