import { receiveInbound } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newId, nilUuid } from '@gangan/protocol';
import { InboundContents, openTokens } from '@gangan/providers';
import { keysOf, MasterKeys, newQueueKey } from '@gangan/queue';
import { InboundSealer, masterSealer } from '@gangan/sealing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AdminCli, dataKey } from './support/admin-cli.js';
import { AdminFixture } from './support/admin-fixture.js';

const apiKey = 'TLsecretKeyOfTheAccount';
const queueKey = newQueueKey();
const body = JSON.stringify({
  message_id: '5964465985113503103',
  receiver: '2348031234567',
  status: 'Lost',
  api_key: apiKey,
  message: 'Your code is 4711.',
});

describe('a request of a provider', () => {
  const fixture = AdminFixture.use();
  let admin: AdminCli;
  beforeAll(async () => {
    admin = fixture.cli({
      TERMII_API_KEY: apiKey,
      QUEUE_MASTER_KEY: queueKey,
      PUBLIC_URL: 'https://sms.example/',
    });
    await admin.json(
      'providers',
      'add',
      'termii',
      '--preset',
      'termii',
      '--secret',
      'api_key=TERMII_API_KEY',
    );
  });

  const queueSealer = new InboundSealer(keysOf(new MasterKeys([queueKey]), 'gateway', receiveInbound));
  const store = async (state: 'received' | 'unparsed', sealedBy = state): Promise<string> => {
    const id = newId();
    const content = { query: '', body };
    const sealed =
      sealedBy === 'received'
        ? queueSealer.seal(JSON.stringify(content), id)
        : new InboundContents(masterSealer([dataKey])).seal(content, id);
    await fixture.database.execute(sql`
      INSERT INTO inbound_request (id, provider, digest, method, content_type, sealed_content, state, fault, attempt, next_attempt_at)
      VALUES (${id}::uuid, 'termii', ${Buffer.from(id)}, 'POST', 'application/json', ${sealed}, ${state}::inbound_state,
        'no rule', 101, CASE WHEN ${state} = 'received' THEN now() END)`);
    return id;
  };

  it('is sent to an address that is shown on request and can be replaced', async () => {
    const first = await admin.json<{ path: string; url: string }>('providers', 'inbound-url', 'termii');
    expect(first.path).toMatch(/^\/in\/termii\/[\w-]{43}$/);
    expect(first.url).toBe(`https://sms.example${first.path}`);
    await admin.json('providers', 'set', 'termii', '--rate', '50');
    expect(await admin.json('providers', 'inbound-url', 'termii')).toEqual(first);
    const second = await admin.json<{ path: string }>(
      'providers',
      'inbound-url',
      'termii',
      '--rotate',
      '--yes',
    );
    expect(second.path).not.toBe(first.path);
    expect(await admin.json('providers', 'show', 'termii')).toMatchObject({ reports_at: '/in/termii/…' });
    const token = second.path.split('/').at(-1) ?? '';
    expect(JSON.stringify(await admin.json('audit'))).not.toContain(token);
    const stored = await fixture.database.provider.findMany();
    expect(Buffer.from(stored[0]?.sealedToken ?? []).toString('latin1')).not.toContain(token);
  });

  it('is still accepted at the old address for a while, on request', async () => {
    const tokens = async () => {
      const row = await fixture.database.provider.findFirstOrThrow();
      return openTokens(masterSealer([dataKey]), row, row.sealedToken ?? Buffer.alloc(0));
    };
    const { token } = await tokens();
    await admin.json('providers', 'inbound-url', 'termii', '--rotate', '--keep', '24', '--yes');
    const { former } = await tokens();
    expect(former?.token).toBe(token);
    expect(Math.round((Number(former?.until) - Date.now()) / 3_600_000)).toBe(24);
    await admin.json('providers', 'set', 'termii', '--rate', '60');
    expect((await tokens()).former).toEqual(former);
    await admin.json('providers', 'inbound-url', 'termii', '--rotate', '--yes');
    expect(await tokens()).not.toHaveProperty('former');
    expect((await admin.run('providers', 'inbound-url', 'termii', '--keep', '24')).err).toContain(
      '--keep needs --rotate',
    );
  });

  it('is listed and shown without secrets, phone numbers and OTPs', async () => {
    for (const state of ['received', 'unparsed'] as const) {
      const id = await store(state);
      const list = await admin.json<object[]>('inbound', 'list', '--state', state, '--provider', 'termii');
      expect(list).toMatchObject([{ id, provider: 'termii', state, verified: true, fault: 'no rule' }]);
      const shown = await admin.json<{ body: string }>('inbound', 'show', id);
      expect(shown).toMatchObject({ id, faults: ['no rule lists the status "Lost"'] });
      expect(shown.body).toContain('"status":"Lost"');
      expect(shown.body).not.toMatch(/TLsecret|8031234567|4711/);
    }
    const { code, err } = await admin.run('inbound', 'show', nilUuid);
    expect([code, err]).toEqual([1, expect.stringContaining('There is no request')]);
  });

  it('is shown even if no worker could read it, and without the queue key if one has read it', async () => {
    const unread = await store('unparsed', 'received');
    expect(await admin.json('inbound', 'show', unread)).toMatchObject({ id: unread, state: 'unparsed' });
    const read = await store('unparsed');
    const withoutQueueKey = fixture.cli({ TERMII_API_KEY: apiKey });
    expect(await withoutQueueKey.json('inbound', 'show', read)).toMatchObject({ id: read });
    await fixture.database.execute(
      sql`DELETE FROM inbound_request WHERE id IN (${unread}::uuid, ${read}::uuid)`,
    );
  });

  it('is processed again on request, which is audited', async () => {
    const id = await store('unparsed');
    expect(await admin.json('inbound', 'replay', id)).toEqual({ replayed: 1 });
    expect(await admin.json('inbound', 'replay', id)).toEqual({ replayed: 0 });
    expect(await admin.json('inbound', 'replay', '--provider', 'termii')).toEqual({ replayed: 1 });
    const [row] = await fixture.database.query<object>(
      sql`SELECT state, fault, attempt, next_attempt_at IS NOT NULL AS due FROM inbound_request WHERE id = ${id}::uuid`,
    );
    expect(row).toEqual({ state: 'received', fault: null, attempt: 0, due: true });
    expect((await admin.run('inbound', 'replay')).code).toBe(1);
    const entries = await admin.json<{ action: string }[]>('audit', '--action', 'inbound');
    expect(entries.filter(({ action }) => action === 'inbound replay')).toHaveLength(3);
  });

  it('is shown, and stays unverified when it is replayed, if no worker has verified it', async () => {
    const id = newId();
    const request = { method: 'POST', headers: {}, body, content_type: 'application/json' };
    const url = 'https://sms.example/in/termii/token?a=4711';
    const sealed = queueSealer.seal(JSON.stringify({ ...request, url }), id);
    await fixture.database.query(sql`SELECT store_unverified(${id}::uuid, 'termii', 'POST', ${sealed})`);
    const shown = await admin.json<{ body: string }>('inbound', 'show', id);
    expect(shown).toMatchObject({ id, verified: false, query: 'a=…', content_type: 'application/json' });
    expect(shown.body).not.toMatch(/TLsecret|8031234567|4711/);
    await fixture.database.execute(sql`
      UPDATE inbound_request SET state = 'unparsed', next_attempt_at = NULL WHERE id = ${id}::uuid`);
    expect(await admin.json('inbound', 'replay', id)).toEqual({ replayed: 1 });
    const list = await admin.json<object[]>('inbound', 'list', '--limit', '1');
    expect(list).toMatchObject([{ id, state: 'received', verified: false }]);
    await fixture.database.execute(sql`DELETE FROM inbound_request WHERE id = ${id}::uuid`);
  });
});
