import { join } from 'node:path';
import { projectRoot } from '../settings.js';
import { mergeEnvironments } from './app-environment.js';
import { type AppName, apps, compactFlags, workers } from './apps.js';
import type { SupervisedProcess } from './supervisor.js';

/**
 * The processes of the system: one per app, or in compact mode the gateway and one of all workers.
 *
 * @param inherited the variables that the user has set
 */
export function processesOf(
  compact: boolean,
  environmentOf: (app: AppName) => NodeJS.ProcessEnv,
  logOf: (process: string) => string,
  inherited: NodeJS.ProcessEnv,
): SupervisedProcess[] {
  const separate = apps.map((app) => ({
    ...app,
    script: join(projectRoot, 'apps', app.name, 'dist', 'main.js'),
    env: environmentOf(app.name),
    logFile: logOf(app.name),
  }));
  if (!compact) return separate;
  const environments = Object.fromEntries(workers.map((app) => [app, environmentOf(app)]));
  return [
    ...separate.filter(({ role }) => role === 'gateway'),
    {
      name: 'workers',
      role: 'worker',
      nodeFlags: compactFlags,
      script: join(projectRoot, 'tools', 'start', 'dist', 'workers.js'),
      env: mergeEnvironments(environments, inherited),
      logFile: logOf('workers'),
    },
  ];
}
