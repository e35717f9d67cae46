import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Service {
  image?: string;
  command?: string[];
  user?: string;
  ports?: string[];
  env_file?: unknown;
  environment?: Record<string, string | number>;
  networks?: Record<string, object>;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  pids_limit?: number;
  privileged?: boolean;
}

export interface ComposeFile {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean; ipam?: { config?: { subnet?: string }[] } }>;
}

/** What the configuration of an app declares. */
export interface Declared {
  readonly names: readonly string[];
  readonly secrets: readonly string[];
}

interface ConfigClass {
  readonly variables: Readonly<Record<string, { readonly secret?: true }>>;
}

const root = new URL('../../../../', import.meta.url);

export const readCompose = (file = 'docker-compose.yml'): ComposeFile =>
  parse(readFileSync(new URL(file, root), 'utf8'), { merge: true, logLevel: 'error' }) as ComposeFile;

export const readVersion = (): string =>
  (JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }).version;

/** The variables that each app reads, by the name of the app. */
export async function readDeclared(): Promise<ReadonlyMap<string, Declared>> {
  const runtime = await configsOf('libs/runtime/src/config/runtime-config.ts');
  const apps = readdirSync(new URL('apps/', root)).filter((name) => name !== 'e2e');
  const declared = new Map<string, Declared>();
  // One after the other: Jest cannot load modules that share others at the same time.
  for (const app of apps) {
    const own = await configsOf(`apps/${app}/src/${app}.config.ts`);
    // Only the gateway serves HTTP.
    const shared = Object.entries(runtime).filter(([name]) => app === 'gateway' || name !== 'HttpConfig');
    const variables = [...shared.map(([, config]) => config), ...Object.values(own)].flatMap((config) =>
      Object.entries(config.variables),
    );
    const secrets = variables.filter(([, { secret }]) => secret).map(([name]) => name);
    declared.set(app, { names: variables.map(([name]) => name), secrets });
  }
  return declared;
}

async function configsOf(file: string): Promise<Record<string, ConfigClass>> {
  const module = (await import(new URL(file, root).href)) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(module).filter(
      (entry): entry is [string, ConfigClass] => typeof entry[1] === 'function' && 'variables' in entry[1],
    ),
  );
}
