import { countSealedSecrets, listSecrets, resealSecrets, rotateSecret } from '@gangan/management';
import { appNames } from '@gangan/protocol';
import { deriveDataKeys, neededDataKeys } from '@gangan/sealing';
import type { Command } from 'commander';
import { addAppKeysCommand } from '../session/app-keys-command.js';
import { duration, isSoon } from '../session/arguments.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { configuredKeys } from '../session/stores.js';

export function addCommands(group: Command, session: AdminSession): void {
  const listing = 'list when each secret starts and stops signing; the secrets are not shown';
  addCommand(group, 'list <organisation>', listing).action(async (given: string) => {
    const { database, ...organisation } = await session.organisation(given);
    session.list(
      await listSecrets(database, organisation),
      'There is no secret: create one with `pnpm admin secrets rotate`.',
    );
  });

  const description = 'create a secret; callbacks are signed with both until the old one retires';
  addCommand(group, 'rotate <organisation>', description, ['acme/live --overlap 3d'])
    .option('--overlap <time>', 'how long the old secret still signs', duration, duration('24h'))
    .action(async (given: string, { overlap }: { overlap: number }) => {
      const { database, ...organisation } = await session.organisation(given);
      const { label } = organisation;
      const sealer = await session.sealer();
      const retiresAt = new Date(Date.now() + overlap);
      if (isSoon(retiresAt)) {
        await session.confirm(
          `The current secret of ${label} would stop signing at ${retiresAt.toISOString()}. Continue?`,
        );
      }
      const retiring = (await listSecrets(database, organisation)).find(
        ({ signs, retires }) => signs && retires,
      );
      if (retiring?.retires) {
        await session.confirm(
          `The previous secret of ${label} signs until ${retiring.retires.toISOString()} and would stop now. Continue?`,
        );
      }
      const secret = await rotateSecret(await session.access(), sealer, organisation, retiresAt);
      session.show({ callback_secret: secret, organisation: label, old_secret_signs_until: retiresAt });
      session.remark('Give the secret to the customer now: it is not shown again.');
    });

  addAppKeysCommand(group, session, {
    kind: 'DATA',
    apps: appNames.filter((app) => neededDataKeys(app).length > 0),
    description: 'print the keys with which each app stores secrets',
    keeping: 'keep a copy in another place than the backups',
    derivation: async () => {
      const masters = await configuredKeys(session.settings, 'dataMasterKey');
      return (app) => deriveDataKeys(masters, app);
    },
  });

  addCommand(
    group,
    'status',
    'count the stored secrets by the key that sealed them',
    undefined,
    'The first key is derived from the first one of DATA_MASTER_KEY; earlier ones are derived from the second.\nA secret of an unknown key cannot be opened. Exits with 1 if `reseal` has something to do, or a key is unknown.',
  ).action(async () => {
    const rows = await countSealedSecrets(await session.database(), await session.sealer());
    if (rows.some((row) => row.not_sealed + row.earlier_keys + row.unknown_keys > 0)) session.exitCode = 1;
    session.list(rows, '');
  });

  addCommand(
    group,
    'reseal',
    'seal all stored secrets with keys of the first DATA_MASTER_KEY',
    undefined,
    `The apps may run meanwhile, if their DATA_KEYS are derived from it. Safe to interrupt and to repeat. Skipped secrets were in use:
run it again. Damaged ones do not belong to their row or were altered: they stay as they are.`,
  ).action(async () => {
    const rows = await resealSecrets(await session.access(), (stored, { checked, resealed }) => {
      session.remark(`${stored}: ${checked} checked, ${resealed} sealed`);
    });
    if (rows.some(({ skipped, damaged }) => skipped + damaged > 0)) session.exitCode = 1;
    session.list(rows, '');
  });
}
