import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { drawChart } from '#src/render/chart/draw.ts';
import type { Picture } from '#src/render/chart/model.ts';
import { Painter } from '#src/render/chart/painter.ts';

const FAULTY = new URL('./crashing-painter.mjs', import.meta.url);
const CHECKOUT = fileURLToPath(new URL('./program-in-a-checkout.mjs', import.meta.url));
const SIZE = { width: 320, height: 200 };
const picture = drawChart({ kind: 'bar', x: 'x', series: [{ field: 'y' }] }, [{ x: 'a', y: 1 }]) as Picture;
const painters: Painter[] = [];

function painter(program?: URL, clock = systemClock): Painter {
  const made = new Painter(clock, program);
  painters.push(made);
  return made;
}

afterEach(async () => {
  for (const made of painters.splice(0)) await made.close();
});

const failure = (promise: Promise<string>) =>
  promise.then(
    () => 'painted',
    error => [error.code, error.message],
  );

describe('the painter', () => {
  it('paints in a thread of its own', async () => {
    await expect(painter().paint({ picture, size: SIZE, id: 'a' })).resolves.toMatch(
      /^<svg width="320" height="200"/,
    );
  });

  // Older versions of Node.js run the packages, never their sources.
  it.runIf(process.features.typescript)('finds the sources of other packages in a checkout', async () => {
    const environment = { PATH: process.env['PATH'] };
    // A thread refuses to start with a flag of V8, which belongs to the process.
    const program = ['--max-semi-space-size=8', CHECKOUT];
    const { stdout } = await promisify(execFile)(process.execPath, program, { env: environment });
    expect(stdout).toMatch(/packages\/foundation\/src\/.*\.ts$/);
  });

  it.each(['crash', 'throw'])('loses only the picture that ends the thread: %s', async id => {
    const { paint } = bound(painter(FAULTY));
    const lost = failure(paint(id));
    const next = paint('next');
    expect(await lost).toEqual(['RENDER_FAILED', 'The chart cannot be drawn: the drawing ended its thread.']);
    expect(await next).toBe('<svg>next</svg>');
  });

  it('gives up a picture after 5 s and replaces the thread', async () => {
    const clock = new ManualClock();
    const { paint } = bound(painter(FAULTY, clock));
    expect(await paint('warm')).toBe('<svg>warm</svg>');
    const lost = failure(paint('hang'));
    const next = paint('next');
    clock.advance(5_000);
    expect(await lost).toEqual(['RENDER_FAILED', 'The chart cannot be drawn: it took longer than 5 s.']);
    expect(await next).toBe('<svg>next</svg>');
  });

  it('refuses what waits when it is closed, and everything after', async () => {
    const closing = painter(FAULTY);
    const { paint } = bound(closing);
    const waiting = [failure(paint('hang')), failure(paint('b'))];
    await closing.close();
    const refused = ['RENDER_FAILED', 'The chart cannot be drawn: the service is closing.'];
    expect(await Promise.all([...waiting, failure(paint('c'))])).toEqual([refused, refused, refused]);
  });
});

const bound = (of: Painter) => ({ paint: (id: string) => of.paint({ picture, size: SIZE, id }) });
