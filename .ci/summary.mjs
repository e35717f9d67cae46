// `node .ci/summary.mjs <failed steps>`: adds up the results of the tests and the failures of other steps, into the one line
// a reader of CI looks for.
import { readdirSync, readFileSync } from 'node:fs';

/** Jest ends with such a line: `Tests:       1 failed, 8 skipped, 8777 passed, 8786 total`. */
const results = readdirSync('test-results').map((name) => {
  const output = readFileSync(`test-results/${name}`, 'utf8');
  const [line] = output.match(/^Tests: .* total$/m) ?? [];
  const count = (word) => Number(line?.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0);
  // A file that cannot be loaded has no failed test, and a run that did not end has no such line: that counts as one failure.
  const failed = Math.max(count('failed'), line === undefined || output.endsWith('Jest failed\n') ? 1 : 0);
  return { passed: count('passed'), skipped: count('skipped'), failed };
});
const sum = (name) => results.reduce((total, result) => total + result[name], 0);

const failed = sum('failed') + Number(process.argv[2] ?? 0) + (results.length === 0 ? 1 : 0);
console.log(
  `${sum('passed')} passed, ${failed} failed${sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''}`,
);
