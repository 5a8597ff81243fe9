import { loadOutbox } from '../../outbox/load.ts';

/** What `outbox migrate` would run on a new database, as a file for any client. */
export async function statementsOf(options: {
  readonly schema: string;
  readonly alias: boolean;
}): Promise<string> {
  const { migrations } = await loadOutbox();
  return migrations(options)
    .map(({ number, name, text }) => `-- ${number} ${name}\n${text.trim()};\n`)
    .join('\n');
}
