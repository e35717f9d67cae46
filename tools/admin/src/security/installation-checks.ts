import { sql, statement, t } from '@gangan/database';
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
  if (settings.earlierDataKey !== undefined)
    findings.push({
      who: installation,
      what: 'DATA_KEY is set here',
      why: 'The key of earlier versions opens stored secrets of every app; each app needs its own keys only.',
      mend: 'pnpm admin secrets reseal, then remove DATA_KEY from all processes',
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
