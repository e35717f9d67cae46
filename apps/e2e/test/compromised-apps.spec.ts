import {
  allContracts,
  buyAirtime,
  callbacksDue,
  changeEndpoint,
  contractsSentBy,
  deliveriesDue,
  listInboundProviders,
  lookupPhone,
  openSmartlist,
  otpDeliveryDue,
  otpDeliveryEnded,
  readContactTable,
  receiveInbound,
  requestOtp,
  sendSms,
} from '@gangan/contracts';
import { sql } from '@gangan/database';
import { type AppName, appNames, newContext, newId } from '@gangan/protocol';
import { keysOf, neededKeys, QueueAdmin } from '@gangan/queue';
import {
  DataSealer,
  deriveDataKeys,
  InboundSealer,
  NamedKeys,
  neededDataKeys,
  type SealedPlace,
} from '@gangan/sealing';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { CompromisedApp, environmentOfProcess } from './compromised/compromised-app.js';
import { admin as runAdmin } from './support/admin-command.js';
import { databaseUrlOf } from './support/database-of.js';
import { newOrganisation } from './support/new-organisation.js';
import { useSharedSystem } from './support/shared-system.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const describeOnLinux = process.platform === 'linux' ? describe : describe.skip;

/** One contract of each domain, and the events between workers. */
const targets = [
  ...[sendSms, buyAirtime, requestOtp, lookupPhone, readContactTable, changeEndpoint],
  ...[openSmartlist, deliveriesDue, otpDeliveryDue, otpDeliveryEnded, callbacksDue],
];

/** Secrets that only some apps have, by the apps that have them. */
const secrets: Readonly<Record<string, readonly AppName[]>> = {
  DATA_KEYS: ['messaging', 'otp', 'airtime', 'lookup', 'callback'],
  OTP_PEPPER: ['otp'],
  QUEUE_MASTER_KEY: [],
  DATA_MASTER_KEY: [],
};

/** What the login of an app is refused, beside what `roles.spec.ts` proves of every table. */
const refused: Readonly<Record<AppName, readonly string[]>> = {
  gateway: [
    'SELECT sealed_secrets FROM provider',
    'SELECT FROM inbound_request',
    'INSERT INTO inbound_request DEFAULT VALUES',
    'UPDATE inbound_request SET unverified_bytes = NULL',
    'UPDATE ledger_account SET balance = 1',
    'SELECT sealed_token FROM otp',
    'SELECT * FROM callback_secret',
    'UPDATE api_key SET scopes = scopes',
  ],
  messaging: [
    'SELECT * FROM api_key',
    'SELECT * FROM airtime_purchase',
    'SELECT * FROM contact_row',
    'SELECT * FROM callback_secret',
    'UPDATE price SET kobo = 0',
  ],
  otp: [
    'SELECT sealed_secrets FROM provider',
    'SELECT * FROM message',
    'SELECT * FROM api_key',
    'SELECT * FROM contact_row',
  ],
  airtime: [
    'SELECT * FROM message',
    'SELECT * FROM otp',
    'SELECT * FROM api_key',
    'UPDATE ledger_account SET balance = 1',
  ],
  lookup: [
    'SELECT * FROM message',
    'SELECT * FROM otp',
    'SELECT * FROM contact_row',
    'SELECT * FROM api_key',
  ],
  contacts: [
    'SELECT sealed_secrets FROM provider',
    'SELECT * FROM message',
    'SELECT * FROM ledger_account',
    'SELECT * FROM api_key',
  ],
  callback: [
    'SELECT sealed_secrets FROM provider',
    'SELECT * FROM message',
    'SELECT balance FROM ledger_account',
    'SELECT * FROM api_key',
  ],
};

const row = { organisationId: 'organisation', id: 'row' };
const ofProvider = (domain: 'message' | 'airtime' | 'lookup') =>
  ({ ...row, column: 'provider.sealed_secrets', domain }) as const;

/** Where values are stored sealed, the app that seals them, and the apps that open them. */
const sealedValues: readonly (readonly [SealedPlace, AppName, readonly AppName[]])[] = [
  [ofProvider('message'), 'messaging', ['messaging']],
  [ofProvider('airtime'), 'airtime', ['airtime']],
  [ofProvider('lookup'), 'lookup', ['lookup']],
  [{ ...row, column: 'message.sealed_text' }, 'messaging', ['messaging']],
  [{ ...row, column: 'incoming_message.sealed_text' }, 'messaging', ['messaging']],
  [{ ...row, column: 'delivery.sealed_body' }, 'messaging', ['messaging']],
  [{ ...row, column: 'delivery.sealed_body' }, 'otp', ['messaging', 'otp']],
  [{ ...row, column: 'otp.sealed_token' }, 'otp', ['otp']],
  [{ ...row, column: 'callback.sealed_body' }, 'messaging', ['messaging', 'callback']],
  [{ ...row, column: 'callback_secret.sealed_secret' }, 'callback', ['callback']],
  [{ ...row, column: 'callback_endpoint_secret.sealed_secret' }, 'callback', ['callback']],
];

