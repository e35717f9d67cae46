import { sql, statement, t } from '@gangan/database';
import { approvalLimit } from '@gangan/management';
import { backupKeysOf } from '../session/stores.js';
import { type Check, type Finding, installation } from './finding.js';

const countOperators = statement(
  { count: t.int },
  () => sql`SELECT count(*)::int AS count FROM operator_login WHERE is_operator(login)`,
);

export const fewOperators: Check = async ({ database }) => {
  const [{ count } = { count: 0 }] = await database.run(countOperators);
  if (count >= 2) return [];
  return [
    {
      who: installation,
      what: count === 0 ? 'there are no operators' : 'there is only one operator',
      why: 'Only another operator can approve, so large bookings are refused, and small ones have no second person.',
      mend: 'pnpm admin operators add <name>, as the owner of the tables',
    },
  ];
};

export const noApprovalLimit: Check = async ({ database }) => {
  if ((await approvalLimit(database)) !== null) return [];
  return [
    {
      who: installation,
      what: 'no amount needs an approval',
      why: 'One operator alone can move any amount.',
      mend: 'pnpm admin approvals limit <naira>',
    },
  ];
};

/** Of version 0.2. */
export const earlierApprovalLimit: Check = ({ settings }) => {
  const value = settings.variable('APPROVAL_ABOVE_NAIRA');
  if (value === undefined) return [];
  return [
    {
      who: installation,
      what: `APPROVAL_ABOVE_NAIRA=${value} is set here`,
      why: 'It has no effect: the limit is stored in the database.',
      mend: `pnpm admin approvals limit shows the limit; change it if it is not the one you want, then remove the variable`,
    },
  ];
};

const findOwner = statement(
  { login: t.text, isOwner: t.bool },
  () => sql`
    SELECT session_user::text AS login, pg_has_role(session_user, relowner, 'MEMBER') AS "isOwner"
    FROM pg_class WHERE oid = 'operator_login'::regclass`,
);

export const connectedAsOwner: Check = async ({ database }) => {
  const [found] = await database.run(findOwner);
  if (!found?.isOwner) return [];
  return [
    {
      who: installation,
      what: `pnpm admin connects to the database as ${found.login}, which can act as the owner of the tables`,
      why: 'The owner can change balances, the audit log and functions; an operator cannot.',
      mend: 'pnpm admin operators add <name>, then set DATABASE_URL to the printed URL; keep the owner for commands that need it',
    },
  ];
};

export const noBackupKey: Check = async ({ settings }) => {
  if ((await backupKeysOf(settings)).length > 0) return [];
  return [
    {
      who: installation,
      what: 'BACKUP_KEY is not set here',
      why: 'Backups are encrypted and authenticated with it; without it none can be made.',
      mend: 'pnpm admin backup key <file>, then set BACKUP_KEY_FILE to this file',
    },
  ];
};

/** As far as the variables of this command line show. */
export const earlierKeys: Check = ({ settings }) => {
  const findings: Finding[] = [];
  if (settings.earlierQueueKey !== undefined)
    findings.push({
      who: installation,
      what: 'QUEUE_KEY is set here',
      why: 'The key of version 0.2 opens everything in the queues; each app needs its own keys only.',
      mend: 'pnpm admin queues keys --app <app> for each app, then remove QUEUE_KEY',
    });
  if (settings.dataMasterKey?.includes(','))
    findings.push({
      who: installation,
      what: 'DATA_MASTER_KEY has an earlier key, too',
      why: 'The earlier key still opens stored secrets.',
      mend: 'pnpm admin secrets reseal, then derive the keys of all apps again without the earlier key',
    });
  return findings;
};
