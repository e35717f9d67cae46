// `node .ci/summary.mjs <failed steps>`: adds up the results of the tests and the failures of other steps, into the one line
// a reader of CI looks for.
import { readdirSync, readFileSync } from 'node:fs';

const results = readdirSync('test-results')
  .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
  .map((name) => JSON.parse(readFileSync(`test-results/${name}`, 'utf8')));
const sum = (name) => results.reduce((total, result) => total + result[name], 0);

const failed = sum('failed') + Number(process.argv[2] ?? 0) + (results.length === 0 ? 1 : 0);
console.log(
  `${sum('passed')} passed, ${failed} failed${sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''}`,
);
