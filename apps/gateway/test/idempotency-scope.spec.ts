import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { newQueueKey } from '@gangan/queue';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { expectError } from './support/error-shape.js';
import { FakeOperations, operationsModule } from './support/fake-operations.js';
import { GatewayFixture, type IssuedKey } from './support/gateway-fixture.js';
import type { Answer } from './support/http.js';
import type { RunningGateway } from './support/running-gateway.js';

const isReplay = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true';

/** The path with one of its characters percent-encoded, for each of them. */
const spellingsOf = (path: string): string[] =>
  path.split('').flatMap((character, index) => {
    if (character === '/' || character === '%') return [];
    const encoded = `%${character.charCodeAt(0).toString(16)}`;
    return [path.slice(0, index) + encoded + path.slice(index + 1)];
  });

describe('the scope of an Idempotency-Key', () => {
  const operations = new FakeOperations();
  const earlierQueueKey = newQueueKey();
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let issued: IssuedKey;
  let key: string;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway({ module: operationsModule(operations), earlierQueueKey });
    issued = await fixture.issueKey({ scopes: ['sms:write'] });
  });
  afterAll(() => fixture.stop());
  beforeEach(() => {
    key = newId();
  });

  const send = (method: string, path: string): Promise<Answer> =>
    gateway.call({
      method,
      path,
      headers: [
        ['authorization', issued.key],
        ['content-type', 'application/json'],
        ['idempotency-key', key],
      ],
      body: JSON.stringify({ key }),
    });

  it('is the same for every spelling of a path', async () => {
    const spellings = [
      ...spellingsOf('/operations'),
      '/operations/',
      '/operations?',
      '/operations#part',
      'http://localhost/operations',
      'https://elsewhere.example/%6fperations/',
    ];
    const first = await send('POST', '/operations');
    expect(isReplay(first)).toBe(false);
    for (const path of spellings)
      expect({ path, answer: await send('POST', path) }).toMatchObject({
        path,
        answer: { status: 200, text: first.text, headers: { 'idempotent-replayed': 'true' } },
      });
    expect(operations.runsWith(key)).toHaveLength(1);
  });

  it('is the same for every spelling of a parameter, and another one for another parameter', async () => {
    const id = newId();
    await send('PATCH', `/operations/${id}`);
    for (const path of [...spellingsOf(`/operations/${id}`), `/operations/${id.toUpperCase()}`])
      expect([path, isReplay(await send('PATCH', path))]).toEqual([path, true]);
    expect(operations.runsWith(key)).toHaveLength(1);
    for (const other of ['a%2Fb', 'a%252Fb', 'A%2Fb', 'a%20b', 'a+b', 'a%2520b'])
      expect([other, isReplay(await send('PATCH', `/operations/${other}`))]).toEqual([other, false]);
    expect(isReplay(await send('PATCH', '/operations/%61%2fb'))).toBe(true);
    expect(isReplay(await send('PATCH', '/operations/a%2bb'))).toBe(true);
    expect(operations.runsWith(key)).toHaveLength(7);
  });

  /** The columns and values of a claim as version 0.2 writes them. */
  const claimOf02 = async (method: string, path: string): Promise<void> => {
    const hmacKey = hkdfSync('sha256', Buffer.from(earlierQueueKey, 'base64'), '', 'gangan-idempotency', 32);
    const request = JSON.stringify(['', { key }]);
    const fingerprint = createHmac('sha256', Buffer.from(hmacKey)).update(request).digest();
    await fixture.database.execute(sql`
      INSERT INTO idempotency_claim (organisation_id, key, method, path, operation_id, fingerprint, leased_until)
      VALUES (${issued.organisationId}::uuid, ${key}, ${method}, ${path}, ${newId()}::uuid, ${fingerprint}::bytea,
        now() + interval '20 seconds')`);
  };
  const answerOf02 = (body: string) =>
    fixture.database.execute(sql`
      UPDATE idempotency_claim SET leased_until = now(), answer_status = 200,
        answer_type = 'application/json; charset=utf-8', answer_body = ${Buffer.from(body)}
      WHERE key = ${key} AND answer_status IS NULL`);

  const path = '/operations/0190a000-0000-7000-8000-00000000000f';
  const long = `/operations/${'x'.repeat(300)}`;
  it.each([
    ['a path', 'POST', '/operations', '/operations'],
    ['an id', 'PATCH', path, path],
    ['an encoded parameter', 'PATCH', '/operations/a%2Fb%20c', '/operations/a%2Fb%20c'],
    ['a long path', 'PATCH', long, createHash('sha256').update(long).digest('hex')],
  ])('finds the claim that version 0.2 made for %s', async (_, method, asked, stored) => {
    await claimOf02(method, stored);
    expect(expectError(await send(method, asked), 409)).toEqual(['Idempotency-Key in_progress']);
    await answerOf02('{"id":"of version 0.2"}');
    for (const spelling of [asked, `${asked}/`, asked.replace('operations', '%6fperations')])
      expect(await send(method, spelling)).toMatchObject({
        status: 200,
        text: '{"id":"of version 0.2"}',
        headers: { 'idempotent-replayed': 'true', 'content-type': 'application/json; charset=utf-8' },
      });
    expect(operations.runsWith(key)).toEqual([]);
  });
});
