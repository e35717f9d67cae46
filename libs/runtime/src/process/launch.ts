import { setTimeout as pause } from 'node:timers/promises';
import { setAirtimeBounds, setAllowPrivateCallbacks, setDefaultRegion } from '@gangan/contracts';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { ConfigSpec } from '../config/define-config.js';
import { InvalidConfig } from '../config/invalid-config.js';
import { type Configs, readConfig } from '../config/read-config.js';
import { RuntimeConfig } from '../config/runtime-config.js';
import { EventLoopWatch } from '../health/event-loop-watch.js';
import { type Foundations, Health } from '../health/health.js';
import { startInternalServer } from '../health/internal-server.js';
import type { AppLogger } from '../logging/app-logger.js';
import { createLogger } from '../logging/create-logger.js';
import { LogOutput } from '../logging/log-output.js';
import { announceFaults, announceReady, onCrash, onStopRequest } from './process-events.js';
import { explainListenError, StartupError } from './startup-error.js';
import { Shutdown } from './shutdown.js';

/** What a process has before its app is made. */
export interface Launch {
  readonly name: string;
  readonly specs: readonly ConfigSpec[];
  readonly configs: Configs;
  readonly config: RuntimeConfig;
  readonly logger: AppLogger;
  readonly metrics: Registry;
  readonly health: Health;
  readonly shutdown: Shutdown;
}

/** What the app's start gives back: what its health depends on, and its public port if it has one. */
export interface Started extends Foundations {
  readonly port?: number;
}

const configurationExit = 78;

/** Everything around an app: configuration, log, metrics, health and the end of the process. */
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
  const health = new Health(new EventLoopWatch());
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
    setDefaultRegion(config.DEFAULT_REGION);
    setAirtimeBounds(config.AIRTIME_BOUNDS);
    setAllowPrivateCallbacks(config.CALLBACK_ALLOW_PRIVATE);
    const metrics = processMetrics(name);
    const metricsPort = await openInternalPort(config, health, metrics, shutdown);
    const { port, ...foundations } = await start({
      name,
      specs,
      configs,
      config,
      logger,
      metrics,
      health,
      shutdown,
    });
    health.started(foundations);
    await readiness(health);
    const ports = { ...(port !== undefined && { port }), metricsPort };
    logger.info({ ...ports, seconds: Math.round(process.uptime() * 10) / 10 }, 'ready');
    announceReady(name, ports);
  } catch (error) {
    if (shutdown.isRequested) return;
    if (error instanceof StartupError) logger.fatal({}, error.message);
    else logger.fatal({ err: error }, 'cannot start');
    exit(1);
  }
}

/** The one place that reads the environment. */
async function configure(name: string, specs: readonly ConfigSpec[]): Promise<Configs> {
  try {
    return readConfig(specs, process.env);
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    process.stderr.write(error.print(name));
    await announceFaults(error.paragraphs());
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

async function readiness(health: Health): Promise<void> {
  while (!(await health.ready()).healthy) await pause(250);
}
