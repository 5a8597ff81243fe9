import { parser } from '@prometheus-io/lezer-promql';
import type { Sample, Scrape } from '../../packages/server/test/support/scrape.ts';

/** Two scrapes with what happened between them; counters that the first one lacks were 0. */
export interface Window {
  readonly before: Scrape;
  readonly after: Scrape;
}

type Node = ReturnType<typeof parser.parse>['topNode'];
type Labels = Readonly<Record<string, string>>;
/** A number, or the samples of a vector. */
type Value = number | readonly Sample[];

/**
 * What an alert's expression answers over a window: the series for which it fires. The part of PromQL that ratios of
 * counters are made of: `rate`, `sum by`, `/`, `>`, `or`, `on () group_left`. A rate is the increase, because only ratios
 * are compared. @throws Error for anything else.
 */
export function firing(expression: string, window: Window): readonly Sample[] {
  const value = new Evaluation(expression, window).of(parser.parse(expression).topNode);
  if (typeof value === 'number') throw new Error(`an alert is a vector: ${expression}`);
  return value;
}

class Evaluation {
  readonly #text: string;
  readonly #window: Window;

  constructor(text: string, window: Window) {
    this.#text = text;
    this.#window = window;
  }

  of(node: Node): Value {
    const [first] = children(node);
    switch (node.name) {
      case 'PromQL':
      case 'ParenExpr':
      case 'FunctionCallBody':
        return this.of(first as Node);
      case 'NumberDurationLiteral':
        return Number(this.#textOf(node));
      case 'FunctionCall':
        return this.#rate(node);
      case 'AggregateExpr':
        return this.#sum(node);
      case 'BinaryExpr':
        return this.#binary(node);
      default:
        throw new Error(`${node.name} is not understood: ${this.#textOf(node)}`);
    }
  }

  #textOf({ from, to }: Node): string {
    return this.#text.slice(from, to);
  }

  #rate(node: Node): readonly Sample[] {
    const { before, after } = this.#window;
    const text = /^rate\((?<name>\w+)(?:\{(?<matchers>[^}]*)\})?\[\w+\]\)$/.exec(this.#textOf(node));
    if (text === null) throw new Error(`not a rate of a counter: ${this.#textOf(node)}`);
    const { name = '', matchers = '' } = text.groups ?? {};
    const rules = [...matchers.matchAll(/(\w+)(!?=)"([^"]*)"/g)];
    return after
      .samples(name)
      .filter(({ labels }) =>
        rules.every(([, label = '', operator, value]) => (labels[label] === value) === (operator === '=')),
      )
      .map(({ labels, value }) => ({ labels, value: value - before.value(name, labels) }));
  }

  #sum(node: Node): readonly Sample[] {
    const parts = children(node);
    const modifier = parts.find(({ name }) => name === 'AggregateModifier');
    const by = modifier === undefined ? [] : (this.#textOf(modifier).match(/\w+/g)?.slice(1) ?? []);
    const body = this.of(parts.at(-1) as Node);
    if (this.#textOf(parts[0] as Node) !== 'sum' || typeof body === 'number') throw new Error('not a sum');
    const sums = new Map<string, { labels: Labels; value: number }>();
    for (const { labels, value } of body) {
      const kept = Object.fromEntries(by.map(label => [label, labels[label] ?? '']));
      const key = JSON.stringify(kept);
      sums.set(key, { labels: kept, value: value + (sums.get(key)?.value ?? 0) });
    }
    return [...sums.values()];
  }

  #binary(node: Node): readonly Sample[] {
    const parts = children(node);
    const operator = this.#textOf(parts[1] as Node);
    const isOverAll = parts.some(part => /^on *\( *\) *group_left/.test(this.#textOf(part)));
    const left = this.of(parts[0] as Node);
    const right = this.of(parts.at(-1) as Node);
    if (typeof left === 'number') throw new Error(`a number on the left of ${operator}`);
    const partner = ({ labels }: Sample): number | undefined => {
      if (typeof right === 'number') return right;
      return right.find(other => isOverAll || JSON.stringify(other.labels) === JSON.stringify(labels))?.value;
    };
    switch (operator) {
      case '/':
        return left.flatMap(sample => {
          const divisor = partner(sample);
          return divisor === undefined ? [] : [{ labels: sample.labels, value: sample.value / divisor }];
        });
      case '>':
        return left.filter(sample => sample.value > (partner(sample) ?? Number.NaN));
      case 'or':
        return typeof right === 'number' ? left : [...left, ...right.filter(s => !left.some(sameLabels(s)))];
      default:
        throw new Error(`${operator} is not understood`);
    }
  }
}

function sameLabels({ labels }: Sample): (other: Sample) => boolean {
  return other => JSON.stringify(other.labels) === JSON.stringify(labels);
}

function children(node: Node): Node[] {
  const nodes: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) nodes.push(child);
  return nodes;
}
