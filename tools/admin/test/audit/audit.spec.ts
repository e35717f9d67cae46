import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { aDelivery, aMessage, runSql } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { groupNames, makeProgram } from '../../src/program.js';
import { AdminSession } from '../../src/session/session.js';
import { readSettings } from '../../src/session/stores.js';
import type { AdminCli } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';
import { QueueFixture } from '../support/queue-fixture.js';

interface Entry {
  readonly time: string;
  readonly actor: string;
  readonly database_user: string;
  readonly action: string;
  readonly target: string;
  readonly organisation?: string;
  readonly before?: Record<string, unknown>;
  readonly after?: Record<string, unknown>;
}

const phone = '+2348031234567';
/** The database refuses the entries of this actor while the commands are tested. */
const refusedActor = 'eve';

const fixture = AdminFixture.use();
let queue: QueueFixture;
let admin: AdminCli;
let folder: string;
let acmeId: string;

const providerSecret = 'TLproviderSecret';

/** The URL of an operator, who can approve. */
let url: string;
/** Of another one, who requests. */
let otherUrl: string;

const adminAs = (actor: string) =>
  fixture.cli({
    ...{ DATABASE_URL: url, QUEUE_MASTER_KEY: queue.key, GANGAN_ACTOR: actor },
    TERMII_API_KEY: providerSecret,
  });

beforeAll(async () => {
  queue = await QueueFixture.open(fixture);
  url = await fixture.addOperator('ada');
  admin = adminAs('ada');
  folder = await fixture.folder();
  // The first use of a lane stores its settings.
  await admin.json('queues', 'list');
  const { organisations } = await admin.json<{ organisations: { id: string }[] }>(
    ...['organisations', 'create', 'Acme'],
  );
  acmeId = organisations[0]?.id ?? '';
});

const entries = (...filters: string[]) => admin.json<Entry[]>('audit', ...filters);

describe('the audit log', () => {
  it('refuses every change of an entry', async () => {
    const constraint = expect.stringContaining('append-only');
    for (const change of [
      sql`UPDATE audit_log SET actor = 'eve'`,
      sql`DELETE FROM audit_log`,
      sql`TRUNCATE audit_log`,
    ])
      await expect(fixture.database.execute(change)).rejects.toMatchObject({ message: constraint });
    const asReplica = fixture.database.transaction(async (transaction) => {
      await transaction.execute(sql`SET LOCAL session_replication_role = replica`);
      await transaction.execute(sql`DELETE FROM audit_log`);
    });
    await expect(asReplica).rejects.toMatchObject({ message: constraint });
    expect(await entries()).not.toEqual([]);
  });

  it('cannot be changed by an operator who tries to get around the triggers', async () => {
    for (const change of [
      'UPDATE audit_log SET actor = NULL',
      'DELETE FROM audit_log',
      'TRUNCATE audit_log',
      'ALTER TABLE audit_log DISABLE TRIGGER ALL',
      'DROP TABLE audit_log',
      'SET session_replication_role = replica',
    ])
      await expect(runSql(fixture.url, change)).rejects.toMatchObject({ code: '42501' });
  });

  it('names the actor, GANGAN_ACTOR or else the user of the system, and the user of the database', async () => {
    const writerOf = async (cli: AdminCli) => {
      await cli.json('prices', 'set', 'sms', '2349', '3');
      return (await entries('--action', 'prices set', '--limit', '1'))[0];
    };
    expect(await writerOf(adminAs(' Grace '))).toMatchObject({
      actor: 'Grace',
      database_user: new URL(url).username,
    });
    expect(await writerOf(adminAs(' '))).toMatchObject({ actor: userInfo().username });
    expect((await adminAs('x'.repeat(101)).run('prices', 'set', 'sms', '2349', '3')).code).toBe(2);
  });

  it('takes the user and the time from the database, whatever a statement says', async () => {
    await runSql(
      fixture.url,
      `INSERT INTO audit_log (id, actor, database_user, action, target, created_at)
       VALUES ('${newId()}', 'mallory', 'grace_login', 'x', 'x', now() - interval '2 days')`,
    );
    const [forged] = await entries('--by', 'mallory', '--since', '1h');
    expect(forged?.database_user).toBe(fixture.operator);
  });

  it('is listed newest first, by organisation, actor, command and time', async () => {
    await admin.json('limits', 'set', 'acme/test', '--request-burst', '10');
    await adminAs('Grace').json('limits', 'set', 'acme/live', '--request-burst', '10');
    await admin.json('limits', 'set', 'acme/live', '--request-burst', '20');
    const [newest, older] = await entries('--organisation', 'acme/live', '--action', 'limits');
    expect(newest).toEqual({
      time: expect.any(String),
      actor: 'ada',
      database_user: expect.any(String),
      action: 'limits set',
      target: 'Acme/live',
      organisation: acmeId,
      before: expect.objectContaining({ request_burst: 10 }),
      after: expect.objectContaining({ request_burst: 20 }),
    });
    expect(older?.actor).toBe('Grace');
    const byGrace = await entries('--by', 'grace', '--action', 'limits set');
    expect(byGrace).toEqual([older]);
    expect(await entries('--action', 'limit')).toEqual([]);
    const sinceNewest = await entries('--action', 'limits set', '--since', newest?.time ?? '');
    expect(sinceNewest).toEqual([newest]);
  });
});

