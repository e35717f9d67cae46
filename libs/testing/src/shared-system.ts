import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendRequest, type TestRequest, type TestResponse } from './network/send-request.js';
import type { TestSystem } from './test-system.js';

/** What tests need of a running system. Those that stop it or kill its processes need a `TestSystem` of their own. */
export type ReachableSystem = Pick<TestSystem, 'url' | 'port' | 'folder' | 'request' | 'apps'>;

/** Names the system to the processes of the test run. */
const variable = 'GANGAN_SHARED_SYSTEM';

/** Lets the processes that this one starts from now on use the system. */
export function shareSystem({ port, folder }: TestSystem): void {
  process.env[variable] = JSON.stringify({ port, folder });
}

/** The system that another process has started for all spec files of the run. */
export class SharedSystem implements ReachableSystem {
  readonly url: string;

  private constructor(
    readonly port: number,
    readonly folder: string,
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  static find(): SharedSystem {
    const shared = process.env[variable];
    if (shared === undefined) throw new Error('This test run has not started a system to share.');
    const { port, folder } = JSON.parse(shared) as { port: number; folder: string };
    return new SharedSystem(port, folder);
  }

  /** On a busy machine a GET may get 503, because its worker was too slow; it is repeated, as clients are told to. */
  async request(request: TestRequest): Promise<TestResponse> {
    const { method = 'GET' } = request;
    for (let repeats = 10; ; repeats -= 1) {
      const response = await sendRequest(this.url, request);
      if (response.status !== 503 || method !== 'GET' || repeats === 0) return response;
      await sleep(1_000);
    }
  }

  /** Process ids by app. */
  apps(): Record<string, number> {
    const file = readFileSync(join(this.folder, 'running.json'), 'utf8');
    const apps = JSON.parse(file) as Record<string, { pid: number }>;
    return Object.fromEntries(Object.entries(apps).map(([name, { pid }]) => [name, pid]));
  }
}
