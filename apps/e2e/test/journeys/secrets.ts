import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Prisma } from '@gangan/database';
import type { QueueConnection } from '@gangan/queue';
import { until } from '@gangan/testing';
import { beforeAll, expect, it } from '@jest/globals';
import { Canaries } from '../canary/canaries.js';
import { findRows } from '../canary/find-rows.js';
import { findText } from '../canary/find-text.js';
import { planted, type Sowing, spared, wronglyPlanted } from '../canary/plant.js';
import { parkEvent } from '../canary/park-event.js';
import { acceptChanges, refusal, refuseChanges } from '../canary/refuse-changes.js';
import { databaseUrlOf } from '../support/database-of.js';
import { DocumentedApi, type Operation } from '../interface/documented-api.js';
import { exchange, type Received } from '../interface/exchange.js';
import { needsId } from '../interface/id-inputs.js';
import { assemble, type RequestParts } from '../interface/request-parts.js';
import { secretDemoKey } from '../support/demo-key.js';
import { type Ask, columnIds, examplesIds } from '../tenants/seeds.js';
import type { OwnSystem } from '../support/running.js';

/** Tables outside of the domains: queues and stored responses. */
const queueSchema = 'bullmq';
const answersTable = 'idempotency_claim';

/** Runs last: it makes the database reject changes and stops the system. */
export function keepsSecrets({ system, database, redis, stop }: OwnSystem): void {
  let canaries: Canaries;
  let sowing: Sowing;
  let operations: readonly Operation[];
  beforeAll(async () => {
    const key = await secretDemoKey(database());
    canaries = new Canaries(key);
    const api = await DocumentedApi.of(system());
    operations = api.operations;
    const ask: Ask = (question) => system().request({ ...question, key });
    sowing = { api, key, canaries, ids: await examplesIds(ask, database()), columns: await columnIds(ask) };
  });

  it('the search finds planted values', async () => {
    const text = canaries.for({ in: 'query', steps: ['x'], schema: { type: 'string' } }) ?? '';
    const [number] = canaries.in(Buffer.from(text));
    const file = join(system().folder, 'planted');
    await writeFile(file, `x${text}x`);
    // With the queues in Redis none exists yet.
    await database().execute(Prisma.raw(`CREATE SCHEMA IF NOT EXISTS ${queueSchema}`));
    await database().execute(Prisma.raw(`CREATE TABLE ${queueSchema}.planted AS SELECT '${text}'::bytea`));
    expect(await found()).toEqual([`${number} in ${queueSchema}.planted`, `${number} in ${file}`]);
    await database().execute(Prisma.raw(`DROP TABLE ${queueSchema}.planted`));
    await rm(file);
    expect(await found()).toEqual([]);
  });

  it('plants a canary in every free text', () => {
    const names = new Set(operations.flatMap((operation) => spared(operation, sowing)));
    expect([...names].filter((name) => !/(^|_)id$/.test(name)).sort()).toEqual([
      // Positions in a list, and times.
      ...['after', 'before', 'from'],
      // References to existing records, enumerated values, and times.
      ...[
        'language',
        'name',
        'phone_column',
        'reply_to',
        'send_at',
        'since',
        'to',
        'until',
        'upsert',
        'variables',
      ],
    ]);
  });

  it('shows nothing after successful requests', async () => {
    // One after another: a worker that was killed loads Prisma at its first request, which takes long beside many others.
    for (const operation of operations) {
      const expected = needsId(operation, sowing.api) ? 404 : 200;
      for (const parts of planted(operation, sowing)) {
        const { status, text } = await send(parts);
        expect([operation.id, status, text]).toEqual([operation.id, expected, text]);
        expect(shownIn(text).filter((canary) => canaries.secrets.has(canary))).toEqual([]);
      }
    }
    expect(await found()).toEqual([]);
  });

  it('shows nothing of requests that wait for a worker', async () => {
    const workers = Object.entries(system().apps()).filter(([name]) => name !== 'gateway');
    const signal = (name: 'SIGSTOP' | 'SIGCONT') => workers.map(([, pid]) => process.kill(pid, name));
    signal('SIGSTOP');
    try {
      const answers = sendAll();
      await pause(1_000);
      expect(await found()).toEqual([]);
      signal('SIGCONT');
      await answers;
    } finally {
      signal('SIGCONT');
    }
  });

  it('repeats nothing in an error response', async () => {
    const wrongKey = `sk_test_${canaries.secret()}`;
    const requests = operations
      .filter(({ isPublic }) => !isPublic)
      .flatMap((operation) => [
        ...planted(operation, { ...sowing, key: wrongKey }),
        ...planted(operation, { ...sowing, key: `Bearer ${sowing.key}` }),
        ...wronglyPlanted(operation, sowing),
      ]);
    for (const parts of requests) {
      const answer = await send(parts);
      const refused = answer.status === 400 || answer.status === 401;
      const context = [parts.method, parts.path, answer.status];
      // The client sees which phone number is wrong.
      const text = answer.text.replaceAll(/, not \\"[^"]*\\"/g, '');
      expect([...context, refused, shownIn(text)]).toEqual([...context, true, []]);
    }
    expect(await found()).toEqual([]);
  });

  it('shows nothing of parked events', async () => {
    const connection: QueueConnection = redis
      ? { kind: 'redis', url: redis().url }
      : { kind: 'postgres', url: await databaseUrlOf(system()), poolSize: 3 };
    await parkEvent(system(), connection, canaries.secret());
    expect(await found()).toEqual([]);
  });

  it('shows nothing of failed requests', async () => {
    const holders = (await findRows(database(), canaries)).filter(({ text }) => canaries.texts.has(text));
    const tables = new Set(holders.map(({ table }) => table).filter((table) => table !== answersTable));
    expect([...tables]).toContain('airtime_purchase');
    await refuseChanges(database(), 'UPDATE', tables);
    await sendAll();
    await until('the error is logged', async () => (await logs()).includes(refusal));
    await refuseChanges(database(), 'INSERT', tables);
    const answers = await sendAll();
    const failed = answers.filter(({ status }) => status === 500);
    expect(failed).not.toEqual([]);
    for (const { text } of failed) expect(shownIn(text)).toEqual([]);
    expect(await found()).toEqual([]);
    await acceptChanges(database(), tables);
    await stop();
    expect(await foundInFiles()).toEqual([]);
  });

  const sendAll = (): Promise<Received[]> =>
    Promise.all(operations.flatMap((operation) => planted(operation, sowing)).map(send));

  const send = async (parts: RequestParts): Promise<Received> => {
    const answer = await exchange(system().port, assemble(parts));
    if (!answer) throw new Error(`${parts.method} ${parts.path} was not answered`);
    return answer;
  };

  const shownIn = (text: string): string[] => canaries.in(Buffer.from(text));

  const found = async (): Promise<string[]> => {
    const rows = (await findRows(database(), canaries)).filter(
      ({ text, schema }) => canaries.secrets.has(text) || schema === queueSchema,
    );
    return [
      ...rows.map(({ text, schema, table }) => `${text} in ${schema}.${table}`),
      ...(await foundInFiles()),
    ];
  };

  const foundInFiles = async (): Promise<string[]> => {
    const folders = [system().folder, ...(redis ? [redis().folder] : [])];
    const files = await Promise.all(folders.map((folder) => findText(folder, canaries)));
    const mayHold = ({ text, file }: { text: string; file: string }): boolean =>
      canaries.texts.has(text) && /\/cluster\/(base|pg_wal)\//.test(file);
    return files
      .flat()
      .filter((each) => !mayHold(each))
      .map(({ text, file }) => `${text} in ${file}`);
  };

  const logs = async (): Promise<string> => {
    const folder = join(system().folder, 'logs');
    const files = (await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8'));
    return (await Promise.all(files)).join('');
  };
}
