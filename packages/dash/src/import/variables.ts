import type { Json, JsonObject } from '../document/json.ts';
import type { Cursor } from './cursor.ts';
import { Names, VARIABLE_NAME } from './names.ts';
import { literal, type VariableNames } from './references.ts';
import type { ReportBuilder } from './report.ts';
import type { VariableSource } from './source.ts';
import { chosenOf, type Option, optionsOf } from './variable-options.ts';

/** Value of Grafana for "all of them". */
const ALL = '$__all';
const ANYTHING = '.*';
/** Below the longest expression, with escapes. */
const LONGEST_PATTERN = 800;
const HIDE_LABEL = [1, 'hideLabel'];
const HIDE_VARIABLE = [2, 'hideVariable'];

/** The variables of a document, with the controls for them. */
export interface ImportedVariables {
  readonly declarations: JsonObject[];
  readonly controls: { readonly name: string; readonly type: string; readonly config: JsonObject }[];
  readonly names: VariableNames;
  /** Names of the document whose value is a pattern made of several values. */
  readonly patterns: ReadonlySet<string>;
  /** Variables of the file that name a data source, with the plugin that they choose from. */
  readonly dataSources: ReadonlyMap<string, Cursor>;
}

/** Declares the variables of a file. */
export function importVariables(
  sources: readonly VariableSource[],
  report: ReportBuilder,
): ImportedVariables {
  const builder = new VariableBuilder(report);
  for (const source of sources) builder.add(source);
  return builder;
}

class VariableBuilder implements ImportedVariables {
  readonly declarations: JsonObject[] = [];
  readonly controls: { name: string; type: string; config: JsonObject }[] = [];
  readonly names = new Map<string, string>();
  readonly patterns = new Set<string>();
  readonly dataSources = new Map<string, Cursor>();
  readonly #report: ReportBuilder;
  readonly #taken = new Names(VARIABLE_NAME);

  constructor(report: ReportBuilder) {
    this.#report = report;
  }

  add({ kind, kindCursor, spec }: VariableSource): void {
    const name = spec.at('name');
    const report = this.#report;
    if (name.text === undefined || name.text === '') {
      report.lose(spec, 'a variable needs a name');
      return;
    }
    if (this.names.has(name.text) || this.dataSources.has(name.text)) {
      report.lose(spec, 'a variable before it has this name');
      return;
    }
    if (kind === 'datasource') {
      this.dataSources.set(name.text, spec.at(spec.at('pluginId').exists ? 'pluginId' : 'query'));
      report.change(spec, 'a document names its connections: --datasource gives the address');
      return;
    }
    if (!['custom', 'query', 'interval', 'textbox', 'constant', 'switch'].includes(kind)) {
      report.lose(spec, `dash has no variables of kind ${kind === '' ? 'unknown' : kind}`);
      return;
    }
    report.change(kindCursor, 'the type of the variable says what it holds');
    this.#declare(kind, name, spec);
  }

  #declare(kind: string, name: Cursor, spec: Cursor): void {
    const text = name.text ?? '';
    const variable = this.#taken.take(text);
    this.names.set(text, variable);
    const options = optionsOf(kind, spec, this.#report);
    if (kind === 'query') this.#reportQuery(spec);
    if (spec.at('multi').value === true && kind !== 'interval') this.#list(variable, name, spec, options);
    else if (options.length > 0 || spec.at('includeAll').value === true)
      this.#choice(variable, name, spec, options);
    else this.#text(kind, variable, name, spec);
  }

