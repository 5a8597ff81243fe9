import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NotTranslated } from '../../../src/redis/lua/failure.ts';
import { CompileError, compile } from '../../../src/redis/lua/script.ts';
import { Failure, type Reply, Status } from '../../../src/redis/reply.ts';

const ROOT = join(import.meta.dirname, '../../../../..');

/** What the commands of a script answer here: ECHO, and some of every kind. */
const ANSWERS: Readonly<Record<string, Reply>> = {
  null: null,
  number: 7,
  status: new Status('OK'),
  failure: new Failure('WRONGTYPE of a key'),
  list: [1, 'two', null, [new Status('three')]],
};

function run(source: string, keys: readonly string[] = [], args: readonly string[] = []): Reply {
  const host = {
    call: ([name, value]: readonly string[]) =>
      name === 'ECHO' ? (value as string) : (ANSWERS[name as string] as Reply),
  };
  return compile(source, 'a.lua').run(keys, args, host);
}

/** The text of an error without the part that names the script. */
function failureOf(source: string): string {
  const reply = run(source);
  if (!(reply instanceof Failure)) throw new Error(`no error but ${JSON.stringify(reply)}`);
  return reply.text.replace(/ script: [0-9a-f]{40}, on @user_script:(\d+)\.$/, ' @$1');
}

describe('statements', () => {
  it('runs loops, branches, closures and several assignments', () => {
    expect(run('local s = 0 for i = 10, 1, -3 do s = s + i end return s')).toBe(22);
    expect(run('local s = "" for k, v in pairs({"a", "b", x = "c"}) do s = s .. k .. v end return s')).toBe(
      '1a2bxc',
    );
    expect(run('local i = 0 repeat local done = i == 3 i = i + 1 until done return i')).toBe(4);
    expect(run('local i = 0 while true do i = i + 1 if i > 5 then break end end return i')).toBe(6);
    expect(run('local a, b = 1, 2 a, b = b, a return {a, b}')).toEqual([2, 1]);
    expect(run('local t, i = {}, 1 i, t[i] = i + 1, 20 return {i, t[1]}')).toEqual([2, 20]);
    expect(
      run(
        'local f = {} for i = 1, 3 do f[i] = function() i = i + 1 return i end end return f[1]() + f[1]() + f[3]()',
      ),
    ).toBe(9);
    expect(
      run(
        'local t = {n = 2} function t.f(x) return x * 2 end function t:g(x) return self.n + x end return {t.f(4), t:g(5)}',
      ),
    ).toEqual([8, 7]);
    expect(
      run('local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end return fib(15)'),
    ).toBe(610);
  });

  it('passes any number of values on', () => {
    expect(run('local function f(...) return select("#", ...), ... end return {f(1, nil, nil)}')).toEqual([
      3, 1,
    ]);
    expect(run('local function f() return 1, 2, 3 end return {f(), (f()), f()}')).toEqual([1, 1, 1, 2, 3]);
    expect(run('local function f() end return {select("#", f()), select("#", (f()))}')).toEqual([0, 1]);
    expect(run('local a, b, c = (function() return 1, 2 end)() return {a, b, tostring(c)}')).toEqual([
      1,
      2,
      'nil',
    ]);
  });
});

describe('answers', () => {
  it('turns what commands answer into values', () => {
    expect(run('return type(redis.call("null"))')).toBe('boolean');
    expect(run('return redis.call("number") + 1')).toBe(8);
    expect(run('return redis.call("status").ok')).toBe('OK');
    expect(run('local l = redis.call("list") return {#l, l[2], tostring(l[3]), l[4][1].ok}')).toEqual([
      4,
      'two',
      'false',
      'three',
    ]);
    expect(run('return redis.pcall("failure").err')).toBe('WRONGTYPE of a key');
    expect(run('local ok, text = pcall(redis.call, "failure") return {tostring(ok), text}')).toEqual([
      'false',
      'WRONGTYPE of a key',
    ]);
    expect(failureOf('redis.call("failure")')).toBe('WRONGTYPE of a key @1');
  });

  it('turns what a script returns into an answer', () => {
    expect(run('return {1, 2.9, -2.9, "x", true, false, {}, nil, 5}')).toEqual([1, 2, -2, 'x', 1, null, []]);
    expect(run('return redis.status_reply("FINE")')).toEqual(new Status('FINE'));
    expect(run('return redis.error_reply("My failure")')).toEqual(new Failure('My failure'));
    expect(run('return redis.error_reply("alone")')).toEqual(new Failure('ERR alone'));
    expect(run('return')).toBe(null);
    expect(run('return {double = 0.1}')).toBe('0.10000000000000001');
    expect(run('return {KEYS[1], ARGV[2]}', ['k'], ['a', 'b'])).toEqual(['k', 'b']);
  });

  it('writes numbers with 14 digits in texts and with 17 as arguments', () => {
    expect(run('return tostring(1/3)')).toBe('0.33333333333333');
    expect(run('return redis.call("ECHO", 1/3)')).toBe('0.33333333333333331');
    expect(run('return 123456789012345 .. ""')).toBe('1.2345678901234e+14');
    expect(run('return 123456789012365 .. ""')).toBe('1.2345678901236e+14');
    expect(run('return redis.sha1hex("")')).toBe('da39a3ee5e6b4b0d3255bfef95601890afd80709');
  });
});

