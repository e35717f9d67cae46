import { type AppName, appNames } from '@gangan/protocol';
import { type Command, Option } from 'commander';
import { usable } from './errors.js';
import { addCommand, type AdminSession } from './session.js';

interface AppKeys {
  /** The variables are named after it: QUEUE_KEYS of each app, QUEUE_MASTER_KEY. */
  readonly kind: 'QUEUE' | 'DATA';
  readonly apps?: readonly AppName[];
  /** What the keys are, and where to keep the master key. */
  readonly description: string;
  readonly keeping: string;
  /** Returns what derives the value of an app. */
  readonly derivation: () => Promise<(app: AppName) => string>;
}

/** `queues keys` and `secrets keys`. They read neither the database nor the queue: both may not exist yet. */
export function addAppKeysCommand(
  group: Command,
  session: AdminSession,
  { kind, apps = appNames, description, keeping, derivation }: AppKeys,
): void {
  const [variable, master] = [`${kind}_KEYS`, `${kind}_MASTER_KEY`];
  const file = variable.toLowerCase();
  const notes = `Each app gets its own ${variable} and no others. Without --app, a line for each app, as docker-compose.yml reads them.
${master} is what \`openssl rand -base64 32\` prints. No app gets it; ${keeping}.
While it is replaced it holds two keys, separated by a comma: the first seals, both open.`;
  addCommand(
    group,
    'keys',
    `${description}, derived from ${master}`,
    ['>> .env', `--app otp > ${file}`],
    notes,
  )
    .addOption(new Option('--app <app>', 'only the value for this app').choices(apps))
    .action(async ({ app }: { app?: AppName }) => {
      const derive = await derivation();
      if (app !== undefined) {
        const keys = usable(() => derive(app));
        session.done(keys, { app, [file]: keys });
        return;
      }
      const byName = apps.map(
        (one) => [`${one.toUpperCase()}_${variable}`, usable(() => derive(one))] as const,
      );
      session.done(byName.map(([name, keys]) => `${name}=${keys}`).join('\n'), Object.fromEntries(byName));
    });
}