  /** One of several values. */
  #choice(variable: string, name: Cursor, spec: Cursor, options: readonly Option[]): void {
    const all = this.#allOption(spec);
    const chosen = chosenOf(spec);
    const offered = [...(all === undefined ? [] : [all]), ...options];
    const first = chosen.text ?? chosen.items[0]?.text;
    const isAll = all !== undefined && (first === ALL || first === undefined);
    const start = isAll ? all.value : (first ?? offered[0]?.value ?? '');
    if (!offered.some(({ value }) => value === start)) offered.push({ value: start });
    const unique = offered.filter(
      (option, at) => offered.findIndex(({ value }) => value === option.value) === at,
    );
    const values: Json[] = unique.map(({ value }) => value);
    const declaration: JsonObject = { name: variable, type: 'enum', options: values, default: start };
    this.#declared(declaration, name, spec);
    for (const [at, { cursor }] of unique.entries())
      if (cursor !== undefined) this.#report.keep(cursor, values, String(at));
    this.#reportChosen(chosen, declaration);
    this.#control('select', variable, spec, { options: this.#controlOptions(unique) });
  }

  /** Several values: a list, and a pattern that matches any of them under the name that queries use. */
  #list(variable: string, name: Cursor, spec: Cursor, options: readonly Option[]): void {
    const list = this.#taken.take(`${variable}_values`);
    const all = this.#allOption(spec);
    const chosen = chosenOf(spec);
    const texts = chosen.items.length > 0 ? chosen.items.map(item => item.text) : [chosen.text];
    const start = texts.filter(text => text !== undefined && text !== '' && text !== ALL).map(pattern);
    const joined = `join(${list}, "|")`;
    const whenNone = JSON.stringify(all?.value ?? anyOf(options));
    const declaration: JsonObject = { name: list, type: 'array', default: start };
    const whole: JsonObject = { name: variable, type: 'string' };
    if (name.text === variable) this.#report.keep(name, whole, 'name');
    this.#declared(declaration, name, spec);
    this.#report.change(
      spec.at('multi'),
      `the list ${list} holds the values, ${variable} is a pattern of them`,
    );
    whole['expr'] = `len(${list}) == 0 ? ${whenNone} : ${joined}`;
    this.declarations.push(whole);
    this.patterns.add(variable);
    this.#reportChosen(chosen, declaration);
    const offered = options.map(({ value, label, cursor }) => {
      if (cursor !== undefined) this.#report.change(cursor, 'an option of the control', declaration, 'name');
      return { value: pattern(value), label: label ?? value };
    });
    if (offered.length === 0) this.#control('tag-input', list, spec, {});
    else this.#control('multiselect', list, spec, { options: this.#controlOptions(offered) });
  }

  #text(kind: string, variable: string, name: Cursor, spec: Cursor): void {
    const chosen = chosenOf(spec);
    const query = spec.at('query');
    const start = chosen.text ?? (kind === 'query' ? '' : query.text) ?? '';
    const declaration: JsonObject = { name: variable, type: 'string', default: start };
    this.#declared(declaration, name, spec);
    this.#reportChosen(chosen, declaration);
    if (kind !== 'query') this.#report.keep(query, declaration, 'default');
    if (kind === 'constant') this.#report.same(spec.at('hide'), 'the variable has no control');
    else this.#control('text-input', variable, spec, {});
  }

  #declared(declaration: JsonObject, name: Cursor, spec: Cursor): void {
    if (name.text === declaration['name']) this.#report.keep(name, declaration, 'name');
    else this.#report.change(name, 'a name that a variable of dash may have', declaration, 'name');
    const label = spec.at('label');
    if (label.text !== undefined && label.text !== '') {
      declaration['label'] = label.text;
      this.#report.keep(label, declaration, 'label');
    } else this.#report.same(label, 'the control shows the name');
    const description = spec.at('description');
    if (description.text !== undefined && description.text !== '') {
      declaration['description'] = description.text;
      this.#report.keep(description, declaration, 'description');
    }
    this.declarations.push(declaration);
  }

  #control(type: string, name: string, spec: Cursor, more: JsonObject): void {
    const hide = spec.at('hide');
    if (HIDE_VARIABLE.some(value => value === hide.value)) {
      this.#report.same(hide, 'the variable has no control');
      return;
    }
    if (HIDE_LABEL.some(value => value === hide.value))
      this.#report.change(hide, 'every control has a label');
    const label = spec.at('label').text;
    const shown = label === undefined || label === '' ? (spec.at('name').text ?? name) : label;
    const config: JsonObject = { variable: name, label: literal(shown), ...more };
    this.controls.push({ name, type, config });
  }

  #controlOptions(options: readonly Option[]): Json[] {
    return options.map(({ value, label }) =>
      label === undefined || label === value
        ? { value: literal(value) }
        : { value: literal(value), label: literal(label) },
    );
  }

  /** The option that stands for all values. */
  #allOption(spec: Cursor): Option | undefined {
    const includeAll = spec.at('includeAll');
    if (includeAll.value !== true) return undefined;
    const allValue = spec.at('allValue');
    const value = allValue.text === undefined || allValue.text === '' ? ANYTHING : allValue.text;
    this.#report.change(includeAll, `${value} stands for all values`);
    this.#report.change(allValue, 'the value that stands for all');
    return { value, label: 'All' };
  }

  #reportChosen(chosen: Cursor, declaration: JsonObject): void {
    if (chosen.text === ALL)
      this.#report.change(chosen, 'the default stands for all values', declaration, 'default');
    else if (chosen.items.length === 0) this.#report.keep(chosen, declaration, 'default');
    for (const item of chosen.items)
      this.#report.change(item, 'a value of the default', declaration, 'default');
  }

  #reportQuery(spec: Cursor): void {
    const why = 'dash asks nothing for options: those that the file stores are the options';
    for (const name of ['query', 'definition', 'refresh', 'regex', 'datasource'])
      if (spec.at(name).value !== '') this.#report.lose(spec.at(name), why);
  }
}

/** Characters that mean something in a pattern, escaped as within quotes of a query. */
const pattern = (value: string | undefined): string =>
  (value ?? '').replace(/[\\^$.*+?()[\]{}|]/g, character => `\\\\${character}`);

/** A pattern of all options, or of anything where that would be too long for an expression. */
function anyOf(options: readonly Option[]): string {
  const patterns = options.map(({ value }) => pattern(value)).join('|');
  return patterns === '' || patterns.length > LONGEST_PATTERN ? ANYTHING : patterns;
}
