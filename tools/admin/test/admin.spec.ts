import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCallbackSecret, sql } from '@gangan/database';
import { keyScopes } from '@gangan/protocol';
import { masterSealer } from '@gangan/sealing';
import { aDelivery, aMessage, anOtp } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { dataKey } from './support/admin-cli.js';
import { AdminFixture } from './support/admin-fixture.js';

interface Key {
  readonly id: string;
  readonly key: string;
  readonly scopes: string[];
  readonly expires?: string;
}

describe('pnpm admin', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli();
  let folder: string;

  beforeAll(async () => {
    folder = await fixture.folder();
    await fixture.database.execute(sql`UPDATE approval_setting SET limit_kobo = NULL`);
    await admin.json('organisations', 'create', 'Acme', '--sender', 'Acme');
  });

  const stored = async (id: string): Promise<{ hash: Buffer; prefix: string; expires: Date | null }> => {
    const [key] = await fixture.database.query<{ hash: Buffer; prefix: string; expires: Date | null }>(
      sql`SELECT hash, prefix, expires_at AS expires FROM api_key WHERE id = ${id}`,
    );
    if (!key) throw new Error(`no key ${id}`);
    return key;
  };

  /** The active callback secrets, the newest first. */
  const secretsOf = async (organisationId: string): Promise<string[]> => {
    const rows = await fixture.database.callbackSecret.findMany({
      where: { organisationId, OR: [{ retiresAt: null }, { retiresAt: { gt: new Date() } }] },
      orderBy: { id: 'desc' },
    });
    const sealer = masterSealer([dataKey]);
    return rows.map((row) => openCallbackSecret(sealer, row));
  };

  describe('organisations', () => {
    it('are created in pairs, with everything that they need', async () => {
      const made = await admin.json<{
        account: string;
        organisations: { id: string; callback_secret: string }[];
      }>(...['organisations', 'create', 'Pair Ltd']);
      expect(made.organisations).toHaveLength(2);
      for (const { id, callback_secret } of made.organisations) {
        expect(callback_secret).toMatch(/^whsec_/);
        const accounts = await fixture.database.query(sql`
          SELECT kind, balance FROM ledger_account WHERE organisation_id = ${id} ORDER BY kind`);
        expect(accounts).toEqual([
          { kind: 'wallet', balance: 0n },
          { kind: 'reserved', balance: 0n },
          ...['revenue', 'loss', 'funding'].map((kind) => ({ kind, balance: null })),
        ]);
        expect(await secretsOf(id)).toEqual([callback_secret]);
      }
      const shown = await admin.json('organisations', 'show', 'pair ltd/test');
      expect(shown).toMatchObject({ mode: 'test', status: 'active', default_sender: 'Gangan', balance: 0 });
    });

    it('are suspended one by one or by account, and activated again', async () => {
      await admin.json('organisations', 'create', 'Late Payer');
      const states = async (): Promise<unknown[]> =>
        (await admin.json<{ name: string; status: string }[]>('organisations', 'list'))
          .filter(({ name }) => name === 'Late Payer')
          .map(({ status }) => status);
      await admin.json('organisations', 'suspend', 'late payer/live', '--yes');
      expect(await states()).toEqual(['suspended', 'active']);
      await admin.json('organisations', 'suspend', 'late payer', '--yes');
      expect(await states()).toEqual(['suspended', 'suspended']);
      await admin.json('organisations', 'activate', 'late payer/test');
      expect(await states()).toEqual(['suspended', 'active']);
    });

    it('show the work that waits to be sent', async () => {
      const made = await admin.json<{ organisations: { id: string }[] }>(
        'organisations',
        'create',
        'Waiting',
      );
      const id = made.organisations[0]?.id ?? '';
      const messageId = await aMessage(fixture.database, id);
      await aDelivery(fixture.database, id, { messageId });
      await aDelivery(fixture.database, id, { messageId, state: 'delivered' });
      await aDelivery(fixture.database, id, { otpId: await anOtp(fixture.database, id) });
      expect(await admin.json('organisations', 'show', id)).toMatchObject({
        unsent_messages_and_otps: 2,
        unread_smartlists: 0,
        unsubmitted_purchases: 0,
      });
    });

    it('are not confused with an account of the same name', async () => {
      await admin.json('organisations', 'create', 'Clash');
      const { account } = await admin.json<{ account: string }>('organisations', 'create', 'Clash/live');
      const { code, err } = await admin.run('organisations', 'suspend', 'clash/live', '--yes');
      expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('use an id') });
      expect(await admin.json('organisations', 'show', 'clash/live')).toMatchObject({ status: 'active' });
      await admin.json('organisations', 'suspend', account, '--yes');
      expect(await admin.json('organisations', 'show', 'clash/live/live')).toMatchObject({
        status: 'suspended',
      });
    });

    it('have unique names', async () => {
      await admin.json('organisations', 'create', 'Old Name');
      expect(await admin.run('organisations', 'create', 'OLD NAME')).toMatchObject({ code: 1, out: '' });
      expect(await admin.run('organisations', 'rename', 'Old Name', 'acme')).toMatchObject({
        code: 1,
        out: '',
      });
      const race = ['Twin', 'TWIN', 'twin'].map((name) => admin.run('organisations', 'create', name));
      expect((await Promise.all(race)).map(({ code }) => code).toSorted()).toEqual([0, 1, 1]);
      await admin.json('organisations', 'rename', 'Old Name', 'New Name');
      expect((await admin.run('organisations', 'show', 'Old Name/live')).err).toMatch(
        /There is no organisation/,
      );
      expect((await admin.run('organisations', 'show', 'new name/live')).code).toBe(0);
    });
  });

  describe('keys', () => {
    const issue = (name: string, ...options: string[]) =>
      admin.json<Key>('keys', 'issue', 'acme/live', '--name', name, '--scopes', 'all', ...options);

    it('have all scopes only if they are named, for a live organisation', async () => {
      const refused = await admin.run('keys', 'issue', 'acme/live', '--name', 'Shop');
      expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('--scopes all') });
      const { scopes } = await admin.json<Key>('keys', 'issue', 'acme/test', '--name', 'Shop');
      expect(scopes).toEqual([...keyScopes]);
    });

    it('are shown once, and stored as their SHA-256', async () => {
      const { id, key, scopes } = await issue('Production');
      expect(key).toMatch(/^sk_live_[\w-]{51}$/);
      expect(scopes).toEqual([...keyScopes]);
      const { hash, prefix } = await stored(id);
      expect(hash).toEqual(createHash('sha256').update(key).digest());
      expect(key.startsWith(prefix)).toBe(true);
      for (const command of [
        ['keys', 'list', 'acme/live'],
        ['keys', 'expire', id, 'never'],
        ['organisations', 'show', 'acme/live'],
        ['keys', 'revoke', id, '--yes', '--verbose'],
      ]) {
        const { code, out, err } = await admin.run(...command);
        expect(code).toBe(0);
        expect(out + err).not.toContain(key);
        expect(out + err).not.toContain(key.slice(prefix.length));
        expect(out + err).not.toContain(hash.toString('hex'));
      }
    });

    it('have only the scopes and the lifetime that they are issued with', async () => {
      const issued = await admin.json<Key>(
        ...['keys', 'issue', 'acme/test', '--name', 'CI', '--scopes', 'lookup:read,sms', '--expires', '90d'],
      );
      expect(issued.key).toMatch(/^sk_test_/);
      expect(issued.scopes).toEqual(['sms:read', 'sms:write', 'lookup:read']);
      const days = (new Date(issued.expires ?? 0).getTime() - Date.now()) / 86_400_000;
      expect(Math.round(days)).toBe(90);
      const bad = await admin.run('keys', 'issue', 'acme/test', '--name', 'x', '--scopes', 'mms');
      expect(bad).toMatchObject({ code: 2, out: '', err: expect.stringContaining('lookup:read') });
    });

    it('may be restricted to networks, which their successors inherit', async () => {
      const { id } = await issue('Office', '--networks', '203.0.113.7, 2001:db8::/32');
      expect(await admin.run('keys', 'networks', id, '10.0.0.0/8')).toMatchObject({
        code: 1,
        err: expect.stringContaining('add --yes'),
      });
      const tied = await admin.json('keys', 'networks', id, '10.0.0.0/8,203.0.113.7', '--yes');
      expect(tied).toMatchObject({ networks: ['10.0.0.0/8', '203.0.113.7'] });
      const next = await admin.json<Key>('keys', 'rotate', id);
      expect(next).toMatchObject({ networks: ['10.0.0.0/8', '203.0.113.7'] });
      expect(await admin.json('keys', 'networks', next.id, 'any')).toMatchObject({ networks: ['any'] });
      const listed = await admin.json<{ id: string; networks: string[] }[]>('keys', 'list', 'acme/live');
      expect(listed.find((key) => key.id === id)?.networks).toEqual(['10.0.0.0/8', '203.0.113.7']);
      for (const wrong of ['10.0.0.0/33', 'example.com', '', '10.0.0.1,,'])
        expect((await admin.run('keys', 'networks', id, wrong, '--yes')).code).toBe(2);
    });

    it('are rotated to a successor of the same kind, and remain valid for the overlap', async () => {
      const old = await admin.json<Key>(
        ...['keys', 'issue', 'acme/live', '--name', 'Shop', '--scopes', 'otp', '--expires', '30d'],
      );
      const next = await admin.json<Key & { replaces: string; old_key_works_until: string }>(
        ...['keys', 'rotate', old.key.slice(0, 16), '--overlap', '2h'],
      );
      expect(next).toMatchObject({ name: 'Shop', scopes: ['otp:read', 'otp:write'], replaces: old.id });
      expect(next.key).not.toBe(old.key);
      const { expires } = await stored(old.id);
      expect(expires).toEqual(new Date(next.old_key_works_until));
      expect(Math.round(((expires?.getTime() ?? 0) - Date.now()) / 3_600_000)).toBe(2);
      expect(Math.round((new Date(next.expires ?? 0).getTime() - Date.now()) / 86_400_000)).toBe(30);
      const states = await admin.json<{ id: string; state: string }[]>('keys', 'list', 'acme/live');
      expect(states.filter(({ id }) => id === old.id || id === next.id).map(({ state }) => state)).toEqual([
        'active',
        'active',
      ]);
    });

    it('are rotated once, and a successor does not inherit the end of the overlap', async () => {
      const old = await issue('Twice');
      const next = await admin.json<Key>('keys', 'rotate', old.id);
      expect(next.expires).toBeUndefined();
      const again = await admin.run('keys', 'rotate', old.id);
      expect(again).toMatchObject({ code: 1, out: '', err: expect.stringContaining('rotate its successor') });
      const [shown] = (
        await admin.json<{ id: string; replaced_by?: string }[]>('keys', 'list', 'acme/live')
      ).filter(({ id }) => id === old.id);
      expect(shown?.replaced_by).toBe(next.id);
      expect((await admin.json<Key>('keys', 'rotate', next.id)).expires).toBeUndefined();
    });

    it('are not extended by a rotation, which returns when they end', async () => {
      const old = await issue('Short', '--expires', '2h');
      const next = await admin.json<{ old_key_works_until: string }>('keys', 'rotate', old.id);
      expect(next.old_key_works_until).toBe(old.expires);
      expect((await stored(old.id)).expires).toEqual(new Date(old.expires ?? 0));
    });

    it('stop within the hour only after confirmation', async () => {
      const { id } = await issue('Hasty');
      for (const command of [
        ['keys', 'rotate', id, '--overlap', '0'],
        ['keys', 'rotate', id, '--overlap', '30m'],
        ['keys', 'expire', id, '5m'],
      ]) {
        expect(await admin.run(...command)).toMatchObject({
          code: 1,
          out: '',
          err: expect.stringContaining('add --yes'),
        });
        expect((await stored(id)).expires).toBeNull();
      }
      await admin.json('keys', 'expire', id, '1h');
      await admin.json('keys', 'expire', id, '5m', '--yes');
      await admin.json('keys', 'rotate', id, '--overlap', '30m');
    });

    it('that have expired work again only after confirmation', async () => {
      const { id } = await issue('Over');
      await fixture.database.execute(
        sql`UPDATE api_key SET expires_at = now() - interval '1 day' WHERE id = ${id}::uuid`,
      );
      for (const end of ['never', '7d']) {
        const asked = await admin.run('keys', 'expire', id, end);
        expect(asked).toMatchObject({ code: 1, out: '', err: expect.stringContaining('add --yes') });
      }
      expect(await admin.json('keys', 'expire', id, 'never', '--yes')).toMatchObject({ state: 'active' });
    });

    it('that are revoked stay revoked', async () => {
      const { id, key } = await issue('Leaked');
      const asked = await admin.run('keys', 'revoke', id);
      expect(asked).toMatchObject({ code: 1, out: '', err: expect.stringContaining('add --yes') });
      expect(await admin.json('keys', 'revoke', id, '--yes')).toMatchObject({ id, state: 'revoked' });
      expect((await admin.run('keys', 'rotate', id)).err).toMatch(/is revoked: issue a new one/);
      expect((await admin.run('keys', 'expire', id, 'never')).code).toBe(1);
      expect((await admin.run('keys', 'revoke', key, '--yes')).err).toMatch(
        /There is no such key: give its id or its first 16 characters/,
      );
    });
  });

  it('rotates callback secrets: two sign, never three', async () => {
    const hurried = await admin.run('secrets', 'rotate', 'acme/live', '--overlap', '30m');
    expect(hurried).toMatchObject({ code: 1, out: '', err: expect.stringContaining('add --yes') });
    const first = await admin.json<{ callback_secret: string }>('secrets', 'rotate', 'acme/live');
    for (const hasty of [[], ['--overlap', '0']]) {
      const asked = await admin.run('secrets', 'rotate', 'acme/live', ...hasty);
      expect(asked).toMatchObject({ code: 1, out: '', err: expect.stringContaining('add --yes') });
    }
    const second = await admin.json<{ callback_secret: string }>(
      ...['secrets', 'rotate', 'acme/live', '--yes'],
    );
    const { id } = await admin.json<{ id: string }>('organisations', 'show', 'acme/live');
    expect(await secretsOf(id)).toEqual([second.callback_secret, first.callback_secret]);
    const { out } = await admin.run('secrets', 'list', 'acme/live');
    expect(out).not.toContain('whsec_');
  });

  it('sets limits: numbers, off, and back to the default', async () => {
    const set = (...limits: string[]): Promise<unknown> =>
      admin.json('limits', 'set', 'acme/live', ...limits);
    await set('--requests-per-second', '500', '--otp-daily-spend', '1000.50');
    expect(await set('--request-burst', '0')).toEqual({
      requests_per_second: 500,
      request_burst: 0,
      otp_sends_per_recipient: 'default',
      otp_sends_per_prefix: 'default',
      otp_tries_per_recipient: 'default',
      otp_daily_tries_per_recipient: 'default',
      daily_spend: 'default',
      message_daily_spend: 'default',
      otp_daily_spend: 1000.5,
      airtime_daily_spend: 'default',
      airtime_daily_spend_per_recipient: 'default',
      airtime_key_cooling_hours: 'default',
      lookup_daily_spend: 'default',
      contact_rows: 'default',
      stored_bytes: 'default',
      unfinished_imports: 'default',
      waiting_callbacks: 'default',
      response_bytes: 'default',
      simulated_messages: 'default',
    });
    const quotas = ['--contact-rows', '100', '--stored-bytes', '107374182400'];
    expect(await set(...quotas, '--unfinished-imports', '3', '--waiting-callbacks', '0')).toMatchObject({
      contact_rows: 100,
      stored_bytes: 107_374_182_400,
      unfinished_imports: 3,
      waiting_callbacks: 0,
    });
    expect(await set('--response-bytes', '1073741824', '--simulated-messages', '50')).toMatchObject({
      response_bytes: 1_073_741_824,
      simulated_messages: 50,
    });
    const spending = ['--airtime-daily-spend', '2000', '--daily-spend', '4000'];
    expect(await set(...spending)).toMatchObject({ daily_spend: 4000, airtime_daily_spend: 2000 });
    expect(await admin.json('limits', 'usage', 'acme/live')).toEqual({
      spent_today: 0,
      message_spent_today: 0,
      otp_spent_today: 0,
      airtime_spent_today: 0,
      lookup_spent_today: 0,
      contact_rows: 0,
      stored_bytes: 0,
      unfinished_imports: 0,
      waiting_callbacks: 0,
      response_bytes: 0,
      simulated_messages: 0,
    });
    expect(await set('--requests-per-second', 'default')).toMatchObject({ requests_per_second: 'default' });
    expect(await admin.json<object[]>('limits', 'show', 'acme/live')).toContainEqual({
      limit: 'request_burst',
      value: 0,
      limited: false,
      source: 'organisation',
    });
    expect((await admin.run('limits', 'set', 'acme/live', '--request-burst', '-1')).code).toBe(2);
    expect((await admin.run('limits', 'set', 'acme/live')).code).toBe(2);
  });

  describe('money', () => {
    const balance = async (): Promise<unknown> => (await admin.json('balance', 'acme/live'))['balance'];

    it('is topped up to the kobo, once per reference', async () => {
      await admin.json(
        'top-up',
        'acme/live',
        '90071992547.01',
        '--reference',
        'INV-1',
        '--note',
        'Bank transfer',
      );
      expect(await balance()).toBe(90071992547.01);
      expect(await fixture.database.paymentReference.findMany()).toMatchObject([{ reference: 'INV-1' }]);
      const again = await admin.json('top-up', 'acme/live', '90071992547.01', '--reference', 'INV-1');
      expect(again).toMatchObject({ booked: false });
      const other = await admin.run('top-up', 'acme/live', '5', '--reference', 'INV-1');
      expect(other).toMatchObject({ code: 1, out: '', err: expect.stringContaining('90071992547.01') });
      await admin.json('top-up', 'acme/live', '0.1');
      await admin.json('top-up', 'acme/live', '0.2');
      expect(await balance()).toBe(90071992547.31);
      for (const amount of ['0', '-1', '0.001', '1e3', '1,000', 'NaN', ''])
        expect((await admin.run('top-up', 'acme/live', amount)).code).toBe(2);
      expect(await balance()).toBe(90071992547.31);
    });

    it('is adjusted by hand, never below zero', async () => {
      await admin.json('top-up', 'acme/test', '10');
      expect((await admin.run('adjust', 'acme/test', '-2.50', '--note', 'x')).err).toMatch(/add --yes/);
      const done = await admin.json('adjust', 'acme/test', '-2.50', '--note', 'Paid twice', '--yes');
      expect(done).toMatchObject({ booked: true, balance: 7.5 });
      const repeat = (naira: string) =>
        admin.run('adjust', 'acme/test', naira, '--note', 'x', '--reference', 'A-1', '--yes');
      expect((await repeat('-0.25')).code).toBe(0);
      expect((await repeat('-0.25')).out).toMatch(/already booked/);
      for (const naira of ['0.25', '-1', '-9999']) {
        expect(await repeat(naira)).toMatchObject({
          code: 1,
          out: '',
          err: expect.stringContaining('-0.25'),
        });
      }
      await admin.json('adjust', 'acme/test', '0.25', '--note', 'x', '--yes');
      expect(await admin.run('adjust', 'acme/test', '-7.51', '--note', 'x', '--yes')).toMatchObject({
        code: 1,
      });
      expect(await admin.json('adjust', 'acme/test', '1', '--note', 'x', '--yes')).toMatchObject({
        balance: 8.5,
      });
    });

    it('is checked, and a balance that differs from its entries is found', async () => {
      expect(await admin.json('ledger', 'check')).toMatchObject({ clean: true, findings: [] });
      await fixture.database.execute(
        sql`UPDATE ledger_account SET balance = balance + 1 WHERE kind = 'wallet' AND balance = 850`,
      );
      const { code, out } = await admin.run('ledger', 'check', '--json');
      expect(code).toBe(1);
      expect(JSON.parse(out)).toMatchObject({ clean: false, findings: [{ message: expect.any(String) }] });
      await fixture.database.execute(
        sql`UPDATE ledger_account SET balance = balance - 1 WHERE kind = 'wallet' AND balance = 851`,
      );
      expect((await admin.run('ledger', 'check')).code).toBe(0);
    });
  });

  it('sets prices, and keeps the seeded ones for test organisations', async () => {
    const seeded = { service: 'sms', prefix: 'any', naira: 4, test_only: true };
    expect(await admin.json('prices', 'list')).toContainEqual(seeded);
    const ofLive = () => admin.json<object[]>('prices', 'list', '--organisation', 'acme/live');
    expect(await ofLive()).toEqual([]);
    expect((await admin.run('prices', 'remove', 'sms', 'any', '--yes')).code).toBe(1);
    await admin.json('prices', 'set', 'sms', '+234803', '2.50');
    await admin.json('prices', 'set', 'sms', 'any', '25');
    const promotional = ['sms', '234', '--category', 'promotional'];
    await admin.json('prices', 'set', ...promotional.toSpliced(2, 0, '3'));
    const prices = await admin.json<object[]>('prices', 'list');
    expect(prices).toContainEqual({ service: 'sms', prefix: '234803', naira: 2.5 });
    expect(prices).toContainEqual({ service: 'sms', prefix: '234', category: 'promotional', naira: 3 });
    expect(prices).toContainEqual({ service: 'sms', prefix: 'any', naira: 25 });
    expect(await ofLive()).toContainEqual({ service: 'sms', prefix: 'any', naira: 25, own: false });
    expect((await admin.run('prices', 'remove', 'sms', '234803')).code).toBe(1);
    await admin.json('prices', 'remove', 'sms', '234803', '--yes');
    await admin.json('prices', 'remove', ...promotional, '--yes');
    expect((await admin.run('prices', 'remove', ...promotional, '--yes')).err).toContain(
      'There is no price of sms to 234 (promotional).',
    );
    expect(await admin.json('prices', 'list')).toHaveLength(prices.length - 2);
    expect((await admin.run('prices', 'remove', 'sms', 'any', '--yes')).out).toContain(
      'The price is removed; test organisations keep it.',
    );
    expect(await ofLive()).toEqual([]);
    expect(await admin.json('prices', 'list')).toContainEqual({ ...seeded, naira: 25 });
    const [{ before, after } = {}] = await admin.json<{ before?: object; after?: object }[]>(
      ...['audit', '--action', 'prices remove', '--limit', '1'],
    );
    expect([before, after]).toEqual([{ naira: 25 }, { naira: 25, test_only: true }]);
    expect((await admin.run('prices', 'set', 'lookup', 'any', '1', '--category', 'otp')).err).toContain(
      'Lookups have no category.',
    );
    for (const bad of [
      ['fax', '234', '1'],
      ['sms', '0803', '1'],
      ['sms', '234', '-1'],
      ['sms', '234', '0.001'],
      ['sms', '234', '1', '--category', 'marketing'],
    ])
      expect((await admin.run('prices', 'set', ...bad)).code).toBe(2);
  });

  it('restricts the countries of messages, and names them in `organisations show`', async () => {
    const shown = async () => (await admin.json('organisations', 'show', 'acme/live'))['message_countries'];
    expect(await shown()).toBe('all');
    const set = (...options: string[]) => admin.run('messages', 'set', 'acme/live', ...options, '--json');
    await admin.json('organisations', 'default-category', 'acme/live', 'transactional');
    expect(JSON.parse((await set('--countries', 'ng,GH')).out)).toEqual({ countries: 'NG, GH' });
    expect(await shown()).toBe('NG, GH');
    expect((await set('--countries', 'Nigeria')).err).toContain('NIGERIA is not a country');
    expect((await set('--countries', '')).err).toContain('countries');
    expect((await set()).code).toBe(2);
    expect(JSON.parse((await set('--countries', 'default')).out)).toEqual({ countries: 'all' });
    const { settings } = await fixture.database.organisation.findFirstOrThrow({
      where: { mode: 'live', account: { name: 'Acme' } },
    });
    expect(settings).toMatchObject({ sms: { default_category: 'transactional' } });
    await fixture.database.execute(sql`
      UPDATE organisation SET settings = '{"sms": {"countries": "NG"}}' WHERE mode = 'live'`);
    expect(await shown()).toContain('invalid');
    await fixture.database.execute(sql`UPDATE organisation SET settings = '{}' WHERE mode = 'live'`);
  });

  it('sets the prices of one organisation, which override longer prefixes of the list', async () => {
    await admin.json('prices', 'set', 'sms', '234803', '2.50');
    const set = await admin.run('prices', 'set', 'sms', '234', '3', '--organisation', 'acme/live');
    expect(set.out).toContain('sms to 234 costs 3.00 for Acme/live.');
    const own = await admin.json<{ service: string; prefix: string }[]>(
      ...['prices', 'list', '--organisation', 'acme/live'],
    );
    expect(own).toContainEqual({ service: 'sms', prefix: '234', naira: 3, own: true });
    expect(own.filter(({ service, prefix }) => service === 'sms' && prefix === '234803')).toEqual([]);
    const others = await admin.json<object[]>('prices', 'list', '--organisation', 'acme/test');
    expect(others).toContainEqual({ service: 'sms', prefix: '234803', naira: 2.5, own: false });
    const remove = ['prices', 'remove', 'sms', '234', '--organisation', 'acme/live', '--yes'];
    expect((await admin.run(...remove)).code).toBe(0);
    expect((await admin.run(...remove)).code).toBe(1);
    await admin.json('prices', 'remove', 'sms', '234803', '--yes');
  });

  it('restricts an organisation to its usual and its registered senders, and frees it', async () => {
    await admin.json('senders', 'add', 'acme/test', 'ACME');
    const { out } = await admin.run('senders', 'restrict', 'acme/test');
    expect(out).toContain('Acme, ACME only');
    const restricted = { registered_senders_only: true };
    expect(await admin.json('organisations', 'show', 'acme/test')).toMatchObject(restricted);
    await admin.json('senders', 'free', 'acme/test');
    const free = { registered_senders_only: false };
    expect(await admin.json('organisations', 'show', 'acme/test')).toMatchObject(free);
  });

  it('sets quiet hours in a time zone, and removes them without other settings', async () => {
    const shown = async (): Promise<string> =>
      (await admin.json<{ quiet_hours: string }>('organisations', 'show', 'Acme/live')).quiet_hours;
    const set = (...hours: string[]) => admin.run('organisations', 'quiet-hours', 'Acme/live', ...hours);
    await admin.run('organisations', 'default-category', 'Acme/live', 'promotional');
    expect(await shown()).toBe('none');
    expect((await set('22:00-07:00', 'africa/lagos')).code).toBe(0);
    expect(await shown()).toBe('22:00-07:00 Africa/Lagos');
    for (const hours of [['22:00-07:00'], ['22:00-22:00', 'UTC'], ['22:00-07:00', 'Moon'], ['none', 'UTC']])
      expect((await set(...hours)).code).not.toBe(0);
    expect(await shown()).toBe('22:00-07:00 Africa/Lagos');
    expect((await set('none')).code).toBe(0);
    expect(await shown()).toBe('none');
    const [row] = await fixture.database.query<{ sms: object }>(sql`
      SELECT settings -> 'sms' AS sms FROM organisation
      WHERE mode = 'live' AND account_id = (SELECT id FROM account WHERE name = 'Acme')`);
    expect(row?.sms).toEqual({ default_category: 'promotional' });
  });

  it('lets an organisation ignore the quiet hours of countries, for a reason that it keeps', async () => {
    const shown = () => admin.json<Record<string, string>>('organisations', 'show', 'Acme/live');
    const set = (...args: string[]) => admin.run('organisations', 'national-quiet-hours', ...args);
    expect(await shown()).toMatchObject({ national_quiet_hours: 'applied' });
    expect((await set('Acme/live', 'ignore')).err).toContain('--note');
    expect((await set('Acme/test', 'ignore', '--note', 'x')).err).toContain('test organisation');
    expect(await shown()).toMatchObject({ national_quiet_hours: 'applied' });
    expect((await set('Acme/live', 'ignore', '--note', 'Licence 4711')).code).toBe(0);
    expect(await shown()).toMatchObject({
      national_quiet_hours: 'ignored',
      national_quiet_hours_note: 'Licence 4711',
    });
    // Together they would leave no minute of the day.
    const day = ['Acme/live', '08:00-20:00', 'Africa/Lagos'];
    expect((await admin.run('organisations', 'quiet-hours', ...day)).code).toBe(0);
    expect((await set('Acme/live', 'apply')).err).toContain('would never be sent');
    expect((await admin.run('organisations', 'quiet-hours', 'Acme/live', 'none')).code).toBe(0);
    expect((await set('Acme/live', 'apply')).code).toBe(0);
    expect(await shown()).toEqual(expect.not.objectContaining({ national_quiet_hours_note: 'Licence 4711' }));
    expect((await admin.run('organisations', 'quiet-hours', ...day)).err).toContain('would never be sent');
  });

  it('registers senders', async () => {
    await admin.json('senders', 'add', 'acme/live', 'ACME');
    await admin.json('senders', 'add', 'acme/live', 'ACME');
    expect(await admin.json('senders', 'list', 'acme/live')).toMatchObject([{ name: 'ACME' }]);
    expect((await admin.run('senders', 'add', 'acme/live', 'twelve chars')).code).toBe(2);
    await admin.json('senders', 'remove', 'acme/live', 'ACME', '--yes');
    expect(await admin.json('senders', 'list', 'acme/live')).toEqual([]);
  });

  describe('registries', () => {
    const file = async (text: string): Promise<string> => {
      const path = join(folder, 'numbers.csv');
      await writeFile(path, text);
      return path;
    };
    const served = async (): Promise<unknown[]> =>
      fixture.database.query(sql`
        SELECT n.phone, n.operator FROM ported_number n JOIN registry_import i ON i.id = n.import_id
        WHERE i.state = 'active' ORDER BY n.phone, i.id`);

    it('import the valid lines of a file, and list the others', async () => {
      const path = await file(
        '\ufeffphone,operator\n08031234567,glo\n112,MTN\n\n"+234 803 123 4568",\n08031234569,MTN\n',
      );
      const { code, out, err } = await admin.run('registry', 'import', 'ported', path, '--json');
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ lines: 4, rejected: 2 });
      expect(err.replace(/^Database: .*\n/m, '')).toBe(
        `line 3: the first column is not a phone number\nline 5: the second column, the operator, is missing\nAll bad lines are listed in ${path}.rejected.csv\n`,
      );
      expect(await served()).toEqual([
        { phone: '+2348031234567', operator: 'Glo' },
        { phone: '+2348031234569', operator: 'MTN' },
      ]);
    });

    it('are replaced only on request, and not by an empty file', async () => {
      const before = await served();
      const path = await file('08031234570,Airtel\n');
      expect((await admin.run('registry', 'import', 'ported', path, '--replace')).err).toMatch(/add --yes/);
      const nothing = await admin.run(
        'registry',
        'import',
        'ported',
        await file('x\n'),
        '--replace',
        '--yes',
      );
      expect(nothing).toMatchObject({ code: 1, err: expect.stringContaining('use the old data') });
      expect(await served()).toEqual(before);
      await admin.json(
        'registry',
        'import',
        'ported',
        await file('08031234570,Airtel\n'),
        '--replace',
        '--yes',
      );
      expect(await served()).toEqual([{ phone: '+2348031234570', operator: 'Airtel' }]);
      expect((await admin.json<{ state: string }[]>('registry', 'list')).map(({ state }) => state)).toEqual([
        'superseded',
        'failed',
        'active',
      ]);
    });

    it('import files of many batches, with repetitions', async () => {
      const lines = Array.from({ length: 3_500 }, (_, n) => `+23480300${String(n % 3_000).padStart(5, '0')}`);
      const done = await admin.json('registry', 'import', 'dnd', await file(lines.join('\r\n')));
      expect(done).toMatchObject({ lines: 3_500, rejected: 0 });
      expect(await fixture.database.query(sql`SELECT count(*)::int AS count FROM dnd_number`)).toEqual([
        { count: 3_000 },
      ]);
    });

    it('report a missing file', async () => {
      const missing = await admin.run('registry', 'import', 'dnd', join(folder, 'missing.csv'));
      expect(missing).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(/cannot be read: ENOENT/),
      });
    });
  });

  describe('on the command line', () => {
    it.each([
      [[]],
      [['what']],
      [['keys']],
      [['keys', 'issue', 'acme/live']],
      [['keys', 'list', 'acme/live', '--what']],
      [['keys', 'issue', 'acme/live', '--name', 'x', '--scopes', 'all', '--expires', 'soon']],
      [['queues', 'parked', 'nowhere']],
      [['queues', 'drop', 'lookup']],
      [['queues', 'drop', 'lookup', '1', '--all']],
    ])('rejects %j', async (given) => {
      const { code, out, err } = await admin.run(...given);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).not.toBe('');
    });

    it('prints help with examples for every command', async () => {
      const commands = (help: string): string[] =>
        [...(/Commands:\n((?: {2}.*\n)+)/.exec(help)?.[1] ?? '').matchAll(/^ {2}([a-z-]+)/gm)].map(
          ([, name = '']) => name,
        );
      const { out: top } = await admin.run('--help');
      const groups = commands(top).filter((name) => name !== 'help');
      expect(groups.length).toBeGreaterThan(10);
      for (const group of groups) {
        const { code, out } = await admin.run(group, '--help');
        expect(code).toBe(0);
        for (const command of commands(out).filter((name) => name !== 'help')) {
          expect((await admin.run(group, command, '--help')).out).toMatch(/Examples?:\n {2}pnpm admin/);
        }
        if (commands(out).length === 0) expect(out).toMatch(/Examples?:\n {2}pnpm admin/);
      }
    });
  });
});
