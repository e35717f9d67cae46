import { acceptsConnections, findProgram, freePort, isInstalled, until } from '@gangan/testing';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Longer than HAProxy needs to notice that a gateway stops, also if each check takes a second or two. */
export const shutdownDelaySeconds = 8;

/** HAProxy in front of the gateways, with the configuration that the documentation recommends. */
export class LoadBalancer {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
  ) {}

  /** @returns why it cannot be started, or nothing */
  static fault(): string | undefined {
    return isInstalled('haproxy') ? undefined : 'haproxy is not installed (Debian package haproxy)';
  }

  static async start(
    folder: string,
    gatewayPorts: readonly number[],
    pidFile: string,
  ): Promise<LoadBalancer> {
    const port = await freePort();
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, configuration(port, gatewayPorts));
    const logFile = join(folder, 'logs', 'haproxy.log');
    const log = openSync(logFile, 'a');
    // In a session of its own, so that Ctrl-C reaches only this tool. -db: in the foreground.
    const program = findProgram('haproxy') ?? 'haproxy';
    const child = spawn(program, ['-db', '-f', file], { detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    if (child.pid !== undefined) writeFileSync(pidFile, `${child.pid}\n`);
    const balancer = new LoadBalancer(port, child);
    await until('HAProxy accepts connections', () => {
      if (child.exitCode !== null)
        throw new Error(`HAProxy does not start: ${readFileSync(logFile, 'utf8')}`);
      return acceptsConnections(port);
    });
    return balancer;
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}

const documented = new URL('../../../../ops/haproxy.cfg', import.meta.url);

/** The documented configuration, with the ports of this run and without TLS. */
export function configuration(port: number, gatewayPorts: readonly number[]): string {
  const servers = gatewayPorts.map(
    (gateway, index) => `  server gateway-${index + 1} 127.0.0.1:${gateway}\n`,
  );
  return readFileSync(fileURLToPath(documented), 'utf8')
    .replace(/^ {2}bind .*$/m, `  bind 127.0.0.1:${port}`)
    .replace(/(?:^ {2}server .*\n)+/m, servers.join(''));
}
