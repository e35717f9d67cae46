import { findEndlessWith, formatQuietHours, parseQuietHours } from '@gangan/contracts';
import { Database, readSpendLimits, sql, storeSpendLimits } from '@gangan/database';
import { createAppLogins, grantRoles, migrate, type RoleName, roleNames, seedDemo } from '@gangan/storage';
import { describeError, resolveSecretFiles } from '@gangan/protocol';
import { findRefusedPatterns } from '@gangan/providers';
import { migrateQueue, queueGrants } from '@gangan/queue';
import { masterSealer } from '@gangan/sealing';

export interface Console {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

const usage = `pnpm migrate [--demo]

Migrates the database of DATABASE_URL (or DATABASE_URL_FILE) to the newest schema; without REDIS_URL also the tables of
the queue. Then creates the database role of each app, or prints the SQL if the user of DATABASE_URL may not.
DAILY_SPEND, MESSAGE_DAILY_SPEND, OTP_DAILY_SPEND, AIRTIME_DAILY_SPEND and LOOKUP_DAILY_SPEND, if set, become the limits
of organisations without their own.
If GATEWAY_DATABASE_PASSWORD is set, the login user of the gateway is created with it, and so on for every app and for
operators (OPERATOR_DATABASE_PASSWORD).
  --demo   also seeds the demo organisation and its key (never with NODE_ENV=production); needs DATA_MASTER_KEY`;

/** Returns the exit code: 0 done, 1 failed, 2 wrong arguments. */
export async function migrateCommand(
  flags: readonly string[],
  environment: NodeJS.ProcessEnv,
  { print, printError }: Console,
): Promise<number> {
  if (flags.includes('--help')) {
    print(usage);
    return 0;
  }
  if (flags.some((flag) => flag !== '--demo')) {
    printError(usage);
    return 2;
  }
  try {
    return await run(
      flags.includes('--demo'),
      resolveSecretFiles(environment, [
        ...['DATABASE_URL', 'REDIS_URL', 'DATA_MASTER_KEY'],
        ...roleNames.map(passwordVariable),
      ]),
      {
        print,
        printError,
      },
    );
  } catch (error) {
    printError(describeError(error));
    return 1;
  }
}

async function run(
  demo: boolean,
  environment: NodeJS.ProcessEnv,
  { print, printError }: Console,
): Promise<number> {
  const {
    DATABASE_URL: url,
    REDIS_URL: redisUrl,
    DATA_MASTER_KEY: dataMasterKey,
    NODE_ENV: mode,
  } = environment;
  if (!url) {
    printError('DATABASE_URL is not set: set it to the database to migrate.');
    return 1;
  }
  if (demo && mode === 'production') {
    printError(
      'The demo organisation has a public key and play money: it is never seeded with NODE_ENV=production.',
    );
    return 1;
  }
  if (demo && !dataMasterKey) {
    printError('DATA_MASTER_KEY is not set: the callback secret of the demo organisation is stored sealed.');
    return 1;
  }
  const sealer =
    demo && dataMasterKey ? masterSealer(dataMasterKey.split(',').map((key) => key.trim())) : undefined;
  const limits = readSpendLimits(environment);
  const applied = await migrate(url, print);
  print(
    applied.length > 0 ? `${applied.length} applied; the schema is up to date` : 'The schema is up to date',
  );
  await storeSpendLimits(url, limits);
  for (const [name, naira] of Object.entries(limits)) print(`Stored the limit ${name}: ${naira}`);
  if (!redisUrl) {
    await migrateQueue(url);
    print('The queue tables are up to date');
  }
  const roles = await grantRoles(url, redisUrl ? undefined : queueGrants);
  if (roles.granted) print('The roles of the apps are up to date');
  else print(rolesNotGranted(roles));
  const passwords = passwordsIn(environment);
  if (Object.keys(passwords).length > 0) {
    const logins = Object.values(await createAppLogins(url, passwords)).map(
      (login) => new URL(login).username,
    );
    print(`The login users are up to date: ${logins.join(', ')}`);
  }
  if (sealer) print(`The demo organisation exists; its key is ${(await seedDemo(url, sealer)).apiKey}`);
  const database = new Database({ url, poolSize: 1, name: 'gangan migrate' });
  try {
    await reportPlainSecrets(database, print);
    await reportRefusedPatterns(database, print);
    await reportEndlessHours(database, print);
  } finally {
    await database.close();
  }
  return 0;
}

const passwordVariable = (app: RoleName): string => `${app.toUpperCase()}_DATABASE_PASSWORD`;

const passwordsIn = (environment: NodeJS.ProcessEnv): Partial<Record<RoleName, string>> =>
  Object.fromEntries(
    roleNames
      .map((app) => [app, environment[passwordVariable(app)] ?? ''] as const)
      .filter(([, password]) => password !== ''),
  );

const rolesNotGranted = ({ reason, sql }: { readonly reason: string; readonly sql: string }): string => `
The roles of the apps were not changed, because the user of DATABASE_URL may not do that: ${reason}.
The schema is up to date. To give each app its own role, have an administrator run this SQL in this database:

${sql}
`;

/** It does not seal them itself: apps of the previous version may still run, and could not read sealed secrets. */
async function reportPlainSecrets(database: Database, print: Console['print']): Promise<void> {
  const count = await database.callbackSecret.count({ where: { sealedSecret: null } });
  if (count > 0)
    print(
      `${count} callback ${count === 1 ? 'secret is' : 'secrets are'} stored in plain text. When all apps run this version, seal all with \`pnpm admin secrets reseal\`.`,
    );
}

/** An earlier version accepted patterns that this one does not run. */
async function reportRefusedPatterns(database: Database, print: Console['print']): Promise<void> {
  for (const { name, settings } of await database.provider.findMany({ orderBy: { name: 'asc' } })) {
    const faults = findRefusedPatterns(settings);
    if (faults.length > 0)
      print(
        `Workers of this version do not use the provider ${name}: ${faults.join('; ')}. Change it with \`pnpm admin providers set ${name}\`.`,
      );
  }
}

/** An earlier version had no national quiet hours, and accepted any others. */
async function reportEndlessHours(database: Database, print: Console['print']): Promise<void> {
  const organisations = await database.query<{ label: string; hours: string }>(sql`
    SELECT account.name || '/' || mode AS label, settings -> 'sms' ->> 'quiet_hours' AS hours
    FROM organisation JOIN account ON account.id = account_id
    WHERE mode = 'live' AND settings -> 'sms' ->> 'quiet_hours' IS NOT NULL
      AND settings -> 'sms' ->> 'national_quiet_hours' IS DISTINCT FROM 'ignored'
    ORDER BY 1`);
  for (const { label, hours } of organisations) {
    const own = parseQuietHours(hours);
    const national = own && findEndlessWith(own);
    if (national)
      print(
        `Promotional SMS of ${label} are never sent to countries with the quiet hours ${formatQuietHours(national)}, because its own are ${hours}. Change them with \`pnpm admin organisations quiet-hours\`.`,
      );
  }
}
