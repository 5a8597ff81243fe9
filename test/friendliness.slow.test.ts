import { describe, expect, it } from 'vitest';
import { APPS } from '../bench/friendliness/apps.ts';
import { drive } from '../bench/friendliness/drive.ts';

describe('the order-status app, installed into an empty folder', () => {
  it.each(APPS)(
    'on $name: its commands lead to a delivery in Chromium, and a stranger sees none',
    {
      timeout: 240_000,
    },
    async app => {
      const { packages, browserBytes } = await drive(app);
      expect(packages).toBeGreaterThan(10);
      expect(browserBytes).toBeGreaterThan(10_000);
      if (app.name === 'msg') expect(browserBytes).toBeLessThanOrEqual(31_000);
    },
  );
});
