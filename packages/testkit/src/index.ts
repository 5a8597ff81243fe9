export { localhostCertificate } from './certificate.ts';
export { Browser } from './chromium.ts';
export { startChromiumOfRun } from './chromium-of-run.ts';
export { type CommandOptions, type CommandResult, cleanEnv, MSG_BIN, runMsg } from './cli.ts';
export { closeServer } from './close-server.ts';
export { DirectClient } from './direct-client.ts';
export { eventually } from './eventually.ts';
export { HostileProxy } from './hostile-proxy.ts';
export {
  type MailFault,
  MailServer,
  type MailServerOptions,
  type MailStage,
  type ReceivedMail,
} from './mail-server.ts';
export { freePort } from './ports.ts';
export { type ShellOptions, ShellProcess } from './process.ts';
export { countPromises } from './promises.ts';
export { type Closed, RawClient, type RawClientOptions } from './raw-client.ts';
export { RoundRobinProxy } from './round-robin.ts';
export { ShortLivedCertificate } from './short-lived-certificate.ts';
export { type MsgServer, type ServeOptions, startMsg } from './spawn.ts';
export { runOnTerminal, type TerminalOptions } from './terminal.ts';
export { type ReceivedWebhook, type WebhookBehaviour, WebhookReceiver } from './webhook-receiver.ts';
