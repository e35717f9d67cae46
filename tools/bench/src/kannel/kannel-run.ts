import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { acceptsConnections, CleanUp, freePort, until } from '@gangan/testing';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { findProgram } from '../environment/installed.js';
import { LoadGenerator } from '../load/load-generator.js';
import { benchScript } from '../scripts.js';
import { type KannelPorts, kannelConfig, sendsmsRequest } from './kannel-config.js';

/** What the fake carrier has received. */
export interface FakeSmscCount {
  readonly messages: number;
  /** When the last one arrived, by the clock of the machine. */
  readonly lastAt: number;
}

const quietMs = 500;

/** Kannel with a fake carrier: bearerbox, smsbox, and our own process in place of fakesmsc. */
export class KannelRun {
  private readonly generator = new LoadGenerator();
  private readonly children: ChildProcess[] = [];

  private constructor(
    private readonly ports: KannelPorts,
    private readonly cleanUp: CleanUp,
  ) {}

  static async start(environment: BenchEnvironment): Promise<KannelRun> {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-kannel-'));
    const ports = {
      admin: await freePort(),
      smsbox: await freePort(),
      carrier: await freePort(),
      sendsms: await freePort(),
    };
    const pidFiles = ['bearerbox', 'smsbox'].map((name) => join(folder, `${name}.pid`));
    const run = new KannelRun(ports, new CleanUp(folder, pidFiles));
    environment.atEnd(() => run.stop());
    const config = join(folder, 'kannel.conf');
    await writeFile(config, kannelConfig(ports));
    for (const [name, port] of [
      ['bearerbox', ports.smsbox],
      ['smsbox', ports.sendsms],
    ] as const) {
      const args = ['--verbosity', '5', '--pid-file', join(folder, `${name}.pid`), config];
      run.children.push(spawn(findProgram(name) ?? name, args, { stdio: 'ignore', detached: true }));
      await until(`${name} listens`, () => acceptsConnections(port));
    }
    const carrier = fork(fileURLToPath(benchScript('kannel/fake-smsc')), [String(ports.carrier)]);
    run.children.unshift(carrier);
    await once(carrier, 'message');
    return run;
  }

  /** Returns the recipients per second, from the first request until the carrier has the last message. */
  async measure(load: { connections: number; seconds: number; recipients: number }): Promise<number> {
    const { connections, seconds, recipients } = load;
    const [before, started] = [await this.received(), Date.now()];
    const { others } = await this.generator.run({
      port: this.ports.sendsms,
      connections,
      warmUpMs: 0,
      measureMs: seconds * 1_000,
      requests: [sendsmsRequest(recipients)],
    });
    if (Object.keys(others).length > 0) throw new Error(`Kannel failed: ${JSON.stringify(others)}`);
    let after = await this.received();
    while (Date.now() - after.lastAt < quietMs) {
      await pause(quietMs / 5);
      after = await this.received();
    }
    return ((after.messages - before.messages) / (after.lastAt - started)) * 1_000;
  }

  async stop(): Promise<void> {
    await this.generator.stop();
    for (const child of this.children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await this.cleanUp.done();
  }

  private async received(): Promise<FakeSmscCount> {
    const [carrier] = this.children;
    if (!carrier) throw new Error('The fake carrier does not run');
    const reply = once(carrier, 'message') as Promise<[FakeSmscCount]>;
    carrier.send('read');
    return (await reply)[0];
  }
}
