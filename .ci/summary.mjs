// `node .ci/summary.mjs <failed steps>`: adds up the results of the tests and the failures of other steps, into the one line
// a reader of CI looks for.
import { existsSync, readFileSync } from 'node:fs';

/** Tests without results count as a file that could not be loaded. */
const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numRuntimeErrorTestSuites: 1 };
const results = ['small', 'medium'].map((name) => {
  const file = `test-results/${name}.json`;
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : none;
});
const sum = (count) => results.reduce((total, result) => total + count(result), 0);

// A file that could not even be loaded counts as one failure.
const inTests = sum(
  ({ numFailedTests, numRuntimeErrorTestSuites }) => numFailedTests + numRuntimeErrorTestSuites,
);
const failed = inTests + Number(process.argv[2] ?? 0);
const passed = sum(({ numPassedTests }) => numPassedTests);
const skipped = sum(({ numPendingTests }) => numPendingTests);

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
