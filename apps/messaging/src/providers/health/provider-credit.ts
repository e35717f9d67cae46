import { Database } from '@gangan/database';
import { askCredits } from '@gangan/providers';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { Providers } from '../providers.js';

/** Each provider is asked once a minute, by one of all workers. */
const intervalMs = 5_000;

/** Knows our credit at the providers: it is stored with their health. */
@Injectable()
export class ProviderCredit {
  constructor(
    private readonly database: Database,
    private readonly providers: Providers,
    private readonly logger: AppLogger,
  ) {}

  @Periodic('asking providers for our credit', intervalMs)
  async ask(): Promise<boolean> {
    await askCredits(this.database, this.providers.creditSources(), this.logger);
    return false;
  }
}
