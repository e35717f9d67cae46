import { setTimeout as pause } from 'node:timers/promises';
import type { Contract, PoolUse } from '@gangan/protocol';
import { missingKeys, unneededKeys } from '../config/check-keys.js';
import { type Configs, type ConfigSpec, InvalidConfig } from '../config/define-config.js';
import { readConfigs } from '../config/read-configs.js';
import { ProcessConfig, RuntimeConfig } from '../config/runtime-config.js';
import type { Dependencies } from '../health/health.js';
import { measurePools } from '../metrics/pool-metrics.js';
import { HostProcess, type Launch } from './host-process.js';
import { reportFaults, reportReady } from './supervisor.js';

/** An app that runs in a process, alone or with others. */
export interface App {
  readonly name: string;
  readonly config: readonly ConfigSpec[];
  /** What it sends and serves. */
  readonly contracts: readonly Contract[];
  readonly start: (launch: Launch) => Promise<Started>;
}

/** What the health of the app depends on, and its public port if it has one. */
export interface Started extends Dependencies {
  readonly database: Dependencies['database'] & { poolUse(): PoolUse };
  readonly queues: Dependencies['queues'] & { poolUse(): PoolUse | undefined };
  readonly port?: number;
}

const configurationExit = 78;

/**
 * Starts a process and its apps. Each app has its own configuration, logger, metrics and connections; the process ends if one
 * of them fails.
 */
export async function launch(name: string, apps: readonly App[]): Promise<void> {
  const [{ configs }, ...configured] = await configure(name, apps);
  const host = new HostProcess(name, configs.of(ProcessConfig));
  const starts = configured.map(({ start, ...app }) => {
    const prepared = host.prepare({ ...app, isAlone: configured.length === 1 });
    return () => startApp(host, prepared, start);
  });
  try {
    const internal = await host.openInternalPort();
    const started = await Promise.all(starts.map((start) => start()));
    const port = started.find((app) => app.port !== undefined)?.port;
    const ports = { ...(port !== undefined && { port }), ...internal };
    host.logger.info({ ...ports, seconds: Math.round(process.uptime() * 10) / 10 }, 'ready');
    reportReady(name, ports);
  } catch (error) {
    host.fail(host.logger, error);
  }
}

/** Returns when the app is ready. */
async function startApp(
  host: HostProcess,
  launch: Launch,
  start: App['start'],
): Promise<Pick<Started, 'port'>> {
  const { config, configs, logger, metrics, health } = launch;
  for (const { variable, unneeded } of unneededKeys(launch, configs))
    logger.warn({ unneeded }, `${variable} has keys that this app does not need; derive its keys again`);
  if (config.SIMULATE_LIVE)
    logger.warn({}, 'SIMULATE_LIVE is set: live organisations are charged, and nothing is really sent');
  try {
    const { port, ...dependencies } = await start(launch);
    measurePools(metrics, {
      database: () => dependencies.database.poolUse(),
      queue: () => dependencies.queues.poolUse(),
    });
    health.started(dependencies);
    while (!(await health.ready()).healthy) await pause(250);
    return { ...(port !== undefined && { port }) };
  } catch (error) {
    host.fail(logger, error);
    throw error;
  }
}

/** The only place that reads the environment. */
async function configure(name: string, apps: readonly App[]) {
  const own = { name, specs: [ProcessConfig] };
  const readers = apps.map((app) => ({
    ...app,
    specs: [RuntimeConfig, ...app.config],
    check: (configs: Configs) => missingKeys(app, configs),
  }));
  try {
    return readConfigs([own, ...readers], process.env);
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    process.stderr.write(error.print(name));
    await reportFaults(error.paragraphs());
    process.exit(configurationExit);
  }
}
