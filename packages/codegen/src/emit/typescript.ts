import type { AspectModel, PatternModel, Piece } from '../model.ts';
import { modelOf } from '../model.ts';
import type { PatternSource, Shape } from '../snapshot.ts';
import { commentText, preamble, stringLiteral } from './text.ts';

/** Words that cannot name a parameter of a module function. */
const RESERVED = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private ' +
    'protected public return static super switch this throw true try typeof undefined var void while with yield'
  ).split(' '),
);

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

const BARE_NAME = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

function doc(text: string): string {
  return `/** ${commentText(text).replaceAll('*/', '*\\/')} */`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function scalarArray(shape: Shape): string | undefined {
  const item = SCALARS[shape.items?.type ?? ''];
  return shape.type === 'array' && item !== undefined ? `${item}[]` : undefined;
}

/** The members of an object type between its braces. */
function members(shape: Shape, indent: string): string {
  const inner = `${indent}  `;
  const lines = shape.properties.map(([name, property]) => {
    const key = BARE_NAME.test(name) ? name : stringLiteral(name);
    const mark = shape.required.has(name) ? '' : '?';
    const description =
      commentText(property.description) === '' ? '' : `${inner}${doc(property.description)}\n`;
    return `${description}${inner}${key}${mark}: ${propertyType(property, inner)};\n`;
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`;
}

function propertyType(shape: Shape, indent: string): string {
  if (shape.type === 'object') return members(shape, indent);
  return SCALARS[shape.type ?? ''] ?? scalarArray(shape) ?? 'unknown';
}

function typeOf({ aspect, typeName }: AspectModel): string {
  const { shape } = aspect;
  if (shape === undefined) return `export type ${typeName} = unknown;\n`;
  if (shape.type === undefined || shape.type === 'object')
    return `export interface ${typeName} ${members(shape, '')}\n`;
  return `export type ${typeName} = ${SCALARS[shape.type] ?? scalarArray(shape) ?? 'unknown'};\n`;
}

function channelFunction({ base, text, pieces }: PatternModel): string {
  const parameters = pieces.flatMap(piece =>
    piece.kind === 'text' ? [] : [`${piece.name}: string${piece.kind === 'rest' ? '[]' : ''}`],
  );
  const expression = (piece: Piece): string => {
    if (piece.kind === 'text') return stringLiteral(piece.text);
    return piece.kind === 'rest' ? `${piece.name}.join(".")` : piece.name;
  };
  return (
    `${doc(`Channel name for ${text} with its placeholders filled in.`)}\n` +
    `export function ${lowerFirst(base)}Channel(${parameters.join(', ')}): string {\n` +
    `  return ${pieces.map(expression).join(' + ')};\n}\n`
  );
}

function itemsOf(model: PatternModel): readonly string[] {
  const { base, text, aspects, hasPlaceholders } = model;
  return [
    `${doc(`Pattern string of ${base}.`)}\nexport const ${base}Pattern = ${stringLiteral(text)} as const;\n`,
    ...(hasPlaceholders ? [channelFunction(model)] : []),
    ...aspects.map(aspect => {
      const { name, description } = aspect.aspect;
      const text =
        commentText(description) === '' ? `Body of aspect ${JSON.stringify(name)} (${base}).` : description;
      return `${doc(text)}\n${typeOf(aspect)}`;
    }),
  ];
}

/** The TypeScript module for the patterns of a registry (messaging details, section 15). */
export function emitTypeScript(sources: readonly PatternSource[], header: string): string {
  const items = modelOf(sources, RESERVED).flatMap(itemsOf);
  return [preamble(header), ...items].map(item => `${item}\n`).join('');
}
