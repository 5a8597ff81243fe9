import type { ChannelPattern, RpcResponse } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { clock } from '../../app/clock.ts';
import { Confirm, say } from '../../parts/act.tsx';
import { TextField } from '../../parts/field.tsx';
import { commandLine } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';
import { Changes } from './changes.tsx';

const TYPING_MS = 400;
const MAX_BYTES = 1_048_576;

const EXAMPLE = {
  pattern: 'public:shop.order.{id}',
  description: 'where an order stands',
  aspects: {
    status: {
      payload_schema: { type: 'object', required: ['state'], properties: { state: { type: 'string' } } },
    },
  },
};

function parsed(text: string): { readonly pattern?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What an update would mean, asked while it is typed. */
function useReport(
  schema: object | undefined,
  isUpdate: boolean,
): { readonly report?: RpcResponse<'CheckSchema'>; readonly problem?: string } {
  const [state, setState] = useState<{ report?: RpcResponse<'CheckSchema'>; problem?: string }>({});
  const key = JSON.stringify(schema);
  useEffect(() => {
    setState({});
    if (!isUpdate || schema === undefined) return;
    let isCurrent = true;
    const timer = clock.setTimeout(() => {
      call('CheckSchema', { schema }).then(
        report => isCurrent && setState({ report }),
        (cause: unknown) => isCurrent && setState({ problem: toMsgError(cause).message }),
      );
    }, TYPING_MS);
    return () => {
      isCurrent = false;
      clock.clearTimeout(timer);
    };
  }, [key, isUpdate]);
  return state;
}

/** Registers a schema, or makes a new version of one. */
export function WriteSchema({
  of,
  onClose,
  onDone,
}: {
  readonly of?: ChannelPattern;
  readonly onClose: () => void;
  readonly onDone: (pattern: string) => void;
}): JSX.Element {
  const [text, setText] = useState(() =>
    JSON.stringify(of === undefined ? EXAMPLE : { ...of, version: 0 }, null, 2),
  );
  const schema = parsed(text);
  const pattern = typeof schema?.pattern === 'string' ? schema.pattern : '';
  const isUpdate = of !== undefined;
  const isOther = isUpdate && pattern !== of.pattern;
  const { report, problem } = useReport(isOther ? undefined : schema, isUpdate);
  const isBreaking = report !== undefined && !report.compatible;
  const help = isOther
    ? `The pattern stays ${of.pattern}.`
    : (problem ?? (schema === undefined ? 'Not valid JSON yet.' : 'The server numbers the versions.'));
  const read = (files: FileList | null): void => {
    const [file] = files ?? [];
    if (file !== undefined && file.size <= MAX_BYTES) void file.text().then(setText);
  };
  return (
    <Confirm
      title={isUpdate ? 'Make a new version of this schema?' : 'Register a schema?'}
      verb={isUpdate ? 'Update schema' : 'Register schema'}
      line={commandLine('schemas', isUpdate ? 'update' : 'register', '--file', 'schema.json')}
      isDanger={isBreaking}
      {...(isBreaking ? { typed: pattern } : {})}
      isReady={pattern !== '' && !isOther && (!isUpdate || report !== undefined)}
      onClose={onClose}
      act={async () => {
        await call(isUpdate ? 'UpdateSchema' : 'RegisterSchema', { schema });
        say(isUpdate ? 'Updated the schema.' : 'Registered the schema.');
        onDone(pattern);
      }}
    >
      <p>
        {isUpdate
          ? 'The list below shows what changes for subscribers. Every version is kept.'
          : 'It describes what the channels of the pattern carry. Publications are checked against it where the configuration says so.'}
      </p>
      <TextField
        id="schema-text"
        label="Schema as JSON"
        rows={12}
        isName
        text={text}
        isBad={schema === undefined || isOther || problem !== undefined}
        help={help}
        onText={setText}
      />
      <div class="field">
        <label for="schema-file">Or from a file</label>
        <input
          id="schema-file"
          type="file"
          accept=".json,application/json"
          onChange={event => read(event.currentTarget.files)}
        />
      </div>
      {report !== undefined && <Changes changes={report.changes} />}
    </Confirm>
  );
}
