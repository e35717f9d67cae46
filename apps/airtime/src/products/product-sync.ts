import type { Network } from '@gangan/contracts';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { AirtimeConfig } from '../airtime.config.js';
import type { AirtimeProvider, ProductLists, ProviderProduct } from '../providers/airtime-provider.js';
import { AirtimeProviders } from '../providers/airtime-providers.js';
import { ProductsRepository, retryMinutes } from './products.repository.js';

const intervalMs = 5_000;
/** Less than a worker has for its end. */
const timeoutMs = 20_000;

/** Reads the products of all providers at intervals, each by one of all workers. */
@Injectable()
export class ProductSync {
  constructor(
    private readonly repository: ProductsRepository,
    private readonly providers: AirtimeProviders,
    private readonly config: AirtimeConfig,
    private readonly logger: AppLogger,
  ) {}

  @Periodic('reading the products of airtime providers', intervalMs)
  async sync(): Promise<boolean> {
    const sources = this.providers.withProducts();
    const due = new Set(await this.repository.claimDue(sources.map(({ name }) => name)));
    await Promise.all(sources.filter(({ name }) => due.has(name)).map((source) => this.read(source)));
    return false;
  }

  /** A list that cannot be read changes nothing: its products stay as they are. */
  private async read(source: AirtimeProvider): Promise<void> {
    const { name: provider } = source;
    try {
      const lists: ProductLists = (await source.products?.(AbortSignal.timeout(timeoutMs))) ?? new Map();
      const read = new Map<Network, readonly ProviderProduct[]>();
      const unread: Network[] = [];
      for (const [network, products] of lists) {
        if (products) read.set(network, products);
        else unread.push(network);
      }
      const isWhole = unread.length === 0;
      if (!isWhole) this.logger.warn({ provider, networks: unread }, 'products could not be read');
      const minutes = isWhole ? this.config.AIRTIME_PRODUCT_SYNC_MINUTES : retryMinutes;
      if (read.size > 0) await this.repository.store(provider, read, minutes);
    } catch (error) {
      this.logger.warn({ err: error, provider }, 'the products of a provider could not be stored');
    }
  }
}
