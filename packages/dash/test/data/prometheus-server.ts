import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '@msg/testkit';

/** A sample as OpenMetrics writes it. */
export interface Sample {
  readonly metric: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Unix seconds. */
  readonly at: number;
  readonly value: number | string;
}

/** A real Prometheus over blocks of given samples; it scrapes nothing. */
export class PrometheusServer {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(url: string, child: ChildProcess, folder: string) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
  }

  static async start(samples: readonly Sample[]): Promise<PrometheusServer> {
    const folder = mkdtempSync(join(tmpdir(), 'dash-prometheus-'));
    const [input, blocks, config] = ['samples.txt', 'data', 'prometheus.yml'].map(name => join(folder, name));
    writeFileSync(input ?? '', openMetrics(samples));
    writeFileSync(config ?? '', 'global: {}\n');
    execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', input ?? '', blocks ?? ''], {
      stdio: 'ignore',
    });
    const port = await freePort();
    const child = spawn(
      'prometheus',
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${blocks}`,
        '--storage.tsdb.retention.time=100y',
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    const url = `http://127.0.0.1:${port}`;
    const isReady = async (): Promise<boolean> => {
      if (child.exitCode !== null) throw new Error(`prometheus ended with ${child.exitCode}`);
      return fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    };
    await eventually('prometheus is ready', isReady, 60_000, 50);
    return new PrometheusServer(url, child, folder);
  }

  async stop(): Promise<void> {
    const ended = new Promise(resolve => this.#child.once('close', resolve));
    this.#child.kill('SIGTERM');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Samples as OpenMetrics text; each metric is of the unknown type, so that every name is taken as it is. */
function openMetrics(samples: readonly Sample[]): string {
  const lines = [...Map.groupBy(samples, ({ metric }) => metric)].flatMap(([metric, own]) => [
    `# TYPE ${metric} unknown`,
    ...own.map(({ labels = {}, at, value }) => {
      const pairs = Object.entries(labels).map(([name, text]) => `${name}=${JSON.stringify(text)}`);
      return `${metric}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value} ${at}`;
    }),
  ]);
  return `${lines.join('\n')}\n# EOF\n`;
}
