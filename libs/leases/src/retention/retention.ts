import { Database } from '@gangan/database';
import { AppLogger, type ConfigSpec, Counter, PeriodicTask, Registry } from '@gangan/runtime';
import {
  type BeforeApplicationShutdown,
  type FactoryProvider,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { type OldRows, removalsOf, type Removed } from './old-rows.js';

const defaultIntervalMs = 600_000;

export const days = (count: number): number => count * 86_400_000;

interface OldTable {
  readonly table: string;
  readonly intervalMs?: number;
  /** Each deletes one portion. */
  readonly removals: readonly (() => Promise<Removed>)[];
}

/** Deletes old rows at intervals. Several workers may do so at the same time: each skips the rows that another has locked. */
@Injectable()
export class Retention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tasks: readonly PeriodicTask[];
  private readonly deleted: Counter<'table'>;

  constructor(
    private readonly tables: readonly OldTable[],
    private readonly logger: AppLogger,
    registry: Registry,
  ) {
    this.tasks = tables.map((old) => {
      const name = `deleting old rows of ${old.table}`;
      return new PeriodicTask(name, old.intervalMs ?? defaultIntervalMs, () => this.pruneTable(old), logger);
    });
    this.deleted = new Counter({
      name: 'gangan_old_rows_deleted_total',
      help: 'Rows that were deleted or cleared because of their age, by table',
      labelNames: ['table'],
      registers: [registry],
    });
  }

  onApplicationBootstrap(): void {
    for (const task of this.tasks) task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  /** Deletes one portion of each table, or of one. @returns whether there may be more to delete */
  async prune(table?: string): Promise<boolean> {
    let hasMore = false;
    for (const old of this.tables)
      if (table === undefined || old.table === table) hasMore = (await this.pruneTable(old)) || hasMore;
    return hasMore;
  }

  private async pruneTable({ table, removals }: OldTable): Promise<boolean> {
    let rows = 0;
    let more = false;
    for (const remove of removals) {
      const { count, hasMore } = await remove();
      rows += count;
      more ||= hasMore;
    }
    if (rows > 0) {
      this.deleted.inc({ table }, rows);
      this.logger.debug({ table, rows }, 'old rows were deleted');
    }
    return more;
  }
}

/**
 * Declares which rows an app deletes when they are old, and makes a provider that does so. Declare it as a constant of a
 * module:
 * ```ts
 * export const callbackRetention = retentionOf(CallbackConfig, [
 *   { table: 'callback', since: 'ended_at', kind: 'callbacks', keptMs: (config) => days(config.CALLBACK_KEPT_DAYS) },
 * ]);
 * ```
 */
export function retentionOf<Config extends object>(
  config: ConfigSpec<Config>,
  tables: readonly OldRows<Config>[],
): FactoryProvider<Retention> {
  const declared = tables.map((rows) => ({ ...rows, removals: removalsOf(rows) }));
  return {
    provide: Retention,
    inject: [Database, config, AppLogger, Registry],
    useFactory: (database: Database, values: Config, logger: AppLogger, registry: Registry) =>
      new Retention(
        declared.map(({ keptMs, removals, ...rows }) => {
          const kept = typeof keptMs === 'number' ? keptMs : keptMs(values);
          return { ...rows, removals: removals.map((remove) => () => remove(database, kept)) };
        }),
        logger,
        registry,
      ),
  };
}
