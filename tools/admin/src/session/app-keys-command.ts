import { type AppName, appNames } from '@gangan/protocol';
import { type Command, Option } from 'commander';
import { CommandError, describeFailure } from './errors.js';
import { addCommand, type AdminSession } from './session.js';

interface AppKeys {
  /** The variable of each app. */
  readonly variable: 'QUEUE_KEYS' | 'DATA_KEYS';
  readonly apps?: readonly AppName[];
  readonly description: string;
  readonly notes: string;
  /** Returns what derives the value of an app. */
  readonly derivation: () => Promise<(app: AppName) => string>;
}

/** `queues keys` and `secrets keys`. They read neither the database nor the queue: both may not exist yet. */
export function addAppKeysCommand(
  group: Command,
  session: AdminSession,
  { variable, apps = appNames, description, notes, derivation }: AppKeys,
): void {
  const file = variable.toLowerCase();
  addCommand(group, 'keys', description, ['>> .env', `--app otp > ${file}`], notes)
    .addOption(new Option('--app <app>', 'only the value for this app').choices(apps))
    .action(async ({ app }: { app?: AppName }) => {
      const derive = await derivation();
      if (app !== undefined) {
        const keys = orRefuse(() => derive(app));
        session.done(keys, { app, [file]: keys });
        return;
      }
      const byName = apps.map(
        (one) => [`${one.toUpperCase()}_${variable}`, orRefuse(() => derive(one))] as const,
      );
      session.done(byName.map(([name, keys]) => `${name}=${keys}`).join('\n'), Object.fromEntries(byName));
    });
}

function orRefuse(derive: () => string): string {
  try {
    return derive();
  } catch (cause) {
    throw new CommandError(`${describeFailure(cause)}.`, { cause });
  }
}

/** @param fault says which earlier key the master key is, and who has it */
export function assertNew(masters: readonly string[], earlier: readonly string[], fault: string): void {
  if (!masters.some((master) => earlier.includes(master))) return;
  throw new CommandError(`${fault}: use a new key, from \`openssl rand -base64 32\`.`);
}
