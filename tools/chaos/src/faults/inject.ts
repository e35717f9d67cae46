import { setTimeout as pause } from 'node:timers/promises';
import type { FaultName } from '../plan/fault-kinds.js';
import type { PlannedFault } from '../plan/plan-faults.js';
import type { Random } from '../plan/random.js';
import type { ChaosSystem } from '../system/chaos-system.js';
import { faketimeLibrary } from './availability.js';
import { isCommit, isStatement } from './postgres-messages.js';

/** What a fault needs: the system, its plan, and a wait that ends early when the run is interrupted. */
export interface Scene {
  readonly system: ChaosSystem;
  readonly planned: PlannedFault;
  readonly random: Random;
  /** Waits for the duration of the fault. */
  readonly last: () => Promise<void>;
}

type Inject = (scene: Scene) => Promise<void>;

/** Answers of Postgres that a slow app waits for. */
const slowMs = 200;
/** Which COMMIT an app dies at, at the latest. */
const maxCommits = 20;
/** The share of answers that is lost while answers are lost. */
const lostShare = { clients: 0.5, statement: 0.05, commit: 0.5 };

const injectors: Readonly<Record<FaultName, Inject>> = {
  'kill-process': ({ system, planned }) => {
    system.processNamed(planned.target).kill();
    return Promise.resolve();
  },
  'stop-process': async ({ system, planned, last }) => {
    const resume = system.processNamed(planned.target).suspend();
    await last().finally(resume);
  },
  'kill-at-commit': async ({ system, planned, random, last }) => {
    const process = system.processNamed(planned.target);
    let commits = random.int(1, maxCommits);
    const isLast = (request: Buffer): boolean => isCommit(request) && (commits -= 1) === 0;
    process.database.loseAnswers(isLast, () => {
      process.kill();
    });
    await last();
    process.database.keepAnswers();
  },
  'slow-then-kill': async ({ system, planned, last }) => {
    const process = system.processNamed(planned.target);
    process.database.delayAnswers(slowMs);
    await last();
    process.kill();
    process.database.delayAnswers(0);
  },
  'kill-postgres': async ({ system, last }) => {
    await system.postgres.kill();
    await last();
    await system.postgres.restart();
  },
  'restart-postgres': ({ system }) => system.postgres.restart(),
  'cut-postgres': ({ system, planned }) => {
    system.processNamed(planned.target).database.cut();
    return Promise.resolve();
  },
  'lose-answers': async ({ system, planned, random, last }) => {
    const toClients = planned.target === 'clients';
    const proxies = toClients ? system.clients : [system.processNamed(planned.target).database];
    const shareOf = (request: Buffer): number => {
      if (toClients) return lostShare.clients;
      if (isCommit(request)) return lostShare.commit;
      return isStatement(request) ? lostShare.statement : 0;
    };
    for (const proxy of proxies) proxy.loseAnswers((request) => random.chance(shareOf(request)));
    await last();
    for (const proxy of proxies) proxy.keepAnswers();
  },
  'flush-redis': async ({ system }) => {
    await system.redis?.flush();
  },
  'restart-redis': async ({ system, last }) => {
    await system.redis?.kill();
    await last();
    await system.redis?.restart();
  },
  'pause-redis': async ({ system, planned, last }) => {
    await system.redis?.command(`CLIENT PAUSE ${planned.durationMs} ALL`);
    await last();
  },
  'wrong-clock': async ({ system, planned, random, last }) => {
    const process = system.processNamed(planned.target);
    process.restartWith({
      LD_PRELOAD: faketimeLibrary() ?? '',
      FAKETIME: random.pick(['+10m', '-10m']),
      // Timers keep their pace.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    });
    await last();
    process.restartWith({});
  },
  'disk-full': async ({ system, last }) => {
    await system.disk?.fill();
    await last();
    system.disk?.free();
  },
};

/** Faults of the same server wait for each other: it is never started twice. */
export class FaultInjector {
  private readonly busy = new Map<string, Promise<void>>();

  constructor(
    private readonly system: ChaosSystem,
    private readonly random: Random,
    private readonly interrupted: AbortSignal,
  ) {}

  /** Returns when the fault is over. */
  async inject(planned: PlannedFault): Promise<void> {
    const last = (): Promise<void> => pause(planned.durationMs, undefined, { signal: this.interrupted });
    const { system, random } = this;
    const run = (): Promise<void> => injectors[planned.fault]({ system, planned, random, last });
    const server = /(?:postgres|redis|disk)/.exec(planned.fault)?.[0].replace('disk', 'postgres');
    if (server === undefined || planned.target !== '') return run();
    const turn = (this.busy.get(server) ?? Promise.resolve()).then(run);
    this.busy.set(
      server,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
