import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CODE_TABLE } from '#src/errors.ts';
import { MESSAGE_FORM } from '../message-forms.ts';
import { errorOf, resolveWith } from './team-pulse.ts';

const FOLDER = fileURLToPath(new URL('../../fixtures/invalid/', import.meta.url));
const files = readdirSync(FOLDER);
const codeOf = (file: string) => file.slice(0, file.indexOf('.'));

/** Codes of the read side that need a request, an override, a file or a custom type beside the document. */
const BEYOND_A_DOCUMENT = [
  ...['RESOLVE_IO', 'RESOLVE_INTERNAL', 'SCHEMA_NOT_FOUND', 'VAR_OVERRIDE_INVALID', 'CONTRACT_MISSING'],
  ...['LAYOUT_FORM_COLUMNS_INVALID', 'CONFIG_OVERRIDE_FIELD_UNKNOWN', 'CONFIG_OVERRIDE_VALUE_INVALID'],
];

it.each(files)('%s', file => {
  const document = JSON.parse(readFileSync(`${FOLDER}${file}`, 'utf8'));
  const { code, message, details } = errorOf(() => resolveWith(document, { requireSecrets: true }));
  expect(code).toBe(codeOf(file));
  expect(message).toMatch(MESSAGE_FORM);
  expect(details['also'], 'one fault per file').toBeUndefined();
  expect(file).toBe(`${code}.${document.manifest.id}.json`);
});

it('every code that a document alone can end in has a file', () => {
  const read =
    /^(RESOLVE|SCHEMA|VAR|CONNECTION|SECRET|BINDING|CONTRACT|RESULT|WIDGET|LAYOUT|GRAMMAR|WRAPPER|METADATA|CONFIG)/;
  const wanted = Object.entries(CODE_TABLE)
    .filter(
      ([code, { status }]) => status !== undefined && read.test(code) && !BEYOND_A_DOCUMENT.includes(code),
    )
    .map(([code]) => code);
  expect([...new Set(files.map(codeOf))].toSorted()).toEqual(wanted.toSorted());
});
