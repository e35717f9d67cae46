import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acceptsConnections, freePort, until } from '@gangan/testing';
import { describe } from '@jest/globals';

export type ProxyName = 'nginx' | 'haproxy';

interface Recipe {
  readonly configuration: (port: number, gatewayPort: number, folder: string) => string;
  readonly arguments: (configuration: string) => readonly string[];
  readonly version: readonly string[];
}

/** With the defaults of the Debian packages, room for webhooks, and the header that docs/operate/operations.md asks for. */
const recipes: Readonly<Record<ProxyName, Recipe>> = {
  nginx: {
    configuration: (port, gatewayPort, folder) => `
      daemon off; master_process off; pid ${folder}/pid; error_log stderr;
      events {}
      http {
        access_log off; client_max_body_size 3m;
        client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
        uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
        server { listen 127.0.0.1:${port}; location / {
          proxy_pass http://127.0.0.1:${gatewayPort};
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        } }
      }`,
    arguments: (configuration) => ['-c', configuration],
    version: ['-v'],
  },
  haproxy: {
    configuration: (port, gatewayPort) => `
defaults
  mode http
  timeout connect 5000
  timeout client 50000
  timeout server 50000
frontend in
  bind 127.0.0.1:${port}
  option forwardfor
  default_backend gateway
backend gateway
  server gateway 127.0.0.1:${gatewayPort}
`,
    arguments: (configuration) => ['-db', '-f', configuration],
    version: ['-v'],
  },
};

const isInstalled = (name: ProxyName): boolean =>
  spawnSync(name, [...recipes[name].version], { stdio: 'ignore' }).status === 0;

/** Skips the tests, with a visible note, if the proxy is not installed. */
export function describeBehind(name: ProxyName, tests: () => void): void {
  if (isInstalled(name)) {
    describe(`behind ${name}`, tests);
    return;
  }
  process.stderr.write(`\n  !!  SKIPPED: "behind ${name}" needs ${name}, which is not on the PATH  !!\n\n`);
  describe.skip(`behind ${name}`, tests);
}

/** A proxy in front of a gateway. */
export class Proxy {
  private constructor(
    readonly port: number,
    private readonly process: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(name: ProxyName, gatewayPort: number): Promise<Proxy> {
    const folder = await mkdtemp(join(tmpdir(), `gangan-${name}-`));
    const port = await freePort();
    const path = join(folder, 'configuration');
    await writeFile(path, recipes[name].configuration(port, gatewayPort, folder));
    const child = spawn(name, [...recipes[name].arguments(path)], { stdio: ['ignore', 'ignore', 'inherit'] });
    await until('the proxy accepts connections', () => child.exitCode !== null || acceptsConnections(port));
    return new Proxy(port, child, folder);
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null) {
      const ended = once(this.process, 'exit');
      this.process.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}
