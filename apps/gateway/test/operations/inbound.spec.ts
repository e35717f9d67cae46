import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import {
  type InboundProviderList,
  type InboundReceipt,
  listInboundProviders,
  type ReceiveInbound,
  receiveInbound,
  unpackBody,
} from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newId, nilUuid } from '@gangan/protocol';
import { challengeOf, findForgery, inboundHeaders, type InboundSettings } from '@gangan/providers';
import { grantRoles, roleOf } from '@gangan/storage';
import { Handles, keysOf, MasterKeys, QueueClient, queueGrants } from '@gangan/queue';
import { InboundSealer } from '@gangan/sealing';
import {
  describeAgainWithRedis,
  runSql,
  startRedis,
  type TestRedis,
  uniqueBytes,
  until,
} from '@gangan/testing';
import { Controller } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { InboundProviders } from '../../src/inbound/inbound-providers.js';
import { InboundMetrics } from '../../src/inbound/inbound.metrics.js';
import { expectError } from '../support/error-shape.js';
import { GatewayFixture } from '../support/gateway-fixture.js';
import type { Answer, Call } from '../support/http.js';
import type { RunningGateway } from '../support/running-gateway.js';

const tokenOf = (name: string): string => `token-of-${name}`.padEnd(43, 'x');
const secrets = { key: 'secret of the provider' };
const settingsOf: Readonly<Record<string, InboundSettings>> = {
  plain: {},
  signed: { hmac: { header: 'X-Signature', algorithm: 'sha512', secret: '{secret.key}' } },
  twilio: { twilio: { secret: '{secret.key}' } },
  vonage: { vonage: { algorithm: 'sha256', secret: '{secret.key}' } },
  whatsapp: {
    hmac: {
      header: 'X-Hub-Signature-256',
      algorithm: 'sha256',
      prefix: 'sha256=',
      secret: '{secret.key}',
    },
    handshake: { secret: '{secret.key}' },
    maxBytes: 3 * 1_024 * 1_024,
  },
  listed: { addresses: ['192.0.2.0/24'] },
  local: { addresses: ['127.0.0.0/8'] },
  rotated: {},
};
const digest = (token: string): string => createHash('sha256').update(token).digest('base64');
let lists = 0;
const received: ReceiveInbound[] = [];
/** Resolves when the worker answers again; undefined while it answers. */
let away: Promise<void> | undefined;

/** Replaces the messaging worker, which knows the secrets. */
@Controller()
class MessagingDouble {
  @Handles(listInboundProviders)
  async list(): Promise<InboundProviderList> {
    lists += 1;
    await away;
    return {
      providers: Object.entries(settingsOf).map(([name, settings]) => ({
        name,
        tokenDigests: [digest(tokenOf(name)), ...(name === 'rotated' ? [digest(tokenOf('before'))] : [])],
        ...(settings.addresses && { addresses: settings.addresses }),
        ...(settings.maxBytes !== undefined && { maxBytes: settings.maxBytes }),
        hasHandshake: settings.handshake !== undefined,
        headers: inboundHeaders(settings),
      })),
    };
  }

  @Handles(receiveInbound)
  async receive(request: ReceiveInbound): Promise<InboundReceipt> {
    await away;
    const { content_type: contentType, ...given } = request;
    const [, name = ''] = /\/in\/([a-z]+)\//.exec(request.url) ?? [];
    const settings = settingsOf[name] ?? {};
    const challenge = challengeOf(settings, secrets, given);
    if (challenge !== undefined) return { outcome: 'answered', challenge };
    const body = await unpackBody(request);
    if (findForgery(settings, secrets, { ...given, contentType, body }) !== undefined)
      return { outcome: 'forged' };
    if (request.method === 'HEAD') return { outcome: 'answered' };
    const { url } = request;
    if (received.some((one) => one.url === url && one.body === request.body)) return { outcome: 'repeated' };
    received.push(request);
    return { outcome: 'stored' };
  }
}

