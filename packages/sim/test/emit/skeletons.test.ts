import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { readModelFailure } from '../../src/cli/emit/levels.ts';
import { contractTest, corpusTest, modelTest } from '../../src/cli/emit/skeletons.ts';

const SUBJECT = { file: '.tmp/sim/O5-1.json', oracle: 'O5', promise: 'no client is told "recovered"' };
const OUTPUT = `model: 20 runs from seed 1
run 24 (seed 25): client0: channel0: a gap
replay: MODEL_SEED=25 MODEL_RUNS=1 npx vitest run packages/engine/test/model
setup: {"clients":["json"],"recoveryItems":0}
steps, of 22:
  {"do":"connect","client":0} then {"microtasks":3,"turns":0}
  {"do":"advance","ms":50} then {"microtasks":0,"turns":2}
`;

describe('what the model prints', () => {
  it('is read as a scenario', () => {
    expect(readModelFailure(OUTPUT)).toEqual({
      seed: 25,
      violation: 'client0: channel0: a gap',
      setup: '{"clients":["json"],"recoveryItems":0}',
      steps: [
        ['{"do":"connect","client":0}', '{"microtasks":3,"turns":0}'],
        ['{"do":"advance","ms":50}', '{"microtasks":0,"turns":2}'],
      ],
    });
  });

  it('is no failure when nothing was found', () => {
    expect(
      readModelFailure('model: 20 runs from seed 1\n20 runs, 55 deliveries; 5000 runs/s\n'),
    ).toBeUndefined();
  });
});

describe('an emitted test', () => {
  const failure = readModelFailure(OUTPUT);
  if (failure === undefined) throw new Error('the output is not read');
  const texts = [
    contractTest(SUBJECT, ['a case', 'the "other" case']),
    modelTest(SUBJECT, failure),
    corpusTest(SUBJECT),
  ];

  it.each(texts)('is a program, and names its plan and promise', text => {
    expect(() => parseAst(text, { lang: 'ts' })).not.toThrow();
    expect(text).toContain('O5 of .tmp/sim/O5-1.json');
    expect(text).toContain("from 'vitest'");
  });

  it('of the model has the steps, of the contract the cases', () => {
    expect(texts[1]).toContain(
      '{ operation: {"do":"advance","ms":50}, breath: {"microtasks":0,"turns":2} },',
    );
    expect(texts[0]).toContain('"the \\"other\\" case",');
  });
});
