import type { Contract } from '@gangan/protocol';
import { Logger } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Configs, ConfigSpec } from '../config/define-config.js';
import { type ProcessConfig, RuntimeConfig } from '../config/runtime-config.js';
import { Health } from '../health/health.js';
import { startInternalServer } from '../health/internal-server.js';
import { ProcessHealth } from '../health/process-health.js';
import { LogOutput } from '../logging/log-output.js';
import { type AppLogger, createLogger } from '../logging/logger.js';
import { NestLogger } from '../logging/nest-logger.js';
import { printMetrics } from '../metrics/print-metrics.js';
import { measureWork } from '../metrics/work-metrics.js';
import { watchEventLoop } from '../watchdog/event-loop-watchdog.js';
import { listenAddresses } from './listen-addresses.js';
import { type AppShutdown, Shutdown } from './shutdown.js';
import { explainListenError, onCrash, onStopRequest, StartupError } from './supervisor.js';

/** What an app has before it is created. */
export interface Launch {
  readonly name: string;
  readonly contracts: readonly Contract[];
  readonly specs: readonly ConfigSpec[];
  readonly configs: Configs;
  readonly config: RuntimeConfig;
  readonly logger: AppLogger;
  readonly metrics: Registry;
  readonly health: Health;
  readonly shutdown: AppShutdown;
  /** Whether this is the only app of its process. */
  readonly isAlone: boolean;
  /** Ends the process at once, after the log is written. */
  readonly exit: (code: number) => void;
}

/**
 * In milliseconds. An idle process is woken so often to measure the delay of its event loop, and the delay that it reports is
 * at least that long.
 */
const eventLoopMonitoringPrecision = 50;

/** What exists once per process, for any number of apps: log output, signals, watchdog, internal port and exit. */
export class HostProcess {
  readonly logger: AppLogger;
  private readonly output = new LogOutput();
  private readonly health = new Map<string, Health>();
  private readonly registries: Registry[] = [];
  private readonly shutdown: Shutdown;
  private failed = false;

  constructor(
    name: string,
    private readonly config: ProcessConfig,
  ) {
    const { LOG_LEVEL: level, EVENT_LOOP_TIMEOUT_SECONDS: timeoutSeconds } = config;
    this.logger = createLogger({ app: name, level }, this.output);
    onCrash(this.logger, this.exit);
    watchEventLoop({ app: name, logLevel: level, timeoutMs: timeoutSeconds * 1_000 }, this.logger);
    // Nest has one logger per process.
    Logger.overrideLogger(new NestLogger(this.logger));
    const ofProcess = this.openRegistry(name);
    collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision });
    measureWork(ofProcess);
    this.shutdown = new Shutdown(
      this.logger,
      () => {
        for (const health of this.health.values()) health.stopping();
      },
      this.exit,
    );
    onStopRequest((reason) => {
      this.shutdown.request(reason);
    });
  }

  /** Gives an app what it has of its own, and its part of the health, the metrics and the shutdown of the process. */
  prepare({
    name,
    contracts,
    specs,
    configs,
    isAlone,
  }: Pick<Launch, 'name' | 'contracts' | 'specs' | 'configs' | 'isAlone'>): Launch {
    const config = configs.of(RuntimeConfig);
    const logger = createLogger({ app: name, level: config.LOG_LEVEL }, this.output);
    const health = new Health();
    this.health.set(name, health);
    return {
      name,
      contracts,
      specs,
      configs,
      config,
      logger,
      health,
      metrics: this.openRegistry(name),
      shutdown: this.shutdown.ofApp(name, logger),
      isAlone,
      exit: this.exit,
    };
  }

  /** Opens the port with the health and the metrics of all apps. */
  async openInternalPort(): Promise<{ readonly metricsHost: string; readonly metricsPort: number }> {
    const { METRICS_HOST, METRICS_PORT: port } = this.config;
    const hosts = listenAddresses('METRICS_HOST', METRICS_HOST);
    const health = new ProcessHealth(this.health);
    const metrics = () => printMetrics(this.registries);
    const server = await startInternalServer({ hosts, port }, health, metrics).catch((error: unknown) => {
      throw explainListenError(error, port, 'METRICS_PORT');
    });
    this.shutdown.closes('the internal port', () => server.close());
    return { metricsHost: server.host, metricsPort: server.port };
  }

  /** Ends the process because it cannot start. Errors during a shutdown are ignored: the shutdown causes them. */
  fail(logger: AppLogger, error: unknown): void {
    if (this.shutdown.isRequested || this.failed) return;
    this.failed = true;
    if (error instanceof StartupError) logger.fatal({}, error.message);
    else logger.fatal({ err: error }, 'cannot start');
    this.exit(1);
  }

  private readonly exit = (code: number): void => {
    void this.output.flush().then(() => process.exit(code));
  };

  private openRegistry(app: string): Registry {
    const registry = new Registry();
    registry.setDefaultLabels({ app });
    this.registries.push(registry);
    return registry;
  }
}
