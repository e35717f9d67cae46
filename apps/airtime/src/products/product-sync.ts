import type { Network } from '@gangan/contracts';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { AirtimeConfig } from '../airtime.config.js';
import type { AirtimeProvider, ProductLists, ProviderProduct } from '../providers/airtime-provider.js';
import { AirtimeProviders } from '../providers/airtime-providers.js';
import { type ClaimedCatalogue, ProductsRepository, retryMinutes } from './products.repository.js';

const intervalMs = 5_000;
/** Shorter than the time that a worker has to stop. */
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
    const claimed = await this.repository.claimDue(this.providers.withProducts().map(({ name }) => name));
    if (claimed.length === 0) return false;
    // Products are due after a change of their provider: they must be read from the new account.
    await this.providers.refresh();
    const sources = new Map(this.providers.withProducts().map((source) => [source.name, source]));
    await Promise.all(
      claimed.map(async (one) => {
        const source = sources.get(one.provider);
        if (source) await this.read(source, one);
      }),
    );
    return false;
  }

  /**
   * A list that cannot be read changes nothing: its products stay as they are. If all lists are empty at once, that is a fault
   * of the provider.
   */
  private async read(source: AirtimeProvider, claimed: ClaimedCatalogue): Promise<void> {
    const { provider } = claimed;
    try {
      const lists: ProductLists = (await source.products?.(AbortSignal.timeout(timeoutMs))) ?? new Map();
      const read = new Map<Network, readonly ProviderProduct[]>();
      const unread: Network[] = [];
      for (const [network, products] of lists) {
        if (products) read.set(network, products);
        else unread.push(network);
      }
      const isEmpty = unread.length === 0 && [...read.values()].every((products) => products.length === 0);
      if (isEmpty && (await this.repository.sellsAny(provider))) {
        unread.push(...read.keys());
        read.clear();
      }
      const isWhole = unread.length === 0;
      if (!isWhole) this.logger.warn({ provider, networks: unread }, 'products could not be read');
      const minutes = isWhole ? this.config.AIRTIME_PRODUCT_SYNC_MINUTES : retryMinutes;
      if (read.size > 0) await this.repository.store(claimed, read, minutes);
    } catch (error) {
      this.logger.warn({ err: error, provider }, 'the products of a provider could not be stored');
    }
  }
}
