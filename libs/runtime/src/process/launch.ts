import { setTimeout as pause } from 'node:timers/promises';
import type { PoolUse } from '@gangan/protocol';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Configs, type ConfigSpec, InvalidConfig, readConfig } from '../config/define-config.js';
import { RuntimeConfig } from '../config/runtime-config.js';
import { type Dependencies, Health } from '../health/health.js';
import { startInternalServer } from '../health/internal-server.js';
import { LogOutput } from '../logging/log-output.js';
import { type AppLogger, createLogger } from '../logging/logger.js';
import { measurePools } from '../metrics/pool-metrics.js';
import { watchEventLoop } from '../watchdog/event-loop-watchdog.js';
import { Shutdown } from './shutdown.js';
import {
  explainListenError,
  onCrash,
  onStopRequest,
  reportFaults,
  reportReady,
  StartupError,
} from './supervisor.js';

/** What a process has before its app is created. */
export interface Launch {
  readonly name: string;
  readonly specs: readonly ConfigSpec[];
  readonly configs: Configs;
  readonly config: RuntimeConfig;
  readonly logger: AppLogger;
  readonly metrics: Registry;
  readonly health: Health;
  readonly shutdown: Shutdown;
  /** Ends the process at once, after the log is written. */
  readonly exit: (code: number) => void;
}

/** What the health of the app depends on, and its public port if it has one. */
export interface Started extends Dependencies {
  readonly database: Dependencies['database'] & { poolUse(): PoolUse };
  readonly queues: Dependencies['queues'] & { poolUse(): PoolUse | undefined };
  readonly port?: number;
}

const configurationExit = 78;

/** Starts a process: reads its configuration, opens log, metrics and health checks, starts the app, handles the shutdown. */
export async function launch(
  name: string,
  ownSpecs: readonly ConfigSpec[],
  start: (launch: Launch) => Promise<Started>,
): Promise<void> {
  const specs = [RuntimeConfig, ...ownSpecs];
  const configs = await configure(name, specs);
  const config = configs.of(RuntimeConfig);
  const output = new LogOutput();
  const exit = (code: number): void => {
    void output.flush().then(() => process.exit(code));
  };
  const logger = createLogger({ app: name, level: config.LOG_LEVEL }, output);
  onCrash(logger, exit);
  watchEventLoop(
    { app: name, logLevel: config.LOG_LEVEL, timeoutMs: config.EVENT_LOOP_TIMEOUT_SECONDS * 1_000 },
    logger,
  );
  if (config.SIMULATE_LIVE)
    logger.warn({}, 'SIMULATE_LIVE is set: live organisations are charged, and nothing is really sent');
  const health = new Health();
  const shutdown = new Shutdown(
    logger,
    () => {
      health.stopping();
    },
    exit,
  );
  onStopRequest((reason) => {
    shutdown.request(reason);
  });
  try {
    const metrics = processMetrics(name);
    const metricsPort = await openInternalPort(config, health, metrics, shutdown);
    const { port, ...dependencies } = await start({
      name,
      specs,
      configs,
      config,
      logger,
      metrics,
      health,
      shutdown,
      exit,
    });
    measurePools(metrics, {
      database: () => dependencies.database.poolUse(),
      queue: () => dependencies.queues.poolUse(),
    });
    health.started(dependencies);
    while (!(await health.ready()).healthy) await pause(250);
    const ports = { ...(port !== undefined && { port }), metricsPort };
    logger.info({ ...ports, seconds: Math.round(process.uptime() * 10) / 10 }, 'ready');
    reportReady(name, ports);
  } catch (error) {
    if (shutdown.isRequested) return;
    if (error instanceof StartupError) logger.fatal({}, error.message);
    else logger.fatal({ err: error }, 'cannot start');
    exit(1);
  }
}

/** The only place that reads the environment. */
async function configure(name: string, specs: readonly ConfigSpec[]): Promise<Configs> {
  try {
    return readConfig(specs, process.env);
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    process.stderr.write(error.print(name));
    await reportFaults(error.paragraphs());
    process.exit(configurationExit);
  }
}

function processMetrics(app: string): Registry {
  const metrics = new Registry();
  metrics.setDefaultLabels({ app });
  collectDefaultMetrics({ register: metrics });
  return metrics;
}

async function openInternalPort(
  { METRICS_HOST: host, METRICS_PORT: port }: RuntimeConfig,
  health: Health,
  metrics: Registry,
  shutdown: Shutdown,
): Promise<number> {
  const server = await startInternalServer({ host, port }, health, metrics).catch((error: unknown) => {
    throw explainListenError(error, port, 'METRICS_PORT');
  });
  shutdown.closes('the internal port', () => server.close());
  return server.port;
}
