import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CallbackConsumer,
  isFullSuite,
  runSql,
  startPostgres,
  type TestPostgres,
  type TestResponse,
  TestSystem,
  until,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admin } from './support/admin-command.js';
import { signatureOf } from './support/callback-signature.js';
import { databaseOf } from './support/database-of.js';
import { newCallbackSecret, newOrganisation, type NewOrganisation } from './support/new-organisation.js';

const demo = 'sk_test_demo';
/** From docs/use/callbacks.md. */
const demoSecret = 'whsec_ZGVtby1zZWNyZXQtZm9yLWxvY2FsLXVzZS1vbmx5ISE=';

/** The full suite runs a process per app. */
const options = { compact: !isFullSuite };

describe('a system that was restored from a backup', () => {
  let original: TestSystem;
  let restored: TestSystem;
  let postgres: TestPostgres;
  let consumer: CallbackConsumer;
  let folder: string;
  let summary: Record<string, unknown>;
  let acme: NewOrganisation;
  let balance: unknown;
  let keys: { DATA_MASTER_KEY: string; QUEUE_MASTER_KEY: string; OTP_PEPPER: string };
  const messages: string[] = [];
  let otp: string;

  const post = (system: TestSystem, key: string, path: string, body: object): Promise<TestResponse> =>
    system.request({ method: 'POST', path, key, body });
  const get = (system: TestSystem, key: string, path: string): Promise<TestResponse> =>
    system.request({ path, key });
  const send = (system: TestSystem, key = demo) =>
    post(system, key, '/sms/send', {
      recipients: '08031234567',
      content: 'Hello',
      callback: `http://127.0.0.1:${consumer.port}/`,
    });
  const idOf = ({ body }: TestResponse): string => (body as { id: string }).id;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gangan-backup-'));
    const file = join(folder, 'system.backup');
    consumer = await CallbackConsumer.start((_, response) => response.end());
    original = await TestSystem.open({}, options);
    await original.start();
    const env = { GANGAN_DATA_DIR: original.folder };

    const database = await databaseOf(original);
    acme = await newOrganisation(database, 'Shop', 50_000n, { mode: 'live' });
    await newCallbackSecret(original, database, acme.id);
    await database.close();
    for (let count = 0; count < 5; count += 1) messages.push(idOf(await send(original)));
    messages.push(idOf(await send(original, acme.key)));
    await post(original, demo, '/airtime/buy', { network: 'MTN', amount: 100, recipient: '08031234567' });
    otp = idOf(
      await post(original, demo, '/otp/request_token', {
        recipient: '08031234567',
        token: '735196',
        expires_in: 60,
      }),
    );
    await until('all messages are delivered', async () => {
      const responses = await Promise.all(
        messages.map((id, index) => get(original, index < 5 ? demo : acme.key, `/sms/${id}`)),
      );
      return responses.every(({ body }) => (body as { status: string }).status === 'completed');
    });
    ({ body: balance } = await get(original, demo, '/balance'));
    await admin(env, 'backup', 'create', file);
    await send(original);

    const keyIn = (name: string) => readFile(join(original.folder, name), 'utf8').then((text) => text.trim());
    keys = {
      DATA_MASTER_KEY: await keyIn('data-master.key'),
      QUEUE_MASTER_KEY: await keyIn('queue-master.key'),
      OTP_PEPPER: await keyIn('otp.pepper'),
    };
    await original.stop();

    postgres = await startPostgres({ max_connections: '100' });
    await runSql(postgres.url, 'CREATE DATABASE restored');
    const url = Object.assign(new URL(postgres.url), { pathname: '/restored' }).href;
    const sealing = { DATA_MASTER_KEY: keys.DATA_MASTER_KEY, BACKUP_KEY: await keyIn('backup.key') };
    summary = await admin({ DATABASE_URL: url, ...sealing }, 'backup', 'restore', file);
    restored = await TestSystem.open(
      { DATABASE_URL: url, SIMULATE_LIVE: 'true', CALLBACK_ALLOW_PRIVATE: 'true', ...keys },
      options,
    );
    await restored.start();
  });

  afterAll(async () => {
    await restored.close();
    await original.close();
    await postgres.stop();
    await consumer.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('passed all checks of the command', () => {
    expect(summary).toMatchObject({
      sealed_secrets: 'all open',
      ledger: 'clean',
      suspended_organisations: 1,
    });
  });

  it('has the messages and balances of the moment of the backup', async () => {
    expect(await get(restored, demo, '/balance')).toMatchObject({ status: 200, body: balance });
    const list = await get(restored, demo, '/sms');
    expect((list.body as { messages: { id: string }[] }).messages.map(({ id }) => id).toSorted()).toEqual(
      messages.slice(0, 5).toSorted(),
    );
  });

  it('verifies an OTP that was sent before', async () => {
    expect(await post(restored, demo, '/otp/verify', { id: otp, token: '735196' })).toMatchObject({
      status: 200,
      body: { status_desc: 'VERIFIED' },
    });
  });

  it('sends messages and signs their callbacks with the restored secret', async () => {
    const id = idOf(await send(restored));
    const report = await until('the delivery is reported', () =>
      consumer.seen.find(({ body }) => body.includes('message.delivered') && body.includes(id)),
    );
    expect(report.headers['webhook-signature']).toBe(signatureOf(report, demoSecret));
  });

  it('sends nothing for live organisations before they are activated', async () => {
    expect(await send(restored, acme.key)).toMatchObject({ status: 403 });
    const env = {
      DATABASE_URL: postgres.url.replace(/\/[^/]*$/, '/restored'),
      DATA_MASTER_KEY: keys.DATA_MASTER_KEY,
    };
    await admin(env, 'organisations', 'activate', acme.id);
    await until(
      'the live organisation is served',
      async () => (await send(restored, acme.key)).status === 200,
    );
    expect(await admin(env, 'ledger', 'check')).toMatchObject({ clean: true });
  });
});
