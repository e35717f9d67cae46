import { describe, expect, it } from '@jest/globals';
import { drawChart } from './chart.js';
import { docsTable, replaceResults } from './docs-table.js';
import type { Measured } from './result.js';
import { atLeast, atMost, type Bar, type Outcome } from '../scenario.js';
import { checkResults, suiteReport } from './suite-report.js';

const measured = (name: string, bar: Bar, outcome: Outcome, comparedWith?: string): Measured => ({
  scenario: {
    name,
    title: `the ${name}`,
    unit: 'req/s',
    bar,
    limit: 'the disk',
    needs: [],
    long: false,
    ...(comparedWith !== undefined && { comparedWith }),
  },
  outcome,
});

const results: readonly Measured[] = [
  measured('send', atLeast(1.3), { pairs: [{ value: 3_000, beside: 2_000 }] }, 'direct SQL'),
  measured('start', atMost(9), { pairs: [{ value: 12.345 }] }),
  measured('kannel', atLeast(0.5), { skipped: 'Kannel is not installed' }, 'Kannel'),
  measured('otp', atLeast(1.2), { failed: 'it <broke>' }, 'direct SQL'),
];

describe('the report of the suite', () => {
  it('has a line per scenario', () => {
    const [, send, start, kannel] = suiteReport(results);
    expect(send).toMatch(
      /^the send +3,000 req\/s +direct SQL: 2,000 req\/s +1\.5 × +1\.5–1\.5 +≥ 1\.3 × +holds$/,
    );
    expect(start).toMatch(/^the start +12\.3 req\/s +– +12\.3 req\/s +12\.3–12\.3 +≤ 9 req\/s +missed$/);
    expect(kannel).toMatch(/^the kannel +– +Kannel +– +Kannel is not installed +≥ 0\.5 × +skipped$/);
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
  it('has a table between its two comments', () => {
    const page =
      'before\n<!-- results: written by pnpm bench --docs -->\nold\n<!-- end of results -->\nafter';
    const table = docsTable(results.slice(0, 1));
    expect(table.split('\n')).toHaveLength(3);
    expect(replaceResults(page, table)).toBe(
      `before\n<!-- results: written by pnpm bench --docs -->\n\n${table}\n\n<!-- end of results -->\nafter`,
    );
    expect(() => replaceResults('no comments', table)).toThrow('needs the comments');
  });

  it('has a chart with a bar per result', () => {
    const svg = drawChart(results);
    expect(svg.match(/<rect class="holds"/g)).toHaveLength(1);
    expect(svg.match(/<rect class="missed"/g)).toHaveLength(1);
    expect(svg).toContain('the kannel ÷ Kannel');
  });
});
