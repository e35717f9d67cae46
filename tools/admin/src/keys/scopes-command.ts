import { type Models, setScopes } from '@gangan/database';
import { type KeyScope, keyScopes } from '@gangan/protocol';
import type { Command } from 'commander';
import { scopes } from '../session/arguments.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { describeKey, findKey, rowOf, type StoredKey } from './stored-key.js';

export const keyArgument = ['<key>', 'id of the key, or its prefix as `keys list` shows it'] as const;

export const scopesHelp = `The scopes are ${keyScopes.join(', ')}; sms alone means sms:read and sms:write, and all alone every scope.`;

export function addScopesCommand(
  group: Command,
  session: AdminSession,
  change: (key: StoredKey, write: (models: Models) => Promise<void>) => Promise<void>,
): void {
  addCommand(
    group,
    'scopes',
    'change what a key may do; every gateway follows within 5 s',
    ['sk_live_3kd9XtYq sms,otp', 'sk_live_3kd9XtYq all'],
    scopesHelp,
  )
    .argument(...keyArgument)
    .argument('<scopes>', 'all its scopes from now on, such as lookup:read,sms, or all', scopes)
    .action(async (given: string, wanted: KeyScope[]) => {
      const database = await session.database();
      const key = await findKey(database, given);
      const lost = key.scopes.filter((scope) => !wanted.includes(scope));
      if (lost.length > 0 && key.state === 'active')
        await session.confirm(`${describeKey(key)} would lose ${lost.join(', ')}. Continue?`);
      await change(key, (models) => setScopes(models, key.id, wanted));
      const changed = rowOf(await findKey(database, key.id));
      session.done(`${key.prefix}… has the scopes: ${wanted.join(', ')}.`, changed);
    });
}
