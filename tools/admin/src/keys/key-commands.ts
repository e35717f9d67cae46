import { expireKey, issueKey, revokeKey } from '@gangan/database';
import { type KeyScope, keyScopes } from '@gangan/protocol';
import type { Command } from 'commander';
import { duration, moment, words } from '../session/arguments.js';
import type { AdminSession } from '../session/session.js';
import { CommandError } from '../session/command-error.js';
import { isSoon } from '../session/soon.js';
import { findOrganisation } from '../organisations/find-organisation.js';
import { findKey, keysOf, type StoredKey } from './key.repository.js';
import { rotate } from './rotate-key.js';
import { scopes } from './scopes.js';

const shownOnce = 'Keep the key now: it is shown this once and stored nowhere.';

export function addKeyCommands(group: Command, session: AdminSession): void {
  group
    .command('issue')
    .description('make a key; it is shown once')
    .argument('<organisation>')
    .requiredOption('--name <name>', 'what people call it', words(100))
    .option('--scopes <scopes>', 'such as lookup:read,sms; everything unless given', scopes, [...keyScopes])
    .option('--expires <when>', 'such as 90d or 2027-01-31; never unless given', moment)
    .addHelpText(
      'after',
      `\nThe scopes are ${keyScopes.join(', ')}; sms alone means sms:read and sms:write.

Examples:
  pnpm admin keys issue acme/live --name Production
  pnpm admin keys issue acme/test --name CI --scopes lookup:read,sms --expires 90d`,
    )
    .action(async (given: string, options: { name: string; scopes: KeyScope[]; expires?: Date }) => {
      const database = await session.database();
      const { id: organisationId, mode, label } = await findOrganisation(database, given);
      const wish = { organisationId, name: options.name, scopes: options.scopes, expiresAt: options.expires };
      const issued = await issueKey(database, mode, wish);
      session.show({
        key: issued.key,
        id: issued.id,
        organisation: label,
        name: options.name,
        scopes: options.scopes,
        expires: options.expires,
      });
      session.remark(shownOnce);
    });

  group
    .command('list')
    .description('the keys of an organisation, without the keys themselves')
    .argument('<organisation>')
    .addHelpText('after', '\nExample:\n  pnpm admin keys list acme/live')
    .action(async (given: string) => {
      const database = await session.database();
      const { id, label } = await findOrganisation(database, given);
      session.list((await keysOf(database, id)).map(rowOf), `${label} has no key yet.`);
    });

  group
    .command('rotate')
    .description('make a successor with the same name and scopes; the old key lives on for a while')
    .argument('<key>', 'its id or the beginning that is shown of it')
    .option('--overlap <time>', 'how long the old key still works', duration, duration('24h'))
    .option(
      '--expires <when>',
      'of the successor; it lives as long as the old key was meant to, unless given',
      moment,
    )
    .addHelpText('after', '\nExample:\n  pnpm admin keys rotate sk_live_3kd9XtYq --overlap 24h')
    .action(async (given: string, options: { overlap: number; expires?: Date }) => {
      const database = await session.database();
      const key = await findKey(database, given);
      await confirmEnd(key, new Date(Date.now() + options.overlap));
      const { issued, expiresAt, oldWorksUntil } = await rotate(database, key, {
        overlapMs: options.overlap,
        expiresAt: options.expires,
      });
      session.show({
        key: issued.key,
        id: issued.id,
        organisation: key.organisation,
        name: key.name,
        scopes: key.scopes,
        expires: expiresAt,
        replaces: key.id,
        old_key_works_until: oldWorksUntil,
      });
      session.remark(shownOnce);
    });

  group
    .command('revoke')
    .description('stop a key; every gateway refuses it within 5 s')
    .argument('<key>', 'its id or the beginning that is shown of it')
    .addHelpText('after', '\nExample:\n  pnpm admin keys revoke sk_live_3kd9XtYq')
    .action(async (given: string) => {
      const database = await session.database();
      const key = await findKey(database, given);
      await session.confirm(
        `Revoke ${key.prefix}… (${key.name}) of ${key.organisation}? This cannot be undone.`,
      );
      await revokeKey(database, key.id);
      session.done(`${key.prefix}… is revoked.`, rowOf(await findKey(database, key.id)));
    });

  group
    .command('expire')
    .description('change when a key ends')
    .argument('<key>', 'its id or the beginning that is shown of it')
    .argument('<when>', 'such as 7d, 2027-01-31 or never', (text: string) =>
      text === 'never' ? undefined : moment(text),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  pnpm admin keys expire sk_live_3kd9XtYq 7d\n  pnpm admin keys expire sk_live_3kd9XtYq never',
    )
    .action(async (given: string, at: Date | undefined) => {
      const database = await session.database();
      const key = await findKey(database, given);
      if (key.state === 'revoked')
        throw new CommandError(`The key ${key.prefix} is revoked: issue a new one.`);
      if (at) await confirmEnd(key, at);
      await confirmRevival(key, at);
      await expireKey(database, key.id, at);
      session.done(
        `${key.prefix}… ${at ? `ends at ${at.toISOString()}` : 'does not expire'}.`,
        rowOf(await findKey(database, key.id)),
      );
    });

  async function confirmRevival({ state, prefix, name, organisation }: StoredKey, at?: Date): Promise<void> {
    if (state !== 'expired' || (at && at <= new Date())) return;
    await session.confirm(
      `${prefix}… (${name}) of ${organisation} has expired, and would work again. Go on?`,
    );
  }

  /** Asks when the key would stop so early that its users cannot change to another one first. */
  async function confirmEnd(key: StoredKey, at: Date): Promise<void> {
    const sooner = !key.expiresAt || at < key.expiresAt;
    if (key.state !== 'active' || !sooner || !isSoon(at)) return;
    await session.confirm(
      `${key.prefix}… (${key.name}) of ${key.organisation} would stop at ${at.toISOString()}. Go on?`,
    );
  }
}

const rowOf = (key: StoredKey) => ({
  id: key.id,
  prefix: key.prefix,
  name: key.name,
  state: key.state,
  scopes: key.scopes.length === keyScopes.length ? ['all'] : key.scopes,
  created: key.createdAt,
  last_used: key.lastUsedAt ?? undefined,
  expires: key.expiresAt ?? undefined,
  revoked: key.revokedAt ?? undefined,
  replaced_by: key.replacedBy ?? undefined,
});
