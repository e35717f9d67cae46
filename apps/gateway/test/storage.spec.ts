import { createHash } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import {
  type ContactImport,
  importContactsPart,
  type ImportContactsPart,
  type InboundProviderList,
  type InboundReceipt,
  listInboundProviders,
  receiveInbound,
  sendSms,
  type SmsMessage,
} from '@gangan/contracts';
import { findUsage, setLimits, sql } from '@gangan/database';
import { Retention } from '@gangan/leases';
import { AppError, newId, type RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Registry } from '@gangan/runtime';
import { configFor, until } from '@gangan/testing';
import { Controller } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayConfig } from '../src/gateway.config.js';
import { IdempotencyMetrics } from '../src/idempotency/idempotency.metrics.js';
import { ResponseQuota } from '../src/idempotency/response-quota.js';
import { ResponseTally } from '../src/storage/response-tally.js';
import { StorageMonitor } from '../src/storage/storage-monitor.js';
import { expectError } from './support/error-shape.js';
import { FakeOperations, operationsModule } from './support/fake-operations.js';
import { GatewayFixture, type IssuedKey } from './support/gateway-fixture.js';
import type { Answer } from './support/http.js';
import { RecordingLogger } from './support/recording-logger.js';
import type { RunningGateway } from './support/running-gateway.js';

const isReplay = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true';
const text = 'x'.repeat(1_000);

describe('stored responses', () => {
  const operations = new FakeOperations();
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway({ module: operationsModule(operations) });
  });
  afterAll(() => fixture.stop());
  afterEach(() => {
    operations.behave();
  });

  /** Its responses have about 1,000 bytes. */
  const organisation = async (responseBytes?: bigint): Promise<IssuedKey> => {
    operations.behave(({ operationId }) => ({ id: operationId, text }));
    const issued = await fixture.issueKey({ scopes: ['sms:write'] });
    if (responseBytes !== undefined)
      await setLimits(fixture.database, issued.organisationId, { responseBytes });
    return issued;
  };
  const send = ({ key }: IssuedKey, idempotencyKey: string, at = gateway): Promise<Answer> =>
    at.call({
      method: 'POST',
      path: '/operations',
      headers: [
        ['authorization', key],
        ['content-type', 'application/json'],
        ['idempotency-key', idempotencyKey],
      ],
      body: JSON.stringify({ mark: idempotencyKey }),
    });
  const bytesOf = async ({ organisationId }: IssuedKey) => {
    const [stored] = await fixture.database.query<{ bytes: bigint }>(sql`
      SELECT coalesce(sum(octet_length(answer_body)), 0)::bigint AS bytes FROM idempotency_claim
      WHERE organisation_id = ${organisationId}::uuid`);
    return stored?.bytes;
  };
  const usageOf = async ({ organisationId }: IssuedKey) =>
    (await fixture.database.run(findUsage, organisationId))[0]?.responseBytes;
  const write = (at = gateway) => at.part(ResponseTally).write();
  const reduced = async (reason: string, at = gateway): Promise<number> => {
    const { values } = await at.part(IdempotencyMetrics).reduced.get();
    return values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
  };
  const note = expect.stringContaining('Only the status and the id of this response were kept');

  it('are counted, and above the quota only status and id are kept and replayed', async () => {
    const issued = await organisation(2_000n);
    const keys = [newId(), newId(), newId(), newId()];
    const first: Answer[] = [];
    for (const key of keys) first.push(await send(issued, key));
    expect(first.map(({ json }) => json)).toMatchObject(keys.map(() => ({ text })));
    const again: Answer[] = [];
    for (const key of keys) again.push(await send(issued, key));
    expect(again.map(isReplay)).toEqual([true, true, true, true]);
    expect(again.slice(0, 2).map((answer) => answer.text)).toEqual(
      first.slice(0, 2).map((answer) => answer.text),
    );
    for (const index of [2, 3]) {
      const id = operations.runsWith(keys[index] ?? '')[0]?.operationId;
      expect(again[index]).toMatchObject({ status: 200, json: { id, message: note } });
      expect(again[index]?.headers['content-type']).toBe(first[index]?.headers['content-type']);
    }
    expect(keys.map((key) => operations.runsWith(key).length)).toEqual([1, 1, 1, 1]);
    expect(await reduced('quota')).toBe(2);
    await write();
    expect(await usageOf(issued)).toBe(await bytesOf(issued));
  });

  it('with an error keep their status', async () => {
    const issued = await organisation(1n);
    await send(issued, newId());
    operations.behave(() => {
      throw new AppError('final', 409, text);
    });
    const key = newId();
    await send(issued, key);
    const again = await send(issued, key);
    expect(isReplay(again)).toBe(true);
    expect(again.json).toEqual({
      status: 409,
      message: 'Only the status of this response was kept.',
      errors: [],
    });
  });

  it('are counted over all gateways, for each organisation by itself', async () => {
    const other = await fixture.gateway({ module: operationsModule(operations) });
    const issued = await organisation(10_000n);
    const key = newId();
    const keys = Array.from({ length: 12 }, newId);
    await Promise.all(keys.map((one, index) => send(issued, one, index % 2 === 0 ? gateway : other)));
    await until('every request is counted', async () => {
      // A request ends shortly after its response has arrived.
      await Promise.all([write(), write(other)]);
      const [counted] = await fixture.database.query<{ requests: number }>(sql`
        SELECT sum(requests)::int AS requests FROM response_tally WHERE organisation_id = ${issued.organisationId}::uuid`);
      return counted?.requests === keys.length;
    });
    expect(await usageOf(issued)).toBe(await bytesOf(issued));
    // A gateway that has no response of the organisation in memory.
    const third = await fixture.gateway({ module: operationsModule(operations) });
    await send(issued, key, third);
    expect((await send(issued, key, third)).json).toMatchObject({ message: note });
    const [unlimited, byDefault] = [await organisation(0n), await organisation()];
    for (const each of [unlimited, byDefault]) {
      const own = newId();
      await send(each, own);
      expect((await send(each, own)).json).toMatchObject({ text });
    }
  });

  it('do not wait for the row that counts them', async () => {
    const issued = await organisation(100_000n);
    await send(issued, newId());
    await write();
    await fixture.database.transaction(async (transaction) => {
      const locked = await transaction.query(sql`
        SELECT FROM response_tally WHERE organisation_id = ${issued.organisationId}::uuid FOR UPDATE`);
      expect(locked).toHaveLength(1);
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(issued, newId())));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    });
    await write();
    expect(await usageOf(issued)).toBe(await bytesOf(issued));
  });

  it('are counted after the database was away', async () => {
    const issued = await organisation();
    await fixture.postgres.kill();
    try {
      gateway.part(ResponseQuota).count(issued.organisationId, 100);
      await expect(write()).rejects.toThrow();
    } finally {
      await fixture.postgres.restart();
    }
    await until('the database is back', () =>
      write().then(
        () => true,
        () => false,
      ),
    );
    expect(await usageOf(issued)).toBe(100n);
  });

  it('no longer count when they are deleted', async () => {
    const issued = await organisation();
    const { organisationId } = issued;
    await fixture.database.execute(sql`
      INSERT INTO response_tally (organisation_id, hour, bytes)
      SELECT ${organisationId}::uuid, date_trunc('hour', now()) - hours * interval '1 hour', 1 + hours
      FROM unnest(ARRAY[0, 2, 26, 31 * 24 + 1]) AS hours`);
    expect(await usageOf(issued)).toBe(4n);
    await gateway.part(Retention).prune();
    const left = await fixture.database.responseTally.findMany({ where: { organisationId } });
    expect(left).toHaveLength(3);
  });

  it('are kept as status and id while storage is low', async () => {
    const low = await fixture.gateway({
      module: operationsModule(operations),
      limits: { DATABASE_MAX_BYTES: 1 },
    });
    await until('storage is low', () => low.part(StorageMonitor).isLow);
    const issued = await organisation();
    const key = newId();
    expect((await send(issued, key, low)).json).toMatchObject({ text });
    expect((await send(issued, key)).json).toMatchObject({ id: expect.any(String), message: note });
    expect([await reduced('storage_low', low), await reduced('quota', low)]).toEqual([1, 0]);
    expect(operations.runsWith(key)).toHaveLength(1);
  });
});

