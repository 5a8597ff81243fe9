/** One series of a scrape. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** One metric of a scrape, histograms with all their parts. */
export interface ScrapedMetric {
  readonly type: string;
  /** By the name in the line: the metric's, or that with `_bucket`, `_sum`, `_count`. */
  readonly samples: ReadonlyMap<string, readonly Sample[]>;
}

/** What `/metrics` said. */
export class Scrape {
  readonly metrics: ReadonlyMap<string, ScrapedMetric>;

  /** @param text Prometheus text format 0.0.4. @throws Error for a line that is not of that format. */
  constructor(text: string) {
    const metrics = new Map<string, { type: string; samples: Map<string, Sample[]> }>();
    for (const line of text.split('\n')) {
      if (line === '' || line.startsWith('# HELP ')) continue;
      const type = /^# TYPE (\S+) (\w+)$/.exec(line);
      if (type !== null) metrics.set(type[1] ?? '', { type: type[2] ?? '', samples: new Map() });
      else addSample(metrics, line);
    }
    this.metrics = metrics;
  }

  /** Series whose labels include these. */
  samples(name: string, labels: Readonly<Record<string, string>> = {}): readonly Sample[] {
    const owner = this.metrics.get(name) ?? this.metrics.get(familyOf(name));
    const wanted = Object.entries(labels);
    return (owner?.samples.get(name) ?? []).filter(sample =>
      wanted.every(([label, value]) => sample.labels[label] === value),
    );
  }

  /** The sum of the series whose labels include these; 0 without any. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.samples(name, labels).reduce((sum, { value }) => sum + value, 0);
  }
}

/** The metric that a line's name belongs to. */
export function familyOf(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, '');
}

function addSample(
  metrics: Map<string, { type: string; samples: Map<string, Sample[]> }>,
  line: string,
): void {
  const [, name = '', labelText = '', value = ''] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const owner = metrics.get(name) ?? metrics.get(familyOf(name));
  if (owner === undefined) throw new Error(`not a sample of a declared metric: ${line}`);
  const labels = Object.fromEntries(
    [...labelText.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text]),
  );
  const samples = owner.samples.get(name) ?? [];
  samples.push({ labels, value: Number(value) });
  owner.samples.set(name, samples);
}

/** Reads `/metrics`. */
export async function scrape(url: string, bearer?: string): Promise<Scrape> {
  const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const answer = await fetch(`${url}/metrics`, { headers });
  if (answer.status !== 200) throw new Error(`/metrics answers ${answer.status}`);
  return new Scrape(await answer.text());
}
