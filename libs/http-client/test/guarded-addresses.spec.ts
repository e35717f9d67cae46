import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { callbackUrlError } from '@gangan/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CallbackConsumer, repetitions } from '@gangan/testing';
import { GuardedClient } from '../src/guarded-client.js';
import type { ResolveName } from '../src/resolve-name.js';
import { FakeInternet } from './support/fake-internet.js';
import { hostileNames, hostileUrls } from './support/hostile-urls.js';

const post = (client: GuardedClient, url: string) => client.send({ url, headers: {}, body: '{}' });

/** An internal service that must never be reached. */
let vault: Server;
let vaultPort: number;
let intrusions = 0;
let internet: FakeInternet;
const open: (() => Promise<void>)[] = [];

async function meet(answer: RequestListener, resolve: ResolveName) {
  const consumer = await CallbackConsumer.start(answer);
  const client = new GuardedClient({ allowPrivate: false, resolve, timeoutMs: 5_000 });
  open.push(
    () => client.close(),
    () => consumer.stop(),
  );
  return { consumer, call: () => post(client, `http://hooks.example:${consumer.port}/`) };
}

beforeAll(async () => {
  vault = createServer((socket) => {
    intrusions++;
    socket.destroy();
  });
  vault.listen(0);
  await once(vault, 'listening');
  vaultPort = (vault.address() as AddressInfo).port;
});

afterAll(async () => {
  vault.close();
  await once(vault, 'close');
});

beforeEach(() => {
  intrusions = 0;
  internet = new FakeInternet();
  internet.open();
});

afterEach(async () => {
  internet.close();
  for (const close of open.splice(0)) await close();
  expect(intrusions).toBe(0);
});

describe('the guarded client', () => {
  const guarded = new GuardedClient({
    allowPrivate: false,
    resolve: (name) => Promise.resolve(hostileNames[name] ?? []),
    timeoutMs: 5_000,
  });

  afterAll(() => guarded.close());

  it('is tested with more than 120 hostile URLs', () => {
    expect(new Set(hostileUrls).size + Object.keys(hostileNames).length).toBeGreaterThan(120);
  });

  it.each(hostileUrls)('opens no socket for %j', async (template) => {
    const url = template.replace('{port}', String(vaultPort));
    const outcome = await post(guarded, url);
    expect(outcome).toMatchObject({ outcome: 'failed' });
    expect(outcome).toMatchObject({ reason: expect.stringMatching(/^(refused_address|invalid_url|dns)$/) });
    expect(internet.dialled).toEqual([]);
  });

  it.each(hostileUrls)('rejects %j as the URL of a request', (template) => {
    expect(callbackUrlError(template.replace('{port}', '8080'))).toBeDefined();
  });

  it.each(Object.keys(hostileNames).flatMap((name) => [`http://${name}`, `https://${name}`]))(
    'opens no socket for %s, because not all its addresses are public',
    async (origin) => {
      expect(await post(guarded, `${origin}:${vaultPort}/`)).toMatchObject({ reason: 'refused_address' });
      expect(internet.dialled).toEqual([]);
    },
  );

  it.each(['http://user@hooks.example', 'https://missing.example', 'http://127.0.0.1.nip.example.'])(
    'reports that %s has no address',
    async (url) => {
      expect(await post(guarded, url)).toMatchObject({ reason: 'dns' });
    },
  );
});

describe('a name that is rebound', () => {
  it('never leads to a private connection', async () => {
    const answers = [['93.184.215.14'], ['127.0.0.1'], ['1.1.1.1', '10.0.0.1'], ['2606:4700::1111'], ['::1']];
    let asked = 0;
    let served = 0;
    const { call } = await meet(
      (_request, response) => {
        // Every other response closes its connection, so that kept and new connections are used.
        if (served++ % 2 === 0) response.setHeader('connection', 'close');
        response.end('ok');
      },
      () => Promise.resolve(answers[asked++ % answers.length] ?? []),
    );
    const outcomes = [];
    for (let turn = 0; turn < repetitions(30, 100); turn++) outcomes.push(await call());
    expect(outcomes.filter(({ outcome }) => outcome === 'answered')).toHaveLength(served);
    expect(outcomes).toContainEqual(expect.objectContaining({ outcome: 'answered', status: 200 }));
    expect(outcomes).toContainEqual(expect.objectContaining({ reason: 'refused_address' }));
    expect(new Set(internet.dialled)).toEqual(new Set(['93.184.215.14', '2606:4700::1111']));
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %d is returned and not followed', async (status) => {
    const { call } = await meet(
      (_request, response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${vaultPort}/` }).end(),
      () => Promise.resolve(['93.184.215.14']),
    );
    expect(await call()).toMatchObject({ status });
    expect(internet.dialled).toEqual(['93.184.215.14']);
  });
});

describe('a proxy of the environment', () => {
  const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];

  afterEach(() => {
    for (const name of variables) Reflect.deleteProperty(process.env, name);
  });

  it('is not used', async () => {
    for (const name of variables) process.env[name] = `http://127.0.0.1:${vaultPort}`;
    const { call } = await meet(
      (_request, response) => response.end(),
      () => Promise.resolve(['1.1.1.1']),
    );
    expect(await call()).toMatchObject({ status: 200 });
    expect(internet.dialled).toEqual(['1.1.1.1']);
  });
});
