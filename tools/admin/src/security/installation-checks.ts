import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { roleOf, sql, statement, t } from '@gangan/database';
import { type Check, type Finding, installation } from './finding.js';

const findDatabaseName = statement({ name: t.text }, () => sql`SELECT current_database() AS name`);

/** Not its owner, which may give the role to others but does not have to have it itself. */
const countLogins = statement(
  { count: t.int },
  (role: string) => sql`
    SELECT count(DISTINCT login.oid)::int AS count
    FROM pg_roles AS granted
    JOIN pg_auth_members AS membership ON membership.roleid = granted.oid
    JOIN pg_roles AS login ON login.oid = membership.member
    WHERE granted.rolname = ${role} AND login.rolcanlogin AND (membership.inherit_option OR membership.set_option)`,
);

export const fewOperators: Check = async ({ database }) => {
  const [found] = await database.run(findDatabaseName);
  const [logins] = await database.run(countLogins, roleOf('operator', found?.name ?? ''));
  const count = logins?.count ?? 0;
  if (count >= 2) return [];
  return [
    {
      who: installation,
      what: count === 0 ? 'no operator has a database login' : 'only one operator has a database login',
      why: 'A second person cannot be told from the first one, so that large bookings are not safe.',
      mend: 'a login of its own for each operator (docs/deployment.md#database-users)',
    },
  ];
};

export const noBackupKey: Check = async ({ settings }) => {
  const isKept = settings.databaseUrl === undefined && (await exists(join(settings.dataDir, 'backup.key')));
  if (settings.variable('BACKUP_KEY') !== undefined || isKept) return [];
  return [
    {
      who: installation,
      what: 'BACKUP_KEY is not set here',
      why: 'Backups are neither encrypted nor authenticated.',
      mend: 'pnpm admin backup key, then set BACKUP_KEY to what it prints',
    },
  ];
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** As far as the variables of this command line show. */
export const earlierKeys: Check = ({ settings }) => {
  const findings: Finding[] = [];
  if (settings.variable('QUEUE_KEY') !== undefined)
    findings.push({
      who: installation,
      what: 'QUEUE_KEY is set here',
      why: 'It opens everything in the queues; each app needs its own keys only.',
      mend: 'pnpm admin queues keys --app <app> for each app, then remove QUEUE_KEY',
    });
  if ((settings.variable('DATA_KEY') ?? '').includes(','))
    findings.push({
      who: installation,
      what: 'DATA_KEY has an earlier key, too',
      why: 'The earlier key still opens stored secrets.',
      mend: 'pnpm admin secrets reseal, then remove the earlier key from DATA_KEY of all processes',
    });
  return findings;
};
