import type { FileMap, FileValue, SettingFile, SettingGroup } from '@msg/command-line';
import { fileError, KnownKeys, requireMap } from '@msg/command-line/internal';
import { MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { fileFailure } from './file-failure.ts';

/** What a configuration file is read with. */
export interface ConfigFileInput {
  /** Path of the file, which errors and the manifest show. */
  readonly path: string;
  readonly source: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const REFERENCE = /\$\{([A-Z_][A-Z0-9_]*)\}/g;

/** Converts the YAML document to plain values with their places. */
class Reader {
  readonly #input: ConfigFileInput;
  readonly #document: Document;
  readonly #lines: LineCounter;

  constructor(input: ConfigFileInput) {
    this.#input = input;
    this.#lines = new LineCounter();
    const options = { lineCounter: this.#lines, prettyErrors: false, stringKeys: true } as const;
    this.#document = parseDocument(input.source, options);
    const [error] = [...this.#document.errors, ...this.#document.warnings];
    if (error !== undefined) {
      const place = { key: '', line: this.#lineAt(error.pos[0]), file: input.path };
      throw fileError(place, `must be YAML: ${error.message.split('\n', 1)[0]}`);
    }
  }

  #lineAt(offset: number): number {
    return this.#lines.linePos(offset).line;
  }

  root(): FileMap {
    const value = this.#value(this.#document.contents, '', 1);
    return value.kind === 'null' ? { ...value, kind: 'map', entries: new Map() } : requireMap(value);
  }

  #value(node: unknown, key: string, line: number): FileValue {
    const place = { key, line, file: this.#input.path };
    const target: unknown = isAlias(node) ? node.resolve(this.#document) : node;
    if (isMap<Node, Node | null>(target)) {
      const entries = new Map<string, FileValue>();
      for (const { key: name, value } of target.items) {
        const word = isScalar(name) ? String(name.value) : '';
        const path = key === '' ? word : `${key}.${word}`;
        entries.set(word, this.#value(value, path, this.#lineAt(name.range?.[0] ?? 0)));
      }
      return { ...place, kind: 'map', entries };
    }
    if (isSeq<Node>(target)) {
      const items = target.items.map((item, index) =>
        this.#value(item, `${key}[${index}]`, this.#lineAt(item.range?.[0] ?? 0)),
      );
      return { ...place, kind: 'list', items };
    }
    if (!isScalar(target) || target.value === null) return { ...place, kind: 'null' };
    if (typeof target.value !== 'string') {
      return { ...place, kind: 'scalar', text: target.source ?? String(target.value), emptied: false };
    }
    const text = target.value.replace(REFERENCE, (_match, name: string) => this.#input.env[name] ?? '');
    return { ...place, kind: 'scalar', text, emptied: text === '' && target.value !== '' };
  }
}

/**
 * Reads a configuration file: strict YAML, `${NAME}` in string values replaced from the environment, unknown keys
 * refused. Values are checked when they are resolved. Source: messaging details, section 17.
 * @throws UsageError naming key path and line.
 */
export function readConfigFile(input: ConfigFileInput, settings: SettingGroup): SettingFile {
  const root = new Reader(input).root();
  const keys = new KnownKeys(Object.values(settings));
  keys.check(root);
  return {
    path: input.path,
    find(key) {
      let around: FileMap = root;
      const names = key.split('.');
      const last = names.pop() ?? '';
      for (const name of names) {
        const next = around.entries.get(name);
        if (next?.kind !== 'map') return undefined;
        around = next;
      }
      const value = around.entries.get(last);
      return value === undefined || keys.isBranch(value) ? undefined : { value, around };
    },
  };
}

/**
 * Loads the file at `path`. @throws UsageError as {@link readConfigFile}; MsgError MSG_INVALID_ARGUMENT when it cannot be
 * read.
 */
export async function loadConfigFile(
  path: string,
  settings: SettingGroup,
  from: {
    readonly env: ConfigFileInput['env'];
    readFile(path: string): Promise<Uint8Array>;
  },
): Promise<SettingFile> {
  const bytes = await from.readFile(path).catch((cause: unknown) => {
    const { text, situation } = fileFailure(path, cause);
    throw new MsgError('MSG_INVALID_ARGUMENT', `config: ${text}`, { cause, ...defined({ situation }) });
  });
  return readConfigFile({ path, source: new TextDecoder().decode(bytes), env: from.env }, settings);
}
