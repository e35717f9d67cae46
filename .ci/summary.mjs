// `node .ci/summary.mjs <failed steps>`: adds up the results that the test suites left behind and the failures of other
// steps, into the one line a reader of CI looks for.
import { existsSync, readFileSync } from 'node:fs';

/** A suite without results counts as one that could not be loaded. */
const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numRuntimeErrorTestSuites: 1 };

const results = ['small', 'medium', 'e2e']
  .map((suite) => `test-results.${suite}.json`)
  .map((file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : none));

const sum = (count) => results.reduce((total, result) => total + count(result), 0);
const passed = sum((result) => result.numPassedTests);
// A suite that could not even be loaded counts as one failure.
const failed =
  sum((result) => result.numFailedTests + result.numRuntimeErrorTestSuites) + Number(process.argv[2] ?? 0);
const skipped = sum((result) => result.numPendingTests);

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
