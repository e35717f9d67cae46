import { keyScopes } from '@gangan/protocol';
import type { DataSealer } from '@gangan/sealing';
import {
  command,
  Database,
  demoApiKey,
  describeKey,
  type Models,
  openLedgerAccounts,
  sealCallbackSecret,
  sql,
} from '@gangan/database';

/** The ids are fixed, so that seeding again finds its own rows. */
const id = (last: number): string => `01900000-0000-7000-8000-${last.toString(16).padStart(12, '0')}`;

/** Public, as the key is, because it is in the docs. */
const demoCallbackSecret = 'whsec_ZGVtby1zZWNyZXQtZm9yLWxvY2FsLXVzZS1vbmx5ISE=';
const accountId = id(1);
const organisationId = id(2);
const paymentId = id(5);
const [portedImportId, dndImportId] = [id(7), id(8)];

/** A billion naira of play money, in kobo. */
const balance = 100_000_000_000n;

/** Some of the simulator's numbers, so that lookups have something to show. */
const portedNumbers = [
  { phone: '+2347000000008', operator: 'Glo' },
  { phone: '+2347000000009', operator: 'Airtel' },
];
const dndNumbers = ['+2347000000004', '+2347000000009'];

/** Creates the demo organisation, whose key is public: never for production. Rows that exist stay as they are. */
export async function seedDemo(url: string, sealer: DataSealer): Promise<{ apiKey: string }> {
  const database = new Database({ url, poolSize: 1, name: 'gangan seed' });
  try {
    await database.$transaction(async (models) => {
      await seedOrganisation(models, sealer);
      await seedRegistry(models);
    });
    await database.run(seedBalance);
  } finally {
    await database.close();
  }
  return { apiKey: demoApiKey };
}

async function seedOrganisation(models: Models, sealer: DataSealer): Promise<void> {
  const skipDuplicates = true;
  await models.account.createMany({ data: { id: accountId, name: 'Demo' }, skipDuplicates });
  await models.organisation.createMany({
    data: {
      id: organisationId,
      accountId,
      mode: 'test',
      defaultSender: 'Gangan',
      requestsPerSecond: 10_000,
      requestBurst: 20_000,
      otpSendsPerRecipient: 0,
      otpSendsPerPrefix: 0,
      otpTriesPerRecipient: 0,
      otpDailyTriesPerRecipient: 0,
      dailySpendKobo: 0n,
      messageDailySpendKobo: 0n,
      otpDailySpendKobo: 0n,
      airtimeDailySpendKobo: 0n,
      airtimeDailySpendPerRecipientKobo: 0n,
      airtimeKeyCoolingHours: 0,
      lookupDailySpendKobo: 0n,
      contactRows: 0,
      storedBytes: 0n,
      unfinishedImports: 0,
      waitingCallbacks: 0,
      responseBytes: 0n,
      simulatedMessages: 0,
    },
    skipDuplicates,
  });
  await openLedgerAccounts(models, organisationId);
  const secret = sealCallbackSecret(sealer, organisationId, demoCallbackSecret, id(4));
  await models.callbackSecret.createMany({ data: secret, skipDuplicates });
  const { prefix, hash } = describeKey(demoApiKey);
  const key = { id: id(3), organisationId, name: 'Demo', prefix, hash, scopes: [...keyScopes] };
  await models.apiKey.createMany({ data: key, skipDuplicates });
  const body = 'Hello {{name}}, welcome to Gangan.';
  const template = { id: id(6), organisationId, name: 'Welcome', channel: 'sms', body, variables: ['name'] };
  await models.template.createMany({ data: { ...template, channel: 'sms' }, skipDuplicates });
}

async function seedRegistry(models: Models): Promise<void> {
  const skipDuplicates = true;
  const fields = { mode: 'merge', state: 'active', source: 'demo', endedAt: new Date() } as const;
  await models.registryImport.createMany({
    data: [
      { ...fields, id: portedImportId, registry: 'ported', lines: portedNumbers.length },
      { ...fields, id: dndImportId, registry: 'dnd', lines: dndNumbers.length },
    ],
    skipDuplicates,
  });
  const ported = portedNumbers.map((number) => ({ ...number, importId: portedImportId }));
  await models.portedNumber.createMany({ data: ported, skipDuplicates });
  const dnd = dndNumbers.map((phone) => ({ phone, importId: dndImportId }));
  await models.dndNumber.createMany({ data: dnd, skipDuplicates });
}

/** Play money is booked like any other, once per payment. */
const seedBalance = command(
  () => sql`
    SELECT book_money('top_up', ${organisationId}::uuid, ${paymentId}::uuid, ${balance}, 'Play money', NULL, 'pnpm seed')`,
);
