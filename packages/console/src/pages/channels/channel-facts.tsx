import type { ChannelOption, ChannelSummary } from '@msg/core';
import { parseDuration } from '@msg/core/internal';
import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { addressOf } from '../../app/address.ts';
import { Badge, Facts } from '../../parts/basics.tsx';
import { span, visible, whole } from '../../parts/text.ts';
import type { Call } from '../../rpc/use-call.ts';
import { rate } from '../overview/nodes.tsx';
import { useSchema } from './channel-schema.ts';

/** Over so long a rate is told. */
const RATE_MS = 60_000;

interface Stream {
  readonly offset: number;
  readonly epoch: string;
}

/** What a channel keeps: where its stream stands, and the first publication that is kept. */
export interface Kept extends Stream {
  readonly first_offset: number;
  readonly kept: boolean;
}

/** Publications that a channel keeps. */
export function keptCount({ offset, first_offset: first, kept }: Kept): number {
  return kept && offset > 0 && first > 0 ? offset - first + 1 : 0;
}

/** Publications a second since the page was opened, over the last minute at most; undefined until two answers are there. */
function useRate({ data, at }: Call<Stream>): number | undefined {
  const points = useRef<{ readonly epoch: string; readonly points: readonly (readonly [number, number])[] }>({
    epoch: '',
    points: [],
  });
  if (data === undefined || data.epoch === '') return undefined;
  const { offset, epoch } = data;
  const before = points.current.epoch === epoch ? points.current.points : [];
  if (before.at(-1)?.[0] !== at)
    points.current = { epoch, points: [...before.filter(([then]) => at - then <= RATE_MS), [at, offset]] };
  const [first, last] = [points.current.points[0], points.current.points.at(-1)];
  if (first === undefined || last === undefined || last[0] === first[0]) return undefined;
  return ((last[1] - first[1]) * 1000) / (last[0] - first[0]);
}

/** The value of an option, with the pattern that set it. */
function optionOf(options: readonly ChannelOption[], name: string): ChannelOption | undefined {
  return options.find(option => option.name === name);
}

/** A duration of the configuration as the page tells one. */
function timeOf(value: ChannelOption['value']): string {
  const ms = parseDuration(String(value));
  return ms === undefined ? visible(String(value)) : span(ms);
}

function Fill({
  kept,
  options,
}: {
  readonly kept: Kept | undefined;
  readonly options: readonly ChannelOption[];
}): JSX.Element {
  if (kept === undefined) return <>–</>;
  if (!kept.kept) return <>off</>;
  const size = optionOf(options, 'history_size');
  const ttl = optionOf(options, 'history_ttl');
  return (
    <>
      {whole(keptCount(kept))}
      {size !== undefined && ` of ${whole(Number(size.value))}`}
      {ttl !== undefined && `, ${timeOf(ttl.value)}`}
    </>
  );
}

function Recovery({ options }: { readonly options: readonly ChannelOption[] }): JSX.Element {
  const option = optionOf(options, 'recovery');
  if (option === undefined) return <>–</>;
  const { value, pattern } = option;
  return (
    <>
      {value === 'stream' ? 'on' : value === 'cache' ? 'on, the last one' : 'off'}
      {pattern === '' ? (
        <span class="mute">, by default</span>
      ) : (
        <>
          , from <span class="mono wrap">{visible(pattern)}</span>
        </>
      )}
    </>
  );
}

function Epoch({ position }: { readonly position: Stream | undefined }): JSX.Element {
  if (position === undefined) return <>–</>;
  if (position.epoch === '') return <Badge>no history</Badge>;
  return <span class="mono">{position.epoch}</span>;
}

function Schema({ name }: { readonly name: string }): JSX.Element {
  const { list, schema } = useSchema(name);
  if (schema === undefined) return <>{list.data === undefined ? '–' : 'none'}</>;
  return (
    <a class="mono wrap" href={addressOf('schemas', schema.pattern)}>
      {visible(schema.pattern)}
    </a>
  );
}

/** What is true of a channel now. */
export function ChannelFacts({
  channel: { name, ttl_seconds: ttl },
  subscribers,
  position,
  kept,
  options,
}: {
  readonly channel: ChannelSummary;
  readonly subscribers: number | undefined;
  readonly position: Call<Stream>;
  readonly kept: Kept | undefined;
  readonly options: readonly ChannelOption[];
}): JSX.Element {
  const published = useRate(position);
  const top = position.data?.offset;
  const strong = (children: ComponentChildren): JSX.Element => <span class="strong">{children}</span>;
  return (
    <Facts
      isOneLine
      rows={[
        ['Subscribers', strong(subscribers === undefined ? '–' : whole(subscribers))],
        ['Published', strong(published === undefined ? '–' : `${rate(published)}/s`)],
        ['Top offset', strong(top === undefined ? '–' : whole(top))],
        ['Epoch', <Epoch position={position.data} />],
        ['History', <Fill kept={kept} options={options} />],
        ['Recovery', <Recovery options={options} />],
        ['Idle limit', ttl === 0 ? 'none' : span(ttl * 1000)],
        ['Schema', <Schema name={name} />],
      ]}
    />
  );
}
