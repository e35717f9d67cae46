import { appNames } from '@gangan/protocol';
import { deriveDataKeys, neededDataKeys } from '@gangan/sealing';
import type { Command } from 'commander';
import { addAppKeysCommand } from '../session/app-keys-command.js';
import type { AdminSession } from '../session/session.js';
import { dataMastersOf } from '../session/stores.js';

export function addKeysCommand(group: Command, session: AdminSession): void {
  addAppKeysCommand(group, session, {
    variable: 'DATA_KEYS',
    apps: appNames.filter((app) => neededDataKeys(app).length > 0),
    description: 'print the keys with which each app stores secrets, derived from DATA_MASTER_KEY',
    notes: `Each app gets its own DATA_KEYS and no others. Without --app, a line for each app, as docker-compose.yml reads them.
DATA_MASTER_KEY is what \`openssl rand -base64 32\` prints. No app gets it; keep a copy in another place than the backups.
While it is replaced it holds two keys, separated by a comma: the first seals, both open.`,
    derivation: async () => {
      const masters = await dataMastersOf(session.settings);
      return (app) => deriveDataKeys(masters, app);
    },
  });
}
