import { HookServer, MailServer, type MailServerOptions } from '@msg/testkit';
import { onTestFinished } from 'vitest';

/** A listening HTTP server that is gone after the test. */
export async function hookServer(
  ...behaviour: ConstructorParameters<typeof HookServer>
): Promise<{ readonly server: HookServer; readonly url: string }> {
  const server = new HookServer(...behaviour);
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
