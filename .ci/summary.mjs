// `node .ci/summary.mjs <failed steps>`: adds up the results of the tests and the failures of other steps, into the one line
// a reader of CI looks for.
import { readdirSync, readFileSync } from 'node:fs';

/** Tests without results count as a file that could not be loaded. */
const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numRuntimeErrorTestSuites: 1 };
const files = new Set(['small.json', 'medium.json', 'e2e.json', ...readdirSync('test-results')]);
const results = [...files].map((name) => {
  try {
    return JSON.parse(readFileSync(`test-results/${name}`, 'utf8'));
  } catch {
    return none;
  }
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
