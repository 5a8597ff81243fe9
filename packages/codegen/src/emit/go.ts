import { type AspectModel, modelOf, type PatternModel, type Piece } from '../model.ts';
import { Names, pascalCase } from '../names.ts';
import type { PatternSource, Shape } from '../snapshot.ts';
import { commentText, preamble, stringLiteral } from './text.ts';

/** Words that no parameter can be called: keywords, the blank identifier, the packages the code uses. */
const RESERVED = new Set(
  (
    'break case chan const continue default defer else fallthrough for func go goto if import interface map package ' +
    'range return select struct switch type var _ json strings'
  ).split(' '),
);

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'float64',
  integer: 'int64',
  boolean: 'bool',
  null: 'any',
};

const RAW = 'json.RawMessage';

/** Names that encoding/json takes from a tag. */
const TAGGABLE = /^[\p{L}\p{N}!#$%&()*+\-./:;<=>?@[\]^_{|}~ ]+$/u;

/** What the documentation comments of Go would take for a list, a heading or a link. */
const FORMATTED = /^(?:[-+*•#[]|\d+[.)])/;

function comment(text: string, indent = ''): string {
  // Typographic quotes are written as gofmt writes them.
  const line = commentText(text).replaceAll('``', '\u201c').replaceAll("''", '\u201d');
  return `${indent}// ${FORMATTED.test(line) ? '> ' : ''}${line}\n`;
}

function scalarArray(shape: Shape): string | undefined {
  const item = SCALARS[shape.items?.type ?? ''];
  return shape.type === 'array' && item !== undefined ? `[]${item}` : undefined;
}

/** One field of a struct, ready to be aligned. */
interface Row {
  /** Comment line above, with its indent; empty for none. */
  readonly comment: string;
  readonly name: string;
  /** May have several lines. */
  readonly type: string;
  readonly tag: string;
}

/** A struct tag; a name may hold quotes of neither kind. */
function tagOf(name: string, isRequired: boolean): string {
  const key = name === '-' && isRequired ? '-,' : name;
  return `\`json:"${key}${isRequired ? '' : ',omitempty'}"\``;
}

function fieldName(property: string, names: Names): string {
  const name = pascalCase(property);
  // An unexported field would be left out of the JSON.
  return names.take(/^[A-Z]/.test(name) ? name : `X${name}`);
}

/** `struct {…}`, laid out as gofmt does; undefined for a property that no tag can name. */
function structOf(shape: Shape, indent: string): string | undefined {
  if (shape.properties.length === 0) return 'struct{}';
  if (!shape.properties.every(([name]) => TAGGABLE.test(name))) return undefined;
  const inner = `${indent}\t`;
  const names = new Names();
  const rows = shape.properties.map(([name, property]): Row => {
    const isRequired = shape.required.has(name);
    return {
      comment: commentText(property.description) === '' ? '' : comment(property.description, inner),
      name: fieldName(name, names),
      type: propertyType(property, isRequired, inner),
      tag: tagOf(name, isRequired),
    };
  });
  return `struct {\n${blocksOf(rows)
    .map(block => alignedBlock(block, inner))
    .join('')}${indent}}`;
}

function propertyType(shape: Shape, isRequired: boolean, indent: string): string {
  if (shape.type === 'object') {
    const struct = structOf(shape, indent);
    if (struct === undefined) return RAW;
    return isRequired ? struct : `*${struct}`;
  }
  return SCALARS[shape.type ?? ''] ?? scalarArray(shape) ?? RAW;
}

/** Fields whose columns are aligned with each other: a comment begins a block, a field of several lines ends one. */
function blocksOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const blocks: Row[][] = [];
  let isOpen = false;
  for (const row of rows) {
    if (isOpen && row.comment === '') blocks.at(-1)?.push(row);
    else blocks.push([row]);
    isOpen = !row.type.includes('\n');
  }
  return blocks;
}

function alignedBlock(rows: readonly Row[], indent: string): string {
  const oneLine = rows.filter(({ type }) => !type.includes('\n'));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const typeWidth = Math.max(0, ...oneLine.map(({ type }) => type.length));
  return rows
    .map(({ comment, name, type, tag }) => {
      const column = type.includes('\n') ? type : type.padEnd(typeWidth);
      return `${comment}${indent}${name.padEnd(nameWidth)} ${column} ${tag}\n`;
    })
    .join('');
}

function typeOf({ aspect, typeName }: AspectModel): string {
  const { shape } = aspect;
  if (shape === undefined) return `type ${typeName} = ${RAW}\n`;
  if (shape.type === undefined || shape.type === 'object')
    return `type ${typeName} ${structOf(shape, '') ?? RAW}\n`;
  return `type ${typeName} ${SCALARS[shape.type] ?? scalarArray(shape) ?? RAW}\n`;
}

function channelFunction({ base, text, pieces }: PatternModel): string {
  const parameters = pieces.flatMap(piece =>
    piece.kind === 'text' ? [] : [`${piece.name} ${piece.kind === 'rest' ? '...' : ''}string`],
  );
  const expression = (piece: Piece): string => {
    if (piece.kind === 'text') return stringLiteral(piece.text);
    return piece.kind === 'rest' ? `strings.Join(${piece.name}, ".")` : piece.name;
  };
  return (
    comment(`${base}Channel fills in the placeholders of ${text}.`) +
    `func ${base}Channel(${parameters.join(', ')}) string {\n` +
    `\treturn ${pieces.map(expression).join(' + ')}\n}\n`
  );
}

function itemsOf(model: PatternModel): readonly string[] {
  const { base, text, aspects, hasPlaceholders } = model;
  return [
    `${comment(`${base}Pattern holds the pattern string.`)}const ${base}Pattern = ${stringLiteral(text)}\n`,
    ...(hasPlaceholders ? [channelFunction(model)] : []),
    ...aspects.map(aspect => {
      const { name, description } = aspect.aspect;
      const second = commentText(description) === '' ? '' : comment(description);
      const first = comment(`${aspect.typeName} is the body of aspect ${JSON.stringify(name)} (${base}).`);
      return first + second + typeOf(aspect);
    }),
  ];
}

function imports(models: readonly PatternModel[], body: string): string {
  const hasRest = models.some(({ pieces }) => pieces.some(({ kind }) => kind === 'rest'));
  // Comments and strings may hold the word: only where a type stands it is the package's.
  const hasRaw = /^(?:type \S+ (?:= )?|\t+\S+ +)json\.RawMessage/m.test(body);
  const used = [...(hasRaw ? ['encoding/json'] : []), ...(hasRest ? ['strings'] : [])];
  return used.length === 0 ? '' : `import (\n${used.map(name => `\t"${name}"\n`).join('')})\n\n`;
}

/** The Go file for the patterns of a registry, as gofmt would leave it (messaging details, section 15). */
export function emitGo(sources: readonly PatternSource[], packageName: string, header: string): string {
  const models = modelOf(sources, RESERVED);
  const body = models.flatMap(itemsOf).join('\n');
  const head = `${preamble(header)}\npackage ${packageName}\n`;
  return body === '' ? head : `${head}\n${imports(models, body)}${body}`;
}
