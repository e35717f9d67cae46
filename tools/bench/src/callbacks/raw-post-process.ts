import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { newId } from '@gangan/protocol';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { benchScript } from '../scripts.js';
import { newReport } from './new-report.js';

/** The process that posts callbacks with undici alone. */
export class RawPosts {
  private constructor(private readonly child: ChildProcess) {}

  static async start(environment: BenchEnvironment): Promise<RawPosts> {
    const child = fork(fileURLToPath(benchScript('callbacks/raw-posts')));
    environment.atEnd(() => Promise.resolve(child.kill()));
    await once(child, 'message');
    return new RawPosts(child);
  }

  /** Returns posts per second. */
  async post(url: string, count: number): Promise<number> {
    const organisationId = newId();
    const bodies = Array.from({ length: count }, () => JSON.stringify(newReport(url, organisationId).body));
    const received = once(this.child, 'message') as Promise<[{ milliseconds: number }]>;
    this.child.send({ url, bodies });
    const [{ milliseconds }] = await received;
    return (count / milliseconds) * 1_000;
  }
}
