import { laterActsOf } from './acts-of-jobs-and-keys.ts';
import type { Service } from './service.ts';

/** The same act twice: on `a` by the page, on `b` by the command line that the page shows for `a`. */
export interface Act {
  readonly method: string;
  /** Makes what is acted on, and answers how it is called. */
  readonly make: (letter: 'a' | 'b') => Promise<string>;
  /** The page where the act is offered. */
  readonly page: (made: string) => string;
  /** What is typed on the page, before the button is there. */
  readonly before?: (made: string) => Readonly<Record<string, string>>;
  readonly button: RegExp;
  /** What is typed into which field, as far as the dialog asks for it. */
  readonly fields?: (made: string) => Readonly<Record<string, string>>;
  /** The button of the dialog; absent: the first one acts at once. */
  readonly verb?: RegExp;
  /** What the page says when an act without a dialog is done; absent: a message, or a fault. */
  readonly sees?: string;
  /** Files that the command reads. */
  readonly files?: (made: string) => Readonly<Record<string, string>>;
  /** The command shows what happens until it is ended. */
  readonly goesOn?: boolean;
}

/** What is acted on: each is made, and answers how it is called. */
function thingsOf(service: () => Service) {
  const channel = async (letter: string): Promise<string> => {
    const name = `public:same.${letter}`;
    await service().rpc.call('OpenPublic', { name });
    return name;
  };
  const user = (letter: string): Promise<string> => Promise.resolve(`same-${letter}`);
  const connected = async (letter: string): Promise<string> => {
    const who = `there-${letter}-${Date.now()}`;
    await service().connect(await service().accessOf(who));
    const { connections } = await service().rpc.call('ListConnections', { user: who });
    return connections[0]?.client ?? '';
  };
  const listener = async (which: string): Promise<string> => {
    const who = `listener-${which}`;
    await service().connect(await service().accessOf(who));
    return who;
  };
  const letter = async (which: string): Promise<string> => {
    await service().park('orders', `http://127.0.0.1:9/${which}`, { order: which });
    const { items } = await service().rpc.call('DlqList', { sink: 'orders', limit: 1 });
    return items[0]?.id ?? '';
  };
  const apiKey = async (which: string): Promise<string> => {
    const name = `same-${which}`;
    await service()
      .rpc.call('CreateApiKey', { name })
      .catch(() => {}); // it is there
    return name;
  };
  const schema = async (which: string): Promise<string> => {
    const pattern = `public:same.${which}.{id}`;
    await service().rpc.call('RegisterSchema', { schema: { pattern, aspects: { status: {} } } });
    return pattern;
  };
  return { channel, user, listener, connected, letter, apiKey, schema };
}

const ofChannel = (name: string): string => `channels/${encodeURIComponent(name)}`;
const ofLetter = (id: string): string => `dead-letters/orders?open=${id}`;
const typed = (made: string): Readonly<Record<string, string>> => ({ '#confirm-typed': made });

/** Every act of the console that a dialog or a button begins and that leaves a record. */
export function actsOf(service: () => Service): readonly Act[] {
  const { channel, user, listener, connected, letter, apiKey, schema } = thingsOf(service);
  return [
    {
      method: 'OpenPublic',
      make: which => Promise.resolve(`public:same.${which}.new`),
      page: () => 'channels',
      button: /^Open channel…/,
      fields: made => ({ '#open-name': made }),
      verb: /^Open channel$/,
    },
    {
      method: 'CreatePrivate',
      make: which => Promise.resolve(`private:same.order.${which}`),
      page: () => 'channels',
      button: /^Create private…/,
      fields: made => ({ 'dialog[open] input >> nth=0': made }),
      verb: /^Create channel$/,
    },
    { method: 'TouchChannel', make: channel, page: ofChannel, button: /^Touch/ },
    {
      method: 'Publish',
      make: channel,
      page: ofChannel,
      button: /^Publish…/,
      fields: () => ({ '#publish-data': '{"n":1}', '#publish-key': '' }),
      verb: /^Publish$/,
    },
    {
      method: 'Unsubscribe',
      make: channel,
      page: ofChannel,
      button: /^Unsubscribe all…/,
      fields: typed,
      verb: /^Unsubscribe 0/,
    },
    { method: 'CloseChannel', make: channel, page: ofChannel, button: /^Close…/, verb: /^Close channel$/ },
    {
      method: 'DeleteChannel',
      make: which => channel(`${which}.doomed`),
      page: ofChannel,
      button: /^Delete…/,
      fields: typed,
      verb: /^Delete channel$/,
    },
    {
      method: 'Disconnect',
      make: connected,
      page: id => `connections/${id}`,
      button: /^Disconnect…/,
      verb: /^Disconnect client$/,
    },
    {
      method: 'Disconnect',
      make: connected,
      page: id => `connections/${id}`,
      button: /^Reconnect…/,
      verb: /^Reconnect client$/,
    },
    {
      method: 'Disconnect',
      make: listener,
      page: name => `users/${name}`,
      button: /^Disconnect everywhere…/,
      fields: typed,
      verb: /^Disconnect user$/,
    },
    {
      method: 'RevokeUser',
      make: user,
      page: name => `users/${name}`,
      button: /^Revoke…/,
      fields: made => ({ ...typed(made), '#revoke-reason': 'left' }),
      verb: /^Revoke user$/,
    },
    { method: 'DlqReplay', make: letter, page: ofLetter, button: /^Send now/ },
    {
      method: 'DlqUpdate',
      make: letter,
      page: ofLetter,
      button: /^Edit…/,
      fields: () => ({ 'dialog[open] input >> nth=0': 'Another subject' }),
      verb: /^Save letter$/,
    },
    { method: 'DlqDiscard', make: letter, page: ofLetter, button: /^Discard$/ },
    {
      method: 'IssueMgmt',
      make: user,
      page: () => 'tokens',
      button: /^Management token…/,
      fields: made => ({ '#mgmt-subject': made, '#mgmt-ttl': '2h' }),
      verb: /^Issue token$/,
    },
    {
      method: 'IssueAccess',
      make: user,
      page: () => 'tokens',
      button: /^Access token…/,
      fields: made => ({ '#access-subject': made, '#grant-patterns': 'public:same.**' }),
      verb: /^Issue token$/,
    },
    {
      method: 'CreateApiKey',
      make: which => Promise.resolve(`fresh-${which}`),
      page: () => 'tokens?tab=api-keys',
      button: /^Create API key…/,
      fields: made => ({ '#key-name': made }),
      verb: /^Create key$/,
    },
    {
      method: 'RotateApiKey',
      make: apiKey,
      page: () => 'tokens?tab=api-keys',
      button: /^Rotate…/,
      verb: /^Rotate key$/,
    },
    {
      method: 'GenerateKey',
      make: user,
      page: () => 'keys',
      button: /^Generate key…/,
      verb: /^Generate key$/,
    },
    {
      method: 'DeregisterSchema',
      make: schema,
      page: pattern => `schemas/${encodeURIComponent(pattern)}`,
      button: /^Deregister…/,
      fields: typed,
      verb: /^Deregister schema$/,
    },
    ...laterActsOf(service),
  ];
}
