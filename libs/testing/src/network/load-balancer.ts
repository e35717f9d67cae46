import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@gangan/embedded-postgres';
import { CleanUp } from '../clean-up.js';
import { findProgram } from '../installed.js';
import { until } from '../until.js';
import { acceptsConnections } from './accepts-connections.js';

/** The `SHUTDOWN_DELAY_SECONDS` of gateways: longer than HAProxy needs to notice that one stops, also if each check takes a second or two. */
export const shutdownDelaySeconds = 8;

/** HAProxy in front of gateways, with the configuration that the documentation recommends. */
export class LoadBalancer {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly cleanUp: CleanUp,
  ) {}

  static async start(gatewayPorts: readonly number[], logFile: string): Promise<LoadBalancer> {
    const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), 'gangan-haproxy-'))];
    const [file, pidFile] = [join(folder, 'haproxy.cfg'), join(folder, 'pid')];
    const cleanUp = new CleanUp(folder, [pidFile], 'KILL');
    writeFileSync(file, haproxyConfiguration(port, gatewayPorts));
    const log = openSync(logFile, 'a');
    // In a session of its own, so that Ctrl-C reaches only the tool. -db: in the foreground.
    const program = findProgram('haproxy') ?? 'haproxy';
    const child = spawn(program, ['-db', '-f', file], { detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    if (child.pid !== undefined) writeFileSync(pidFile, `${child.pid}\n`);
    await until('HAProxy accepts connections', () => {
      if (child.exitCode !== null)
        throw new Error(`HAProxy does not start: ${readFileSync(logFile, 'utf8')}`);
      return acceptsConnections(port);
    });
    return new LoadBalancer(port, child, cleanUp);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    await this.cleanUp.done();
  }
}

const documented = new URL('../../../../ops/haproxy.cfg', import.meta.url);

/** The documented configuration, with these ports and without TLS. */
export function haproxyConfiguration(port: number, gatewayPorts: readonly number[]): string {
  const servers = gatewayPorts.map(
    (gateway, index) => `  server gateway-${index + 1} 127.0.0.1:${gateway}\n`,
  );
  return readFileSync(fileURLToPath(documented), 'utf8')
    .replace(/^ {2}bind .*$/m, `  bind 127.0.0.1:${port}`)
    .replace(/(?:^ {2}server .*\n)+/m, servers.join(''));
}
