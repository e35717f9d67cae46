import { allContracts } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { newId } from '@gangan/protocol';
import { deriveQueueKeys, migrateQueue } from '@gangan/queue';
import { deriveDataKeys, masterSealer, newSealingKey } from '@gangan/sealing';
import {
  anEndpoint,
  anOrganisation,
  CallbackConsumer,
  createTestDatabase,
  TcpProxy,
  until,
  WorkerProcess,
} from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { TestCallbacks } from './support/test-callbacks.js';

let callbacks: TestCallbacks;
let consumer: CallbackConsumer;

beforeAll(async () => {
  callbacks = await TestCallbacks.open();
});
beforeEach(async () => {
  await callbacks.database.execute(sql`DELETE FROM callback_secret`);
  consumer = await CallbackConsumer.start((_request, response) => response.end());
});
afterEach(async () => {
  await callbacks.endWorkers();
  await consumer.stop();
});
afterAll(() => callbacks.close());

/** Sends a callback and returns its first attempt: `unsent` if it could not be signed. */
async function send(organisationId: string) {
  const worker = await callbacks.worker();
  const [id = ''] = await callbacks.record(organisationId, `http://localhost:${consumer.port}/`);
  callbacks.announce(worker, [id]);
  await until('the attempt ends', async () => (await callbacks.attemptsOf(id)).length > 0);
  return (await callbacks.attemptsOf(id))[0];
}

const isSignedWith = (secret: string): boolean => {
  const [seen] = consumer.seen;
  try {
    return (
      new Webhook(secret).verify(seen?.body ?? '', seen?.headers as Record<string, string>) !== undefined
    );
  } catch {
    return false;
  }
};

const messages = (level: string): string[] =>
  callbacks.log.lines.filter((line) => line.level === level).map(({ message }) => message);

/** The worker checks the stored secrets while it serves, so these lines come in any order. */
async function logged(level: string, count: number): Promise<string[]> {
  await until(`${count} lines are logged`, () => messages(level).length >= count);
  return messages(level).toSorted();
}

describe('a callback worker', () => {
  it.each([
    ['no keys', {}, 'DATA_KEYS is missing'],
    [
      'the keys of another app',
      { DATA_KEYS: deriveDataKeys([newSealingKey()], 'airtime') },
      'DATA_KEYS has no key for messaging/callbacks, callback/secrets: derive the keys',
    ],
  ])('does not start with %s, and prints the command', async (_, environment, fault) => {
    const worker = new WorkerProcess('callback', {
      NODE_ENV: 'production',
      DATABASE_URL: callbacks.url,
      QUEUE_KEYS: deriveQueueKeys([newSealingKey()], 'callback', allContracts),
      ...environment,
    });
    expect(await worker.end()).toBe(78);
    expect(worker.output).toContain(fault);
    expect(worker.output).toContain('pnpm admin secrets keys --app callback');
    for (const value of Object.values(environment)) expect(worker.output).not.toContain(value);
  });

  it('starts although the check of the secrets fails', async () => {
    const postgres = await createTestDatabase(migrate, migrateQueue);
    const proxy = await TcpProxy.open(Number(new URL(postgres.url).port));
    proxy.loseAnswers((request) => request.includes('callback_secret'));
    const worker = new WorkerProcess('callback', {
      DATABASE_URL: proxy.urlOf(postgres.url),
      QUEUE_KEYS: deriveQueueKeys([newSealingKey()], 'callback', allContracts),
      DATA_KEYS: `${deriveDataKeys([newSealingKey()], 'callback')},otp/tokens:${newSealingKey()}`,
    });
    await worker.untilReady();
    expect(worker.output).toContain('checking callback secrets');
    expect(worker.output).toContain('DATA_KEYS has keys that this app does not need');
    await worker.kill();
    await proxy.close();
    await postgres.drop();
  });
});

