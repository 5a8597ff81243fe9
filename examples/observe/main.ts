// A msg server, a Prometheus that reads its figures and a dashboard of both, with a live channel. See README.md.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startMsg } from '@msg/testkit';

const CHANNEL = 'public:shop.orders';
const REGIONS = ['eu', 'us', 'asia'];
const DASHDOC = fileURLToPath(new URL('../../packages/dash/bin/dashdoc.js', import.meta.url));
const DOCUMENT = new URL('observe.json', import.meta.url);

const portOf = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const ports = {
  dash: portOf('PORT', 8080),
  msg: portOf('MSG_PORT', 8000),
  prometheus: portOf('PROMETHEUS_PORT', 9090),
};

const running: (() => Promise<unknown>)[] = [];

async function stopAll(): Promise<void> {
  for (const stop of running.splice(0).reverse()) await stop();
}

/** A program that ends with this one; what it complains about is shown. */
function start(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise(resolve => child.once('close', resolve).once('error', resolve));
  child.on('error', error => console.error(`${program} cannot be started: ${error.message}`));
  running.push(() => {
    child.kill('SIGTERM');
    return ended;
  });
  return child;
}

/** Waits until an address answers. */
async function answering(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

/** Publishes an order each second. */
function sell(url: string, token: string): void {
  let number = 0;
  const timer = setInterval(async () => {
    const order = {
      number: ++number,
      region: REGIONS[number % REGIONS.length],
      total: Math.round(Math.random() * 10_000) / 100,
    };
    await fetch(`${url}/twirp/msg.MsgService/Publish`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ name: CHANNEL, json: order }),
    }).catch(() => undefined); // it is ending
  }, 1_000);
  running.push(async () => clearInterval(timer));
}

try {
  const folder = await mkdtemp(join(tmpdir(), 'msg-observe-'));
  running.push(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string): string => join(folder, name);

  await writeFile(at('msg.yaml'), `channels:\n  open:\n    - { name: "${CHANNEL}", ttl: never }\n`);
  const args = ['--config', at('msg.yaml'), '--state-dir', at('state')];
  const msg = await startMsg({ port: ports.msg, args });
  running.push(() => msg.stop());

  await writeFile(
    at('prometheus.yml'),
    `scrape_configs:\n  - job_name: msg\n    scrape_interval: 1s\n    static_configs: [{ targets: ["127.0.0.1:${ports.msg}"] }]\n`,
  );
  const prometheusUrl = `http://127.0.0.1:${ports.prometheus}`;
  const prometheus = start('prometheus', [
    `--config.file=${at('prometheus.yml')}`,
    `--storage.tsdb.path=${at('data')}`,
    `--web.listen-address=127.0.0.1:${ports.prometheus}`,
    '--log.level=error',
  ]);
  await answering(`${prometheusUrl}/-/ready`, prometheus);

  const document = await readFile(DOCUMENT, 'utf8');
  const placed = document
    .replaceAll('127.0.0.1:8000', `127.0.0.1:${ports.msg}`)
    .replaceAll('127.0.0.1:9090', `127.0.0.1:${ports.prometheus}`);
  await writeFile(at('observe.json'), placed);
  const allowed = [prometheusUrl, `ws://127.0.0.1:${ports.msg}`].flatMap(origin => ['--allow-query', origin]);
  const dash = start(process.execPath, [
    ...[DASHDOC, 'serve', at('observe.json'), '--port', String(ports.dash)],
    ...allowed,
  ]);
  const page = `http://127.0.0.1:${ports.dash}`;
  await answering(`${page}/healthz`, dash);

  sell(msg.url, msg.token);
  console.log(
    `msg         ${msg.url}\nprometheus  ${prometheusUrl}\ndashboard   ${page}\n\nready; Ctrl-C ends it`,
  );
  await new Promise(resolve => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
} catch (error) {
  console.error(
    `the example cannot start: ${error instanceof Error ? error.message : error}; PORT, MSG_PORT and PROMETHEUS_PORT take other ports`,
  );
  process.exitCode = 1;
} finally {
  await stopAll();
}