/** Rows that the commands work on. */
const failCallback = () =>
  fixture.database.execute(sql`
    INSERT INTO callback (id, organisation_id, type, resource_id, url, host, body, request_id, attempt, state,
      ended_at, next_attempt_at)
    VALUES (${newId()}::uuid, ${acmeId}::uuid, 'airtime.sent', ${newId()}::uuid, 'https://a.example/', 'a.example', '{}',
      'r', 2, 'failed', now(), NULL)`);

async function addPurchase(provider = 'simulator'): Promise<string> {
  const id = newId();
  await fixture.database.execute(sql`
    INSERT INTO airtime_purchase (id, organisation_id, network, recipient, recipient_given, amount_kobo,
      balance_before_kobo, state, submitted_at, provider, request_id)
    VALUES (${id}::uuid, ${acmeId}::uuid, 'MTN', ${phone}, ${phone}, 9950, 10000, 'error', now(), ${provider}, 'r')`);
  return id;
}

async function addMessage(): Promise<string> {
  const id = newId();
  await aMessage(fixture.database, acmeId, { id });
  return id;
}

async function addImport(): Promise<string> {
  const id = newId();
  await fixture.database.execute(sql`
    INSERT INTO registry_import (id, registry, mode, source, digest)
    VALUES (${id}::uuid, 'dnd', 'merge', 'x.csv', ${Buffer.alloc(32)})`);
  return id;
}

async function numbersFile(): Promise<string> {
  const path = join(folder, 'numbers.csv');
  await writeFile(path, `${phone}\n`);
  return path;
}

/** It proves the outcome of a purchase. */
async function statementFile(): Promise<string> {
  const path = join(folder, 'statement.csv');
  await writeFile(path, `request_id,amount,status\n${await addPurchase('vtpass')},99.50,delivered\n`);
  return path;
}

async function providersFile(): Promise<string> {
  const path = join(folder, 'providers.yaml');
  const secrets = "{ api_key: '${TERMII_API_KEY}' }";
  await writeFile(path, `providers: [{ name: other, preset: termii, secrets: ${secrets} }]`);
  return path;
}

const issueKey = async () =>
  (await admin.json<{ id: string }>('keys', 'issue', 'acme/live', '--name', 'x', '--scopes', 'all')).id;

async function requestTopUp(): Promise<string> {
  const { out } = await fixture
    .cli({ DATABASE_URL: otherUrl, GANGAN_ACTOR: 'grace' })
    .run('top-up', 'acme/live', '2000000', '--json');
  return (JSON.parse(out) as { approval: string }).approval;
}

type Recipe = () => Promise<readonly string[]> | readonly string[];

