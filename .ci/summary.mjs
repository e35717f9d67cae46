// `node .ci/summary.mjs <failed steps>`: adds up the results of the tests and the failures of other steps, into the one line
// a reader of CI looks for.
import { existsSync, readFileSync } from 'node:fs';

const file = 'test-results.json';
/** Tests without results count as a file that could not be loaded. */
const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numRuntimeErrorTestSuites: 1 };
const result = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : none;

// A file that could not even be loaded counts as one failure.
const failed = result.numFailedTests + result.numRuntimeErrorTestSuites + Number(process.argv[2] ?? 0);
const { numPassedTests: passed, numPendingTests: skipped } = result;

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
