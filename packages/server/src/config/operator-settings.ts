import { count, scalarType, setting, toggle } from '@msg/command-line';
import { isValidName } from '@msg/core';

/** A private channel, or nothing. */
const channelName = scalarType<string>({
  placeholder: 'channel',
  parse: text => (text === '' || (isValidName(text) && text.startsWith('private:')) ? text : undefined),
  format: text => text,
  show: text => text,
  expected: 'a private channel such as private:ops.audit.all',
});

/** What operators see and leave behind (console, sections 3, 5 and 6). */
export const OPERATOR_SETTINGS = {
  viewerPayloads: setting(
    'auth.viewer_payloads',
    toggle,
    false,
    'viewers see payloads, messages of dead letters and info of connections, which are left out otherwise',
  ),
  auditStrict: setting(
    'audit.strict',
    toggle,
    false,
    'a call whose audit record cannot be stored is refused; otherwise it is a warning',
  ),
  auditChannel: setting(
    'audit.channel',
    channelName,
    '',
    'private channel that each audit record is published to; the service opens it and keeps it open',
  ),
  auditRing: setting(
    'audit.ring',
    count,
    1000,
    'audit records that a node keeps in memory; with a shared store they are there, about 10,000',
  ),
} as const;
