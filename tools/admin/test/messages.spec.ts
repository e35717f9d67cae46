import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { masterSealer } from '@gangan/sealing';
import { aDelivery, aMessage, anOrganisation } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { dataKey } from './support/admin-cli.js';
import { AdminFixture } from './support/admin-fixture.js';

const fixture = AdminFixture.use();
const admin = fixture.cli({ GANGAN_ACTOR: 'ada' });

interface History {
  readonly [table: string]: readonly Readonly<Record<string, unknown>>[];
}

let organisationId: string;
beforeAll(async () => {
  ({ id: organisationId } = await anOrganisation(fixture.database));
});

const show = (id: string, ...options: string[]) => admin.json<History>('messages', 'show', id, ...options);
const entries = (id: string) =>
  fixture.database.query<object>(
    sql`SELECT actor, action, after FROM audit_log WHERE target = ${id} ORDER BY created_at`,
  );

/** A message to two numbers: one was delivered at the second attempt and clicked, one was refused and refunded. */
async function sentMessage({ id = newId(), ...columns }: { id?: string; [column: string]: unknown } = {}) {
  await aMessage(fixture.database, organisationId, {
    id,
    recipients: ['08031234567', '08031234568'],
    content: 'Secret words',
    callbackUrl: 'https://a.example/cb?token=hunter2',
    chargeKobo: 800n,
    requestId: 'request-7',
    ...columns,
  });
  const delivered = await aDelivery(fixture.database, organisationId, {
    messageId: id,
    state: 'delivered',
    attempt: 2,
    provider: 'termii',
  });
  const failed = await aDelivery(fixture.database, organisationId, {
    messageId: id,
    state: 'failed',
    attempt: 1,
    provider: 'termii',
    refunded: true,
    errorCode: 'unreachable',
    recipient: '+2348031234568',
    recipientGiven: '08031234568',
  });
  const [callback, code] = [newId(), newId().slice(-12)];
  const { database } = fixture;
  await database.execute(sql`
    INSERT INTO delivery_attempt (delivery_id, attempt, provider, outcome, error_code, ended_at) VALUES
      (${delivered}::uuid, 1, 'termii', 'unavailable', 'busy', now()), (${delivered}::uuid, 2, 'termii', 'accepted', NULL, now()),
      (${failed}::uuid, 1, 'termii', 'rejected', 'unreachable', now())`);
  await database.execute(sql`
    INSERT INTO provider_reference (provider, reference, delivery_id, attempt, state)
    VALUES ('termii', ${`ref-${id}`}, ${delivered}::uuid, 2, 'delivered')`);
  await database.execute(sql`
    INSERT INTO callback (id, organisation_id, type, resource_id, url, host, body, request_id, attempt, state, ended_at, next_attempt_at)
    VALUES (${callback}::uuid, ${organisationId}::uuid, 'message.delivered', ${id}::uuid, 'https://a.example/cb?token=hunter2',
      'a.example', '{"data":{"recipient":"08031234567"}}', 'request-7', 1, 'delivered', now(), NULL)`);
  await database.execute(sql`
    INSERT INTO callback_attempt (callback_id, attempt, status, ended_at) VALUES (${callback}::uuid, 1, 204, now())`);
  await database.execute(sql`
    INSERT INTO tracked_link (code, delivery_id, position, url) VALUES (${code}, ${delivered}::uuid, 0, 'https://a.example/')`);
  await database.execute(sql`INSERT INTO link_click (id, code) VALUES (${newId()}::uuid, ${code})`);
  await database.transaction(async (transaction) => {
    await transaction.execute(sql`SET LOCAL session_replication_role = replica`);
    await transaction.execute(sql`
      INSERT INTO ledger_movement (subject_id, kind, id, organisation_id, from_account, to_account, kobo)
      VALUES (${id}::uuid, 'charge', ${newId()}::uuid, ${organisationId}::uuid, 'wallet', 'revenue', 800),
        (${failed}::uuid, 'refund', ${newId()}::uuid, ${organisationId}::uuid, 'revenue', 'wallet', 400)`);
  });
  return id;
}

