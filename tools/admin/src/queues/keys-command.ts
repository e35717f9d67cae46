import { allContracts } from '@gangan/contracts';
import { deriveQueueKeys } from '@gangan/queue';
import type { Command } from 'commander';
import { addAppKeysCommand, assertNew } from '../session/app-keys-command.js';
import type { AdminSession } from '../session/session.js';
import { earlierQueueKeysOf, masterKeysOf } from '../session/stores.js';

export function addKeysCommand(group: Command, session: AdminSession): void {
  addAppKeysCommand(group, session, {
    variable: 'QUEUE_KEYS',
    description: 'print the queue keys of each app, derived from QUEUE_MASTER_KEY',
    notes: `Each app gets its own QUEUE_KEYS and no others. Without --app, a line for each app, as docker-compose.yml reads them.
QUEUE_MASTER_KEY is what \`openssl rand -base64 32\` prints. No app gets it; keep it where only this command reads it.
While it is replaced it holds two keys, separated by a comma: the first seals, both open.`,
    derivation: async () => {
      const masters = await masterKeysOf(session.settings);
      assertNew(
        masters,
        await earlierQueueKeysOf(session.settings),
        'QUEUE_MASTER_KEY is the QUEUE_KEY of version 0.2, which every app has',
      );
      return (app) => deriveQueueKeys(masters, app, allContracts);
    },
  });
}
