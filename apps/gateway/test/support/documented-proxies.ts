import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acceptsConnections, freePort, haproxyConfiguration, makeCertificate, until } from '@gangan/testing';

const read = (file: string): string =>
  readFileSync(new URL(`../../../../ops/${file}`, import.meta.url), 'utf8');

export const serverName = 'sms.example.com';
export const certificate = makeCertificate({ name: serverName });

/** A proxy with its configuration of `ops`, except for ports, folders and, with HAProxy, TLS. */
export class DocumentedProxy {
  private constructor(
    /** For plain HTTP. nginx redirects it to `https`. */
    readonly http: number,
    readonly https: number,
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {}

  static async nginx(gatewayPort: number): Promise<DocumentedProxy> {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-nginx-'));
    const [http, https] = [await freePort(), await freePort()];
    await mkdir(join(folder, 'logs'));
    await writeFile(join(folder, 'tls.crt'), certificate.cert);
    await writeFile(join(folder, 'tls.key'), certificate.key);
    const server = read('nginx/gangan.conf.template')
      .replaceAll('${SERVER_NAME}', serverName)
      .replaceAll('gateway:3000', `127.0.0.1:${gatewayPort}`)
      .replaceAll('/etc/nginx/tls', folder)
      .replaceAll('/var/log/nginx', join(folder, 'logs'))
      .replace('listen 80;', `listen 127.0.0.1:${http};`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${https} ssl;`);
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    );
    // The logs of the Debian package and of the image.
    const logs = `error_log ${folder}/logs/error.log notice;`;
    await writeFile(
      join(folder, 'nginx.conf'),
      `daemon off; master_process off; pid ${folder}/pid; ${logs}
       events {} http { access_log ${folder}/logs/access.log; ${folders.join(' ')} ${server} }`,
    );
    return DocumentedProxy.start(folder, 'nginx', ['-c', join(folder, 'nginx.conf')], http, https);
  }

  static async haproxy(gatewayPort: number): Promise<DocumentedProxy> {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-haproxy-'));
    const http = await freePort();
    await mkdir(join(folder, 'logs'));
    await writeFile(join(folder, 'haproxy.cfg'), haproxyConfiguration(http, [gatewayPort]));
    return DocumentedProxy.start(folder, 'haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], http, http);
  }

  private static async start(
    folder: string,
    program: string,
    args: readonly string[],
    http: number,
    https: number,
  ): Promise<DocumentedProxy> {
    const output = openSync(join(folder, 'logs', 'output.log'), 'a');
    const child = spawn(program, [...args], { stdio: ['ignore', output, output] });
    closeSync(output);
    const proxy = new DocumentedProxy(http, https, folder, child);
    await until(`${program} listens`, async () => {
      if (child.exitCode !== null) throw new Error(`${program} does not start: ${proxy.logs()}`);
      return acceptsConnections(https);
    });
    return proxy;
  }

  /** Everything that it has logged and printed. */
  logs(): string {
    return ['access', 'error', 'output']
      .map((name) => {
        try {
          return readFileSync(join(this.folder, 'logs', `${name}.log`), 'utf8');
        } catch {
          return '';
        }
      })
      .join('');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}
