import { setTimeout as sleep } from 'node:timers/promises';
import { type DataFolder } from './data-folder.js';
import { findServer, isAlive } from './pid-file.js';
import { CommandFailed, type Identity, run } from './run.js';

const killWithinMs = 10_000;

export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/** The server process of one data folder. `pg_ctl` gives it a session of its own, so a terminal's Ctrl-C passes it by. */
export class Postmaster {
  constructor(
    private readonly pgCtl: string,
    private readonly folder: DataFolder,
    private readonly user: Identity,
  ) {}

  find(): Promise<number | undefined> {
    return findServer(this.folder.cluster, this.folder.pidFile);
  }

  async start(): Promise<void> {
    await this.folder.prepareLog();
    for (let attempt = 1; ; attempt += 1) {
      const from = await this.folder.logSize();
      try {
        await this.control('start', '-w', '-t', '60', '-l', this.folder.logFile);
        return;
      } catch (error) {
        if (!(error instanceof CommandFailed)) throw error;
        const words = (await this.folder.lastLogLines(12, from)) || error.output;
        if (words.includes('Address already in use')) throw new PortTaken(words, { cause: error });
        // The last children of a killed server need a moment to notice.
        const dying = words.includes('pre-existing shared memory block');
        if (!dying || attempt === 20) {
          throw new Error(`Postgres did not start:\n${words}\n${this.folder.advice}`, { cause: error });
        }
        await sleep(250);
      }
    }
  }

  async stop(): Promise<void> {
    if ((await this.find()) === undefined) return;
    try {
      await this.control('stop', '-m', 'fast', '-w', '-t', '30');
    } catch {
      await this.control('stop', '-m', 'immediate', '-w', '-t', '30').catch(() => this.kill());
    }
  }

  async kill(): Promise<void> {
    const pid = await this.find();
    if (pid === undefined) return;
    process.kill(pid, 'SIGKILL');
    for (let waitedMs = 0; isAlive(pid); waitedMs += 10) {
      if (waitedMs >= killWithinMs)
        throw new Error(`Postgres (process ${pid}) was killed, but does not end.`);
      await sleep(10);
    }
  }

  private control(...args: string[]): Promise<string> {
    return run(this.pgCtl, [...args, '-s', '-D', this.folder.cluster], this.user);
  }
}
