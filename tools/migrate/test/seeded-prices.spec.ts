import { readdir, readFile } from 'node:fs/promises';
import { callingCodeOf } from '@gangan/contracts';
import { Database, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import {
  aDelivery,
  aMessage,
  anOrganisation,
  anOtp,
  createTestDatabase,
  type TestDatabase,
} from '@gangan/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';

const folder = new URL('../../../prisma/migrations/', import.meta.url);

/** The schema as it was while the seeded prices held for live organisations, too. */
async function migrateBefore(url: string): Promise<void> {
  const names = (await readdir(folder))
    .filter((name) => /^\d/.test(name) && name < '20261120001300_prices')
    .sort();
  const migrations = await Promise.all(
    names.map(async (name) => {
      const script = await readFile(new URL(`${name}/migration.sql`, folder), 'utf8');
      return { name, sql: script, checksum: createHash('sha256').update(script).digest('hex') };
    }),
  );
  await migrate(url, undefined, migrations);
}

const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);

describe('the upgrade of seeded prices', () => {
  let postgres: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    postgres = await createTestDatabase(migrateBefore);
    database = new Database({ url: postgres.url, poolSize: 1 });
  });
  afterEach(async () => {
    await database.close();
    await postgres.drop();
  });

  const organisation = async (mode: 'live' | 'test' = 'live'): Promise<string> =>
    (await anOrganisation(database, { mode, hasPrices: false })).id;
  /** A delivery of a message, or of an OTP. */
  const sent = async (organisationId: string, recipient: string, columns: object = {}): Promise<void> => {
    const messageId = await aMessage(database, organisationId);
    await aDelivery(database, organisationId, {
      ...{ messageId, recipient, state: 'delivered', createdAt: daysAgo(1) },
      ...columns,
    });
  };
  const upgrade = async (): Promise<string[]> => {
    const lines: string[] = [];
    await migrate(postgres.url, (line) => lines.push(line));
    return lines.filter((line) => !line.startsWith('Applied '));
  };
  const prices = async (): Promise<string[]> =>
    (await database.price.findMany({ orderBy: [{ service: 'asc' }, { prefix: 'asc' }] })).map(
      ({ service, prefix, kobo, testOnly }) =>
        [service, prefix || 'any', kobo, ...(testOnly ? ['test'] : [])].join(' '),
    );
  const seeded = ['sms any 400 test', 'whatsapp any 500 test', 'lookup any 0 test'];
  const withSeeded = (...own: string[]): string[] => [...seeded, ...own].toSorted();

  it('says nothing and adds nothing to a new system', async () => {
    expect(await upgrade()).toEqual([]);
    expect((await prices()).toSorted()).toEqual(withSeeded());
  });

  it('writes and lists a price for each country that live organisations sent to in the last 90 days', async () => {
    const [one, other, test] = [await organisation(), await organisation(), await organisation('test')];
    await sent(one, '+2348031234567');
    await sent(one, '+2347051234567', { state: 'expired' });
    await sent(other, '+2348031234568', { channel: 'whatsapp', state: 'queued' });
    await sent(other, '+233201234567', { createdAt: daysAgo(89) });
    await sent(other, '+447911123456', { createdAt: daysAgo(91) });
    await sent(other, '+254712345678', { state: 'rejected' });
    await sent(other, '+255712345678', { state: 'failed' });
    await sent(test, '+12025550123');
    expect(await upgrade()).toEqual([
      'Price: sms to 233 costs NGN 4.00, because live organisations sent there in the last 90 days',
      'Price: sms to 234 costs NGN 4.00, because live organisations sent there in the last 90 days',
      'Price: whatsapp to 234 costs NGN 5.00, because live organisations sent there in the last 90 days',
      'Live organisations can no longer send to countries without a price: check `pnpm admin prices list`',
    ]);
    expect((await prices()).toSorted()).toEqual(
      withSeeded('sms 233 400', 'sms 234 400', 'whatsapp 234 500').toSorted(),
    );
    expect(
      await database.query(
        sql`SELECT actor, target, after, number::int FROM audit_log JOIN audit_link ON entry_id = id ORDER BY target`,
      ),
    ).toMatchObject([
      {
        actor: 'pnpm migrate',
        target: 'sms 233',
        after: { naira: 4 },
        number: expect.any(Number) as unknown,
      },
      {
        actor: 'pnpm migrate',
        target: 'sms 234',
        after: { naira: 4 },
        number: expect.any(Number) as unknown,
      },
      {
        actor: 'pnpm migrate',
        target: 'whatsapp 234',
        after: { naira: 5 },
        number: expect.any(Number) as unknown,
      },
    ]);
    expect(await upgrade()).toEqual([]);
  });

  it('counts OTPs', async () => {
    const id = await organisation();
    const otpId = await anOtp(database, id, { recipient: '+447911123456', channel: 'whatsapp' });
    const ended = { otpId, recipient: '+447911123456', channel: 'whatsapp', state: 'delivered' };
    await aDelivery(database, id, { ...ended, createdAt: daysAgo(1) });
    await upgrade();
    expect((await prices()).toSorted()).toEqual(withSeeded('whatsapp 44 500'));
  });

  it('leaves the prices of operators as they are, and adds none where they cover a country', async () => {
    const id = await organisation();
    await database.execute(sql`
      INSERT INTO price (service, prefix, kobo) VALUES ('sms', '44', 3000), ('sms', '4477', 2500), ('sms', '234803', 350)`);
    await sent(id, '+447911123456');
    await sent(id, '+2348031234567');
    await upgrade();
    expect((await prices()).toSorted()).toEqual(
      withSeeded('sms 44 3000', 'sms 4477 2500', 'sms 234803 350', 'sms 234 400').toSorted(),
    );
  });

  it('keeps a price for any number that an operator has set', async () => {
    await sent(await organisation(), '+2348031234567');
    await database.execute(sql`UPDATE price SET kobo = 401 WHERE service = 'sms' AND prefix = ''`);
    expect(await upgrade()).toEqual([
      'Live organisations can no longer send to countries without a price: check `pnpm admin prices list`',
    ]);
    expect(await prices()).toEqual(['sms any 401', 'whatsapp any 500 test', 'lookup any 0 test']);
  });

  it('knows the calling code of every country', async () => {
    const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
    const codes = new Set(letters.flatMap((one) => letters.map((other) => callingCodeOf(one + other))));
    codes.delete('');
    expect(codes.size).toBeGreaterThan(200);
    const id = await organisation();
    const messageId = await aMessage(database, id);
    for (const code of codes)
      await aDelivery(database, id, { messageId, recipient: `+${code}99999999`, state: 'delivered' });
    await upgrade();
    const added = (await database.price.findMany({ where: { testOnly: false } })).map(({ prefix }) => prefix);
    expect(added.toSorted()).toEqual([...codes].toSorted());
  });
});
