import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { acceptsConnections, freePort, makeCertificate, until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GatewayFixture } from '../support/gateway-fixture.js';
import { call } from '../support/http.js';
import { describeBehind } from '../support/proxy.js';
import type { RunningGateway } from '../support/running-gateway.js';

const template = readFileSync(
  new URL('../../../../docs/nginx/gangan.conf.template', import.meta.url),
  'utf8',
);
const found = { msisdn: '2348031234567', operator: 'MTN', country: 'NG', ported: false, dnd: false };

const name = 'sms.example.com';
const certificate = makeCertificate({ name });

/** nginx with the template of docs/nginx, except for its ports and the folder of the certificate. */
class TlsProxy {
  private constructor(
    readonly http: number,
    readonly https: number,
    private readonly folder: string,
    private readonly nginx: ChildProcess,
  ) {}

  static async start(gatewayPort: number): Promise<TlsProxy> {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-tls-'));
    const [http, https] = [await freePort(), await freePort()];
    await writeFile(join(folder, 'tls.crt'), certificate.cert);
    await writeFile(join(folder, 'tls.key'), certificate.key);
    const server = template
      .replaceAll('${SERVER_NAME}', name)
      .replaceAll('gateway:3000', `127.0.0.1:${gatewayPort}`)
      .replaceAll('/etc/nginx/tls', folder)
      .replace('listen 80;', `listen 127.0.0.1:${http};`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${https} ssl;`);
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    );
    await writeFile(
      join(folder, 'nginx.conf'),
      `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
       events {} http { access_log off; ${folders.join(' ')} ${server} }`,
    );
    const nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await until('nginx listens', () => nginx.exitCode !== null || acceptsConnections(https));
    return new TlsProxy(http, https, folder, nginx);
  }

  async stop(): Promise<void> {
    const ended = once(this.nginx, 'exit');
    this.nginx.kill('SIGKILL');
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}

describeBehind('nginx', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let proxy: TlsProxy;
  let key: string;

  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway({ trustedProxies: '127.0.0.1' });
    ({ key } = await fixture.issueKey({ scopes: ['lookup:read', 'otp:write', 'sms:write', 'billing:read'] }));
    await fixture.answerLookups(() => found);
    proxy = await TlsProxy.start(gateway.port);
  });

  afterAll(async () => {
    await proxy.stop();
    await fixture.stop();
  });

  async function ask(options: RequestOptions, body?: string, port = proxy.https) {
    const sent = request({
      ...{ host: '127.0.0.1', port, servername: name, ca: certificate.cert, agent: false },
      ...options,
      headers: {
        ...{ host: name, authorization: key, ...(options.headers as Record<string, string> | undefined) },
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  it('serves the API over TLS, with the body of a GET', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await ask({ path: '/lookup/phone', headers }, '{"phone":"08031234567"}');
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, found]);
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
  });

  it('sends clients from HTTP to HTTPS', async () => {
    const { status, headers } = await call(proxy.http, { path: '/docs' });
    expect([status, headers.location]).toEqual([301, 'https://localhost/docs']);
  });

  it('forwards the address of the client, and drops the one that the client claims', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7', authorization: 'sk_test_unknown' };
    const { status, headers: received } = await ask({ path: '/balance', headers });
    expect(status).toBe(401);
    const lines = () => gateway.log.requests(received['x-request-id']);
    await until('the request is logged', () => lines().length > 0);
    expect(lines()[0]).toMatchObject({ address: '127.0.0.1' });
  });

  it('reports a body that is too large in the format of the API', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const [path, size] of [
      ['/otp/verify', 2 ** 19],
      ['/sms/send', 2 ** 21],
      ['/sms/send', 2 ** 23],
    ] as const) {
      const body = JSON.stringify({ content: 'x'.repeat(size) });
      const answer = await ask({ method: 'POST', path, headers }, body);
      expect([path, answer.status]).toEqual([path, 413]);
      expect(JSON.parse(answer.body)).toMatchObject({ status: 413, errors: expect.any(Array) });
    }
  });

  it('reports a gateway that does not listen in the format of the API', async () => {
    const other = await TlsProxy.start(await freePort());
    const { status, headers, body } = await ask({ path: '/balance' }, undefined, other.https);
    await other.stop();
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('1');
    expect(JSON.parse(body)).toMatchObject({ status: 503, errors: [] });
  });
});
