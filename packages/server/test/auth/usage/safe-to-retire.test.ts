import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { Keyring } from '#src/auth/keys/keyring.ts';
import { FileKeyringStore } from '#src/auth/keys/store/file.ts';
import type { TokenType } from '#src/auth/tokens/claims.ts';
import { PairIssuer } from '#src/auth/tokens/issuer.ts';
import { ManagementIssuer } from '#src/auth/tokens/management.ts';
import { TokenSigner } from '#src/auth/tokens/signer.ts';
import { TokenVerifier } from '#src/auth/tokens/verifier.ts';
import type { KeyUsageStore } from '#src/auth/usage/contract.ts';
import { FileKeyUsageStore } from '#src/auth/usage/file.ts';
import { KeyUsage } from '#src/auth/usage/key-usage.ts';
import { keyUsageHandlers } from '#src/rpc/key-usage.ts';

const HOUR = 3_600_000;
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The shared record, as a process writes it that may crash. */
function crashingStore(shared: KeyUsageStore): KeyUsageStore & { hasCrashed: boolean } {
  return {
    hasCrashed: false,
    load: now => shared.load(now),
    forget: kids => shared.forget(kids),
    async raise(moments) {
      if (!this.hasCrashed) await shared.raise(moments);
    },
  };
}

/** One node of several that share a keyring and the record of its use. */
async function startNode(folder: string, clock: ManualClock, shared = new FileKeyUsageStore(folder)) {
  const store = crashingStore(shared);
  const keyring = await Keyring.open({ clock, random: systemRandom, store: new FileKeyringStore(folder) });
  const signer = new TokenSigner(keyring, systemRandom, (kid, { typ, exp }) => usage.issued(kid, typ, exp));
  const verifier = new TokenVerifier({
    keyring,
    clock,
    random: systemRandom,
    onGone: token => usage.left(token),
  });
  const usage: KeyUsage = new KeyUsage({
    keyring,
    clock,
    store,
    tokens: () => verifier.tokens(),
    onError: error => {
      throw error;
    },
  });
  await usage.start();
  const pairs = new PairIssuer({ signer, clock, accessTtlMs: HOUR, maxRefreshTtlMs: HOUR });
  const management = new ManagementIssuer(signer, clock);
  const issue: Readonly<Record<TokenType, () => string>> = {
    access: () => pairs.first({ subject: 'ann', scopes: [] }).accessToken,
    refresh: () => pairs.first({ subject: 'ann', scopes: [] }).refreshToken,
    mgmt: () => management.issue('ops', 0).token,
  };
  return { keyring, verifier, usage, issue, store };
}
type TestNode = Awaited<ReturnType<typeof startNode>>;

/** What operators are told, with the answers of these nodes. */
async function rowsOf(clock: ManualClock, asked: TestNode, nodes: readonly TestNode[]) {
  const { KeyUsage: answer } = keyUsageHandlers({
    keyring: asked.keyring,
    keyUsage: asked.usage,
    clock,
    keyUse: {
      everywhere: async () => ({
        live: new Map(),
        sessions: new Map(),
        holders: new Map(),
        moments: nodes.flatMap(({ usage }) => [...usage.moments]),
        missing: [],
      }),
    } as never, // the survey of the nodes
  });
  return (await answer({}, {} as never)).keys; // the call decides nothing
}

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'key-usage-'));
  folders.push(folder);
  return folder;
}

