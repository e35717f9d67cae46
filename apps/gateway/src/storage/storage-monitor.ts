import { statfs } from 'node:fs/promises';
import { Database, sql, statement, t } from '@gangan/database';
import { AppLogger, Gauge, Periodic, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../gateway.config.js';
import { storageLow } from './storage.errors.js';

const intervalMs = 30_000;
/** If no limit is set, this much growth is reported. */
const reportedGrowth = 10_737_418_240;

const findSize = statement(
  { bytes: t.bigint },
  () => sql`SELECT pg_database_size(current_database()) AS bytes`,
);

/**
 * Measures the database at intervals, so that what can wait is refused before its disk is full: imports, exports and
 * simulated incoming messages. Sends, money, outcomes and webhooks of carriers are never refused. Each gateway measures for itself:
 * that costs a few milliseconds twice a minute, and no gateway depends on another one.
 */
@Injectable()
export class StorageMonitor {
  private readonly databaseBytes: Gauge;
  private readonly freeBytes: Gauge | undefined;
  private readonly low: Gauge;
  private isTooLarge = false;
  private isDiskFull = false;
  private wasLow = false;
  private reportedAt: number | undefined;

  constructor(
    private readonly database: Database,
    private readonly config: GatewayConfig,
    private readonly logger: AppLogger,
    registry: Registry,
  ) {
    const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] });
    this.databaseBytes = gauge('gangan_database_bytes', 'Size of the database');
    this.low = gauge('gangan_storage_low', '1 while storage is low, otherwise 0');
    gauge('gangan_database_max_bytes', 'DATABASE_MAX_BYTES; 0 if it is not set').set(
      config.DATABASE_MAX_BYTES ?? 0,
    );
    if (config.DATABASE_FOLDER !== undefined)
      this.freeBytes = gauge('gangan_database_free_bytes', 'Free bytes on the disk of DATABASE_FOLDER');
  }

  get isLow(): boolean {
    return this.isTooLarge || this.isDiskFull;
  }

  /** @throws AppError 503 while storage is low */
  requireRoom(): void {
    if (this.isLow) throw storageLow();
  }

  @Periodic('measuring the database', intervalMs)
  async measure(): Promise<boolean> {
    // A full disk is noticed also if the database does not answer because of it.
    const measured = await Promise.allSettled([this.measureDatabase(), this.measureDisk()]);
    this.report();
    for (const result of measured) if (result.status === 'rejected') throw result.reason;
    return false;
  }

  private async measureDatabase(): Promise<void> {
    const { DATABASE_MAX_BYTES: max, DATABASE_FOLDER: folder } = this.config;
    const [found] = await this.database.run(findSize);
    const bytes = Number(found?.bytes ?? 0);
    this.databaseBytes.set(bytes);
    this.isTooLarge = max !== undefined && bytes > max;
    if (max === undefined && folder === undefined) this.reportGrowth(bytes);
  }

  private async measureDisk(): Promise<void> {
    const { DATABASE_FOLDER: folder, DATABASE_MIN_FREE_BYTES: min } = this.config;
    if (folder === undefined) return;
    const { bavail, bsize } = await statfs(folder);
    this.freeBytes?.set(bavail * bsize);
    this.isDiskFull = bavail * bsize < min;
  }

  private report(): void {
    this.low.set(this.isLow ? 1 : 0);
    if (this.isLow === this.wasLow) return;
    this.wasLow = this.isLow;
    if (this.isLow)
      this.logger.warn(
        { isTooLarge: this.isTooLarge, isDiskFull: this.isDiskFull },
        'storage is low: imports, exports and simulated incoming messages are refused, and only status and id of responses are kept',
      );
    else this.logger.info({}, 'storage is no longer low');
  }

  private reportGrowth(bytes: number): void {
    this.reportedAt ??= bytes;
    if (bytes < this.reportedAt + reportedGrowth) return;
    this.reportedAt = bytes;
    this.logger.warn({ bytes }, 'the database grows, and DATABASE_MAX_BYTES does not limit it');
  }
}
