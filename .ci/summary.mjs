// Adds up the results that every project's tests left behind, into the one line a reader of CI looks for.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const results = ['apps', 'libs', 'tools']
  .flatMap((folder) => readdirSync(folder).map((project) => `${folder}/${project}/test-results.json`))
  .filter((file) => existsSync(file))
  .map((file) => JSON.parse(readFileSync(file, 'utf8')));

const sum = (count) => results.reduce((total, result) => total + count(result), 0);
const passed = sum((result) => result.numPassedTests);
// A suite that could not even be loaded counts as one failure.
const failed = sum((result) => result.numFailedTests + result.numRuntimeErrorTestSuites);
const skipped = sum((result) => result.numPendingTests);

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
