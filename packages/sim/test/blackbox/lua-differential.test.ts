import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RealConnection } from '../../src/fuzz/real-connection.ts';
import { repliesOf, shownNode } from '../../src/fuzz/replies.ts';
import { request } from '../../src/fuzz/sequence.ts';
import { Stream } from '../../src/kernel/stream.ts';
import { compile } from '../../src/redis/lua/script.ts';
import type { Bytes } from '../../src/redis/reply.ts';
import { encoded } from '../../src/redis/resp.ts';
import { drawScript } from '../redis/lua/drawn-scripts.ts';
import { HOSTILE_LANGUAGE_SCRIPTS } from '../redis/lua/hostile-language-scripts.ts';
import { HOSTILE_LIBRARY_SCRIPTS } from '../redis/lua/hostile-library-scripts.ts';
import { NORMALISATIONS, unsignedNan, withoutPlace } from '../redis/lua/normalise.ts';

/** Drawn scripts of one run. */
const SCRIPTS = 6000;
const BATCH = 500;
const KEYS = ['key'];
const ARGS = ['first', 'second'];
const seed = Number(process.env['MSG_SEED'] ?? 1);

describe('translated scripts', () => {
  let real: RedisServer;
  let connection: RealConnection;
  beforeAll(async () => {
    real = await RedisServer.start();
    connection = await RealConnection.open(real.host, real.port);
  });
  afterAll(async () => {
    connection.close();
    await real.stop();
  });

  /** What the real server answers to scripts, byte for byte but for the normalisations. */
  async function realAnswers(scripts: readonly string[]): Promise<readonly string[]> {
    const answers: string[] = [];
    for (let at = 0; at < scripts.length; at += BATCH) {
      const batch = scripts.slice(at, at + BATCH);
      connection.write(batch.map(script => request(['EVAL', script, '1', ...KEYS, ...ARGS])).join(''));
      answers.push(...(await connection.take(batch.length)).map(node => normalised(shownNode(node))));
    }
    return answers;
  }

  async function differences(scripts: readonly string[], answer = translated): Promise<readonly string[]> {
    const answers = await realAnswers(scripts);
    expect(answers.length).toBe(scripts.length);
    return scripts.flatMap((script, index) => {
      const simulated = normalised(answer(script));
      return simulated === answers[index]
        ? []
        : [`${script}\n  simulated ${simulated}\n  real      ${answers[index]}`];
    });
  }

  it('answer the hostile ones as a real server does', async () => {
    const scripts = [...HOSTILE_LANGUAGE_SCRIPTS, ...HOSTILE_LIBRARY_SCRIPTS].filter(
      script => !/redis\.p?call/.test(script),
    );
    expect(await differences(scripts)).toEqual([]);
  });

  it(`answer ${SCRIPTS} drawn ones as a real server does (seed ${seed})`, async () => {
    const draw = new Stream(`scripts of ${seed}`);
    const scripts = Array.from({ length: SCRIPTS }, () => drawScript(draw));
    console.log(`seed ${seed}: ${SCRIPTS} scripts`);
    expect((await differences(scripts)).slice(0, 5)).toEqual([]);
  });

  it('differ where numbers are written with 17 digits for 14', async () => {
    const draw = new Stream(`scripts of ${seed}`);
    const scripts = Array.from({ length: SCRIPTS / 10 }, () => drawScript(draw));
    const planted = (script: Bytes) => translated(script.replace(/tostring\(/g, 'string.format("%.17g", '));
    expect((await differences(scripts, planted)).length).toBeGreaterThan(0);
  });
});

describe('the normalisations', () => {
  it('leave out the place of an error and the sign of NaN, and nothing else', () => {
    expect(withoutPlace('-"ERR a script: 0, on @user_script:1."')).toBe('-"ERR a"');
    expect(withoutPlace('$"a script: x"')).toBe('$"a script: x"');
    expect(unsignedNan('$"-nan -1"')).toBe('$"nan -1"');
    expect(NORMALISATIONS).toEqual([withoutPlace, unsignedNan]);
  });
});

function normalised(text: string): string {
  return NORMALISATIONS.reduce((shown, normalise) => normalise(shown), text);
}

function translated(script: Bytes): string {
  const host = {
    call() {
      throw new Error('a drawn script calls no command');
    },
  };
  const [node] = repliesOf(encoded(compile(script, 'drawn').run(KEYS, ARGS, host), 2));
  return node === undefined ? '' : shownNode(node);
}
