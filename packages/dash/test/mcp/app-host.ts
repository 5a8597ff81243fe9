import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import type { Browser } from '@msg/testkit';
import { build } from 'esbuild';
import type { Frame, Page } from 'playwright-core';
import { AXE, axeViolationsIn } from '../web/axe.ts';
import { PATIENT_MS } from '../web/reviewing.ts';

const SCRIPT = fileURLToPath(new URL('app-host-page.mjs', import.meta.url));
const EVERYTHING = { serverTools: {}, openLinks: {}, message: { text: {} } };

let bundle: Promise<string> | undefined;

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [SCRIPT],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'chrome123',
  });
  return outputFiles[0]?.text ?? '';
}

/** What the page of the host knows; it lives in the browser. */
interface HostPage {
  readonly opened: string[];
  readonly messages: { readonly role: string; readonly content: readonly { readonly text: string }[] }[];
  readonly sizes: { readonly width: number; readonly height: number }[];
}

interface Shown {
  readonly width?: number;
  readonly dark?: boolean;
  /** What the host offers to the app; everything by default. */
  readonly capabilities?: object;
}

/** A host with the official bridge in real Chromium, and the app of the tool server in it. */
export class AppHost {
  readonly page: Page;
  /** Every address that was asked for, and what the browser complained about. */
  readonly asked: string[] = [];
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('request', request => this.asked.push(request.url()));
    page.on('pageerror', error => this.complaints.push(error.message));
    page.on('console', message => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
  }

  /** Opens the app that the tool server of `client` offers. */
  static async open(browser: Browser, client: Client, shown: Shown = {}): Promise<AppHost> {
    const { width = 720, dark = false, capabilities = EVERYTHING } = shown;
    bundle ??= bundled();
    const page = await browser.page();
    page.setDefaultTimeout(PATIENT_MS);
    await page.addInitScript({ content: AXE });
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.exposeFunction(
      'callServerTool',
      (params: { name: string; arguments: Record<string, unknown> }) => client.callTool(params),
    );
    await page.setContent(
      '<!doctype html><style>body { margin: 0 } iframe { width: 100%; border: 0; display: block }</style>',
    );
    await page.addScriptTag({ content: await bundle });
    const host = new AppHost(page);
    const { contents } = await client.readResource({ uri: 'ui://dash/preview' });
    const html = (contents[0] as { text: string }).text;
    const context = { theme: dark ? 'dark' : 'light' };
    await page.evaluate(
      options => (globalThis as unknown as { host: { show(o: object): Promise<void> } }).host.show(options),
      { html, capabilities, context },
    );
    return host;
  }

  /** The frame of the app. */
  get app(): Frame {
    const frame = this.page.frames().at(-1);
    if (frame === undefined) throw new Error('the app has no frame');
    return frame;
  }

  /** A call of the model, as the host tells the app of it. */
  async called(client: Client, args: Record<string, unknown>): Promise<void> {
    const result = await client.callTool({ name: 'dash_validate_patch', arguments: args });
    await this.told(args, result);
  }

  /** Arguments and result of a call. */
  async told(args: object | undefined, result: object): Promise<void> {
    if (args !== undefined) await this.bridge('sendToolInput', { arguments: args });
    await this.bridge('sendToolResult', result);
  }

  /** Calls a method of the bridge. */
  bridge(method: string, params: object): Promise<unknown> {
    return this.page.evaluate(
      ([name, told]) =>
        (
          globalThis as unknown as { host: { bridge: Record<string, (value: object) => unknown> } }
        ).host.bridge[name]?.(told),
      [method, params] as const,
    );
  }

  /** What the host has heard from the app. */
  heard(): Promise<HostPage> {
    return this.page.evaluate(() => {
      const { opened, messages, sizes } = (globalThis as unknown as { host: HostPage }).host;
      return { opened, messages, sizes };
    });
  }

  /** From now on the host refuses links and messages. */
  async refuse(): Promise<void> {
    await this.page.evaluate(() => {
      (globalThis as unknown as { host: { refuses: boolean } }).host.refuses = true;
    });
  }

  /** Ids of the rules that axe finds broken in the app, with the first place of each. */
  axeViolations(): Promise<string[]> {
    return axeViolationsIn(this.app);
  }

  close(): Promise<void> {
    return this.page.close();
  }
}
