import { listInboundProviders, receiveInbound } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { newInboundToken, sealTokens } from '@gangan/providers';
import { keysOf } from '@gangan/queue';
import { InboundSealer } from '@gangan/sealing';
import {
  describeAgainWithRedis,
  FakeTermii,
  isFullSuite,
  startRedis,
  type TestRedis,
  until,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import { RunningWorkers } from '../support/running-workers.js';
import type { SendingOrganisation } from '../support/sending-organisation.js';
import { storeRoute, storeTermii } from '../support/stored-providers.js';

const apiKey = 'termii-key';

/** The two messages of the gateway to worker processes, on either queue backend. */
function describeInbound(redisUrl: () => string | undefined): void {
  let workers: RunningWorkers;
  let organisation: SendingOrganisation;
  let server: FakeTermii;
  const token = newInboundToken();
  beforeAll(async () => {
    server = await FakeTermii.start(apiKey);
    workers = await RunningWorkers.open(redisUrl(), { count: isFullSuite ? 2 : 1 });
    organisation = await workers.organisation(100_000_000n, 'live');
    const { database, sealer } = workers;
    const id = await storeTermii(database, sealer, 'termii', { url: server.url, apiKey });
    const sealedToken = Uint8Array.from(
      sealTokens(sealer, { id, organisationId: null, domains: ['message'] }, { token }),
    );
    await database.provider.update({ where: { id }, data: { sealedToken } });
    await storeRoute(database, [id]);
  });
  afterAll(async () => {
    await workers.close();
    await server.stop();
  });

  const requestWith = (body: string) => ({
    ...{ method: 'POST', url: `https://sms.example/in/termii/${token}`, headers: {}, body },
    content_type: 'application/json',
  });
  /** As the gateway does while no worker answers. */
  const storeUnverified = async (request: object): Promise<void> => {
    const id = newId();
    const sealer = new InboundSealer(keysOf(workers.keys, 'gateway', receiveInbound));
    const sealed = sealer.seal(JSON.stringify(request), id);
    await workers.database.query(sql`SELECT store_unverified(${id}::uuid, 'termii', 'POST', ${sealed})`);
  };
  const states = () =>
    workers.database.query(sql`SELECT state::text, unverified_bytes AS bytes FROM inbound_request`);

  it('are verified by the worker: the gateway gets no secret and no token', async () => {
    const { client } = workers.queues;
    const list = await firstValueFrom(
      client.send(listInboundProviders, { all: true }, organisation.context()),
    );
    expect(list).toEqual({
      providers: [{ name: 'termii', tokenDigests: [expect.any(String)], hasHandshake: false, headers: [] }],
    });
    expect(JSON.stringify(list)).not.toContain(token);
    expect(JSON.stringify(list)).not.toContain(apiKey);
  });

  it('with reports are applied once, also those that were stored while no worker ran', async () => {
    await organisation.send('08031234567');
    await until('the provider has it', async () => (await organisation.counts())['sent'] === 1);
    expect(server.sent).toHaveLength(1);
    const [{ reference } = { reference: '' }] = await workers.database.query<{ reference: string }>(
      sql`SELECT provider_reference AS reference FROM delivery WHERE provider_reference IS NOT NULL`,
    );
    const sent = JSON.stringify({ type: 'outbound', message_id: reference, status: 'Message sent' });
    const { client } = workers.queues;
    const receive = () =>
      firstValueFrom(client.send(receiveInbound, requestWith(sent), organisation.context()));
    expect(await receive()).toEqual({ outcome: 'stored' });
    expect(await receive()).toEqual({ outcome: 'repeated' });
    await workers.killAll();
    const delivered = JSON.stringify({ type: 'outbound', message_id: reference, status: 'Delivered' });
    await storeUnverified(requestWith(delivered));
    await storeUnverified({ ...requestWith(delivered), url: 'https://sms.example/in/termii/forged' });
    await workers.startAgain();
    await until('both requests are read', async () => {
      const [waiting] = await workers.database.query(
        sql`SELECT FROM inbound_request WHERE state = 'received'`,
      );
      return waiting === undefined;
    });
    const verified = { state: 'handled', bytes: null };
    expect(await states()).toEqual([verified, verified]);
    expect(await organisation.counts()).toEqual({ delivered: 1 });
  });
}

describe('requests of providers, with the queues in Postgres', () => {
  describeInbound(() => undefined);
});

describeAgainWithRedis('requests of providers, with the queues in Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  describeInbound(() => redis.url);
  afterAll(() => redis.stop());
});
