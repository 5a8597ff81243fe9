import { describe, expect, it } from 'vitest';
import { suitesPart, withPart } from '../conformance/src/page.ts';
import { releasesPart } from '../conformance/src/releases/table.ts';
import { exchanges } from '../conformance/src/server-sdks/exchanges.ts';
import { junitResults, rspecResults } from '../conformance/src/server-sdks/own-suites.ts';
import { pytestResults } from '../conformance/src/server-sdks/python.ts';
import { type SdkRow, sdkLine, sdksPart } from '../conformance/src/server-sdks/table.ts';
import { transcriptResults } from '../conformance/src/server-sdks/transcript.ts';
import type { TestResult } from '../conformance/src/suites/suite.ts';

const passed = (name: string): TestResult => ({ name, outcome: 'passed', detail: '' });
const failed = (name: string, detail: string): TestResult => ({ name, outcome: 'failed', detail });

describe('reports of the SDKs’ own suites', () => {
  it('pytest: a skipped test is a failure, and so is a run without tests', () => {
    const output =
      'PASSED tests/a.py::test_a\nFAILED tests/a.py::test_b - boom\nSKIPPED tests/a.py::test_c\n';
    expect(pytestResults(output, '')).toEqual([
      passed('tests/a.py::test_a'),
      failed('tests/a.py::test_b', 'boom'),
      failed('tests/a.py::test_c', ''),
    ]);
    expect(pytestResults('', 'no module')).toEqual([failed('(the run itself)', 'no module')]);
  });

  it('phpunit, in the form of JUnit', () => {
    const xml = `<testsuite><testcase name="testA" time="1"/>
      <testcase name="testB" time="1"><failure type="x">a &quot;b&quot;</failure></testcase></testsuite>`;
    const [first, second] = junitResults(xml);
    expect(first).toEqual(passed('testA'));
    expect(second).toMatchObject({ name: 'testB', outcome: 'failed' });
    expect(second?.detail).toContain('a "b"');
  });

  it('rspec: a pending example is a failure', () => {
    const examples = [
      { full_description: 'a', status: 'passed' },
      { full_description: 'b', status: 'failed', exception: { message: 'boom' } },
      { full_description: 'c', status: 'pending' },
    ];
    expect(rspecResults(JSON.stringify({ examples }))).toEqual([
      passed('a'),
      failed('b', 'boom'),
      failed('c', 'pending'),
    ]);
  });
});

describe('a transcript', () => {
  const calls = exchanges('room').filter(({ method }) => method === 'disconnect' || method === 'presence');

  it('passes with the answers that the SDK reads', () => {
    const output = 'presence\tanswer\t{"result":{"presence":{}}}\ndisconnect\tanswer\t{"result":{}}\n';
    expect(transcriptResults(calls, output).map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
  });

  it('fails for another answer, for a refused one and for a call that the program does not report', () => {
    const [presence, disconnect] = transcriptResults(calls, 'presence\tanswer\t{"result":{}}\n');
    expect([presence?.outcome, disconnect?.outcome]).toEqual(['failed', 'failed']);
    expect(disconnect?.detail).toBe('the program wrote nothing of it');
    const [refused] = transcriptResults(calls, 'presence\tfailed\tstatus 500\n');
    expect(refused).toEqual(failed('presence', 'status 500'));
  });
});

describe('the table of server SDKs', () => {
  const sdk = { title: 'Go gocent 3', how: 'transcript', leftOut: '' };
  const row: SdkRow = {
    sdk,
    notRun: '',
    results: new Map([
      ['one node in memory', [passed('a'), passed('b')]],
      ['two nodes on Redis', [passed('a'), failed('b', 'boom')]],
    ]),
  };

  it('counts cases, or says why there are none', () => {
    expect(sdkLine(row)).toBe('| Go gocent 3 | transcript | 2 | 1 of 2 | nothing |');
    expect(sdkLine({ sdk, notRun: 'Go is not installed', results: new Map() })).toBe(
      '| Go gocent 3 | transcript | not run: Go is not installed |  | nothing |',
    );
  });

  it('is a part of the page between the suites and the releases', () => {
    const parts = [suitesPart([]), sdksPart([row]), releasesPart([])] as const;
    const [suites, sdks, releases] = parts;
    expect(withPart(withPart(withPart('', releases), sdks), suites)).toBe(parts.join(''));
    expect(withPart(parts.join(''), sdksPart([]))).toBe(suites + sdksPart([]) + releases);
    expect(withPart(suites + releases, sdks)).toBe(parts.join(''));
  });
});