describe('whether a key may be retired', () => {
  it('is told with the reason and the time, from signing to nothing left', async () => {
    const [clock, folder] = [new ManualClock(), folderOfTest()];
    const node = await startNode(folder, clock);
    const old = node.keyring.active.id;
    const verdict = async () => (await rowsOf(clock, node, [node])).find(({ kid }) => kid === old);
    expect(await verdict()).toMatchObject({ verdict: 'active', reason: 'it signs' });
    const token = node.issue.mgmt();
    const { id } = await node.keyring.generate();
    await node.keyring.promote(id);
    expect(await verdict()).toMatchObject({
      verdict: 'wait',
      reason: 'management tokens that it signed have not ended',
      wait_until: new Date(Math.floor(clock.now() / 1000) * 1000 + 24 * HOUR).toISOString(),
    });
    await clock.advance(23.5 * HOUR);
    node.verifier.read(token);
    await clock.advance(0.6 * HOUR);
    expect(await verdict()).toMatchObject({
      verdict: 'wait',
      reason: 'management tokens of it came in the last hour',
    });
    await clock.advance(0.5 * HOUR);
    expect(await verdict()).toMatchObject({ verdict: 'safe', wait_until: '' });
    await node.keyring.retire(old);
    expect(await verdict()).toMatchObject({
      role: 'retired',
      retired_at: new Date(clock.now()).toISOString(),
    });
    await clock.advance(25 * HOUR);
    expect(await verdict()).toBeUndefined();
  });

  it('is not known of a key that is older than the record', async () => {
    const [clock, folder] = [new ManualClock(), folderOfTest()];
    const earlier = await Keyring.open({ clock, random: systemRandom, store: new FileKeyringStore(folder) });
    const old = earlier.active.id;
    await clock.advance(HOUR);
    const node = await startNode(folder, clock);
    await node.keyring.promote((await node.keyring.generate()).id);
    const verdict = async () => (await rowsOf(clock, node, [node])).find(({ kid }) => kid === old);
    expect(await verdict()).toMatchObject({
      verdict: 'unknown',
      wait_until: new Date(clock.now() + 7 * 24 * HOUR).toISOString(),
    });
    await clock.advance(7 * 24 * HOUR);
    expect(await verdict()).toMatchObject({ verdict: 'safe' });
  });

  it('is not safe after a crash right after the key began and stopped to sign', async () => {
    const [clock, folder] = [new ManualClock(), folderOfTest()];
    const before = await startNode(folder, clock);
    const rotate = async () => before.keyring.promote((await before.keyring.generate()).id);
    await rotate();
    const old = before.keyring.active.id;
    before.issue.access();
    await rotate();
    before.store.hasCrashed = true;
    const after = await startNode(folder, clock);
    const row = (await rowsOf(clock, after, [after])).find(({ kid }) => kid === old);
    expect(row).toMatchObject({ verdict: 'wait', reason: 'access tokens that it signed have not ended' });
  });

  it('is never safe before the last of its tokens has ended, on two nodes, over stops and crashes', async () => {
    const action = fc.record({
      node: fc.nat(1),
      kind: fc.constantFrom('access', 'refresh', 'mgmt', 'promote', 'stop', 'crash', 'verify', 'wait'),
      hours: fc.constantFrom(0.01, 0.3, 1.1, 9, 26),
    } as const);
    let safe = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 30 }), async actions => {
        const [clock, folder] = [new ManualClock(), folderOfTest()];
        const shared = new FileKeyUsageStore(folder);
        const start = () => startNode(folder, clock, shared);
        const nodes: [TestNode, TestNode] = [await start(), await start()];
        const issued: { readonly kid: string; readonly exp: number; readonly text: string }[] = [];
        for (const { node: index, kind, hours } of actions) {
          const node = nodes[index] as TestNode;
          if (kind === 'access' || kind === 'refresh' || kind === 'mgmt') {
            const text = node.issue[kind]();
            const { exp } = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString());
            issued.push({ kid: node.keyring.active.id, exp, text });
            // As IssueMgmt does before it answers.
            if (kind === 'mgmt') await node.usage.flush();
          }
          if (kind === 'promote') {
            await node.keyring.promote((await node.keyring.generate()).id);
            for (const other of nodes) await other.keyring.reload();
          }
          if (kind === 'stop') await node.usage.stop();
          if (kind === 'crash') node.store.hasCrashed = true;
          if (kind === 'stop' || kind === 'crash') nodes[index as 0 | 1] = await start();
          if (kind === 'verify') for (const { text } of issued) node.verifier.read(text);
          if (kind === 'wait') await clock.advance(hours * HOUR);
          for (const row of await rowsOf(clock, nodes[0], nodes)) {
            if (row.verdict !== 'safe') continue;
            safe += 1;
            const broken = issued.filter(({ kid, exp }) => kid === row.kid && exp * 1000 >= clock.now());
            expect(broken).toEqual([]);
          }
        }
        for (const node of nodes) await node.usage.stop();
      }),
      { numRuns: 40 },
    );
    expect(safe).toBeGreaterThan(10);
  });
});
