import { createHash, createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InboundReceipt, ReceiveInbound } from '@gangan/contracts';
import { type Prisma, sql, sqlState } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { firstIdAt, newId } from '@gangan/protocol';
import {
  type InboundTokens,
  messagePresets,
  newInboundToken,
  sealSecrets,
  sealTokens,
} from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { InboundSealer, newSealingKey } from '@gangan/sealing';
import { valueFor } from '@gangan/testing';
import type { Type } from '@nestjs/common';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { InboundProviders } from '../../src/inbound/inbound-providers.js';
import { InboundReceiver } from '../../src/inbound/inbound-receiver.js';
import { InboundRunner } from '../../src/inbound/inbound.runner.js';
import { gatewaySealer, requestContents, sealer, silent } from '../support/messaging-module.js';
import { ScriptedFixture } from '../support/scripted-fixture.js';

const signingKey = 'the signing key';
const name = 'termii';
const secretSettings = { hmac: { header: 'X-Signature', algorithm: 'sha512', secret: '{secret.signing}' } };

describe('what providers send', () => {
  const scripted = ScriptedFixture.use(name);
  const { fixture } = scripted;
  const owner = { id: newId(), organisationId: null, domains: ['message'] } as const;
  const token = newInboundToken();
  const tokensOf = (current: string, former?: InboundTokens['former']) =>
    Uint8Array.from(sealTokens(sealer, owner, { token: current, ...(former && { former }) }));
  const settings = (inbound: object) =>
    ({ ...messagePresets['termii']?.settings, inbound }) as unknown as Prisma.InputJsonObject;
  beforeAll(async () => {
    await fixture.database.provider.create({
      data: {
        ...{ id: owner.id, name, kind: 'http', domains: ['message'], channels: ['sms'] },
        settings: settings(secretSettings),
        sealedSecrets: Uint8Array.from(
          sealSecrets(sealer, owner, { api_key: 'the api key', signing: signingKey }) ?? [],
        ),
        sealedToken: tokensOf(token),
      },
    });
  });
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE inbound_request`);
    await change({ kind: 'http', settings: settings(secretSettings), sealedToken: tokensOf(token) });
  });

  const change = (data: Prisma.ProviderUpdateInput) =>
    fixture.database.provider.update({ where: { id: owner.id }, data });
  const part = <T>(type: Type<T>): T => scripted.worker.get(type);
  const receive = (request: ReceiveInbound): Promise<InboundReceipt> =>
    part(InboundReceiver).receive(request);
  const readAll = async (): Promise<void> => {
    await fixture.database.execute(
      sql`UPDATE inbound_request SET next_attempt_at = ${dueNow} WHERE state = 'received'`,
    );
    await part(InboundRunner).look();
    await part(InboundRunner).idle();
  };
  const urlWith = (given: string, provider = name): string => `https://sms.example/in/${provider}/${given}`;
  const signed = (body: string, url = urlWith(token)): Pick<ReceiveInbound, keyof ReceiveInbound> => ({
    ...{ method: 'POST', url, content_type: 'application/json', body },
    headers: { 'x-signature': createHmac('sha512', signingKey).update(body).digest('hex') },
  });
  const forgedOf = (request: Pick<ReceiveInbound, keyof ReceiveInbound>): ReceiveInbound => ({
    ...request,
    headers: { 'x-signature': 'ab'.repeat(64) },
  });
  const report = (reference: string): string =>
    JSON.stringify({
      ...{ type: 'outbound', message_id: reference, receiver: '2348031234567' },
      status: 'DELIVERED | Message delivered to handset',
    });
  const send = async (): Promise<{ delivery: string; body: string }> => {
    const [delivery = ''] = await scripted.send();
    return { delivery, body: report(`of-${delivery}`) };
  };
  const rows = () =>
    fixture.database.query<{ id: string; state: string; fault: string | null; bytes: number | null }>(sql`
      SELECT id, state, fault, unverified_bytes AS bytes FROM inbound_request ORDER BY id`);
  const verified = { state: 'handled', fault: null, bytes: null };
  /** As the gateway does while no worker answers. The worker of the test reads it only in `readAll`. */
  const storeUnverified = async (
    request: object,
    sealedBy = gatewaySealer,
    provider = name,
  ): Promise<string> => {
    const id = newId();
    const sealed = sealedBy.seal(JSON.stringify(request), id);
    await fixture.database.transaction(async (client) => {
      const [{ stored } = { stored: false }] = await client.query<{ stored: boolean }>(
        sql`SELECT store_unverified(${id}::uuid, ${provider}, 'POST', ${sealed}) AS stored`,
      );
      expect(stored).toBe(true);
      await client.execute(
        sql`UPDATE inbound_request SET next_attempt_at = 'infinity' WHERE id = ${id}::uuid`,
      );
    });
    return id;
  };

  it('is described to gateways without a secret and without a token', async () => {
    const listed = await part(InboundProviders).list();
    expect(listed).toEqual({
      providers: [
        {
          name,
          tokenDigests: [createHash('sha256').update(token).digest('base64')],
          hasHandshake: false,
          headers: ['x-signature'],
        },
      ],
    });
    const text = JSON.stringify(listed);
    for (const secret of [token, signingKey, 'the api key', 'secret']) expect(text).not.toContain(secret);
    const former = newInboundToken();
    await change({ sealedToken: tokensOf(token, { token: former, until: new Date(Date.now() + 60_000) }) });
    const digests = (await part(InboundProviders).list()).providers[0]?.tokenDigests;
    expect(digests?.[1]).toBe(createHash('sha256').update(former).digest('base64'));
    await change({ kind: 'unknown' });
    expect((await part(InboundProviders).list()).providers).toEqual([]);
  });

  it('is stored sealed with DATA_KEYS before the answer, and applied', async () => {
    const { delivery, body } = await send();
    expect(await receive(signed(body))).toEqual({ outcome: 'stored' });
    const [{ sealed, id } = { sealed: Buffer.alloc(0), id: '' }] = await fixture.database.query<{
      sealed: Buffer;
      id: string;
    }>(sql`SELECT id, sealed_content AS sealed FROM inbound_request`);
    expect(requestContents.open(sealed, id)).toEqual({ query: '', body });
    await readAll();
    expect(await rows()).toMatchObject([verified]);
    expect(await fixture.states([delivery])).toEqual(['delivered']);
  });

  it('is stored once, even if copies arrive at the same time', async () => {
    const { body } = await send();
    const receipts = await Promise.all(Array.from({ length: 50 }, () => receive(signed(body))));
    expect(receipts.filter(({ outcome }) => outcome === 'stored')).toHaveLength(1);
    expect(receipts.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(49);
    const reference = newId();
    expect(await receive(signed(body, `${urlWith(token)}/${reference}`))).toEqual({ outcome: 'stored' });
    expect(await rows()).toHaveLength(2);
  });

  it('is forged with a wrong signature, token, name or reference, and not stored', async () => {
    const { body } = await send();
    for (const request of [
      forgedOf(signed(body)),
      { ...signed(body), headers: {} },
      { ...signed(body), body: `${body} ` },
      signed(body, urlWith(newInboundToken())),
      signed(body, urlWith(token, 'other')),
      signed(body, `${urlWith(token)}/1`),
      signed(body, `${urlWith(token)}/${newId()}/more`),
      signed(body, 'https://sms.example/'),
    ])
      expect(await receive(request)).toEqual({ outcome: 'forged' });
    expect(await rows()).toEqual([]);
  });

  it('is logged once a minute if it is forged, without its token', async () => {
    const lines: unknown[] = [];
    const warn = (...line: unknown[]) => void lines.push(line);
    const worker = await fixture.worker({ values: [valueFor(AppLogger, { ...silent, warn })] });
    const receiver = worker.get(InboundReceiver);
    await receiver.receive(signed('{}', urlWith('wrong')));
    for (let tries = 0; tries < 3; tries += 1) await receiver.receive(forgedOf(signed('{}')));
    expect(lines).toEqual([
      [
        { provider: name, requests: 1, cause: expect.stringMatching(/X-Signature does not match the body/) },
        'a request of a provider was refused',
      ],
    ]);
    expect(JSON.stringify(lines)).not.toContain(token);
  });

  it('is compared with a changed token within 200 ms, and with the former token for its time', async () => {
    expect(await receive(signed('{"a":1}'))).toEqual({ outcome: 'stored' });
    const next = newInboundToken();
    const until = new Date(Date.now() + 60_000);
    await change({ sealedToken: tokensOf(next, { token, until }) });
    await sleep(250);
    expect(await receive(signed('{"a":2}', urlWith(next)))).toEqual({ outcome: 'stored' });
    expect(await receive(signed('{"a":3}'))).toEqual({ outcome: 'stored' });
    await change({ sealedToken: tokensOf(next, { token, until: new Date(Date.now() - 1) }) });
    await part(InboundProviders).list();
    expect(await receive(signed('{"a":4}'))).toEqual({ outcome: 'forged' });
  });

  it('is answered without being stored if it is a challenge or a HEAD', async () => {
    await change({ settings: settings({ handshake: { secret: '{secret.signing}' } }) });
    const query = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.challenge': '1158201444',
      'hub.verify_token': signingKey,
    });
    const get = { method: 'GET', headers: {}, body: '', url: `${urlWith(token)}?${query.toString()}` };
    await part(InboundProviders).list();
    expect(await receive(get)).toEqual({ outcome: 'answered', challenge: '1158201444' });
    expect(await receive({ ...get, method: 'HEAD', url: urlWith(token) })).toEqual({ outcome: 'answered' });
    expect(await rows()).toEqual([]);
  });

  it('cannot be verified by a worker that does not know the kind of the provider', async () => {
    await change({ kind: 'unknown' });
    await part(InboundProviders).list();
    await expect(receive(signed('{}'))).rejects.toMatchObject({ status: 503 });
  });

  describe('while no worker answers', () => {
    it('is verified and applied later, and counts as stored', async () => {
      const { delivery, body } = await send();
      await storeUnverified(signed(body));
      expect(await rows()).toMatchObject([{ state: 'received', bytes: 1_024 }]);
      expect(await fixture.states([delivery])).toEqual(['sent']);
      await readAll();
      expect(await rows()).toMatchObject([verified]);
      expect(await fixture.states([delivery])).toEqual(['delivered']);
      expect(await receive(signed(body))).toEqual({ outcome: 'repeated' });
    });

    it('is removed if it is forged, and never applied', async () => {
      const { delivery, body } = await send();
      const wrong = signed(body, urlWith(newInboundToken()));
      const other = signed(body, urlWith(token, 'other'));
      for (const request of [forgedOf(signed(body)), wrong, other, { nothing: 'of a request' }, null])
        await storeUnverified(request as object);
      const id = await storeUnverified(signed('{}'));
      await fixture.database.execute(
        sql`UPDATE inbound_request SET provider = 'other' WHERE id = ${id}::uuid`,
      );
      await readAll();
      expect(await rows()).toEqual([]);
      expect(await fixture.states([delivery])).toEqual(['sent']);
      // The genuine one still counts.
      expect(await receive(signed(body))).toEqual({ outcome: 'stored' });
    });

    it('counts once, however often and in whichever way it was stored', async () => {
      const { body } = await send();
      await storeUnverified(signed(body));
      expect(await receive(signed(body))).toEqual({ outcome: 'stored' });
      const other = await send();
      for (let copies = 0; copies < 3; copies += 1) await storeUnverified(signed(other.body));
      await readAll();
      expect(await rows()).toMatchObject([verified, verified]);
    });

    it('is compared with the time at which it arrived', async () => {
      await change({ settings: settings({ vonage: { algorithm: 'sha256', secret: '{secret.signing}' } }) });
      const { delivery } = await send();
      const dayMs = 86_400_000;
      const arrive = async (arrivedAt: number, sentAt: number): Promise<void> => {
        const timestamp = String(Math.floor(sentAt / 1_000));
        const fields = { message_id: `of-${delivery}`, status: 'DELIVERED', timestamp, type: 'outbound' };
        const text = Object.entries(fields).map(([key, value]) => `&${key}=${value}`);
        const sig = createHmac('sha256', signingKey).update(text.join('')).digest('hex');
        const id = firstIdAt(new Date(arrivedAt));
        const body = JSON.stringify({ ...fields, sig });
        const sealed = gatewaySealer.seal(JSON.stringify({ ...signed(body), headers: {} }), id);
        await fixture.database.execute(sql`
          INSERT INTO inbound_request (id, provider, digest, method, sealed_content, next_attempt_at, unverified_bytes)
          VALUES (${id}::uuid, ${name}, ${Buffer.from(id)}, 'POST', ${sealed}, ${dueNow}, 1)`);
        await readAll();
      };
      const now = Date.now();
      await arrive(now, now - 2 * dayMs);
      expect(await rows()).toEqual([]);
      await arrive(now - 2 * dayMs, now - 2 * dayMs);
      expect(await rows()).toMatchObject([verified]);
      expect(await fixture.states([delivery])).toEqual(['delivered']);
    });

    it('is kept unverified if this worker cannot verify it, and verified when it is read again', async () => {
      const { delivery, body } = await send();
      await storeUnverified(signed(body), new InboundSealer([newSealingKey()]));
      await change({ kind: 'unknown' });
      await part(InboundProviders).list();
      await storeUnverified(signed(body));
      await readAll();
      const kept = {
        state: 'unparsed',
        fault: expect.stringMatching(/^it cannot be verified/),
        bytes: 1_024,
      };
      expect(await rows()).toMatchObject([kept, kept]);
      await change({ kind: 'http' });
      await part(InboundProviders).list();
      // As `pnpm admin inbound replay` does.
      await fixture.database.execute(sql`
        UPDATE inbound_request SET state = 'received', fault = NULL, next_attempt_at = ${dueNow}`);
      await readAll();
      expect(await rows()).toMatchObject([kept, verified]);
      expect(await fixture.states([delivery])).toEqual(['delivered']);
    });

    it('stays unverified if it is given up', async () => {
      await storeUnverified(signed('{}'));
      await fixture.database.execute(sql`UPDATE inbound_request SET unfinished_claims = 5`);
      await readAll();
      expect(await rows()).toMatchObject([{ state: 'unparsed', bytes: 1_024 }]);
      const [row] = await fixture.database.query<{ id: string; sealed: Buffer }>(
        sql`SELECT id, sealed_content AS sealed FROM inbound_request`,
      );
      expect(gatewaySealer.canOpen(row?.sealed ?? Buffer.alloc(0))).toBe(true);
    });
  });

  describe('store_unverified', () => {
    const store = async (id: string, provider = name, bytes = 100): Promise<boolean | string> => {
      const sealed = Buffer.alloc(bytes, id);
      const stored = fixture.database.query<{ stored: boolean }>(
        sql`SELECT store_unverified(${id}::uuid, ${provider}, 'POST', ${sealed}) AS stored`,
      );
      return stored.then(
        ([row]) => row?.stored ?? '',
        (error: unknown) => sqlState(error) ?? '',
      );
    };

    it('stores only for providers that may send requests, and ids of this minute', async () => {
      expect(await store(newId())).toBe(true);
      expect(await store(newId(), 'unknown')).toBe(false);
      for (const ageMs of [120_000, -120_000])
        expect(await store(firstIdAt(new Date(Date.now() - ageMs)))).toBe('23514');
      expect(await rows()).toHaveLength(1);
    });

    it('keeps all requests of a provider within 16 MiB, also those that are stored at the same time', async () => {
      const mib = 1_024 * 1_024;
      const results = await Promise.all(Array.from({ length: 12 }, () => store(newId(), name, 2 * mib)));
      expect(results.filter((result) => result === true)).toHaveLength(8);
      expect(results.filter((result) => result === false)).toHaveLength(4);
      expect(await store(newId())).toBe(false);
      await fixture.database.execute(sql`
        DELETE FROM inbound_request WHERE id = (SELECT id FROM inbound_request ORDER BY id LIMIT 1)`);
      expect(await store(newId())).toBe(true);
    });
  });
});
