import { inboundReceived, listInboundProviders } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { newInboundToken, sealTokens } from '@gangan/providers';
import { keysOf } from '@gangan/queue';
import { DataSealer, InboundSealer } from '@gangan/sealing';
import {
  describeAgainWithRedis,
  FakeTermii,
  isFullSuite,
  startRedis,
  type TestRedis,
  until,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { firstValueFrom, lastValueFrom } from 'rxjs';
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
    const { database, environment } = workers;
    const sealer = new DataSealer([environment['DATA_KEY'] ?? '']);
    const id = await storeTermii(database, sealer, 'termii', { url: server.url, apiKey });
    const sealedToken = Uint8Array.from(sealTokens(sealer, { id, organisationId: null }, { token }));
    await database.provider.update({ where: { id }, data: { sealedToken } });
    await storeRoute(database, [id]);
  });
  afterAll(async () => {
    await workers.close();
    await server.stop();
  });

  /** As the gateway stores and announces it. */
  const receive = async (body: string): Promise<string> => {
    const id = newId();
    const sealer = new InboundSealer(keysOf(workers.keys, 'gateway', inboundReceived));
    const sealed = sealer.seal(JSON.stringify({ query: '', body }), id);
    await workers.database.execute(sql`
      INSERT INTO inbound_request (id, provider, digest, method, content_type, sealed_content, next_attempt_at)
      VALUES (${id}::uuid, 'termii', ${Buffer.from(id)}, 'POST', 'application/json', ${sealed}, now())`);
    const emitted = workers.queues.client.emit(inboundReceived, { id });
    await lastValueFrom(emitted, { defaultValue: undefined });
    return id;
  };

  it('are verified with the settings that the worker returns', async () => {
    const { client } = workers.queues;
    const { providers } = await firstValueFrom(
      client.send(listInboundProviders, { all: true }, organisation.context()),
    );
    expect(providers).toEqual([{ name: 'termii', token, settings: {}, secrets: {} }]);
  });

  it('with reports are read when they are announced, and applied once', async () => {
    await organisation.send('08031234567');
    await until('the provider has it', async () => (await organisation.counts())['sent'] === 1);
    expect(server.sent).toHaveLength(1);
    const [{ reference } = { reference: '' }] = await workers.database.query<{ reference: string }>(
      sql`SELECT provider_reference AS reference FROM delivery WHERE provider_reference IS NOT NULL`,
    );
    const body = JSON.stringify({ type: 'outbound', message_id: reference, status: 'Delivered' });
    const ids = [await receive(body), await receive(body)];
    await until('both requests are read', async () => {
      const handled = await workers.database.query(
        sql`SELECT FROM inbound_request WHERE id = ANY (${ids}::uuid[]) AND state = 'handled'`,
      );
      return handled.length === ids.length;
    });
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
