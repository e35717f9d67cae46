import { describe, expect, it } from '@jest/globals';
import { replaceResults } from './docs.js';
import type { Measured } from './result.js';
import type { Bar, Outcome } from '../scenario.js';
import { checkResults, suiteReport } from './suite-report.js';

const measured = (name: string, bar: Bar, outcome: Outcome, beside?: string): Measured => ({
  scenario: {
    name,
    title: `the ${name}`,
    figure: 'requests',
    unit: 'req/s',
    of: 'the system',
    bar,
    limit: 'the disk',
    ...(beside !== undefined && { beside }),
  },
  outcome,
});

const results: readonly Measured[] = [
  measured('send', { atLeast: 1.3 }, { pairs: [{ value: 3_000, beside: 2_000 }] }, 'direct SQL'),
  measured('start', { atMost: 9 }, { pairs: [{ value: 12.345 }] }),
  measured('kannel', { atLeast: 0.5 }, { skipped: 'Kannel is not installed' }, 'Kannel'),
  measured('otp', { atLeast: 1.2 }, { failed: 'it <broke>' }, 'direct SQL'),
];

const cellsOf = (line = ''): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

describe('the report of the suite', () => {
  it('has a line per scenario', () => {
    const [, , send, start, kannel] = suiteReport(results);
    expect(cellsOf(send)).toEqual([
      ...['the send', '3,000 req/s', 'direct SQL: 2,000 req/s', '1.5 ×', '1.5–1.5', '≥ 1.3 ×', 'holds'],
      'the disk',
    ]);
    expect(cellsOf(start)).toEqual([
      ...['the start', '12.3 req/s', '–', '12.3 req/s', '12.3–12.3', '≤ 9 req/s', 'missed', 'the disk'],
    ]);
    expect(cellsOf(kannel)).toEqual([
      ...['the kannel', '–', 'Kannel', '–', 'Kannel is not installed', '≥ 0.5 ×', 'skipped', 'the disk'],
    ]);
  });

  it('names what is missed, failed or skipped; a skipped scenario does not fail the check', () => {
    expect(checkResults(results)).toEqual({
      lines: [
        'missed: start: 12.3 req/s (12.3–12.3), the bar is ≤ 9 req/s',
        'failed: otp: it <broke>',
        'skipped: kannel: Kannel is not installed',
        '1 of 3 bars hold or are missed by no more than the spread; 1 skipped',
      ],
      passes: false,
    });
    expect(checkResults([results[0], results[2]].flatMap((one) => one ?? [])).passes).toBe(true);
  });
});

describe('the documentation', () => {
  it('has the results between its two comments', () => {
    const page =
      'before\n<!-- results: written by pnpm bench --docs -->\nold\n<!-- end of results -->\nafter';
    expect(replaceResults(page, 'new')).toBe(
      'before\n<!-- results: written by pnpm bench --docs -->\n\nnew\n\n<!-- end of results -->\nafter',
    );
    expect(() => replaceResults('no comments', 'new')).toThrow('needs the comments');
  });
});