/** Arguments with which each command succeeds, and changes something if it is a command that changes something. */
const recipes: Readonly<Record<string, Recipe>> = {
  'organisations default-category': () => ['acme/live', 'promotional'],
  'organisations low-balance': () => ['acme/live', '5000'],
  'organisations provider-names': () => ['acme/live', 'shown'],
  'organisations quiet-hours': () => ['acme/live', '22:00-07:00', 'Africa/Lagos'],
  'organisations national-quiet-hours': () => ['acme/live', 'ignore', '--note', 'Licence 4711'],
  'organisations create': () => ['New'],
  'organisations list': () => [],
  'organisations show': () => ['acme/live'],
  'organisations suspend': () => ['acme/test'],
  'organisations activate': () => ['acme/test'],
  'organisations rename': () => ['New', 'Newer'],
  'keys issue': () => ['acme/live', '--name', 'Shop', '--scopes', 'all'],
  'keys list': () => ['acme/live'],
  'keys rotate': async () => [await issueKey()],
  'keys revoke': async () => [await issueKey()],
  'keys networks': async () => [await issueKey(), '203.0.113.7'],
  'keys scopes': async () => [await issueKey(), 'sms'],
  'keys share': () => ['acme/live', 'freely'],
  'keys expire': async () => [await issueKey(), '7d'],
  'secrets list': () => ['acme/live'],
  'secrets rotate': () => ['acme/live'],
  'secrets status': () => [],
  'secrets reseal': async () => {
    const data = { id: newId(), organisationId: acmeId, secret: 'whsec_x', retiresAt: new Date() };
    await fixture.database.callbackSecret.create({ data });
    return [];
  },
  'callbacks failing': () => [],
  'callbacks free': () => ['acme/live'],
  'callbacks restrict': () => ['acme/live'],
  'callbacks endpoints': () => [],
  'callbacks recover': async () => {
    await failCallback();
    return ['--since', '1h'];
  },
  'limits show': () => ['acme/live'],
  'limits usage': () => ['acme/live'],
  'limits set': () => ['acme/live', '--request-burst', '33'],
  'messages show': async () => [await addMessage()],
  'messages unanswered': async () => {
    const ended = { state: 'expired', errorCode: 'no_answer' };
    await aDelivery(fixture.database, acmeId, { messageId: await addMessage(), ...ended });
    return ['--keep'];
  },
  'messages set': () => ['acme/live', '--countries', 'NG'],
  'otp show': () => ['acme/live'],
  'otp set': () => ['acme/live', '--countries', 'NG'],
  'senders list': () => ['acme/live'],
  'senders add': () => ['acme/live', 'ACME'],
  'senders remove': () => ['acme/live', 'ACME'],
  'senders restrict': () => ['acme/live'],
  'senders free': () => ['acme/live'],
  'numbers assign': () => ['acme/live', '22345'],
  'numbers list': () => [],
  'numbers unassign': () => ['22345'],
  'optouts show': () => ['acme/live'],
  'optouts set': () => ['acme/live', '--stop-words', 'ARRETER'],
  'optouts import': async () => ['acme/live', await numbersFile()],
  balance: () => ['acme/live'],
  usage: () => [],
  'top-up': () => ['acme/live', '50'],
  adjust: () => ['acme/live', '-5', '--note', 'x'],
  'approvals list': () => [],
  // With an amount it requests one: approvals.spec.ts.
  'approvals limit': () => [],
  'operators list': () => [],
  'operators confirm': async () => {
    // The first two need no confirmation.
    otherUrl = await fixture.addOperator('grace');
    await fixture.addOperator('bob');
    return ['bob'];
  },
  approve: async () => [await requestTopUp()],
  reject: async () => [await requestTopUp()],
  'ledger check': () => [],
  'retention set': () => ['acme/live', 'messages', '30'],
  'retention show': () => ['acme/live'],
  'retention unset': () => ['acme/live', 'messages'],
  'data erase': async () => {
    await fixture.database.execute(sql`
      INSERT INTO help_answer (id, organisation_id, phone, asked_on, channel, incoming_id)
      VALUES (${newId()}::uuid, ${acmeId}::uuid, ${phone}, current_date, 'sms', ${newId()}::uuid)`);
    return ['--phone', phone];
  },
  'providers presets': () => [],
  'providers add': () => ['termii', '--preset', 'termii', '--secret', 'api_key=TERMII_API_KEY'],
  'providers list': () => [],
  'providers show': () => ['termii'],
  'providers set': () => ['termii', '--rate', '10'],
  'providers inbound-url': () => ['termii', '--rotate'],
  'inbound list': () => [],
  'providers disable': () => ['termii'],
  'providers enable': () => ['termii'],
  'providers resume': async () => {
    await fixture.database.execute(sql`
      INSERT INTO provider_health (provider_id, state, test_at) SELECT id, 'paused', now() FROM provider`);
    return ['termii'];
  },
  'providers apply': async () => [await providersFile()],
  'senders register': () => ['termii', 'Acme'],
  'senders registrations': () => [],
  'templates list': () => [],
  'senders reject': () => ['termii', 'Acme'],
  'senders approve': () => ['termii', 'Acme'],
  'routes add': () => ['termii'],
  'routes list': () => [],
  'report margin': () => ['--month', '2026-11'],
  'routes explain': () => ['acme/live', phone, '--sender', 'Acme'],
  'routes remove': () => [],
  'senders unregister': () => ['termii', 'Acme'],
  'providers remove': () => ['termii'],
  'prices list': () => [],
  'prices set': () => ['sms', '234801', '2'],
  'prices remove': () => ['sms', '234801'],
  'airtime route': async () => {
    await fixture.database.provider.create({
      data: { id: newId(), name: 'vtpass', kind: 'vtpass', domains: ['airtime'], channels: [], settings: {} },
    });
    return ['vtpass', '--network', 'MTN'];
  },
  'airtime routes': () => [],
  'airtime products': () => [],
  'airtime sync': () => ['vtpass'],
  'airtime unroute': () => ['--network', 'MTN'],
  'airtime unresolved': () => [],
  'airtime resolve': async () => [await addPurchase(), 'failed'],
  'airtime reconcile': async () => ['vtpass', '--from', '1h', '--file', await statementFile(), '--resolve'],
  'registry import': async () => ['dnd', await numbersFile()],
  'registry list': () => [],
  'registry discard': async () => [await addImport()],
  'audit list': () => [],
  'audit heads': () => [],
  'audit check': () => [],
  'queues list': () => [],
  'queues keys': () => ['--app', 'otp'],
  'secrets keys': () => ['--app', 'otp'],
  'queues parked': () => ['lookup'],
  'queues show': async () => ['lookup', await queue.park(phone)],
  'queues replay': async () => ['lookup', await queue.park(phone)],
  'queues drop': async () => ['lookup', await queue.park(phone)],
  'queues pause': () => ['lookup'],
  'queues resume': () => ['lookup'],
};

