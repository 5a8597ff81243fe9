import { MailServer, type MailServerOptions, WebhookReceiver } from '@msg/testkit';
import { onTestFinished } from 'vitest';

/** A listening HTTP server that is gone after the test. */
export async function hookServer(
  ...behaviour: ConstructorParameters<typeof WebhookReceiver>
): Promise<{ readonly server: WebhookReceiver; readonly url: string }> {
  const server = new WebhookReceiver(...behaviour);
  const url = await server.listen();
  onTestFinished(() => server.close());
  return { server, url };
}

/** A listening mail server that is gone after the test. */
export async function mailServer(
  options: MailServerOptions = {},
  host?: string,
): Promise<{ readonly server: MailServer; readonly addr: string }> {
  const server = new MailServer(options);
  const addr = await server.listen(host);
  onTestFinished(() => server.close());
  return { server, addr };
}
