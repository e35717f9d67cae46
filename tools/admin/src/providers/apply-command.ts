import type { Command } from 'commander';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { findDifferences, type ProviderDefinition } from './definition.js';
import { ProviderStore } from './provider-store.js';
import { readDefinitions } from './read-definitions.js';

export function addApplyCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'apply <file>',
    'add and change providers as a YAML file says; shows the differences first',
    ['providers.yaml'],
    `Providers that are not in the file stay as they are. \${NAME} in secrets and in settings.request.url stands for an
environment variable. Example:

  providers:
    - name: termii
      preset: termii
      secrets: { api_key: '\${TERMII_API_KEY}' }
      settings: { request: { json: { channel: generic } } }
      rate: 50`,
  ).action(async (file: string) => {
    const database = await session.database();
    const store = new ProviderStore(session);
    const wanted = await readDefinitions(session, file);
    const changes: { name: string; after: ProviderDefinition; differences: string[] }[] = [];
    for (const [name, after] of wanted) {
      const differences = findDifferences(await store.find(database, name), after);
      if (differences.length > 0) changes.push({ name, after, differences });
    }
    if (changes.length === 0) {
      session.done('Nothing differs; nothing was changed.', { changed: [] });
      return;
    }
    for (const { name, differences } of changes)
      session.remark(differences.map((line) => `${name}: ${line}`).join('\n'));
    await session.confirm(
      `Apply these changes of ${changes.length === 1 ? 'a provider' : `${changes.length} providers`}?`,
    );
    await store.change(async (models) => {
      for (const { name, after, differences } of changes) {
        const before = await store.find(models, name);
        if (findDifferences(before, after).join('\n') !== differences.join('\n'))
          throw new CommandError(
            `${name} was changed meanwhile; nothing was applied. Run the command again.`,
          );
        await store.save(models, name, before, after);
      }
    });
    const changed = changes.map(({ name }) => name);
    session.done(`Applied: ${changed.join(', ')}.`, { changed });
  });
}
