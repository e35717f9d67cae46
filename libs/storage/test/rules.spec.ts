import { newId } from '@gangan/protocol';
import { createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, type Sql, sql } from '@gangan/database';
import { migrate } from '../src/index.js';

describe('the rules of the database', () => {
  let postgres: TestDatabase;
  let database: Database;
  const account = newId();
  const organisation = newId();
  const wallet = newId();
  const reserved = newId();
  const revenue = newId();

  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
    database = new Database({ url: postgres.url, poolSize: 4 });
    await database.account.create({ data: { id: account, name: 'Test' } });
    await database.organisation.create({
      data: { id: organisation, accountId: account, mode: 'test', defaultSender: 'Test' },
    });
    await database.ledgerAccount.createMany({
      data: [
        { id: wallet, organisationId: organisation, kind: 'wallet', balance: 0n },
        { id: reserved, organisationId: organisation, kind: 'reserved', balance: 0n },
        { id: revenue, organisationId: organisation, kind: 'revenue' },
      ],
    });
    await database.ledgerAccount.update({ where: { id: wallet }, data: { balance: 1_000n } });
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });

  const refused = async (statement: Sql, constraint: string): Promise<void> => {
    await expect(database.execute(statement)).rejects.toMatchObject({ constraint });
  };

  /** By default between accounts without a stored balance. */
  const movement = (
    kind: string,
    { subject = newId(), kobo = 5n, from = 'loss', to = 'revenue', walletAfter = null as bigint | null } = {},
  ): Sql => sql`
    INSERT INTO ledger_movement (subject_id, kind, id, organisation_id, from_account, to_account, kobo, wallet_after)
    VALUES (${subject}, ${kind}, ${newId()}, ${organisation}, ${from}, ${to}, ${kobo}, ${walletAfter}::bigint)`;

  it('do not check the stored OTPs when they are added, which would block the table', async () => {
    const rows = await database.query<{ name: string }>(sql`
      SELECT conname AS name FROM pg_constraint WHERE conrelid = 'otp'::regclass AND contype = 'c' AND NOT convalidated
      ORDER BY 1`);
    expect(rows.map(({ name }) => name)).toEqual([
      'otp_fallback_check',
      'otp_recipient_check',
      'otp_sealed_token_check',
    ]);
  });

  describe('about money', () => {
    it('refuse a wallet or a reserve below zero', async () => {
      await refused(
        sql`UPDATE ledger_account SET balance = -1 WHERE id = ${wallet}`,
        'ledger_account_balance_check',
      );
      await refused(
        sql`UPDATE ledger_account SET balance = -1 WHERE id = ${reserved}`,
        'ledger_account_balance_check',
      );
    });

    it('refuse to open an account with money in it', async () => {
      await refused(
        sql`INSERT INTO ledger_account (id, organisation_id, kind, balance)
          VALUES (${newId()}, ${organisation}, 'wallet', 1)`,
        'ledger_account_empty',
      );
    });

    it('refuse a spendable account without a stored balance, and the reverse', async () => {
      await refused(
        sql`UPDATE ledger_account SET balance = NULL WHERE id = ${wallet}`,
        'ledger_account_stored_check',
      );
      await refused(
        sql`UPDATE ledger_account SET balance = 1 WHERE id = ${revenue}`,
        'ledger_account_stored_check',
      );
    });

    it('refuse a movement that states another balance than its wallet has', async () => {
      const charge = (walletAfter: bigint | null) =>
        movement('charge', { from: 'wallet', to: 'revenue', walletAfter });
      for (const balance of [995n, null]) await refused(charge(balance), 'ledger_movement_balances');
      await database.execute(charge(1_000n));
    });

    it('refuse any change of the ledger', async () => {
      await database.execute(movement('loss'));
      const once = 'ledger_written_once';
      await refused(sql`UPDATE ledger_movement SET kobo = kobo * 2`, once);
      await refused(sql`DELETE FROM ledger_movement`, once);
      await refused(sql`TRUNCATE ledger_movement`, once);
      await refused(sql`TRUNCATE ledger_account`, once);
    });

    it('refuse to delete an account, an organisation or a customer', async () => {
      await refused(sql`DELETE FROM ledger_account WHERE id = ${wallet}`, 'ledger_written_once');
      await refused(
        sql`DELETE FROM organisation WHERE id = ${organisation}`,
        'ledger_account_organisation_id_fkey',
      );
      await refused(sql`DELETE FROM account WHERE id = ${account}`, 'organisation_account_id_fkey');
    });

    it.each(['charge', 'refund', 'reserve', 'loss'])('refuse a second %s of one subject', async (kind) => {
      const subject = newId();
      await database.execute(movement(kind, { subject }));
      await refused(movement(kind, { subject }), 'ledger_movement_pkey');
    });

    it.each([
      ['post', 'void'],
      ['void', 'post'],
    ])('refuse a purchase settled by %s and %s', async (first, second) => {
      const subject = newId();
      for (const kind of ['reserve', first]) await database.execute(movement(kind, { subject }));
      await refused(movement(second, { subject }), 'ledger_movement_settled_key');
    });

    it('refuse a movement of nothing, of a negative amount, and to the account that it comes from', async () => {
      for (const fault of [{ kobo: 0n }, { kobo: -1n }, { to: 'loss' }])
        await refused(movement('loss', fault), 'ledger_movement_kobo_check');
    });
  });

  describe('about tenants', () => {
    it('refuse a key that is not hashed or not unique', async () => {
      const key = (
        hash: Buffer,
      ): Sql => sql`INSERT INTO api_key (id, organisation_id, name, prefix, hash, scopes)
        VALUES (${newId()}, ${organisation}, 'x', 'sk_test_x', ${hash}, '{}')`;
      await refused(key(Buffer.from('sk_test_clear')), 'api_key_hash_check');
      await database.execute(key(Buffer.alloc(32, 1)));
      await refused(key(Buffer.alloc(32, 1)), 'api_key_hash_key');
    });

    it('refuse two callback secrets without an end', async () => {
      const secret = (): Sql => sql`INSERT INTO callback_secret (id, organisation_id, secret)
        VALUES (${newId()}, ${organisation}, 'whsec_x')`;
      await database.execute(secret());
      await refused(secret(), 'callback_secret_current_key');
      await database.execute(sql`UPDATE callback_secret SET retires_at = now() + interval '1 day'`);
      await database.execute(secret());
    });

    it('refuse a second live or test organisation of an account', async () => {
      await refused(
        sql`INSERT INTO organisation (id, account_id, mode, default_sender) VALUES (${newId()}, ${account}, 'test', 'x')`,
        'organisation_account_id_mode_key',
      );
    });
  });

  describe('about deliveries', () => {
    const message = newId();
    beforeAll(async () => {
      await database.message.create({
        data: {
          id: message,
          organisationId: organisation,
          channel: 'sms',
          sender: 'Test',
          recipients: ['08000000000'],
          content: 'x',
          encoding: 'GSM-7',
          length: 1,
          pages: 1,
          chargeKobo: 400n,
          balanceKobo: 600n,
          requestId: newId(),
        },
      });
    });

    const delivery = (id: string): Sql => sql`
      INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given,
        next_attempt_at, pages, charge_kobo)
      VALUES (${id}, ${organisation}, 'sms', ${message}, 'sms', '+2348000000000', '0800', now(), 1, 400)`;

    it('refuse a delivery that no sweep would find', async () => {
      const id = newId();
      await database.execute(delivery(id));
      await refused(sql`UPDATE delivery SET next_attempt_at = NULL WHERE id = ${id}`, 'delivery_due_check');
      await refused(sql`UPDATE delivery SET state = 'delivered' WHERE id = ${id}`, 'delivery_due_check');
      await database.execute(
        sql`UPDATE delivery SET state = 'delivered', next_attempt_at = NULL WHERE id = ${id}`,
      );
    });

    it('refuse a sealed text that outlives its delivery', async () => {
      const id = newId();
      await database.execute(delivery(id));
      await database.execute(sql`UPDATE delivery SET sealed_body = '\\x00' WHERE id = ${id}`);
      await refused(sql`UPDATE delivery SET state = 'sent' WHERE id = ${id}`, 'delivery_sealed_body_check');
    });

    it('refuse a delivery without a subject or with an invalid number', async () => {
      const id = newId();
      await database.execute(delivery(id));
      await refused(sql`UPDATE delivery SET lane = 'otp' WHERE id = ${id}`, 'delivery_parent_check');
      await refused(sql`UPDATE delivery SET message_id = NULL WHERE id = ${id}`, 'delivery_parent_check');
      await refused(
        sql`UPDATE delivery SET recipient = '08000000000' WHERE id = ${id}`,
        'delivery_recipient_check',
      );
    });

    it('refuse a rank that a later report would lower, if the update checks the order', async () => {
      const id = newId();
      await database.execute(delivery(id));
      await database.execute(
        sql`UPDATE delivery SET state = 'delivered', next_attempt_at = NULL WHERE id = ${id}`,
      );
      const late = sql`UPDATE delivery SET state = 'sent', next_attempt_at = now() WHERE id = ${id} AND state < 'sent'`;
      expect(await database.execute(late)).toBe(0);
    });

    it('refuse a tracked link to anything but http and https', async () => {
      const id = newId();
      await database.execute(delivery(id));
      await refused(
        sql`INSERT INTO tracked_link (code, delivery_id, position, url) VALUES ('c', ${id}, 0, 'javascript:alert(1)')`,
        'tracked_link_url_check',
      );
    });

    it('delete the rows of a delivery with its message', async () => {
      const id = newId();
      await database.execute(delivery(id));
      await database.deliveryAttempt.create({ data: { deliveryId: id, attempt: 1, provider: 'simulator' } });
      await database.message.delete({ where: { id: message } });
      expect(await database.deliveryAttempt.count({ where: { deliveryId: id } })).toBe(0);
    });
  });

  it('refuse an OTP with invalid attempts or states', async () => {
    const id = newId();
    await database.execute(sql`
      INSERT INTO otp (id, organisation_id, recipient, recipient_given, channel, hmac, max_attempts, expires_at, charge_kobo, request_id)
      VALUES (${id}, ${organisation}, '+2348000000000', '0800', 'sms', ${Buffer.alloc(32)}, 3, now(), 400, 'x')`);
    await refused(sql`UPDATE otp SET attempts = 4 WHERE id = ${id}`, 'otp_attempts_check');
    await refused(sql`UPDATE otp SET status = 6 WHERE id = ${id}`, 'otp_status_check');
    await refused(sql`UPDATE otp SET hmac = 'clear' WHERE id = ${id}`, 'otp_hmac_check');
    await refused(sql`UPDATE otp SET fallback_channels = '{sms}' WHERE id = ${id}`, 'otp_fallback_check');
    // The database deletes the token of an OTP that ends.
    await database.execute(sql`UPDATE otp SET sealed_token = '\\x00', due_at = now() WHERE id = ${id}`);
    await database.execute(sql`UPDATE otp SET status = 2 WHERE id = ${id}`);
    expect(await database.otp.findUnique({ where: { id } })).toMatchObject({
      sealedToken: null,
      dueAt: null,
    });
    await refused(sql`UPDATE otp SET sealed_token = '\\x00' WHERE id = ${id}`, 'otp_sealed_token_check');
  });

  it('refuse an open airtime purchase that is never due, and a refunded one that succeeded', async () => {
    const id = newId();
    await database.execute(sql`
      INSERT INTO airtime_purchase (id, organisation_id, network, recipient, recipient_given, amount_kobo,
        balance_before_kobo, next_attempt_at, request_id)
      VALUES (${id}, ${organisation}, 'MTN', '+2348000000000', '0800', 100, 100, now(), 'x')`);
    await refused(
      sql`UPDATE airtime_purchase SET next_attempt_at = NULL WHERE id = ${id}`,
      'airtime_purchase_due_check',
    );
    await refused(
      sql`UPDATE airtime_purchase SET amount_kobo = 101 WHERE id = ${id}`,
      'airtime_purchase_amount_check',
    );
    await refused(
      sql`UPDATE airtime_purchase SET state = 'success', next_attempt_at = NULL, refunded = true WHERE id = ${id}`,
      'airtime_purchase_refunded_check',
    );
  });

  it('refuse a second contact table, and a second list of everyone', async () => {
    const table = newId();
    const made = (id: string): Sql =>
      sql`INSERT INTO contact_table (id, organisation_id) VALUES (${id}, ${organisation})`;
    await database.execute(made(table));
    await refused(made(newId()), 'contact_table_organisation_id_key');
    const list = (name: string): Sql =>
      sql`INSERT INTO smartlist (id, table_id, name, everyone) VALUES (${newId()}, ${table}, ${name}, true)`;
    await database.execute(list('All contacts'));
    await refused(list('All of them'), 'smartlist_everyone_key');
  });

  it('accept a contact row without a transaction, as after a restore from a dump', async () => {
    const { id: tableId } = await database.contactTable.upsert({
      where: { organisationId: organisation },
      create: { id: newId(), organisationId: organisation },
      update: {},
    });
    const { id } = await database.contactRow.create({ data: { id: newId(), tableId } });
    const known = sql`SELECT created_xid IS NOT NULL AS known FROM contact_row WHERE id = ${id}`;
    expect(await database.query(known)).toEqual([{ known: true }]);
    await database.execute(sql`UPDATE contact_row SET created_xid = NULL WHERE id = ${id}`);
    expect(await database.query(known)).toEqual([{ known: false }]);
  });

  it('refuse a callback that is neither due nor done', async () => {
    const id = newId();
    await database.execute(sql`
      INSERT INTO callback (id, organisation_id, type, resource_id, url, host, body, request_id)
      VALUES (${id}, ${organisation}, 'message.sent', ${newId()}, 'https://example.com', 'example.com', '{}', 'x')`);
    await refused(sql`UPDATE callback SET next_attempt_at = NULL WHERE id = ${id}`, 'callback_due_check');
    await refused(
      sql`UPDATE callback SET state = 'delivered', next_attempt_at = NULL WHERE id = ${id}`,
      'callback_end_check',
    );
  });
});
