import { git } from '../store/stores.ts';

/** One way to start the tool server and to call its tools. */
export interface Way {
  readonly name: string;
  readonly store: 'fs' | 'git';
  /** The server may ask connections. */
  readonly asks?: true;
  /** Prepares the folder of the documents, and answers further words of the command line. */
  start(root: string, id: string): Promise<readonly string[]>;
  /** Arguments that a call has in addition. */
  further(tool: string, args: object): object;
}

/** As the second specification describes it. */
export const PLAIN: Way = {
  name: 'plain',
  store: 'fs',
  start: async () => [],
  further: () => ({}),
};

/** The answers must have the members of the second specification each way (page and review 12, D17). */
export const WAYS: readonly Way[] = [
  {
    ...PLAIN,
    name: 'with every new flag set',
    asks: true,
    start: async () => {
      const allowed = ['--allow-query', 'http://127.0.0.1:9=DASH_TEST_UNSET'];
      return ['--preview', 'full', '--review-url', 'http://127.0.0.1:9', ...allowed];
    },
  },
  everyArgument(),
];

/** On a store with a history, so that a call can say a revision. */
function everyArgument(): Way {
  let stored: { readonly id: string; readonly revision: string } | undefined;
  return {
    name: 'with every new argument given',
    store: 'git',
    start: async (root, id) => {
      git(root, 'init', '-q');
      git(root, 'add', '.');
      git(root, 'commit', '-q', '-m', 'first');
      stored = { id, revision: git(root, 'rev-parse', 'HEAD').trim() };
      return ['--store', 'git'];
    },
    further: (tool, args) => {
      const isStored = 'id' in args && args.id === stored?.id;
      const at = isStored ? { at: stored?.revision } : {};
      if (tool === 'dash_get_outline') {
        const then = isStored ? { since: stored?.revision, undo: true } : {};
        return { ...at, ...then, history: 5, references: 'team', proposals: true };
      }
      if (tool === 'dash_get_node') return { ...at, resolved: false };
      if (tool === 'dash_get_document') {
        const overrides = 'resolved' in args && args.resolved === true ? { overrides: {} } : {};
        return { ...at, ...overrides };
      }
      if (tool === 'dash_get_schema') return { brief: false };
      if (tool !== 'dash_validate_patch') return {};
      const told = { inverse: true, queries: true, image: true, review: true };
      return { preview: 'full', ...told, note: 'a note', create: false };
    },
  };
}
