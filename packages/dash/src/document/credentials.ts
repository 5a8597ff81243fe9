import { isJsonObject, type Json, type JsonObject, ownMember, setMember } from './json.ts';

/** What stands in place of a secret. */
export const MASK = '•••';

/** Names of headers and settings whose value is a credential. */
const CREDENTIAL_NAME =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|(?:x-)?api[-_]?key|pass(?:word|wd)?)$|token|secret/i;
/** User and password before the host of a URL. */
const USER_INFO = /:\/\/([^\s/?#@"'<>]{1,200})@/g;
/** A database may be named by its user alone. */
const DATABASE = /postgres(?:ql)?$/i;
/** The value of a header that carries a token, and the first line of a key. */
const TOKEN =
  /\b(?:Bearer|Basic) [\w+/=.~-]{6,}|-----BEGIN (?:RSA |EC |OPENSSH |ENCRYPTED )?PRIVATE KEY-----/g;
/** Words that may be tokens: those that begin as services begin theirs. */
const WORD = /[\w.-]{16,}/g;
const TOKEN_STARTS = [
  /^gh[pousr]_\w{20,}/,
  /^github_pat_\w{20,}/,
  /^glpat-[\w-]{16,}/,
  /^glsa_\w{20,}/,
  /^xox[abprs]-[\w-]{10,}/,
  /^sk-[\w-]{20,}/,
  /^AKIA[A-Z0-9]{16}/,
  /^AIza[\w-]{35}/,
  /^eyJ[\w-]{8,}\.eyJ[\w-]{8,}\./,
];
/** Members that name secrets of the server and hold none. */
const NAMES_OF_SECRETS: ReadonlySet<string> = new Set(['$secret', 'secretRefs']);
/** Members with data, whose names are those of columns. */
const DATA: ReadonlySet<string> = new Set(['rows', 'columns']);

/** A credential that stands in a document as plain text. */
export interface Credential {
  /** Where: members and places from the value that was searched. */
  readonly at: readonly string[];
  readonly value: string;
}

/** Credentials in the settings of a connection; a reference to a secret is left out. */
export function credentialsIn(settings: Json, at: readonly string[] = []): Credential[] {
  if (typeof settings === 'string') {
    const name = at.findLast(step => !/^\d+$/.test(step)) ?? '';
    const isNamed = settings !== '' && CREDENTIAL_NAME.test(name);
    return (isNamed ? [settings] : shapesIn(settings)).map(value => ({ at, value }));
  }
  return membersOf(settings).flatMap(([member, inner]) => {
    if (NAMES_OF_SECRETS.has(member)) return [];
    return DATA.has(member)
      ? shapesBelow(inner, [...at, member], true)
      : credentialsIn(inner, [...at, member]);
  });
}

/** Credentials of a document: in the config of its connections, in queries and in variables. */
export function credentialsOf(document: JsonObject): Credential[] {
  const inConnections = membersOf(ownMember(document, 'connections')).flatMap(([index, connection]) => {
    const config = isJsonObject(connection) ? ownMember(connection, 'config') : undefined;
    return config === undefined ? [] : credentialsIn(config, ['connections', index, 'config']);
  });
  const variables = ownMember(document, 'variables') ?? [];
  return [
    ...inConnections,
    ...shapesBelow(variables, ['variables'], true),
    ...shapesBelow(ownMember(document, 'root') ?? {}, ['root'], false),
  ];
}

/** What is shown in place of a credential. */
export type ShownAs = (credential: string) => string;

/**
 * A copy in which the mask stands for every credential; the value itself where there is nothing to mask.
 * @param name of the member that holds the value, in the settings of a connection; elsewhere names say nothing.
 */
export function withoutCredentials(value: Json, name?: string, shownAs: ShownAs = () => MASK): Json {
  if (typeof value === 'string') return maskedText(value, name, shownAs);
  if (Array.isArray(value)) {
    const masked = value.map(element => withoutCredentials(element, name, shownAs));
    return masked.some((element, index) => element !== value[index]) ? masked : value;
  }
  if (!isJsonObject(value)) return value;
  const masked: JsonObject = {};
  let isSame = true;
  for (const [member, inner] of Object.entries(value)) {
    const isNameless = name === undefined || DATA.has(member);
    const clean = NAMES_OF_SECRETS.has(member)
      ? inner
      : withoutCredentials(inner, isNameless ? undefined : member, shownAs);
    isSame &&= clean === inner;
    setMember(masked, member, clean);
  }
  return isSame ? value : masked;
}

/** A document as a person may read it. */
export function documentWithoutCredentials(document: JsonObject): JsonObject {
  const masked = withoutCredentials(document) as JsonObject;
  const connections = ownMember(document, 'connections');
  return connections === undefined ? masked : { ...masked, connections: withoutCredentials(connections, '') };
}

/** A text in which the mask stands for what is a credential by its name or by its shape. */
export function maskedText(text: string, name = '', shownAs: ShownAs = () => MASK): string {
  if (text !== '' && CREDENTIAL_NAME.test(name)) return shownAs(text);
  return text
    .replace(USER_INFO, (whole, user: string, at: number) =>
      isUserInfo(text, at, user) ? `://${shownAs(user)}@` : whole,
    )
    .replace(TOKEN, shownAs)
    .replace(WORD, word => (isToken(word) ? shownAs(word) : word));
}

/** Shapes in the queries of items and in declarations of variables, wherever they stand below a node. */
function shapesBelow(value: Json, at: readonly string[], isSearched: boolean): Credential[] {
  if (typeof value === 'string')
    return isSearched ? shapesIn(value).map(shape => ({ at, value: shape })) : [];
  return membersOf(value).flatMap(([member, inner]) =>
    shapesBelow(inner, [...at, member], isSearched || member === 'query' || member === 'variables'),
  );
}

function shapesIn(text: string): string[] {
  const shapes: string[] = [];
  maskedText(text, '', credential => {
    shapes.push(credential);
    return MASK;
  });
  return shapes;
}

function isToken(word: string): boolean {
  return TOKEN_STARTS.some(start => start.test(word));
}

/** @param at where the scheme before the user ends. */
function isUserInfo(text: string, at: number, user: string): boolean {
  return user.includes(':') || !DATABASE.test(text.slice(Math.max(0, at - 16), at));
}

function membersOf(value: Json | undefined): [string, Json][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
