import { beforeAll, describe, expect, it } from '@jest/globals';

interface FailedFile {
  readonly path: string;
  readonly tests: string[];
  readonly message: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Run {
  readonly code: number | null;
  readonly report?: { passed: number; failed: number; skipped: number; failedFiles: FailedFile[] };
}

interface RunTests {
  runTests(runAll: () => Run, repeat: (file: FailedFile) => Run, mostRepeated: number): object;
  flakyLines(file: FailedFile): string[];
}

const file = (path: string, numbers: Partial<FailedFile> = {}): FailedFile => ({
  ...{ path, tests: ['lanes drain'], message: 'expected 1\nreceived 2', passed: 4, failed: 1, skipped: 0 },
  ...numbers,
});

const passes: Run = { code: 0, report: { passed: 5, failed: 0, skipped: 0, failedFiles: [] } };
const fails: Run = { code: 1, report: { passed: 4, failed: 1, skipped: 0, failedFiles: [file('a')] } };

describe('.ci/run-tests.mjs', () => {
  let script: RunTests;
  beforeAll(async () => {
    script = (await import(new URL('../../../../.ci/run-tests.mjs', import.meta.url).href)) as RunTests;
  });

  /** The result, and the files that were repeated. */
  const run = (all: Run, again: Run = passes, mostRepeated = 3): [object, string[]] => {
    const repeated: string[] = [];
    const repeat = ({ path }: FailedFile): Run => {
      repeated.push(path);
      return again;
    };
    return [script.runTests(() => all, repeat, mostRepeated), repeated];
  };
  const failedIn = (...failedFiles: FailedFile[]): Run => ({
    code: 1,
    report: { passed: 100, failed: failedFiles.length, skipped: 2, failedFiles },
  });

  it('repeats nothing if all tests pass', () => {
    expect(run(passes)).toEqual([{ passed: 5, failed: 0, skipped: 0, flaky: [] }, []]);
  });

  it('passes if each failed file passes alone, and counts its tests once', () => {
    const [a, b] = [file('a'), file('b', { passed: 3, failed: 2 })];
    const all = { code: 1, report: { passed: 100, failed: 3, skipped: 2, failedFiles: [a, b] } };
    expect(run(all)).toEqual([{ passed: 103, failed: 0, skipped: 2, flaky: [a, b] }, ['a', 'b']]);
  });

  it('counts the tests of a file that could not be loaded when they pass', () => {
    const unloaded = file('a', { tests: [], passed: 0, failed: 0 });
    const all = { code: 1, report: { passed: 100, failed: 0, skipped: 0, failedFiles: [unloaded] } };
    expect(run(all)[0]).toMatchObject({ passed: 105, failed: 0 });
    expect(script.flakyLines(unloaded)[0]).toBe('FLAKY: a › could not be loaded');
  });

  it('fails at the second failure, and repeats no further file', () => {
    expect(run(failedIn(file('a'), file('b')), fails)).toEqual([
      { passed: 100, failed: 2, skipped: 2, flaky: [] },
      ['a'],
    ]);
    expect(run(failedIn(file('a')), { code: 1 })[0]).toMatchObject({ failed: 1, flaky: [] });
  });

  it('repeats at most as many files as it may', () => {
    const files = ['a', 'b', 'c', 'd'].map((path) => file(path));
    expect(run(failedIn(...files))).toEqual([{ passed: 100, failed: 4, skipped: 2, flaky: [] }, []]);
    expect(run(failedIn(file('a')), passes, 0)).toEqual([
      { passed: 100, failed: 1, skipped: 2, flaky: [] },
      [],
    ]);
  });

  it('fails if Jest failed without a failed file, or did not end', () => {
    expect(run({ ...passes, code: 1 })).toEqual([{ passed: 5, failed: 1, skipped: 0, flaky: [] }, []]);
    expect(run({ code: null })).toEqual([{ passed: 0, failed: 1, skipped: 0, flaky: [] }, []]);
  });

  it('names each flaky test with the first failure', () => {
    expect(script.flakyLines(file('a/b.spec.ts'))).toEqual([
      'FLAKY: a/b.spec.ts › lanes drain',
      '  expected 1',
      '  received 2',
    ]);
  });
});
