import { takeCoverage } from 'node:v8';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** The test environment of the process itself. What a spec file changes in it is restored after the file. */
export default class Environment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  #console = globalThis.console;
  #exit = process.exit;
  #env = { ...process.env };

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  getVmContext() {
    return null;
  }

  /** After `setupFiles`. */
  async setup() {
    this.#env = { ...process.env };
    // Every `expect` captures a stack; the hundred frames that Jest asks for cost more than the tests.
    Error.stackTraceLimit = 20;
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    globalThis.console = this.#console;
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, this.#env);
    // For `pnpm coverage`, because Jest may kill the process before it has written everything at its end.
    if (process.env['NODE_V8_COVERAGE'] !== undefined) takeCoverage();
  }
}
