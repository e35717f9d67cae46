import { applyDefinitions, findChanges } from '@gangan/management';
import type { Command } from 'commander';
import { addCommand, type AdminSession } from '../session/session.js';
import { readDefinitions } from './read-definitions.js';

export function addApplyCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'apply <file>',
    'add and change providers and routes from a YAML file; shows the differences first',
    ['providers.yaml'],
    `Providers and routes that are not in the file stay as they are. \${NAME} in secrets and in settings.request.url stands for an
environment variable. Example:

  providers:
    - name: termii
      preset: termii
      secrets: { api_key: '\${TERMII_API_KEY}' }
      settings: { request: { json: { channel: generic } } }
      rate: 50
  routes:
    - to: [termii]
      country: NG
  airtimeRoutes:
    - to: [vtpass, reloadly]
      network: MTN`,
  ).action(async (file: string) => {
    const wanted = await readDefinitions(session, file);
    const changes = await findChanges(await session.database(), session.sealer, wanted);
    if (changes.length === 0) {
      session.done('There are no differences; nothing was changed.', { changed: [], routes: [] });
      return;
    }
    for (const { differences } of changes) session.remark(differences.join('\n'));
    const { length: count } = changes;
    await session.confirm(`Apply ${count === 1 ? 'this change' : `these ${count} changes`}?`);
    await applyDefinitions(await session.access(), wanted, changes);
    const names = (areRoutes: boolean): string[] =>
      changes.flatMap(({ name, isRoute }) => (isRoute === areRoutes ? name : []));
    session.done(`Applied: ${[...names(false), ...names(true)].join(', ')}.`, {
      changed: names(false),
      routes: names(true),
    });
  });
}
