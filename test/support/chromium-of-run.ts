import { startChromiumOfRun } from '@msg/testkit';

/** The lanes of pages share one Chromium, which is started before any of their files. */
export const setup = startChromiumOfRun;
