// The Chromium of a test run: prints where clients connect, and ends with its input.
import { chromium } from 'playwright-core';
import { chromiumOptions } from './chromium-program.ts';

const server = await chromium.launchServer(chromiumOptions());
process.stdout.write(`${server.wsEndpoint()}\n`);
process.stdin.resume().on('end', () => server.close());
