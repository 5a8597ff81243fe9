import { describe, expect, it } from 'vitest';
import { determinismFaults } from '../../src/cli/determinism.ts';
import { differenceOf } from '../../src/cli/diff.ts';
import { playInProcess } from '../../src/cli/run-process.ts';

describe('a run', () => {
  it('has one hash twice in one process and in fresh ones with other options', () => {
    expect(determinismFaults('bare', [1, 2])).toEqual([]);
  });

  it('has another hash for another seed', () => {
    const hashes = playInProcess({ world: 'bare', seeds: [1, 2, 3], guard: true }).map(({ hash }) => hash);
    expect(new Set(hashes).size).toBe(3);
  });

  it('shows the first event that real chance changes', () => {
    const lines = differenceOf('leak: real chance', 1);
    expect(lines.at(-1)).toMatch(/^event \d+ is the first that differs$/);
    expect(lines.join('\n')).toContain('timer');
  });

  it.each([
    ['leak: net', 'SIM_NOT_SIMULATED: net.createServer'],
    ['leak: fs', 'SIM_NOT_SIMULATED: fs.readFileSync'],
    ['leak: fetch', 'SIM_NOT_SIMULATED: fetch'],
    ['leak: thread pool', 'SIM_NOT_SIMULATED: crypto.scrypt'],
    ['leak: child process', 'SIM_NOT_SIMULATED: child_process.spawn'],
    ['leak: zlib', 'SIM_NOT_SIMULATED: zlib.deflate'],
    ['leak: real timer', 'Timeout waits for the outside'],
    ['leak: caught', 'SIM_NOT_SIMULATED: net.createServer'],
  ])('is stopped as the fault of the simulator: %s', (world, text) => {
    const [run] = playInProcess({ world, seeds: [1], guard: true });
    expect(run?.fault).toContain(text);
  });

  it("tells an error that escaped from the simulator's own faults", () => {
    const [run] = playInProcess({ world: 'leak: escaping error', seeds: [1], guard: true });
    expect(run?.fault).toBeUndefined();
    expect(run?.violations).toMatchObject([{ oracle: 'O39', text: expect.stringContaining('on purpose') }]);
  });
});
