import type { SecurityReview } from '@gangan/management';
import type { Settings } from '../session/stores.js';

/** Something that a new installation would refuse, or not have, and the command or what else mends it. */
type Finding = Readonly<Record<'check' | 'who' | 'what' | 'why' | 'mend', string>>;

/** Keys and other variables count as far as this command line has them. */
export function* findingsOf(
  { operators, owner, approvalLimit, organisations, endpoints, keys }: SecurityReview,
  settings: Settings,
  hasBackupKey: boolean,
): Generator<Finding> {
  const who = 'installation';
  if (operators < 2)
    yield {
      check: 'operators',
      who,
      what: operators === 0 ? 'there are no operators' : 'there is only one operator',
      why: 'Only another operator can approve, so large bookings are refused, and small ones have no second person.',
      mend: 'pnpm admin operators add <name>, as the owner of the tables',
    };
  if (owner !== undefined)
    yield {
      check: 'login',
      who,
      what: `pnpm admin connects to the database as ${owner}, which can act as the owner of the tables`,
      why: 'The owner can change balances, the audit log and functions; an operator cannot.',
      mend: 'pnpm admin operators add <name>, then set DATABASE_URL to the printed URL; keep the owner for commands that need it',
    };
  if (approvalLimit === null)
    yield {
      check: 'approval_limit',
      who,
      what: 'no amount needs an approval',
      why: 'One operator alone can move any amount.',
      mend: 'pnpm admin approvals limit <naira>',
    };
  const earlierLimit = settings.variable('APPROVAL_ABOVE_NAIRA');
  if (earlierLimit !== undefined)
    yield {
      check: 'earlier_limit',
      who,
      what: `APPROVAL_ABOVE_NAIRA=${earlierLimit} is set here`,
      why: 'It has no effect: the limit is stored in the database.',
      mend: 'pnpm admin approvals limit shows the limit; change it if it is not the one you want, then remove the variable',
    };
  if (!hasBackupKey)
    yield {
      check: 'backup_key',
      who,
      what: 'BACKUP_KEY is not set here',
      why: 'Backups are encrypted and authenticated with it; without it none can be made.',
      mend: 'pnpm admin backup key <file>, then set BACKUP_KEY_FILE to this file',
    };
  if (settings.earlierQueueKey !== undefined)
    yield {
      check: 'earlier_keys',
      who,
      what: 'QUEUE_KEY is set here',
      why: 'The key of version 0.2 opens everything in the queues; each app needs its own keys only.',
      mend: 'pnpm admin queues keys --app <app> for each app, then remove QUEUE_KEY',
    };
  if (settings.dataMasterKey?.includes(','))
    yield {
      check: 'earlier_keys',
      who,
      what: 'DATA_MASTER_KEY has an earlier key, too',
      why: 'The earlier key still opens stored secrets.',
      mend: 'pnpm admin secrets reseal, then derive the keys of all apps again without the earlier key',
    };
  const without = (rule: 'registeredSendersOnly' | 'restrictedCallbacks' | 'fairKeys') =>
    organisations
      .filter((organisation) => !organisation[rule])
      .map(({ id, label }) => ({ label, argument: argumentOf(id, label) }));
  for (const { id, prefix, name, organisation } of keys)
    yield {
      check: 'key_scopes',
      who: organisation,
      what: `key ${prefix} (${name}) has all scopes, and none were named`,
      why: 'A stolen key can do everything, such as buy airtime.',
      mend: `pnpm admin keys scopes ${id} <scopes>, or all if it needs all of them`,
    };
  for (const { label, argument } of without('registeredSendersOnly'))
    yield {
      check: 'senders',
      who: label,
      what: 'may use any sender',
      why: 'Its keys can send in the name of others.',
      mend: `pnpm admin senders add ${argument} <sender>, then pnpm admin senders restrict ${argument}`,
    };
  for (const { label, argument } of without('restrictedCallbacks'))
    yield {
      check: 'callbacks',
      who: label,
      what: 'callbacks may go to http URLs and to any port',
      why: 'Others can read callbacks on their way, or let them reach a server of another protocol.',
      mend: `pnpm admin callbacks restrict ${argument}`,
    };
  for (const { id, url, organisation, refusal } of endpoints)
    if (refusal !== undefined)
      yield {
        check: 'endpoint_urls',
        who: organisation,
        what: `endpoint ${id} has the URL ${url}`,
        why: `The URL ${refusal}.`,
        mend: `the customer: PATCH /callback-endpoints/${id} with another url`,
      };
  for (const { id, url, organisation, hasUnconfirmedMessages } of endpoints)
    if (hasUnconfirmedMessages)
      yield {
        check: 'endpoint_messages',
        who: organisation,
        what: `endpoint ${id} (${url}) receives message.received`,
        why: 'No key with the scope sms:read has chosen that it gets the texts of messages.',
        mend: `the customer: PATCH /callback-endpoints/${id} with its events, by a key that has sms:read`,
      };
  for (const { label, argument } of without('fairKeys'))
    yield {
      check: 'key_sharing',
      who: label,
      what: 'keys share the rate freely',
      why: 'One key can use up the rate of all.',
      mend: `pnpm admin keys share ${argument} fairly`,
    };
}

/** An organisation as an argument of a command: by its id if its name means something to a shell. */
const argumentOf = (id: string, label: string): string => (/^[\w.-]+\/\w+$/.test(label) ? label : id);
