import { type AspectModel, modelOf, type PatternModel, type Piece } from '../model.ts';
import { Names, pascalCase } from '../names.ts';
import type { PatternSource, Shape } from '../snapshot.ts';
import { commentText, preamble, stringLiteral } from './text.ts';

/** Words that cannot name a parameter: keywords, the blank identifier, the packages that the code uses. */
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

/** Packages that a file imports, collected where it uses them. */
type Imports = Set<string>;

function raw(imports: Imports): string {
  imports.add('encoding/json');
  return 'json.RawMessage';
}

/** Names that encoding/json accepts in a tag. */
const TAGGABLE = /^[\p{L}\p{N}!#$%&()*+\-./:;<=>?@[\]^_{|}~ ]+$/u;

/** Line starts that Go documentation comments read as a list, a heading or a link. */
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
  /** Comment line above it, with its indent; empty without one. */
  readonly comment: string;
  readonly name: string;
  /** The type, which may have several lines. */
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
function structOf(shape: Shape, indent: string, imports: Imports): string | undefined {
  if (shape.properties.length === 0) return 'struct{}';
  if (!shape.properties.every(([name]) => TAGGABLE.test(name))) return undefined;
  const inner = `${indent}\t`;
  const names = new Names();
  const rows = shape.properties.map(([name, property]): Row => {
    const isRequired = shape.required.has(name);
    return {
      comment: commentText(property.description) === '' ? '' : comment(property.description, inner),
      name: fieldName(name, names),
      type: propertyType(property, isRequired, inner, imports),
      tag: tagOf(name, isRequired),
    };
  });
  return `struct {\n${blocksOf(rows)
    .map(block => alignedBlock(block, inner))
    .join('')}${indent}}`;
}

function propertyType(shape: Shape, isRequired: boolean, indent: string, imports: Imports): string {
  if (shape.type === 'object') {
    const struct = structOf(shape, indent, imports);
    if (struct === undefined) return raw(imports);
    return isRequired ? struct : `*${struct}`;
  }
  return SCALARS[shape.type ?? ''] ?? scalarArray(shape) ?? raw(imports);
}

/** Blocks of fields with aligned columns: a comment starts a block, a field of several lines ends one. */
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

function typeOf({ aspect, typeName }: AspectModel, imports: Imports): string {
  const { shape } = aspect;
  if (shape === undefined) return `type ${typeName} = ${raw(imports)}\n`;
  if (shape.type === undefined || shape.type === 'object')
    return `type ${typeName} ${structOf(shape, '', imports) ?? raw(imports)}\n`;
  return `type ${typeName} ${SCALARS[shape.type] ?? scalarArray(shape) ?? raw(imports)}\n`;
}

function channelFunction({ base, text, pieces }: PatternModel, imports: Imports): string {
  const parameters = pieces.flatMap(piece =>
    piece.kind === 'text' ? [] : [`${piece.name} ${piece.kind === 'rest' ? '...' : ''}string`],
  );
  const expression = (piece: Piece): string => {
    if (piece.kind === 'text') return stringLiteral(piece.text);
    if (piece.kind !== 'rest') return piece.name;
    imports.add('strings');
    return `strings.Join(${piece.name}, ".")`;
  };
  return (
    comment(`${base}Channel fills in the placeholders of ${text}.`) +
    `func ${base}Channel(${parameters.join(', ')}) string {\n` +
    `\treturn ${pieces.map(expression).join(' + ')}\n}\n`
  );
}

function itemsOf(model: PatternModel, imports: Imports): readonly string[] {
  const { base, text, aspects, hasPlaceholders } = model;
  return [
    `${comment(`${base}Pattern holds the pattern string.`)}const ${base}Pattern = ${stringLiteral(text)}\n`,
    ...(hasPlaceholders ? [channelFunction(model, imports)] : []),
    ...aspects.map(aspect => {
      const { name, description } = aspect.aspect;
      const second = commentText(description) === '' ? '' : comment(description);
      const first = comment(`${aspect.typeName} is the body of aspect ${JSON.stringify(name)} (${base}).`);
      return first + second + typeOf(aspect, imports);
    }),
  ];
}

function importBlock(imports: Imports): string {
  if (imports.size === 0) return '';
  const lines = [...imports].sort().map(name => `\t"${name}"\n`);
  return `import (\n${lines.join('')})\n\n`;
}

/** The Go file for the patterns of a registry, in the format of gofmt (messaging details, section 15). */
export function emitGo(sources: readonly PatternSource[], packageName: string, header: string): string {
  const imports: Imports = new Set();
  const body = modelOf(sources, RESERVED)
    .flatMap(model => itemsOf(model, imports))
    .join('\n');
  const head = `${preamble(header)}\npackage ${packageName}\n`;
  return body === '' ? head : `${head}\n${importBlock(imports)}${body}`;
}
