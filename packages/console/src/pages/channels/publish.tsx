import type { ChannelPattern } from '@msg/core';
import { findMisfit } from '@msg/core/internal';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm, say } from '../../parts/act.tsx';
import { State } from '../../parts/basics.tsx';
import { TextField } from '../../parts/field.tsx';
import { tagFlags, tagsOf } from '../../parts/tags.ts';
import { commandLine, visible, whole } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';
import { useSchema } from './channel-schema.ts';

/** How a payload is written. */
export type PayloadForm = 'json' | 'text' | 'base64';

/** Why a text is not a payload; undefined for one. */
function faultOf(form: PayloadForm, text: string): string | undefined {
  if (form === 'json') {
    try {
      JSON.parse(text);
    } catch (error) {
      return error instanceof Error ? error.message : 'not JSON';
    }
  }
  if (form === 'base64' && !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text))
    return 'Not base64: use letters, digits, + and /, padded with = to a multiple of four.';
  return undefined;
}

function payloadOf(form: PayloadForm, text: string): Uint8Array<ArrayBuffer> {
  if (form === 'base64') return Uint8Array.from(atob(text), character => character.charCodeAt(0));
  return new TextEncoder().encode(text);
}

function payloadFlags(form: PayloadForm, text: string): readonly string[] {
  if (form === 'base64') return ['--file', 'payload.bin'];
  return form === 'json' ? ['--json', `--data=${text}`] : [`--data=${text}`];
}

const FORMS = [
  ['json', 'JSON'],
  ['text', 'Text'],
  ['base64', 'Base64'],
] as const;

/** The value of a payload; undefined for one that is not JSON. */
function jsonOf(form: PayloadForm, text: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payloadOf(form, text)));
  } catch {
    return undefined;
  }
}

/** Whether the payload fits the schema of its channel, and where not. The server decides whether it is refused. */
function Fit({ schema, value }: { readonly schema: ChannelPattern; readonly value: unknown }): JSX.Element {
  const misfit = findMisfit(schema, value);
  return (
    <p class="small wrap" data-fit>
      {misfit === undefined ? (
        <State tone="ok">{`Fits the schema ${visible(schema.pattern)}`}</State>
      ) : (
        <State tone="warn">{`Does not fit the schema ${visible(schema.pattern)}: ${visible(misfit)}`}</State>
      )}
    </p>
  );
}

/** Publishes into a channel. `text`, `form` and `tags`: what the form begins with. */
export function PublishDialog({
  name,
  text: firstText = '{}',
  form: firstForm = 'json',
  tags: firstTags = new Map(),
  onClose,
  onDone,
}: {
  readonly name: string;
  readonly text?: string;
  readonly form?: PayloadForm;
  readonly tags?: ReadonlyMap<string, string>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}): JSX.Element {
  const [form, setForm] = useState<PayloadForm>(firstForm);
  const [text, setText] = useState(firstText);
  const [tagText, setTagText] = useState([...firstTags].map(tag => tag.join('=')).join(', '));
  const [key, setKey] = useState('');
  const fault = faultOf(form, text);
  const { schema } = useSchema(name);
  const tags = tagsOf(tagText);
  const line = commandLine(
    'publish',
    name,
    ...payloadFlags(form, text),
    ...tagFlags(tags ?? new Map()),
    ...(key === '' ? [] : ['--idempotency-key', key]),
  );
  return (
    <Confirm
      title="Publish into this channel?"
      verb="Publish"
      line={line}
      isReady={fault === undefined && tags !== undefined}
      onClose={onClose}
      act={async () => {
        const { offset, suppressed } = await call('Publish', {
          name,
          data: payloadOf(form, text),
          ...(tags === undefined || tags.size === 0 ? {} : { tags }),
          ...(key === '' ? {} : { idempotency_key: key }),
        });
        say(outcomeOf(offset, suppressed));
        onDone();
      }}
    >
      <p>Every subscriber receives it at once. The channel's history keeps it as configured.</p>
      <fieldset class="plain">
        <legend class="sr">Form of the payload</legend>
        <span class="segmented">
          {FORMS.map(([choice, label]) => (
            <label key={choice}>
              <input type="radio" name="form" checked={form === choice} onChange={() => setForm(choice)} />
              {label}
            </label>
          ))}
        </span>
      </fieldset>
      <TextField
        id="publish-data"
        label="Payload"
        isName
        rows={6}
        text={text}
        onText={setText}
        isBad={fault !== undefined}
        help={fault ?? 'Sent exactly as written. The server checks it against the schema of the channel.'}
      />
      {schema !== undefined && fault === undefined && <Fit schema={schema} value={jsonOf(form, text)} />}
      <div class="pair">
        <TextField
          id="publish-tags"
          label="Tags"
          text={tagText}
          onText={setTagText}
          isBad={tags === undefined}
          help="name=value, separated by commas"
        />
        <TextField
          id="publish-key"
          label="Idempotency key"
          text={key}
          onText={value => setKey(value.trim())}
          help="A key that was used before publishes nothing"
        />
      </div>
    </Confirm>
  );
}

function outcomeOf(offset: number, suppressed: boolean): string {
  if (suppressed) return 'Published nothing: the idempotency key was used before.';
  return offset === 0 ? 'Published; the channel keeps no history.' : `Published, offset ${whole(offset)}.`;
}