/** The domain whose providers an app sees. */
const domains: Readonly<Partial<Record<AppName, string>>> = {
  messaging: 'message',
  otp: 'message',
  airtime: 'airtime',
  lookup: 'lookup',
};

describeOnLinux('a compromised app', () => {
  const { system, database } = useSharedSystem();
  let admin: QueueAdmin;
  let organisationId: string;
  /** Of operators; no app has it. */
  let dataMasterKey: string;
  const apps = new Map<AppName, CompromisedApp>();

  beforeAll(async () => {
    const connection = { kind: 'postgres', url: await databaseUrlOf(system()), poolSize: 2 } as const;
    admin = await QueueAdmin.open({ connection }, silent);
    ({ id: organisationId } = await newOrganisation(database(), 'Of compromised apps', 1_000_000n));
    dataMasterKey = (await readFile(join(system().folder, 'data-master.key'), 'utf8')).trim();
    for (const app of appNames) apps.set(app, new CompromisedApp(system(), app));
  });
  afterAll(async () => {
    for (const app of apps.values()) await app.close();
    await admin.close();
  });

  const compromised = (name: AppName): CompromisedApp => {
    const app = apps.get(name);
    if (!app) throw new Error(`${name} was not found`);
    return app;
  };

  describe.each(appNames)('%s', (name) => {
    it('has its own keys and secrets and no others', () => {
      const { keys, environment } = compromised(name);
      const needed = neededKeys(name, allContracts).map(({ sender, lane }) => `${sender}/${lane}`);
      expect(keys.names.toSorted()).toEqual(needed.toSorted());
      expect(Object.keys(environment).filter((variable) => variable.endsWith('QUEUE_KEYS'))).toEqual([
        'QUEUE_KEYS',
      ]);
      expect(NamedKeys.parse(environment['DATA_KEYS'] ?? '')?.names ?? []).toEqual(neededDataKeys(name));
      const owned = Object.keys(secrets).filter((secret) => environment[secret] !== undefined);
      expect(owned).toEqual(Object.keys(secrets).filter((secret) => secrets[secret]?.includes(name)));
    });

    it('sends nothing that other workers accept but its own contracts', async () => {
      const forged = targets.filter(({ servedBy, senders }) => servedBy !== name && !senders.includes(name));
      const { sent, parked } = await compromised(name).forge(forged, organisationId, admin);
      expect(forged).not.toEqual([]);
      expect(sent).toBeGreaterThanOrEqual(forged.length);
      expect(parked).toBe(sent);
    });

    it('is refused by the database where its role ends', async () => {
      for (const statement of refused[name]) await compromised(name).expectRefused(statement);
    });
  });

  describe('with copies of the bytes that are stored sealed', () => {
    it.each(sealedValues)('%j, sealed by %s, is opened only by %j', (place, writer, readers) => {
      const own = NamedKeys.parse(deriveDataKeys([dataMasterKey], writer));
      if (!own) throw new Error(`${writer} has no keys`);
      const sealed = new DataSealer(own).seal('a secret', place);
      const opens = appNames.filter((name) => {
        try {
          return compromised(name).sealer.open(sealed, place) === 'a secret';
        } catch {
          return false;
        }
      });
      expect(opens).toEqual(appNames.filter((name) => readers.includes(name)));
    });
  });

  it('sees the providers of its domain only', async () => {
    const names = ['message', 'airtime', 'lookup'].map((domain) => `compromised-${domain}`);
    await database().execute(sql`
      INSERT INTO provider (id, name, organisation_id, kind, domains, channels, settings, enabled)
      SELECT uuidv7(), 'compromised-' || domain, ${organisationId}::uuid, 'http', ARRAY[domain]::provider_domain[],
        CASE domain WHEN 'message' THEN ARRAY['sms'::channel] ELSE '{}' END, '{}', false
      FROM unnest(ARRAY['message', 'airtime', 'lookup']) AS domain`);
    try {
      for (const name of appNames.filter((one) => domains[one] !== undefined)) {
        const seen = await compromised(name).database.query<{ name: string }>(
          sql`SELECT name FROM provider WHERE name = ANY (${names}::text[])`,
        );
        expect([name, ...seen.map((provider) => provider.name)]).toEqual([
          name,
          `compromised-${domains[name]}`,
        ]);
      }
    } finally {
      await database().execute(sql`DELETE FROM provider WHERE name = ANY (${names}::text[])`);
    }
  });

  it.each(['messaging', 'lookup'] as const)('%s reads smartlists of any organisation', async (name) => {
    const queues = await compromised(name).openAs(name);
    const asked = queues.client.send(
      openSmartlist,
      { smartlist_id: newId(), names: [] },
      newContext({ organisationId }),
    );
    // The worker has looked for it in the table of the organisation.
    await expect(firstValueFrom(asked)).rejects.toMatchObject({ status: 400 });
    await queues.client.close();
    await queues.close();
  });

  it('the gateway gets no secret and no token of a provider, and stores only requests that are verified before they are used', async () => {
    const [name, secret] = ['of-compromised-apps', 'the signing key of the account'];
    const env = {
      DATABASE_URL: await databaseUrlOf(system()),
      DATA_MASTER_KEY: dataMasterKey,
      SIGNING_KEY: secret,
    };
    const signature = ['header=X-Termii-Signature', 'algorithm=sha512', 'secret={secret.signing_key}'];
    await runAdmin(
      env,
      ...['providers', 'add', name, '--preset', 'termii'],
      ...['--secret', 'api_key=SIGNING_KEY', '--secret', 'signing_key=SIGNING_KEY'],
      ...signature.flatMap((setting) => ['--set', `inbound.hmac.${setting}`]),
    );
    const { path } = await runAdmin<{ path: string }>(env, 'providers', 'inbound-url', name);
    const gateway = compromised('gateway');
    const queues = await gateway.openAs('gateway');
    const list = await firstValueFrom(queues.client.send(listInboundProviders, { all: true }));
    expect(list.providers.map((provider) => provider.name)).toContain(name);
    for (const hidden of [secret, path.split('/').at(-1)]) expect(JSON.stringify(list)).not.toContain(hidden);
    const url = `https://sms.example${path}`;
    const headers = { 'x-termii-signature': 'ab'.repeat(64) };
    const forged = { method: 'POST', url, headers, body: '{"message_id":"1","status":"DELIVERED"}' };
    expect(await firstValueFrom(queues.client.send(receiveInbound, forged))).toEqual({ outcome: 'forged' });
    await queues.client.close();
    await queues.close();
    const sealer = new InboundSealer(keysOf(gateway.keys, 'gateway', receiveInbound));
    // The second one has the form in which version 0.2 stored a verified request.
    for (const content of [forged, { query: '', body: forged.body }]) {
      const id = newId();
      const sealed = sealer.seal(JSON.stringify(content), id);
      const stored = await gateway.database.query(
        sql`SELECT store_unverified(${id}::uuid, ${name}, 'POST', ${sealed}) AS stored`,
      );
      expect(stored).toEqual([{ stored: true }]);
    }
    const left = () => database().query(sql`SELECT FROM inbound_request WHERE provider = ${name}`);
    await until('the forged requests are removed', async () => (await left()).length === 0);
  });

  it('that sends no contract has no key to send with: callback', () => {
    expect(contractsSentBy('callback')).toEqual([]);
  });

  it('the process of all workers holds the keys of all workers, but not those of the gateway and no master key', () => {
    const { workers } = system().apps();
    // In the full suite each app has a process.
    if (workers === undefined) return;
    const environment = environmentOfProcess(workers);
    const withKeys = Object.keys(environment).filter((variable) => /QUEUE_|DATA_/.test(variable));
    const expected = appNames.filter((app) => app !== 'gateway');
    expect(withKeys.filter((variable) => /KEYS?$/.test(variable)).toSorted()).toEqual(
      [
        ...expected.map((app) => `${app.toUpperCase()}__QUEUE_KEYS`),
        ...(secrets['DATA_KEYS'] ?? []).map((app) => `${app.toUpperCase()}__DATA_KEYS`),
      ].toSorted(),
    );
    expect(withKeys.filter((variable) => variable.includes('MASTER'))).toEqual([]);
    const all = expected.map((app) => environment[`${app.toUpperCase()}__QUEUE_KEYS`]).join();
    expect(all).not.toContain('gateway/storage');
  });

  it('none has bought, sent or requested anything', async () => {
    const [count] = await database().query<{ count: number }>(sql`
      SELECT (SELECT count(*) FROM airtime_purchase WHERE organisation_id = ${organisationId}::uuid)
        + (SELECT count(*) FROM message WHERE organisation_id = ${organisationId}::uuid)
        + (SELECT count(*) FROM otp WHERE organisation_id = ${organisationId}::uuid) AS count`);
    expect(Number(count?.count)).toBe(0);
  });
});
