import {
  createECDH,
  createPrivateKey,
  createPublicKey,
  createVerify,
  generateKeyPairSync,
} from 'node:crypto';
import { expect, it } from 'vitest';
import { Kernel } from '../src/kernel/kernel.ts';
import { during } from '../src/kernel/running.ts';
import { drawnEcdh, drawnSignature } from '../src/platform/curves.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const text = Buffer.from('header.claims');

/** What an actor makes at its first moment. */
async function inRun<T>(seed: string, make: () => T): Promise<T> {
  const kernel = new Kernel({ seed });
  const made: T[] = [];
  await during(kernel, () => {
    kernel.at(0, kernel.actor('ann'), 'test', () => void made.push(make()));
    return kernel.run();
  });
  if (kernel.failure !== undefined) throw kernel.failure;
  return made[0] as T; // the event ran
}

const signed = (): Buffer => drawnSignature('sha256', text, { key: privateKey, dsaEncoding: 'ieee-p1363' });

it('signs by a drawn number: the same in each run of a seed, and right for every verifier', async () => {
  const [first, second, other] = [
    await inRun('a', signed),
    await inRun('a', signed),
    await inRun('b', signed),
  ];
  expect(first).toEqual(second);
  expect(other).not.toEqual(first);
  for (const signature of [first, other]) {
    const key = {
      key: createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })),
      dsaEncoding: 'ieee-p1363',
    } as const;
    expect(createVerify('sha256').update(text).verify(key, signature)).toBe(true);
  }
});

it('makes key pairs that agree with others on a secret', async () => {
  const make = (): string => drawnEcdh('prime256v1').generateKeys('base64url');
  expect(await inRun('a', make)).toBe(await inRun('a', make));
  const pair = await inRun('a', () => {
    const drawn = drawnEcdh('prime256v1');
    drawn.generateKeys();
    return drawn;
  });
  const other = createECDH('prime256v1');
  other.generateKeys();
  expect(pair.computeSecret(other.getPublicKey())).toEqual(other.computeSecret(pair.getPublicKey()));
});

it('refuses a signature of another kind in a run', async () => {
  const der = inRun('a', () =>
    drawnSignature('sha256', text, {
      key: createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    }),
  );
  await expect(der).rejects.toThrow('SIM_NOT_SIMULATED');
});
