import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { acceptsConnections, CleanUp, findProgram, freePort, until } from '@gangan/testing';
import { assertAllSucceeded, LoadGenerator } from '../load/load-generator.js';
import type { Child } from '../processes/child.js';
import type { Resources } from '../processes/resources.js';
import { benchScript } from '../scripts.js';
import { kannelConfig, sendsmsRequest } from './kannel-config.js';

/** What the fake carrier has received. */
export interface FakeSmscCount {
  readonly messages: number;
  /** When the last one arrived, by the clock of the machine. */
  readonly lastAt: number;
}

const quietMs = 500;

/** Kannel with a fake carrier: bearerbox, smsbox, and our own process in place of fakesmsc. */
export class KannelRun {
  private constructor(
    private readonly generator: LoadGenerator,
    private readonly port: number,
    private readonly carrier: Child,
  ) {}

  static async start(resources: Resources): Promise<KannelRun> {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-kannel-'));
    const ports = {
      admin: await freePort(),
      smsbox: await freePort(),
      carrier: await freePort(),
      sendsms: await freePort(),
    };
    const boxes = { bearerbox: ports.smsbox, smsbox: ports.sendsms };
    const pidFiles = Object.keys(boxes).map((name) => join(folder, `${name}.pid`));
    const cleanUp = new CleanUp(folder, pidFiles);
    resources.atEnd(() => cleanUp.done());
    const config = join(folder, 'kannel.conf');
    await writeFile(config, kannelConfig(ports));
    for (const [name, port] of Object.entries(boxes)) {
      const args = ['--verbosity', '5', '--pid-file', join(folder, `${name}.pid`), config];
      const box = spawn(findProgram(name) ?? name, args, { stdio: 'ignore', detached: true });
      const ended = once(box, 'exit');
      resources.atEnd(() => {
        box.kill('SIGKILL');
        return ended;
      });
      await until(`${name} listens`, () => acceptsConnections(port));
    }
    const carrier = await resources.fork(benchScript('kannel/fake-smsc'), { args: [String(ports.carrier)] });
    return new KannelRun(new LoadGenerator(resources), ports.sendsms, carrier);
  }

  /** Returns the recipients per second, from the first request until the carrier has the last message. */
  async measure(load: { connections: number; seconds: number; recipients: number }): Promise<number> {
    const { recipients, ...others } = load;
    const [before, started] = [await this.received(), Date.now()];
    const requests = [sendsmsRequest(recipients)];
    assertAllSucceeded(await this.generator.run({ port: this.port, requests, ...others }));
    let after = await this.received();
    while (Date.now() - after.lastAt < quietMs) {
      await pause(quietMs / 5);
      after = await this.received();
    }
    return ((after.messages - before.messages) / (after.lastAt - started)) * 1_000;
  }

  private received(): Promise<FakeSmscCount> {
    return this.carrier.ask({});
  }
}
