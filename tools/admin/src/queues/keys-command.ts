import { allContracts } from '@gangan/contracts';
import { type AppName, appNames } from '@gangan/protocol';
import { deriveQueueKeys } from '@gangan/queue';
import { type Command, Option } from 'commander';
import { CommandError, describeFailure } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { earlierQueueKeysOf, masterKeysOf } from '../session/stores.js';

/** `queues keys`. It reads neither the database nor the queue: both may not exist yet. */
export function addKeysCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'keys',
    'print the queue keys of each app, derived from QUEUE_MASTER_KEY',
    ['>> .env', '--app otp > queue_keys'],
    `Each app gets its own QUEUE_KEYS and no others. Without --app, a line for each app, as docker-compose.yml reads them.
QUEUE_MASTER_KEY is what \`openssl rand -base64 32\` prints. No app gets it; keep it where only this command reads it.
While it is replaced it holds two keys, separated by a comma: the first seals, both open.`,
  )
    .addOption(new Option('--app <app>', 'only the value for this app').choices(appNames))
    .action(async ({ app }: { app?: AppName }) => {
      const masters = await masterKeysOf(session.settings);
      assertNew(masters, await earlierQueueKeysOf(session.settings));
      if (app !== undefined) {
        const keys = derive(masters, app);
        session.done(keys, { app, queue_keys: keys });
        return;
      }
      const byName = appNames.map(
        (one) => [`${one.toUpperCase()}_QUEUE_KEYS`, derive(masters, one)] as const,
      );
      session.done(byName.map(([name, keys]) => `${name}=${keys}`).join('\n'), Object.fromEntries(byName));
    });
}

function derive(masters: readonly string[], app: AppName): string {
  try {
    return deriveQueueKeys(masters, app, allContracts);
  } catch (cause) {
    throw new CommandError(`${describeFailure(cause)}.`, { cause });
  }
}

/** Every app of version 0.2 had QUEUE_KEY. */
function assertNew(masters: readonly string[], earlier: readonly string[]): void {
  if (!masters.some((master) => earlier.includes(master))) return;
  throw new CommandError(
    'QUEUE_MASTER_KEY is the QUEUE_KEY of version 0.2, which every app has: use a new key, from `openssl rand -base64 32`.',
  );
}