describe('errors', () => {
  it.each([
    [
      'local record = "x" return record.a.b',
      "ERR user_script:1: attempt to index field 'a' (a nil value) @1",
    ],
    ['local record\nreturn record.a', "ERR user_script:2: attempt to index local 'record' (a nil value) @2"],
    [
      'local r local function f() return r.a end return f()',
      "ERR user_script:1: attempt to index upvalue 'r' (a nil value) @1",
    ],
    [
      'return nothing',
      "ERR user_script:1: Script attempted to access nonexistent global variable 'nothing' @1",
    ],
    ['x = 1', 'ERR user_script:1: Attempt to modify a readonly table @1'],
    ['string.x = 1', 'ERR user_script:1: Attempt to modify a readonly table @1'],
    ['return 1 + {}', 'ERR user_script:1: attempt to perform arithmetic on a table value @1'],
    ['return 1 < "x"', 'ERR user_script:1: attempt to compare number with string @1'],
    ['return {} > {}', 'ERR user_script:1: attempt to compare two table values @1'],
    [
      'local t = {} return "a" .. t.x',
      "ERR user_script:1: attempt to concatenate field 'x' (a nil value) @1",
    ],
    ['return #5', 'ERR user_script:1: attempt to get length of a number value @1'],
    ['redis.nothing()', "ERR user_script:1: attempt to call field 'nothing' (a nil value) @1"],
    ['local s = "x" s:nothing()', "ERR user_script:1: attempt to call method 'nothing' (a nil value) @1"],
    ['string.rep()', "ERR user_script:1: bad argument #1 to 'rep' (string expected, got no value) @1"],
    ['("x"):rep({})', "ERR user_script:1: bad argument #1 to 'rep' (number expected, got table) @1"],
    ['for i = 1, {} do end', "ERR user_script:1: 'for' limit must be a number @1"],
    ['error("boo")', 'ERR user_script:1: boo @1'],
    ['error("boo", 0)', 'ERR boo @1'],
    ['local function f()\n error("boo", 2) end\nf()', 'ERR user_script:3: boo @2'],
    ['error({err = "MY boo"})', 'MY boo @1'],
    ['local t = {} t[nil] = 1', 'ERR user_script:1: table index is nil @1'],
  ])('%s', (source, text) => {
    expect(failureOf(source)).toBe(text);
  });

  it('catches errors of the script, and none of the simulator', () => {
    expect(run('local ok, text = pcall(function() error("x") end) return {tostring(ok), text}')).toEqual([
      'false',
      'user_script:1: x',
    ]);
    expect(() => run('local function f() return 1 + f() end return pcall(f)')).toThrow(NotTranslated);
    expect(() => run('local name = "new" return pcall(cjson[name])')).toThrow('cjson.new');
  });

  it('refuses what is not Lua with the words of the server', () => {
    expect(() => compile('x =', 'a.lua')).toThrow(CompileError);
    expect(() => compile('x =', 'a.lua')).toThrow(
      'ERR Error compiling script (new function): user_script:1: ',
    );
  });
});

describe('the translator', () => {
  it.each([
    ['\nlocal t = setmetatable({}, {})', 'a.lua:2: the global setmetatable is not translated'],
    ['return coroutine', 'a.lua:1: the global coroutine is not translated'],
    ['return redis.setresp(3)', 'a.lua:1: redis.setresp is not translated'],
    ['return function(...) return arg end', 'a.lua:1: the variable arg is not translated'],
    ['#!lua\nreturn 1', 'a.lua:1: a shebang is not translated'],
  ])('refuses %j with file and line', (source, message) => {
    expect(() => compile(source, 'a.lua')).toThrow(NotTranslated);
    expect(() => compile(source, 'a.lua')).toThrow(message);
  });

  it('translates every script of the packages', () => {
    const scripts = globSync('packages/*/src/**/*.lua', { cwd: ROOT });
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) compile(readFileSync(join(ROOT, script), 'latin1'), script);
  });
});
