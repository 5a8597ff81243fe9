import type { RpcMethodName } from '@msg/core';
import type { FunctionComponent } from 'preact';
import type { IconName } from '../parts/icon.tsx';

/** A page of the console. */
export interface PageRow {
  /** First part of its address; empty: the overview. */
  readonly name: string;
  readonly label: string;
  readonly icon: IconName;
  readonly group: '' | 'Traffic' | 'Delivery' | 'Access' | 'Service';
  /** The key after `g`. */
  readonly key?: string;
  /** A method that the page is nothing without. */
  readonly needs: RpcMethodName;
  /** Loads the page; `names` are the parts of the address behind its name. */
  readonly load: () => Promise<FunctionComponent<{ readonly names: readonly string[] }>>;
}

/** All pages, in the order of the navigation. */
export const PAGES: readonly PageRow[] = [
  {
    name: '',
    label: 'Overview',
    icon: 'overview',
    group: '',
    key: 'o',
    needs: 'ListNodes',
    load: () => import('../pages/overview.tsx').then(page => page.OverviewPage),
  },
  {
    name: 'channels',
    label: 'Channels',
    icon: 'channel',
    group: 'Traffic',
    key: 'c',
    needs: 'ListChannels',
    load: () => import('../pages/channels/channels.tsx').then(page => page.ChannelsPage),
  },
  {
    name: 'connections',
    label: 'Connections',
    icon: 'connection',
    group: 'Traffic',
    key: 'n',
    needs: 'ListConnections',
    load: () => import('../pages/connections/connections.tsx').then(page => page.ConnectionsPage),
  },
  {
    name: 'users',
    label: 'Users',
    icon: 'user',
    group: 'Traffic',
    key: 'u',
    needs: 'ListUsers',
    load: () => import('../pages/users.tsx').then(page => page.UsersPage),
  },
  {
    name: 'sinks',
    label: 'Sinks',
    icon: 'send',
    group: 'Delivery',
    needs: 'DlqGroups',
    load: () => import('../pages/sinks.tsx').then(page => page.SinksPage),
  },
  {
    name: 'dead-letters',
    label: 'Dead letters',
    icon: 'inbox',
    group: 'Delivery',
    key: 'd',
    needs: 'DlqList',
    load: () => import('../pages/dead-letters/dead-letters.tsx').then(page => page.DeadLettersPage),
  },
  {
    name: 'tokens',
    label: 'Tokens',
    icon: 'token',
    group: 'Access',
    key: 't',
    needs: 'ListApiKeys',
    load: () => import('../pages/tokens/tokens.tsx').then(page => page.TokensPage),
  },
  {
    name: 'keys',
    label: 'Keys',
    icon: 'key',
    group: 'Access',
    key: 'k',
    needs: 'KeyUsage',
    load: () => import('../pages/keys/keys.tsx').then(page => page.KeysPage),
  },
  {
    name: 'schemas',
    label: 'Schemas',
    icon: 'braces',
    group: 'Service',
    key: 's',
    needs: 'ListSchemas',
    load: () => import('../pages/schemas/schemas.tsx').then(page => page.SchemasPage),
  },
  {
    name: 'configuration',
    label: 'Configuration',
    icon: 'gauge',
    group: 'Service',
    needs: 'Manifest',
    load: () => import('../pages/config.tsx').then(page => page.ConfigPage),
  },
  {
    name: 'audit',
    label: 'Audit',
    icon: 'audit',
    group: 'Service',
    key: 'a',
    needs: 'AuditList',
    load: () => import('../pages/audit.tsx').then(page => page.AuditPage),
  },
];
