// `node .ci/run-tests.mjs <name> <command>…`: runs a command that runs Jest, and writes its numbers to test-results/<name>.json.
// If at most REPEATED_FILES spec files fail, each of them runs once more, alone: a test that passes then does not show a fault
// of the change, but a dependence on time or on other tests. It is reported as flaky, and the run passes.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';

const failedBefore = { passed: 0, failed: 1, skipped: 0 };

/**
 * @param runAll runs everything, `repeat` one spec file again. Both return the exit code and the report of
 * `tools/jest/test-report.mjs`, which is undefined if Jest ended before it.
 * @returns the numbers, in which a repeated file counts once, and the files that passed only when they were repeated
 */
export function runTests(runAll, repeat, mostRepeated) {
  const first = runAll();
  if (!first.report) return { ...failedBefore, flaky: [] };
  const { failedFiles, ...numbers } = first.report;
  if (first.code === 0) return { ...numbers, flaky: [] };
  const failed = { ...numbers, failed: Math.max(1, numbers.failed), flaky: [] };
  // Without a failed file, something else is wrong, such as the end of the shared system.
  if (failedFiles.length === 0 || failedFiles.length > mostRepeated) return failed;
  const total = { ...numbers, flaky: failedFiles };
  for (const file of failedFiles) {
    const again = repeat(file);
    if (again.code !== 0 || !again.report) return failed;
    for (const name of ['passed', 'failed', 'skipped']) total[name] += again.report[name] - file[name];
  }
  return total;
}

/** `FLAKY: file › test`, then the first failure. */
export function flakyLines({ path, tests, message }) {
  const names = tests.length > 0 ? tests : ['could not be loaded'];
  return [
    ...names.map((test) => `FLAKY: ${path} › ${test}`),
    ...message
      .split('\n')
      .slice(0, 12)
      .map((line) => `  ${line}`),
  ];
}

function runJest(command, args) {
  const file = resolve('test-results', `.report-${process.pid}.json`);
  rmSync(file, { force: true });
  const { status } = spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...process.env, TEST_REPORT: file },
  });
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Jest did not get to its end.
  }
  rmSync(file, { force: true });
  return { code: status, report };
}

function main(name, command, ...args) {
  const write = (numbers) => writeFileSync(resolve('test-results', `${name}.json`), JSON.stringify(numbers));
  write(failedBefore);
  const { flaky, ...numbers } = runTests(
    () => runJest(command, args),
    ({ path, project }) => {
      process.stdout.write(`\n=== once more, alone: ${path}\n`);
      return runJest('jest', ['--selectProjects', project, '--runTestsByPath', path]);
    },
    Number(process.env.REPEATED_FILES ?? 0),
  );
  write(numbers);
  const lines = flaky.flatMap(flakyLines).map((line) => `${line}\n`);
  if (lines.length > 0 && process.env.CI_REMARKS) appendFileSync(process.env.CI_REMARKS, lines.join(''));
  process.exitCode = numbers.failed === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) main(...process.argv.slice(2));
