import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { canonicalBytes } from '#src/document/canonical.ts';
import { FileStore } from '#src/store/file-store.ts';
import { GitStore } from '#src/store/git-store.ts';
import { readStored } from '#src/store/stored-document.ts';

const WRITER = fileURLToPath(new URL('./writer.ts', import.meta.url));
const DOCUMENTS = ['left', 'right'];

export interface SiegePlan {
  readonly kind: 'fs' | 'git';
  readonly writers: number;
  /** Ends after so many kills. */
  readonly kills: number;
  /** ... and not before this time has passed. */
  readonly leastMs?: number;
  readonly seed: number;
}

export interface SiegeReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** Breaches of a promise, in words. Empty is what is wanted. */
  readonly faults: readonly string[];
}

/**
 * Lets writers in processes of their own edit two documents, kills them at random points, and checks what is left: no
 * torn file at any time, no acknowledged number given twice or gone, a sound repository, other files as they were.
 */
export async function besiege(plan: SiegePlan): Promise<SiegeReport> {
  const root = await mkdtemp(join(tmpdir(), 'dash-siege-'));
  try {
    return await new Siege(plan, root).run();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

class Siege {
  readonly #plan: SiegePlan;
  readonly #root: string;
  readonly #random: () => number;
  readonly #faults: string[] = [];
  readonly #last = new Map<string, number>();
  #acknowledged = 0;
  #kills = 0;

  constructor(plan: SiegePlan, root: string) {
    this.#plan = plan;
    this.#root = root;
    this.#random = seeded(plan.seed);
  }

  async run(): Promise<SiegeReport> {
    await this.#prepare();
    const started = performance.now();
    const running = Array.from({ length: this.#plan.writers }, (_, slot) => this.#start(slot));
    while (this.#kills < this.#plan.kills || performance.now() - started < (this.#plan.leastMs ?? 0)) {
      await this.#progress();
      await this.#readAll();
      await this.#replaceOne(running);
    }
    await this.#progress();
    await Promise.all(running.map(child => kill(child)));
    await this.#settle();
    return { kills: this.#kills, acknowledged: this.#acknowledged, faults: this.#faults };
  }

  #store() {
    const options = { root: this.#root, lockWaitMs: 120_000 };
    return this.#plan.kind === 'git' ? new GitStore(options) : new FileStore(options);
  }

  async #prepare(): Promise<void> {
    if (this.#plan.kind === 'git') this.#git('init', '-q');
    await writeFile(join(this.#root, 'unrelated.txt'), 'committed');
    if (this.#plan.kind === 'git') {
      this.#git('add', '.');
      this.#git('-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-qm', 'start');
    }
    await writeFile(join(this.#root, 'unrelated.txt'), 'dirty');
    for (const id of DOCUMENTS) {
      await this.#store().save(
        id,
        canonicalBytes({ manifest: { id }, counts: {}, filling: 'x'.repeat(20_000) }),
      );
    }
  }

  #start(slot: number): ChildProcess {
    const id = DOCUMENTS[slot % DOCUMENTS.length] ?? '';
    const args = ['--conditions=msg-source', WRITER, this.#plan.kind, this.#root, id, `s${slot}`];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    createInterface({ input: child.stdout }).on('line', line => this.#acknowledge(line));
    child.stderr.on('data', (text: Buffer) =>
      this.#faults.push(`a writer failed: ${text.toString().slice(0, 500)}`),
    );
    return child;
  }

  #acknowledge(line: string): void {
    const [slot = '', number = ''] = line.split(' ');
    const before = this.#last.get(slot) ?? 0;
    if (Number(number) <= before)
      this.#faults.push(`${slot} was given ${number} after ${before}: a commit was lost`);
    this.#last.set(slot, Number(number));
    this.#acknowledged++;
  }

  /** Waits for a few more acknowledgements, so that the kills fall between and into commits. */
  async #progress(): Promise<void> {
    const wanted = this.#acknowledged + 1 + Math.floor(this.#random() * 4);
    const deadline = performance.now() + 120_000;
    while (this.#acknowledged < wanted && this.#faults.length === 0) {
      if (performance.now() > deadline) this.#faults.push('the writers stand still');
      await new Promise(resolve => setTimeout(resolve, 1 + this.#random() * 10));
    }
  }

  async #readAll(): Promise<void> {
    for (const id of DOCUMENTS) {
      try {
        readStored(id, await readFile(join(this.#root, `${id}.json`)));
      } catch (error) {
        this.#faults.push(`${id} is torn or gone: ${String(error)}`);
      }
    }
  }

  async #replaceOne(running: ChildProcess[]): Promise<void> {
    const slot = Math.floor(this.#random() * running.length);
    const child = running[slot];
    if (child === undefined) return;
    await kill(child);
    this.#kills++;
    running[slot] = this.#start(slot);
    if (this.#faults.length > 20) throw new Error(this.#faults.join('\n'));
  }

  /** Every acknowledged number is in the documents, and the store works on, with nothing of the dead in its way. */
  async #settle(): Promise<void> {
    const store = this.#store();
    for (const [slot, number] of this.#last) {
      const id = DOCUMENTS[Number(slot.slice(1)) % DOCUMENTS.length] ?? '';
      const { counts } = readStored(id, (await store.load(id)).bytes).document as {
        counts: Record<string, number>;
      };
      if ((counts[slot] ?? 0) < number)
        this.#faults.push(`${slot} has ${counts[slot]}, but ${number} was acknowledged`);
    }
    for (const id of DOCUMENTS)
      await store.save(id, canonicalBytes({ manifest: { id }, counts: {}, end: true }));
    const listed = await store.list();
    if (listed.join() !== DOCUMENTS.join()) this.#faults.push(`stray documents: ${listed.join()}`);
    if ((await readdir(this.#root)).some(name => name.startsWith('.dash-lock')))
      this.#faults.push('a lock is left');
    if ((await readFile(join(this.#root, 'unrelated.txt'), 'utf8')) !== 'dirty')
      this.#faults.push('a file was touched');
    if (this.#plan.kind === 'git') this.#checkRepository();
  }

  #checkRepository(): void {
    this.#git('fsck', '--strict', '--no-dangling');
    const changed = this.#git('diff', '--name-only', 'HEAD');
    if (changed !== 'unrelated.txt') this.#faults.push(`not only the unrelated file is dirty: ${changed}`);
    const commits = Number(this.#git('rev-list', '--count', 'HEAD'));
    if (commits < this.#acknowledged)
      this.#faults.push(`${commits} commits for ${this.#acknowledged} acknowledgements`);
  }

  #git(...args: string[]): string {
    return execFileSync('git', ['-C', this.#root, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'close');
  child.kill('SIGKILL');
  await gone;
}

/** mulberry32. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