/**
 * The first serves a port until it is stopped, and writes nothing. The second only reads, and fails because it has findings
 * here. The others are audited although they change nothing here, or need the owner of the tables; inbound.spec.ts,
 * data.spec.ts, backup.spec.ts, audit-upgrade.spec.ts and operators.spec.ts test the entries of theirs.
 */
const withoutRecipe = [
  'callbacks listen',
  'security review',
  'backup create',
  'backup check',
  'backup key',
  'backup restore',
  'providers test',
  'templates sync',
  'report reconcile',
  'inbound show',
  'inbound replay',
  'data export',
  'audit prune',
  'operators add',
  'operators remove',
];

const isReading = (name: string): boolean =>
  /(?:^| )(?:list|routes|products|endpoints|show|usage|failing|check|unresolved|parked|status|presets|explain|registrations|margin|heads)$/.test(
    name,
  ) || ['balance', 'approvals limit', 'queues keys', 'secrets keys'].includes(name);

/** One entry for each organisation of the account. */
const ofBothOrganisations = new Set(['organisations create', 'organisations rename']);

/**
 * Triggers on every table except those of the audit log. They count the changes that are committed, and let every transaction with
 * a change fail when it is committed, while `refuseCommits(true)`.
 */
async function addTriggers(): Promise<void> {
  const { database } = fixture;
  await database.$executeRawUnsafe(`CREATE SCHEMA test`);
  await database.$executeRawUnsafe(`CREATE TABLE test.commits AS SELECT false AS refused`);
  await database.$executeRawUnsafe(`CREATE TABLE test.change (table_name text)`);
  await database.$executeRawUnsafe(`
    CREATE FUNCTION test.refuse_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      IF (SELECT refused FROM test.commits) THEN RAISE EXCEPTION 'refused'; END IF;
      RETURN NULL;
    END $$`);
  await database.$executeRawUnsafe(`
    CREATE FUNCTION test.count_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      IF TG_OP <> 'UPDATE' OR OLD IS DISTINCT FROM NEW THEN
        INSERT INTO test.change VALUES (TG_TABLE_NAME);
      END IF;
      RETURN NULL;
    END $$`);
  await database.$executeRawUnsafe(`
    DO $$
    DECLARE name text;
    BEGIN
      FOR name IN
        SELECT format('%I.%I', table_schema, table_name) FROM information_schema.tables
        WHERE table_schema IN ('public', 'bullmq') AND table_type = 'BASE TABLE' AND table_name NOT IN ('audit_log', 'audit_chain', 'audit_link')
      LOOP
        EXECUTE format('CREATE CONSTRAINT TRIGGER refuse_commit AFTER INSERT OR UPDATE OR DELETE ON %s
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION test.refuse_commit()', name);
        EXECUTE format('CREATE TRIGGER count_change AFTER INSERT OR UPDATE OR DELETE ON %s
          FOR EACH ROW EXECUTE FUNCTION test.count_change()', name);
        EXECUTE format('CREATE TRIGGER count_truncate AFTER TRUNCATE ON %s
          FOR EACH STATEMENT EXECUTE FUNCTION test.count_change()', name);
      END LOOP;
    END $$`);
}