/** On either queue backend. */
function describeInbound(redisUrl: () => string | undefined): void {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  beforeAll(async () => {
    fixture = await GatewayFixture.create(redisUrl());
    await fixture.answer(MessagingDouble);
    for (const name of ['plain', 'signed', 'whatsapp'])
      await fixture.database.provider.create({
        data: {
          ...{ id: newId(), name, kind: 'http', domains: ['message'], channels: ['sms'], settings: {} },
          sealedToken: Buffer.from('a sealed token'),
        },
      });
    // As the role of the gateway, which may store unverified requests and read none.
    await grantRoles(fixture.postgres.url, queueGrants);
    const url = new URL(fixture.postgres.url);
    const role = roleOf('gateway', url.pathname.slice(1));
    await runSql(fixture.postgres.url, `CREATE ROLE "${role}_in" LOGIN PASSWORD 'secret' IN ROLE "${role}"`);
    const login = Object.assign(url, { username: `${role}_in`, password: 'secret' });
    gateway = await fixture.gateway({ databaseUrl: login.href });
  });
  afterAll(() => fixture.stop());
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE inbound_request`);
    received.length = 0;
  });

  const post = (name: string, body: string, change: Partial<Call> = {}): Promise<Answer> =>
    gateway.call({
      method: 'POST',
      path: `/in/${name}/${tokenOf(name)}`,
      body,
      headers: [['content-type', 'application/json']],
      ...change,
    });
  const rows = (): Promise<{ id: string; provider: string; sealed: Buffer; bytes: number }[]> =>
    fixture.database.query(sql`
      SELECT id, provider, sealed_content AS sealed, unverified_bytes AS bytes FROM inbound_request ORDER BY id`);
  const gatewayKeys = () => keysOf(new MasterKeys([fixture.queueKey]), 'gateway', receiveInbound);
  const count = async (name: string, outcome: string): Promise<number> => {
    const { values } = await gateway.part(InboundMetrics).requests.get();
    return values.find(({ labels }) => labels.provider === name && labels.outcome === outcome)?.value ?? 0;
  };

  it('passes a request on, with the headers that verify it and no others', async () => {
    const body = '{"id":"1","to":"+2348031234567"}';
    const signature = createHmac('sha512', secrets.key).update(body).digest('hex');
    const headers = [
      ['content-type', 'application/json'],
      ['x-signature', signature],
      ['authorization', 'sk_live_1'],
    ] as const;
    const answer = await post('signed', body, { headers });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(received).toEqual([
      {
        method: 'POST',
        url: `http://localhost:3000/in/signed/${tokenOf('signed')}`,
        headers: { 'x-signature': signature },
        content_type: 'application/json',
        body,
      },
    ]);
    expect(await rows()).toEqual([]);
  });

  it('takes any content type, and the query of a GET', async () => {
    const types = [
      ...['application/x-www-form-urlencoded', 'text/plain', 'application/xml; charset=iso-8859-1'],
      ...['text/csv', 'nonsense', 'application/json; charset='],
    ];
    for (const type of types)
      expect(await post('plain', `a=${type}`, { headers: [['content-type', type]] })).toMatchObject({
        status: 200,
      });
    const path = `/in/plain/${tokenOf('plain')}?id=a%2B1&status=DELIVRD`;
    expect(await gateway.call({ path })).toMatchObject({ status: 200 });
    expect(await gateway.call({ path, method: 'HEAD' })).toMatchObject({ status: 200 });
    expect(received.map(({ content_type: type, body }) => [type, body])).toEqual([
      ...types.map((type) => [type, `a=${type}`]),
      [undefined, ''],
    ]);
    expect(received.at(-1)?.url).toBe(`http://localhost:3000${path}`);
  });

  it('passes on every byte of a body that is not UTF-8, and refuses a compressed one', async () => {
    const body = Buffer.from([0x7b, 0xff, 0x00, 0xe9, 0x7d]);
    expect((await post('plain', '', { body })).status).toBe(200);
    expect(received).toMatchObject([{ body: body.toString('latin1'), encoding: 'latin1' }]);
    const encoded = (encoding: string) =>
      post('plain', `"${encoding}"`, { headers: [['content-encoding', encoding]] });
    expectError(await encoded('gzip'), 415);
    expect((await encoded('identity')).status).toBe(200);
  });

  it('counts what the worker has stored before', async () => {
    const before = await count('plain', 'repeated');
    const answers = await Promise.all(Array.from({ length: 100 }, () => post('plain', '{"id":"same"}')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await count('plain', 'repeated')) - before).toBe(99);
  });

  it('gives the same response to every request that is not genuine, and stores nothing', async () => {
    const body = '{"id":"1"}';
    const before = [await count('', 'refused'), await count('signed', 'refused')];
    const wrong = { headers: [['x-signature', 'ab'.repeat(64)]] as const };
    const answers = [
      await post('unknown', body),
      await post('plain', body, { path: '/in/plain/wrong' }),
      await post('plain', body, { path: `/in/plain/${tokenOf('signed')}` }),
      await post('signed', body),
      await post('signed', body, wrong),
      await post('twilio', body),
      await post('vonage', body),
      await post('listed', body),
      await post('listed', body, { headers: [['x-forwarded-for', '192.0.2.1']] }),
    ];
    for (const answer of answers) expectError(answer, 404);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect([received, await rows()]).toEqual([[], []]);
    expect([await count('', 'refused'), await count('signed', 'refused')]).toEqual([
      (before[0] ?? 0) + 1,
      (before[1] ?? 0) + 2,
    ]);
  });

  it('refuses a wrong name, token or address without reading the body', async () => {
    for (const path of ['/in/unknown/x', '/in/plain/wrong', `/in/listed/${tokenOf('listed')}`]) {
      // Only the headers arrive.
      const lines = [`POST ${path} HTTP/1.1`, 'host: localhost', 'content-length: 200000'];
      const answer = await gateway.raw(`${lines.join('\r\n')}\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 404 .*\r\nconnection: close\r\n/s);
    }
  });

  it('accepts the signature of the provider, over the bytes of the body', async () => {
    const body = '{ "id" : "ü" }';
    const signature = createHmac('sha512', 'secret of the provider').update(body).digest('hex');
    expect((await post('signed', body, { headers: [['X-Signature', signature]] })).status).toBe(200);
    expect((await post('signed', `${body} `, { headers: [['X-Signature', signature]] })).status).toBe(404);
    expect((await post('local', body)).status).toBe(200);
  });

  it('verifies Twilio with the public address of the gateway', async () => {
    const path = `/in/twilio/${tokenOf('twilio')}`;
    const signed = `http://localhost:3000${path}MessageSidSM1MessageStatusdelivered`;
    const signature = createHmac('sha1', 'secret of the provider').update(signed).digest('base64');
    const headers = [
      ['content-type', 'application/x-www-form-urlencoded'],
      ['x-twilio-signature', signature],
    ] as const;
    const body = 'MessageStatus=delivered&MessageSid=SM1';
    expect((await post('twilio', body, { headers })).status).toBe(200);
    expect((await post('twilio', `${body}2`, { headers })).status).toBe(404);
  });

  it('passes on the reference in the address of a message, which the signature covers', async () => {
    const [reference, other] = [newId(), newId()];
    const path = `/in/twilio/${tokenOf('twilio')}/${reference}`;
    const signed = `http://localhost:3000${path}MessageStatusdelivered`;
    const signature = createHmac('sha1', 'secret of the provider').update(signed).digest('base64');
    const headers = [
      ['content-type', 'application/x-www-form-urlencoded'],
      ['x-twilio-signature', signature],
    ] as const;
    const body = 'MessageStatus=delivered';
    for (const wrong of [path.replace(reference, other), path.slice(0, -37), `${path}/more`])
      expectError(await post('twilio', body, { path: wrong, headers }), 404);
    expect((await post('twilio', body, { path, headers })).status).toBe(200);
    expect(received.map(({ url }) => url)).toEqual([`http://localhost:3000${path}`]);
    const plain = (id: string) => `/in/plain/${tokenOf('plain')}/${id}`;
    expect((await post('plain', body, { path: plain(other) })).status).toBe(200);
    expectError(await post('plain', body, { path: plain('1') }), 404);
  });

  it('accepts the token before a replaced one, while it is listed', async () => {
    const path = (token: string): string => `/in/rotated/${token}`;
    expect((await post('rotated', 'a=1', { path: path(tokenOf('rotated')) })).status).toBe(200);
    expect((await post('rotated', 'a=2', { path: path(tokenOf('before')) })).status).toBe(200);
    expectError(await post('rotated', 'a=3', { path: path(tokenOf('after')) }), 404);
    expectError(await post('plain', 'a=3', { path: `/in/plain/${tokenOf('before')}` }), 404);
  });

  it('logs once a minute that the address of a provider is wrong', async () => {
    for (let tries = 0; tries < 3; tries += 1) expectError(await post('listed', '{}'), 404);
    const refusals = gateway.log.lines.filter(({ provider }) => provider === 'listed');
    expect(refusals).toMatchObject([
      { level: 'warn', cause: expect.stringContaining('is not in inbound.addresses: see TRUSTED_PROXIES') },
    ]);
    expect(JSON.stringify(gateway.log.lines)).not.toContain(tokenOf('listed'));
  });

  it("verifies Twilio's hash of a JSON body in the query", async () => {
    const body = '{"MessageSid":"SM1"}';
    const hash = createHash('sha256').update(body).digest('hex');
    const path = `/in/twilio/${tokenOf('twilio')}?bodySHA256=${hash}`;
    const signature = createHmac('sha1', 'secret of the provider').update(`http://localhost:3000${path}`);
    const headers = [
      ['content-type', 'application/json'],
      ['x-twilio-signature', signature.digest('base64')],
    ] as const;
    expect((await post('twilio', body, { path, headers })).status).toBe(200);
    expect((await post('twilio', `${body} `, { path, headers })).status).toBe(404);
  });

  it("verifies Vonage's sig in JSON, a form and a query", async () => {
    const seconds = Math.floor(Date.now() / 1_000);
    const signed = `&messageId=0A1&status=delivered&timestamp=${seconds}`;
    const sig = createHmac('sha256', 'secret of the provider').update(signed).digest('hex');
    const fields = { messageId: '0A1', status: 'delivered', timestamp: String(seconds), sig };
    const form = new URLSearchParams(fields).toString();
    const headers = [['content-type', 'application/x-www-form-urlencoded']] as const;
    const path = `/in/vonage/${tokenOf('vonage')}?${form}`;
    const forged = (text: string): string => text.replace('delivered', 'failed');
    const statuses = [
      ...[await post('vonage', JSON.stringify(fields)), await post('vonage', forged(JSON.stringify(fields)))],
      ...[await post('vonage', form, { headers }), await post('vonage', forged(form), { headers })],
      ...[await gateway.call({ path }), await gateway.call({ path: forged(path) })],
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 404, 200, 404, 200, 404]);
  });

  it('repeats the challenge of a subscription with the right token, and stores nothing', async () => {
    const path = (token: string, mode = 'subscribe', challenge = '1158201444'): string => {
      const query = { 'hub.mode': mode, 'hub.challenge': challenge, 'hub.verify_token': token };
      return `/in/whatsapp/${tokenOf('whatsapp')}?${new URLSearchParams(query).toString()}`;
    };
    const right = 'secret of the provider';
    const answer = await gateway.call({ path: path(right) });
    expect([answer.status, answer.text]).toEqual([200, '1158201444']);
    expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    const refused = [path('wrong'), path(right, 'unsubscribe'), path(right, 'subscribe', '<script>')];
    for (const one of refused) expectError(await gateway.call({ path: one }), 404);
    expectError(await post('whatsapp', '{}', { path: path(right) }), 404);
    expectError(await gateway.call({ path: path(right).replace('/in/whatsapp/', '/in/plain/') }), 404);
    expect([received, await rows()]).toEqual([[], []]);
    expect(JSON.stringify(gateway.log.lines)).not.toContain('secret+of+the+provider');
  });

  it('takes a signed body of 3 MiB of a provider that may send it', async () => {
    const send = (bytes: number): Promise<Answer> => {
      const body = JSON.stringify({ entry: [] }).padEnd(bytes, ' ');
      const signature = createHmac('sha256', 'secret of the provider').update(body).digest('hex');
      return post('whatsapp', body, { headers: [['x-hub-signature-256', `sha256=${signature}`]] });
    };
    expect((await send(3 * 1_024 * 1_024)).status).toBe(200);
    expect(received).toHaveLength(1);
    expectError(await send(3 * 1_024 * 1_024 + 1), 413);
  });

  it('refuses a body that is too large', async () => {
    expectError(await post('plain', 'x'.repeat(256 * 1_024 + 1)), 413);
    // Reports are texts: what gzip cannot reduce to 1 MiB is none.
    expectError(await post('whatsapp', uniqueBytes(1_200 * 1_024).toString('base64')), 413);
    expect((await post('plain', 'x'.repeat(256 * 1_024))).status).toBe(200);
  });

  it('does not read the providers for each request', async () => {
    const before = lists;
    await Promise.all(Array.from({ length: 200 }, (_, index) => post(`unknown-${index}`, '{}')));
    expect(lists - before).toBeLessThan(20);
  });

  it('limits the rate of a provider, and not of others', async () => {
    const limited = await fixture.gateway({ limits: { INBOUND_RATE_PER_SECOND: 1 } });
    const send = (name: string, id: number) =>
      limited.call({ method: 'POST', path: `/in/${name}/${tokenOf(name)}`, body: `{"id":${id}}` });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, id) => send('local', id)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers['retry-after']).toBeDefined();
    expect((await send('plain', 1)).status).toBe(200);
  });

  const head = (name: string, ...headers: string[]): string =>
    [`POST /in/${name}/${tokenOf(name)} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n');

  it('counts a body once per 64 KiB, before it arrives', async () => {
    const limited = await fixture.gateway({ limits: { INBOUND_RATE_PER_SECOND: 1 } });
    const send = (name: string, bytes: number) =>
      limited.call({ method: 'POST', path: `/in/${name}/${tokenOf(name)}`, body: 'x'.repeat(bytes) });
    // Takes the whole bucket of two tokens.
    expect((await send('vonage', 256 * 1_024)).status).toBe(404);
    const refused = /^HTTP\/1\.1 429 .*\r\nconnection: close\r\n/s;
    expect(await limited.raw(head('vonage', 'content-length: 200000'))).toMatch(refused);
    expect((await send('twilio', 256 * 1_024)).status).toBe(404);
    expect(await limited.raw(head('twilio', 'transfer-encoding: chunked'))).toMatch(refused);
  });

  it('limits the requests of a provider in progress, and not of others', async () => {
    const busy = await fixture.gateway();
    const sockets = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const socket = connect(busy.port, '127.0.0.1');
        await once(socket, 'connect');
        socket.write(head('signed', 'content-length: 10'));
        return socket;
      }),
    );
    const isRefused = async () =>
      (await busy.call({ path: `/in/signed/${tokenOf('signed')}` })).status === 429;
    try {
      await until('all slots are taken', isRefused);
      expect(await busy.raw(head('signed', 'content-length: 10'))).toMatch(
        /^HTTP\/1\.1 429 .*\r\nconnection: close\r\n/s,
      );
      expect((await busy.call({ path: `/in/plain/${tokenOf('plain')}?id=busy` })).status).toBe(200);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    await until('the slots are free', async () => !(await isRefused()));
  });

  it('is rejected while bodies in progress take too much memory; one provider leaves room for others', async () => {
    const small = await fixture.gateway({ limits: { MAX_BYTES_IN_PROGRESS: 24 * 1_024 * 1_024 } });
    const large = head('whatsapp', `content-length: ${3 * 1_024 * 1_024}`);
    const socket = connect(small.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(large);
    try {
      await until('the bytes are reserved', async () => (await small.raw(large)).startsWith('HTTP/1.1 503'));
      const other = await small.call({
        method: 'POST',
        path: `/in/plain/${tokenOf('plain')}`,
        body: 'x'.repeat(250_000),
      });
      expect(other.status).toBe(200);
    } finally {
      socket.destroy();
    }
    const body = `{"a":"${'x'.repeat(2_000_000)}"}`;
    const report = { method: 'POST', path: `/in/whatsapp/${tokenOf('whatsapp')}`, body };
    await until('the bytes are free', async () => (await small.call(report)).status !== 503);
  });

  it('has room for its body while slow bodies of customers take all of theirs', async () => {
    const small = await fixture.gateway({ limits: { MAX_BYTES_IN_PROGRESS: 24 * 1_024 * 1_024 } });
    const keys = await Promise.all([1, 2, 3, 4].map(() => fixture.issueKey({ scopes: ['sms:write'] })));
    const slowBody = (key: string): string =>
      ['POST /sms/send HTTP/1.1', 'host: x', `authorization: ${key}`, 'content-length: 1048576', '', ''].join(
        '\r\n',
      );
    const sockets = keys.flatMap(({ key }) =>
      Array.from({ length: 12 }, () =>
        connect(small.port, '127.0.0.1')
          .resume()
          .on('error', () => undefined),
      ).map((socket) => {
        socket.write(slowBody(key));
        return socket;
      }),
    );
    const refused = async (key: string) => (await small.raw(slowBody(key))).startsWith('HTTP/1.1 503');
    try {
      await until('customers get no more', async () =>
        (await Promise.all(keys.map(({ key }) => refused(key)))).every(Boolean),
      );
      const report = await small.call({
        method: 'POST',
        path: `/in/whatsapp/${tokenOf('whatsapp')}`,
        body: 'x'.repeat(2_500_000),
      });
      // It is not signed.
      expect(report.status).toBe(404);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it('is not rejected before other requests under load, nor are people who open a link', async () => {
    const loaded = await fixture.gateway({ limits: { MAX_REQUESTS_IN_PROGRESS: 2 } });
    const report = (token: string) => loaded.call({ path: `/in/plain/${token}?id=loaded` });
    expect((await report(tokenOf('plain'))).status).toBe(200);
    const socket = connect(loaded.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(head('plain', 'content-length: 10'));
    const statuses = async () => [
      (await report('wrong')).status,
      (await loaded.call({ path: '/in/unknown//' })).status,
      (await loaded.call({ path: '/' })).status,
      (await loaded.call({ path: '/nowhere' })).status,
    ];
    try {
      await until('half of the slots are taken', async () =>
        (await statuses()).every((each) => each === 503),
      );
      expect((await report(tokenOf('plain'))).status).toBe(200);
      expect((await loaded.call({ path: '/l/unknown' })).status).toBe(404);
    } finally {
      socket.destroy();
    }
  });

  describe('while no worker answers', () => {
    let comeBack: () => void;
    beforeEach(() => {
      away = new Promise((resolve) => {
        comeBack = resolve;
      });
    });
    afterEach(async () => {
      comeBack();
      away = undefined;
      const isBack = async () => {
        await post('plain', `"${newId()}"`);
        return received.length > 0;
      };
      await until('the worker answers again', isBack);
    });

    it('stores a request as unverified within 2 s, and then at once', async () => {
      const before = await count('signed', 'unverified');
      const started = performance.now();
      const headers = [
        ['content-type', 'application/json'],
        ['x-signature', 'ab'],
      ] as const;
      const answer = await post('signed', '{"to":"+2348031234567"}', { headers });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(performance.now() - started).toBeGreaterThan(1_500);
      const [row] = await rows();
      expect(row).toMatchObject({ provider: 'signed', bytes: expect.any(Number) });
      expect(row?.sealed.toString('latin1')).not.toContain('8031234567');
      const opened = new InboundSealer(gatewayKeys()).open(
        row?.sealed ?? Buffer.alloc(0),
        row?.id ?? nilUuid,
      );
      expect(JSON.parse(opened)).toEqual({
        method: 'POST',
        url: `http://localhost:3000/in/signed/${tokenOf('signed')}`,
        headers: { 'x-signature': 'ab' },
        content_type: 'application/json',
        body: '{"to":"+2348031234567"}',
      });
      const other = { path: `/in/signed/${tokenOf('wrong')}` };
      expectError(await post('signed', '{}', other), 404);
      await until('the list could not be read', () => !gateway.part(InboundProviders).answers);
      const send = jest.spyOn(gateway.part(QueueClient), 'send');
      expect((await post('signed', '{}')).status).toBe(200);
      expect(send.mock.calls).not.toContainEqual([receiveInbound, expect.anything()]);
      send.mockRestore();
      expect(await rows()).toHaveLength(2);
      expect((await count('signed', 'unverified')) - before).toBe(2);
    });

    it('answers 503 where the provider needs an answer', async () => {
      const query = 'hub.mode=subscribe&hub.challenge=1&hub.verify_token=x';
      const path = `/in/whatsapp/${tokenOf('whatsapp')}?${query}`;
      expectError(await gateway.call({ path }), 503);
      const head = await gateway.call({ method: 'HEAD', path: `/in/plain/${tokenOf('plain')}` });
      expect(head.status).toBe(503);
      expect(await rows()).toEqual([]);
    });

    it('stores at most 16 MiB per provider, and answers 503 beyond', async () => {
      // Compressed and stored as text, it is hardly larger than 1 MiB.
      const send = (): Promise<Answer> =>
        post('whatsapp', `"${uniqueBytes(768 * 1_024).toString('base64')}"`);
      const answers = await Promise.all(Array.from({ length: 18 }, send));
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(15);
      expect(statuses.filter((status) => status === 503)).toHaveLength(3);
      expect(answers.find(({ status }) => status === 503)?.headers['retry-after']).toBeDefined();
      expect((await post('plain', '{}')).status).toBe(200);
      const stored = await rows();
      const ofOne = stored.filter(({ provider }) => provider === 'whatsapp');
      expect(ofOne.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(16 * 1_024 * 1_024);
      // Many small ones reach the limit too.
      expect(stored.find(({ provider }) => provider === 'plain')?.bytes).toBe(1_024);
    });
  });

  it('does not log the token', async () => {
    await post('plain', '{"id":"logged"}');
    await gateway.call({ method: 'PUT', path: `/in/plain/${tokenOf('plain')}` });
    await gateway.call({ path: `/in/plain/${tokenOf('plain')}/more` });
    expect(JSON.stringify(gateway.log.lines)).not.toContain(tokenOf('plain'));
  });
}

describe('/in/{provider}/{token}, with the queues in Postgres', () => {
  describeInbound(() => undefined);
});

describeAgainWithRedis('/in/{provider}/{token}, with the queues in Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  describeInbound(() => redis.url);
  afterAll(() => redis.stop());
});

describe('/in without a messaging worker', () => {
  let fixture: GatewayFixture;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
  });
  afterAll(() => fixture.stop());

  it('answers 503, so that the provider sends the request again', async () => {
    const gateway = await fixture.gateway();
    expectError(await gateway.call({ path: `/in/plain/${tokenOf('plain')}` }), 503);
  });
});
