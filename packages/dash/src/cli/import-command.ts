import { type ProgramIo, switchFlag, textFlag, texts, UsageError, valueFlag } from '@msg/command-line';
import { display } from '../document/display.ts';
import { MAX_NESTING, textNestsDeeper } from '../document/nesting.ts';
import { readableText } from '../document/readable.ts';
import { DashError } from '../errors.ts';
import { type Imported, importGrafana } from '../import/grafana.ts';
import type { ReportEntry } from '../import/report.ts';
import { requireSafeId } from '../store/document-id.ts';
import { readText } from './input.ts';
import { writeOut } from './output.ts';
import { dashCommand, print } from './settings.ts';

/** Reasons of losses that standard error names; the report has all of them. */
const MOST_REASONS = 5;

const importCommand = dashCommand({
  name: 'import grafana',
  args: [{ name: 'file', help: 'a dashboard as JSON, in any model of Grafana; - is standard input' }],
  summary: 'make a document of a dashboard of Grafana',
  settings: {
    json: switchFlag('--json', 'print data and errors as JSON'),
    schemas: textFlag('--schemas', 'directory', 'directory of item types'),
    id: textFlag('--id', 'id', 'id of the document; that of the file unless told'),
    datasource: valueFlag(
      '--datasource',
      texts,
      [],
      'address of a data source, by its uid, name or variable',
      {
        placeholder: 'uid=url',
      },
    ),
    report: textFlag('--report', 'file', 'write what became of every value of the file'),
    strict: switchFlag('--strict', 'fail when anything is lost'),
    out: textFlag('--out', 'file', 'write the document there, not to standard output'),
  },
  async run({ args: [file = ''], settings, io }) {
    const { id, strict, json, out } = settings;
    if (id !== undefined) requireSafeId(id);
    const addresses = new Map(settings.datasource.map(addressOf));
    const engine = io.openEngine(settings.schemas);
    const { catalog } = engine;
    const value = parseFile(file, await readText(file, io));
    const imported = importGrafana(
      value,
      id === undefined ? { catalog, addresses } : { catalog, addresses, id },
    );
    requireUsed(imported);
    if (settings.report !== undefined) {
      await writeOut(settings.report, readableText({ model: imported.model, ...imported.report }));
    }
    if (strict) requireNoLoss(file, imported);
    engine.resolve(imported.document);
    const text = readableText(imported.document);
    if (out !== undefined) await writeOut(out, text);
    tell(imported, settings.report, io);
    if (out === undefined) io.out(text);
    else {
      const { kept, changed, lost } = imported.report;
      if (json) print(io, { out, kept, changed, lost });
      else io.out(`wrote ${display(out)}\n`);
    }
  },
});

/** `dashdoc import` (page and review 6). */
export const importCommands = [importCommand];

/** JSON of a file. @throws DashError IMPORT_INVALID for other text and for one that nests too deep. */
function parseFile(file: string, text: string): unknown {
  const invalid = (reason: string, expected: string): DashError =>
    new DashError('IMPORT_INVALID', `${display(file)} must be ${expected}; got other text.`, {
      reason,
      where: '',
    });
  if (textNestsDeeper(text, MAX_NESTING)) throw invalid('limit', `nested at most ${MAX_NESTING} levels deep`);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('not_json', 'JSON');
  }
}

/** The first `=` divides data source and address; an address of a query has `=` only behind its first one. */
function addressOf(text: string): [string, string] {
  const refuse = (rule: string): UsageError =>
    new UsageError(
      `--datasource must be ${rule}; got "${display(text.slice(0, Math.max(0, text.indexOf('='))))}=…"`,
      {
        flag: '--datasource',
      },
    );
  const at = text.indexOf('=');
  const [key, address] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isKnown = ['http:', 'https:', 'postgres:', 'postgresql:'].includes(url?.protocol ?? '');
  if (key === '' || url === undefined || !isKnown)
    throw refuse('<uid>=<url> with an address such as http://127.0.0.1:9090');
  const isDatabase = url.protocol.startsWith('postgres');
  if (url.password !== '' || (url.username !== '' && !isDatabase))
    throw refuse('an address without credentials: name them in the connection with $secret');
  return [key.replace(/^\$\{(\w+)\}$/, '$1'), address];
}

function requireUsed({ unusedAddresses, dataSources }: Imported): void {
  const [unused] = unusedAddresses;
  if (unused === undefined) return;
  const names = dataSources.slice(0, 20).map(display).join(', ');
  throw new UsageError(
    `--datasource must name a data source that a panel asks (${names === '' ? 'it asks nothing' : names}); got "${display(unused)}"`,
    { flag: '--datasource' },
  );
}

function requireNoLoss(file: string, { report }: Imported): void {
  const lost = report.entries.filter(({ what }) => what === 'lost');
  const [first] = lost;
  if (first === undefined) return;
  const message = `${display(file)} must lose nothing with --strict; got ${lost.length} ${lost.length === 1 ? 'loss' : 'losses'}, the first at ${display(first.where)}: ${first.why ?? ''}.`;
  const entries = lost.map(({ where, why }) => ({ where, why }));
  throw new DashError('IMPORT_INVALID', message, { reason: 'lost', where: first.where, lost: entries });
}

/** Tells on standard error what became of the file. */
function tell({ report, withoutAddress }: Imported, reportFile: string | undefined, io: ProgramIo): void {
  const { kept, changed, lost, entries } = report;
  io.err(`dash: ${kept} kept, ${changed} changed, ${lost} lost\n`);
  for (const [why, count] of commonReasons(entries).slice(0, MOST_REASONS))
    io.err(`  lost: ${why} (${count})\n`);
  if (lost > 0 && reportFile === undefined) io.err('  --report <file> writes what became of every value\n');
  for (const key of withoutAddress)
    io.err(
      `  the file does not tell where data source ${display(key)} is: --datasource ${display(key)}=<url>\n`,
    );
}

/** Reasons of losses, the most frequent first. */
function commonReasons(entries: readonly ReportEntry[]): (readonly [string, number])[] {
  const lost = entries.filter(({ what }) => what === 'lost');
  const groups = Map.groupBy(lost, ({ why = '' }) => why);
  return [...groups].map(([why, all]) => [why, all.length] as const).toSorted((a, b) => b[1] - a[1]);
}