describe('messages show', () => {
  it('prints the whole history of a message', async () => {
    const id = await sentMessage();
    const history = await show(id);
    expect(history).toMatchObject({
      id,
      organisation_id: organisationId,
      request_id: 'request-7',
      recipients: 2,
      callback_host: 'a.example',
      charge: 8,
      ledger: [
        { kind: 'charge', amount: -8, for: 'the message' },
        { kind: 'refund', amount: 4, for: '+234…568' },
      ],
      states: [
        { state: 'delivered', deliveries: 1, charge: 4, refunded: 0 },
        { state: 'failed', deliveries: 1, charge: 4, refunded: 4 },
      ],
      callbacks: [{ type: 'message.delivered', host: 'a.example', state: 'delivered', attempts: 1 }],
      callback_attempts: [{ attempt: 1, status: 204 }],
      clicks: [{ recipient: '+234…567', link: 0 }],
    });
    expect(history['deliveries']).toHaveLength(2);
    expect(history['attempts']).toMatchObject([
      { recipient: '+234…567', attempt: 1, outcome: 'unavailable', code: 'busy' },
      { recipient: '+234…567', attempt: 2, outcome: 'accepted' },
      { recipient: '+234…568', attempt: 1, outcome: 'rejected', code: 'unreachable' },
    ]);
    expect(history['reports']).toMatchObject([{ reference: `ref-${id}`, state: 'delivered' }]);
    const { out, err } = await admin.run('messages', 'show', id);
    expect(out).toContain('CALLBACK ATTEMPTS');
    for (const hidden of ['hunter2', 'Secret words', '8031234567'])
      expect(JSON.stringify(history) + out + err).not.toContain(hidden);
    expect(await entries(id)).toEqual([]);
  });

  it('shows content and numbers only if asked, and stores that in the audit log', async () => {
    const id = newId();
    const sealed = masterSealer([dataKey]).seal(JSON.stringify(['Sealed words', null]), {
      column: 'message.sealed_text',
      organisationId,
      id,
    });
    await sentMessage({ id, content: null, sealedText: sealed });
    expect(await show(id, '--content')).toMatchObject({ content: 'Sealed words' });
    expect(await show(id, '--numbers')).toMatchObject({
      deliveries: [{ recipient: '+2348031234567' }, { recipient: '+2348031234568' }],
    });
    expect(await entries(id)).toMatchObject([
      { actor: 'ada', action: 'messages show', after: { shown: ['content'] } },
      { actor: 'ada', action: 'messages show', after: { shown: ['numbers'] } },
    ]);
  });

  it('counts the deliveries of a large message, and shows one of them in full', async () => {
    const id = await sentMessage();
    for (let number = 0; number < 30; number += 1)
      await aDelivery(fixture.database, organisationId, {
        messageId: id,
        recipient: `+23480400000${10 + number}`,
      });
    const { out, err } = await admin.run('messages', 'show', id, '--json');
    const history = JSON.parse(out) as History;
    expect(history).toMatchObject({ states: [{ state: 'queued', deliveries: 30 }, {}, {}], deliveries: [] });
    expect(err).toContain('The message has 32 deliveries: add --recipient <number>');
    const one = await show(id, '--recipient', '0803 123 4567');
    expect(one).toMatchObject({ deliveries: [{ recipient: '+234…567' }], callbacks: [{}] });
    expect(one['attempts']).toHaveLength(2);
    expect((await show(id, '--recipient', '08031234568'))['callbacks']).toEqual([]);
    expect(await admin.run('messages', 'show', id, '--recipient', '08039999999')).toMatchObject({
      code: 1,
      err: 'The message has no delivery to 08039999999.\n',
    });
  });

  it.each(['nonsense', newId()])('refuses the unknown id %s', async (id) => {
    expect(await admin.run('messages', 'show', id)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`There is no message ${id}`),
    });
  });
});

describe('the database of a command', () => {
  it('is named on standard error before a change and a question, without the password', async () => {
    const changed = await admin.run('prices', 'set', 'sms', '2347', '3', '--json');
    const { pathname, host, username } = new URL(fixture.url);
    const line = `Database: ${pathname.slice(1)} at ${host} as ${username}\n`;
    expect(changed).toMatchObject({ code: 0, err: line });
    expect(JSON.parse(changed.out)).toBeDefined();
    expect((await admin.run('organisations', 'create', 'Asked')).err).toContain(line);
    const refused = await admin.run('organisations', 'suspend', 'asked');
    expect(refused.err.startsWith(line)).toBe(true);
    expect(changed.err + refused.err).not.toContain('secret');
    expect((await admin.run('organisations', 'list')).err).toBe('');
  });
});