const token = 'token'.padEnd(43, 'x');
let parts = 0;

/** Replaces the messaging and contacts workers. */
@Controller()
class WorkersDouble {
  @Handles(sendSms)
  send(_: unknown, { operationId }: RequestContext): SmsMessage {
    return { id: operationId } as SmsMessage;
  }

  @Handles(listInboundProviders)
  list(): InboundProviderList {
    const tokenDigests = [createHash('sha256').update(token).digest('base64')];
    return { providers: [{ name: 'plain', tokenDigests, hasHandshake: false, headers: [] }] };
  }

  @Handles(receiveInbound)
  receive(): InboundReceipt {
    return { outcome: 'stored' };
  }

  @Handles(importContactsPart)
  part({ last }: ImportContactsPart, { operationId: id }: RequestContext): ContactImport {
    parts += 1;
    return { id, state: last ? 'queued' : 'uploading' } as ContactImport;
  }
}

describe('while storage is low', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let key: string;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    await fixture.answer(WorkersDouble);
    gateway = await fixture.gateway({ limits: { DATABASE_MAX_BYTES: 1 } });
    await until('storage is low', () => gateway.part(StorageMonitor).isLow);
    const scopes = ['sms:read', 'sms:write', 'contacts:read', 'contacts:write'];
    ({ key } = await fixture.issueKey({ scopes }));
  });
  afterAll(() => fixture.stop());

  const post = (path: string, body: string, type = 'application/json', at = gateway): Promise<Answer> =>
    at.call({
      method: 'POST',
      path,
      headers: [
        ['authorization', key],
        ['content-type', type],
        ['idempotency-key', newId()],
      ],
      body,
    });

  it.each([
    ['/lists/contact/imports', 'Name\nAda\n', 'text/csv'],
    ['/lists/contact/exports', '{}', 'application/json'],
    ['/simulator/inbound', '{"from":"08031234567","text":"Hello"}', 'application/json'],
  ])('POST %s gets 503, and nothing is stored', async (path, body, type) => {
    const answer = await post(path, body, type);
    expect(expectError(answer, 503)).toEqual(['service storage_low']);
    expect(answer.headers['retry-after']).toBe('60');
    expect(await fixture.database.idempotencyClaim.count()).toBe(0);
    expect(parts).toBe(0);
  });

  it('messages and the webhooks of carriers are accepted', async () => {
    const sent = await post('/sms/send', '{"recipients":"08031234567","content":"Hello"}');
    expect(sent).toMatchObject({ status: 200, json: { id: expect.any(String) } });
    const report = await gateway.call({ method: 'POST', path: `/in/plain/${token}`, body: '{"id":"1"}' });
    expect(report.status).toBe(200);
  });

  it('an upload in progress ends', async () => {
    const roomy = await fixture.gateway();
    const monitor = roomy.part(StorageMonitor);
    // Storage becomes low after the first part.
    Object.defineProperty(monitor, 'isLow', { get: () => parts > 0 });
    const answer = await post(
      '/lists/contact/imports',
      `Name\n${'Ada\n'.repeat(200_000)}`,
      'text/csv',
      roomy,
    );
    expect(expectError(answer, 503)).toEqual(['service storage_low']);
    expect(parts).toBe(1);
  });
});

