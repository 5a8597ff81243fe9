import { expect, test } from 'vitest';
import { cpuQuota } from '#src/threads/cpu-quota.ts';

const quotaIn = (files: Readonly<Record<string, string>>) => cpuQuota(async path => files[path]);

test('the smallest quota of a group and of those above it counts', async () => {
  const self = { '/proc/self/cgroup': '0::/pod/container\n' };
  expect(await quotaIn(self)).toBeUndefined();
  expect(await quotaIn({ ...self, '/sys/fs/cgroup/pod/container/cpu.max': 'max 100000\n' })).toBeUndefined();
  expect(await quotaIn({ ...self, '/sys/fs/cgroup/pod/container/cpu.max': '150000 100000\n' })).toBe(1.5);
  expect(
    await quotaIn({
      ...self,
      '/sys/fs/cgroup/pod/container/cpu.max': '400000 100000\n',
      '/sys/fs/cgroup/pod/cpu.max': '250000 100000\n',
    }),
  ).toBe(2.5);
  expect(await quotaIn({ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '50000 100000\n' })).toBe(
    0.5,
  );
});

test('older control groups have a quota and a period; -1 means no quota', async () => {
  const self = { '/proc/self/cgroup': '4:memory:/ci\n3:cpu,cpuacct:/ci\n' };
  const quota = '/sys/fs/cgroup/cpu/ci/cpu.cfs_quota_us';
  const period = { '/sys/fs/cgroup/cpu/ci/cpu.cfs_period_us': '100000\n' };
  expect(await quotaIn({ ...self, ...period, [quota]: '-1\n' })).toBeUndefined();
  expect(await quotaIn({ ...self, ...period, [quota]: '300000\n' })).toBe(3);
});

test('without control groups there is no quota', async () => {
  expect(await quotaIn({})).toBeUndefined();
});
