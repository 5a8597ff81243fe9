import { isJsonObject, type Json, ownMember } from '../document/json.ts';
import { contentOf, idOf, type NodePosition } from './node-tree.ts';

/** What people call the shipped types; another type is called by its name. */
export const ITEM_NOUNS: Readonly<Record<string, string>> = {
  block: 'block',
  chart: 'chart',
  checkbox: 'checkbox',
  'checkbox-group': 'checkbox group',
  configurator: 'configurator',
  container: 'container',
  form: 'form',
  heading: 'heading',
  image: 'picture',
  markdown: 'text',
  metric: 'metric',
  multiselect: 'multiple selection',
  'number-field': 'number field',
  'radio-group': 'radio group',
  segmented: 'segmented control',
  select: 'selection',
  slider: 'slider',
  stepper: 'stepper',
  table: 'table',
  'tag-input': 'tag field',
  'text-input': 'text field',
  textarea: 'text area',
  toggle: 'switch',
  'variable-box': 'variable box',
};

/** Config fields that name a node, the first that is there counts. */
const NAMING_FIELDS = ['title', 'label', 'text', 'caption'] as const;
const LONGEST_LABEL = 60;

/** The noun of a node: of a block, that of what it holds; of a chart with its kind. */
export function nounOf(position: NodePosition): string {
  const content = contentOf(position);
  const node = isJsonObject(content) ? content : position.node;
  const name = typeNameOf(node);
  const noun = ITEM_NOUNS[name] ?? (name === '' ? 'node' : name);
  const config = ownMember(node, 'config');
  const kind = name === 'chart' && isJsonObject(config) ? ownMember(config, 'kind') : undefined;
  return typeof kind === 'string' ? `${kind} ${noun}` : noun;
}

/** `“title”`: the node's own, else that of its content, else that of the block around it, else its id. */
export function labelOf(position: NodePosition): string {
  const content = contentOf(position);
  const held = isJsonObject(content) ? nameIn(ownMember(content, 'config')) : undefined;
  const around =
    position.slot === 'content' ? nameIn(ownMember(position.parent?.node ?? {}, 'config')) : undefined;
  const name = nameIn(ownMember(position.node, 'config')) ?? held ?? around ?? idOf(position.node) ?? '';
  return `“${name.length <= LONGEST_LABEL ? name : `${name.slice(0, LONGEST_LABEL - 1).toWellFormed()}…`}”`;
}

/** What holds the node: its parent's label, or the page. */
export function placeOf({ parent }: NodePosition): string {
  if (parent === undefined || parent.slot === 'root') return 'the page';
  return labelOf(parent);
}

/** The type's name without version, from `type` or `$ref`; empty when neither is a text. */
function typeNameOf(node: Readonly<Record<string, Json>>): string {
  const { type, $ref } = node;
  if (typeof type === 'string') return type.split('@')[0] ?? '';
  // `items/<name>/<version>`, or an address that ends so.
  return typeof $ref === 'string' ? ($ref.split('/').at(-2) ?? $ref) : '';
}

function nameIn(config: Json | undefined): string | undefined {
  if (!isJsonObject(config)) return undefined;
  const names = NAMING_FIELDS.map(field => ownMember(config, field));
  return names.find(name => typeof name === 'string' && name.trim() !== '') as string | undefined;
}