describe('the secret of an organisation', () => {
  it('is sealed in its row', async () => {
    const organisation = await callbacks.organisation();
    const [secret = ''] = await callbacks.secretsOf(organisation);
    const [row] = await callbacks.database.query<{ row: string }>(
      sql`SELECT row::text AS row FROM callback_secret AS row`,
    );
    expect(row?.row).not.toContain(secret);
    expect(row?.row).not.toContain(Buffer.from(secret).toString('hex'));
    expect(await send(organisation)).toMatchObject({ status: 200 });
    expect(isSignedWith(secret)).toBe(true);
    expect(callbacks.log.lines).toEqual([]);
  });

  it('signs if an earlier version stored it in plain text, and a warning says what to do', async () => {
    const { id: organisationId } = await anOrganisation(callbacks.database);
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await callbacks.database.callbackSecret.create({ data: { id: newId(), organisationId, secret } });
    expect(await send(organisationId)).toMatchObject({ status: 200 });
    expect(isSignedWith(secret)).toBe(true);
    expect(await logged('warn', 1)).toEqual([expect.stringContaining('`pnpm admin secrets reseal`')]);
  });

  it('does not sign for another organisation', async () => {
    const [owner, thief] = [await callbacks.organisation(), await callbacks.organisation()];
    await callbacks.database.execute(sql`
      UPDATE callback_secret SET sealed_secret = (
        SELECT sealed_secret FROM callback_secret WHERE organisation_id = ${owner})
      WHERE organisation_id = ${thief}`);
    expect(await send(thief)).toMatchObject({ error: 'unsent' });
    expect(consumer.seen).toEqual([]);
    expect(messages('error')).toContain('a callback secret could not be opened');
  });

  it('signs alone after a rotation if the key of the previous secret is lost', async () => {
    const { id } = await anOrganisation(callbacks.database);
    await callbacks.rotateSecret(id, new Date(), masterSealer([newSealingKey()]));
    const rotated = await callbacks.rotateSecret(id, new Date(Date.now() + 60_000));
    expect(await send(id)).toMatchObject({ status: 200 });
    expect(isSignedWith(rotated)).toBe(true);
    expect(await logged('error', 2)).toEqual([
      'a callback secret could not be opened',
      expect.stringContaining('a key that is not in DATA_KEYS'),
    ]);
  });
});

describe('a sealed body', () => {
  const body = '{"type":"message.received","data":{"text":"dermatoglyphics"}}';
  const store = async (sealedFor: (id: string) => string) => {
    const organisationId = await callbacks.organisation();
    const endpointId = await anEndpoint(callbacks.database, organisationId, {
      url: `http://localhost:${consumer.port}/`,
    });
    const [id = ''] = await callbacks.record(organisationId, `http://localhost:${consumer.port}/`);
    const place = { column: 'callback.sealed_body', organisationId, id: sealedFor(id) } as const;
    await callbacks.database.execute(sql`
      UPDATE callback SET endpoint_id = ${endpointId}::uuid, sealed_body = ${callbacks.sealer.seal(body, place)}
      WHERE id = ${id}::uuid`);
    await callbacks.database.callbackEndpointSecret.create({
      data: { ...endpointSecret(organisationId), endpointId },
    });
    callbacks.announce(await callbacks.worker(), [id]);
    await until('the attempt ends', async () => (await callbacks.attemptsOf(id)).length > 0);
    return (await callbacks.attemptsOf(id))[0];
  };
  const secret = `whsec_${newSealingKey()}`;
  const endpointSecret = (organisationId: string) => {
    const id = newId();
    const place = { column: 'callback_endpoint_secret.sealed_secret', organisationId, id } as const;
    return { id, organisationId, sealedSecret: Uint8Array.from(callbacks.sealer.seal(secret, place)) };
  };

  it('is opened, signed and sent', async () => {
    expect(await store((id) => id)).toMatchObject({ status: 200 });
    expect(consumer.seen[0]?.body).toBe(body);
    expect(isSignedWith(secret)).toBe(true);
  });

  it('is not sent if it belongs to another callback', async () => {
    expect(await store(() => newId())).toMatchObject({ error: 'unsent' });
    expect(consumer.seen).toEqual([]);
  });
});