/** The tables that were changed since the last call. */
const takeChangedTables = async (): Promise<string[]> => {
  const changes = await fixture.database.query<{ table: string }>(
    sql`WITH taken AS (DELETE FROM test.change RETURNING table_name) SELECT DISTINCT table_name AS table FROM taken`,
  );
  return changes.map(({ table }) => table);
};

const refuseCommits = (refused: boolean) =>
  fixture.database.execute(sql`UPDATE test.commits SET refused = ${refused}`);

/** The entries, newest first, without the command that lists them, which takes longer. */
const storedEntries = () =>
  fixture.database.query<{ id: string; actor: string; action: string }>(
    sql`SELECT id, actor, action FROM audit_log ORDER BY id DESC`,
  );

async function allCommands(): Promise<string[]> {
  const terminal = { out: { write: () => true }, err: { write: () => true }, isTerminal: false };
  const program = await makeProgram(new AdminSession(readSettings({}), terminal), groupNames);
  const leaves = (command: Command, path: string): string[] =>
    command.commands.length === 0
      ? [path]
      : command.commands.flatMap((child) => leaves(child, `${path} ${child.name()}`.trim()));
  return leaves(program, '');
}

describe('every command', () => {
  beforeAll(async () => {
    const check = `ALTER TABLE audit_log ADD CONSTRAINT refused CHECK (actor <> '${refusedActor}')`;
    await fixture.database.$executeRawUnsafe(check);
    await addTriggers();
  });

  it('has a recipe in this test', async () => {
    const known = [...Object.keys(recipes), ...withoutRecipe];
    expect((await allCommands()).toSorted()).toEqual(known.toSorted());
  });

  // In the order of the recipes: some work on what an earlier one created.
  it.each(Object.keys(recipes))('%s adds an entry if and only if it changes something', async (name) => {
    const args = [...name.split(' '), ...((await recipes[name]?.()) ?? []), '--yes'];
    const earlier = await storedEntries();
    await takeChangedTables();
    const isChange = !isReading(name);

    // Without the change there is no entry. (The queue has no transactions with the database.)
    if (!name.startsWith('queues ')) {
      await refuseCommits(true);
      expect(await admin.run(...args)).toMatchObject({ code: isChange ? 1 : 0 });
      await refuseCommits(false);
      expect(await storedEntries()).toEqual(earlier);
    }

    // Without its entry there is no change.
    expect(await adminAs(refusedActor).run(...args)).toMatchObject({ code: isChange ? 1 : 0 });
    const changed = await takeChangedTables();
    if (name !== 'registry import') expect(changed).toEqual([]);
    if (!isChange) return;

    expect(await admin.run(...args)).toMatchObject({ code: 0 });
    expect(await takeChangedTables()).not.toEqual([]);
    const now = await storedEntries();
    const added = now.slice(0, now.length - earlier.length);
    expect(now.slice(added.length)).toEqual(earlier);
    expect(added).toHaveLength(ofBothOrganisations.has(name) ? 2 : 1);
    for (const entry of added) expect(entry).toMatchObject({ actor: 'ada', action: name });
  });

  it('registry import: updates the statistics of the planner', async () => {
    const neverAnalysed = -1;
    const [table] = await fixture.database.query<{ reltuples: number }>(
      sql`SELECT reltuples FROM pg_class WHERE relname = 'dnd_number'`,
    );
    expect(table?.reltuples).not.toBe(neverAnalysed);
  });

  it('registry import: activates nothing without its entry', async () => {
    const path = join(folder, 'other.csv');
    await writeFile(path, '+2348039999999\n');
    const active = () =>
      fixture.database.query(sql`SELECT id FROM registry_import WHERE state = 'active' ORDER BY id`);
    const before = await active();
    expect(await adminAs(refusedActor).run('registry', 'import', 'dnd', path)).toMatchObject({ code: 1 });
    expect(await active()).toEqual(before);
  });

  it('leaves no key, secret or phone number in the log', async () => {
    const stored = JSON.stringify(await fixture.database.query(sql`SELECT * FROM audit_log`));
    expect(stored).not.toMatch(/whsec_|sk_(live|test)_[\w-]{9}/);
    expect(stored).not.toContain(phone.slice(4));
    expect(stored).not.toContain(providerSecret);
    const hashes = await fixture.database.query<{ hash: Buffer }>(sql`SELECT hash FROM api_key`);
    expect(hashes).not.toEqual([]);
    for (const { hash } of hashes) expect(stored).not.toContain(hash.toString('hex'));
  });
});