describe('the storage monitor', () => {
  let fixture: GatewayFixture;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
  });
  afterAll(() => fixture.stop());

  const monitorWith = (values: Partial<GatewayConfig>) => {
    const [log, registry] = [new RecordingLogger(), new Registry()];
    const config = configFor(GatewayConfig, values).useValue as GatewayConfig;
    const monitor = new StorageMonitor(fixture.database, config, log, registry);
    const valueOf = async (name: string) =>
      Number(new RegExp(`^${name} (.*)$`, 'm').exec(await registry.metrics())?.[1]);
    return { monitor, log, valueOf };
  };
  const size = async (): Promise<number> => {
    const [found] = await fixture.database.query<{ bytes: bigint }>(
      sql`SELECT pg_database_size(current_database()) AS bytes`,
    );
    return Number(found?.bytes);
  };

  it('reports a database that exceeds DATABASE_MAX_BYTES, and when it no longer does', async () => {
    const max = (await size()) + 3_000_000;
    const { monitor, log, valueOf } = monitorWith({ DATABASE_MAX_BYTES: max });
    await monitor.measure();
    expect([monitor.isLow, await valueOf('gangan_storage_low')]).toEqual([false, 0]);
    await fixture.database.execute(sql`
      CREATE TABLE filler AS SELECT repeat(md5(n::text), 50) AS text FROM generate_series(1, 5000) AS n`);
    for (let round = 0; round < 2; round += 1) await monitor.measure();
    expect([monitor.isLow, await valueOf('gangan_storage_low')]).toEqual([true, 1]);
    expect(await valueOf('gangan_database_bytes')).toBeGreaterThan(max);
    expect(await valueOf('gangan_database_max_bytes')).toBe(max);
    expect(() => {
      monitor.requireRoom();
    }).toThrow(expect.objectContaining({ code: 'storage_low', status: 503 }));
    await fixture.database.execute(sql`DROP TABLE filler`);
    await monitor.measure();
    expect([monitor.isLow, await valueOf('gangan_storage_low')]).toEqual([false, 0]);
    expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  it('reports a disk with less free space than DATABASE_MIN_FREE_BYTES', async () => {
    const { bavail, bsize } = await statfs(tmpdir());
    const free = bavail * bsize;
    const low = monitorWith({ DATABASE_FOLDER: tmpdir(), DATABASE_MIN_FREE_BYTES: free * 10 });
    await low.monitor.measure();
    expect([low.monitor.isLow, (await low.valueOf('gangan_database_free_bytes')) > 0]).toEqual([true, true]);
    const enough = monitorWith({ DATABASE_FOLDER: tmpdir(), DATABASE_MIN_FREE_BYTES: 1 });
    await enough.monitor.measure();
    expect(enough.monitor.isLow).toBe(false);
  });

  it('measures the database even if the folder cannot be read', async () => {
    const { monitor } = monitorWith({ DATABASE_MAX_BYTES: 1, DATABASE_FOLDER: '/does/not/exist' });
    await expect(monitor.measure()).rejects.toThrow('ENOENT');
    expect(monitor.isLow).toBe(true);
  });

  it('only measures without a limit', async () => {
    const { monitor, log, valueOf } = monitorWith({});
    await monitor.measure();
    expect([monitor.isLow, await valueOf('gangan_database_max_bytes')]).toEqual([false, 0]);
    expect(await valueOf('gangan_database_bytes')).toBeGreaterThan(1_000_000);
    expect(log.lines).toEqual([]);
  });
});
