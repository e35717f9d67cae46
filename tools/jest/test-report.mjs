import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';

/** Writes what became of the tests to the file that TEST_REPORT names, for `.ci/run-tests.mjs`. */
export default class TestReport {
  #file = process.env.TEST_REPORT;

  constructor() {
    // A test may run Jest itself.
    delete process.env.TEST_REPORT;
  }

  onRunComplete(_contexts, results) {
    if (!this.#file) return;
    const failedFiles = results.testResults
      .filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError)
      .map((file) => ({
        path: relative(process.cwd(), file.testFilePath),
        project: file.displayName?.name,
        tests: file.testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
        message: stripVTControlCharacters(file.failureMessage ?? '').trim(),
        passed: file.numPassingTests,
        failed: file.numFailingTests,
        skipped: file.numPendingTests + file.numTodoTests,
      }));
    const report = {
      passed: results.numPassedTests,
      failed: results.numFailedTests,
      skipped: results.numPendingTests + results.numTodoTests,
      failedFiles,
    };
    writeFileSync(this.#file, JSON.stringify(report));
  }
}
