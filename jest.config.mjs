import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

/** `pnpm test:all`. See `suite.ts` of `libs/testing`. */
const isFullSuite = process.env['TEST_SUITE'] === 'full';

/** Long campaigns, and the tests of the tools that measure and disturb the system. */
const onlyInFullSuite = ['\\.full\\.spec\\.ts$', '/tools/(bench|chaos)/'];

// Jest starts its processes with the options of this one. Spec files that share modules fill the young generation of the heap
// soon, and each of its collections is then slow: with four times the space there is a quarter of them.
process.execArgv.push('--max-semi-space-size=64', '--min-semi-space-size=32');

// Names what the processes of this run share.
process.env['GANGAN_TEST_RUN'] ??= randomUUID();

/** Spec files run in the process itself and share its modules: see `tools/jest/runtime.mjs`, which also loads TypeScript. */
const suite = (displayName, testMatch) => ({
  displayName,
  testMatch,
  runtime: file('tools/jest/runtime.mjs'),
  testEnvironment: file('tools/jest/environment.mjs'),
  transform: {},
  setupFiles: [file('tools/jest/seed.mjs')],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...(isFullSuite ? [] : onlyInFullSuite)],
  modulePathIgnorePatterns: ['/dist/'],
});

/** `pnpm test:small apps/otp` runs the small tests of one project. */
export default {
  projects: [
    // Beside the file that they test; no servers.
    suite('small', ['**/src/**/*.spec.ts']),
    // In `test`; real Postgres and queues.
    suite('medium', ['**/!(e2e)/test/**/*.spec.ts']),
    // The whole system over HTTP.
    {
      ...suite('e2e', ['**/apps/e2e/test/**/*.spec.ts']),
      globalSetup: file('apps/e2e/jest/global-setup.mjs'),
      globalTeardown: file('apps/e2e/jest/global-teardown.mjs'),
    },
  ],
  testSequencer: file('tools/jest/sequencer.mjs'),
  // More than there are cores: tests wait for half of their time.
  maxWorkers: Math.ceil(availableParallelism() * 2),
  // For machines under load: no test asserts a time.
  testTimeout: 300_000,
  reporters: [
    'default',
    file('tools/jest/test-report.mjs'),
    file('tools/jest/open-handles.mjs'),
    file('apps/e2e/jest/stop-shared-system.mjs'),
  ],
};
