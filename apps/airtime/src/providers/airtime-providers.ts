import { type Network, networks } from '@gangan/contracts';
import { Database, type OrganisationMode } from '@gangan/database';
import {
  type Admission,
  type AirtimeRouteTarget,
  decideAirtimeRoute,
  ProviderRegistry,
  readAirtimeRoutes,
  readAtStart,
} from '@gangan/providers';
import { Periodic, RuntimeConfig } from '@gangan/runtime';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AirtimeHealth } from './airtime-health.js';
import type { AirtimeProvider, SubmitResult } from './airtime-provider.js';
import { Simulator } from './simulator.js';

/** Changes apply within 5 s. */
const refreshMs = 1_000;
/** Each provider is asked for our credit once a minute, by one of all workers. */
const creditMs = 5_000;

/** A purchase that needs a provider. */
export interface RoutedPurchase {
  readonly organisationId: string;
  readonly mode: OrganisationMode;
  readonly network: Network;
  /** Set for a data bundle, which only its provider sells. */
  readonly product?: { readonly provider: string } | null | undefined;
}

/** A provider that may get a purchase. */
export interface AdmittedProvider {
  readonly provider: AirtimeProvider;
  /** Absent for the simulator. */
  readonly admission?: Admission;
}

/**
 * The providers of this worker. Live organisations use those of their routes. Test organisations always use the simulator,
 * live ones only with SIMULATE_LIVE.
 */
@Injectable()
export class AirtimeProviders implements OnModuleInit {
  private routes: readonly AirtimeRouteTarget[] = [];

  constructor(
    private readonly simulator: Simulator,
    private readonly runtime: RuntimeConfig,
    private readonly database: Database,
    private readonly registry: ProviderRegistry<AirtimeProvider>,
    private readonly health: AirtimeHealth,
  ) {}

  onModuleInit(): Promise<void> {
    return readAtStart(() => this.refresh());
  }

  @Periodic('reading airtime providers and routes', refreshMs)
  async refresh(): Promise<boolean> {
    await this.registry.refresh();
    this.routes = await readAirtimeRoutes(this.database);
    await this.health.refresh();
    return false;
  }

  @Periodic('asking airtime providers for our credit', creditMs)
  async askCredits(): Promise<boolean> {
    await this.registry.askCredits();
    return false;
  }

  /** Whether a purchase can have a provider, now or later. */
  isServed(purchase: RoutedPurchase): boolean {
    return this.roundFor(purchase).length > 0;
  }

  /** The providers whose products can be read. */
  withProducts(): AirtimeProvider[] {
    return [this.simulator, ...this.registry.enabled].filter((provider) => provider.products !== undefined);
  }

  /** The providers of the routes of an organisation. */
  sellersFor(buyer: Omit<RoutedPurchase, 'network'>): { provider: string; network: Network }[] {
    return networks.flatMap((network) =>
      this.roundFor({ ...buyer, network }).map(({ name }) => ({ provider: name, network })),
    );
  }

  /**
   * The providers that may get the purchase now, in the order in which they are tried: those that are up and whose credit
   * covers it, and the first one if it can be tested.
   */
  async admit(purchase: RoutedPurchase & { readonly kobo: bigint }): Promise<readonly AdmittedProvider[]> {
    if (this.isSimulated(purchase.mode)) return this.roundFor(purchase).map((provider) => ({ provider }));
    const { breaker } = this.health;
    const admitted: AdmittedProvider[] = [];
    for (const provider of this.roundFor(purchase)) {
      const { name } = provider;
      if (!this.health.covers(name, purchase.kobo)) continue;
      if (admitted.length > 0 && !breaker.isUp(name)) continue;
      const admission = await breaker.admit(name);
      if (admission.recipients > 0) admitted.push({ provider, admission });
    }
    return admitted;
  }

  /** The provider of an earlier submission, even if it is disabled. */
  findByName(name: string): AirtimeProvider | undefined {
    return name === this.simulator.name ? this.simulator : this.registry.find(name);
  }

  /** Call it before a submission. @returns whether our credit covers the purchase: others may have used it up */
  reserve(provider: AirtimeProvider, kobo: bigint): boolean {
    return provider === this.simulator || this.health.reserve(provider.name, kobo);
  }

  /** Takes the result of a submission into account. Never fails. */
  async record({ provider, admission }: AdmittedProvider, kobo: bigint, result: SubmitResult): Promise<void> {
    if (admission) await this.health.record(provider.name, admission, kobo, result);
  }

  /** Call it if nothing was submitted: another purchase may then test the provider. Never fails. */
  async release({ provider, admission }: AdmittedProvider): Promise<void> {
    if (admission) await this.health.breaker.release(provider.name, admission);
  }

  private roundFor(purchase: RoutedPurchase): readonly AirtimeProvider[] {
    const seller = purchase.product?.provider;
    const isSeller = (name: string): boolean => seller === undefined || name === seller;
    if (this.isSimulated(purchase.mode)) return isSeller(this.simulator.name) ? [this.simulator] : [];
    return decideAirtimeRoute(this.routes, purchase).flatMap((name) => {
      if (!isSeller(name)) return [];
      const [row, provider] = [this.registry.rowOf(name), this.registry.find(name)];
      if (!row?.enabled || !provider) return [];
      const isAllowed = row.organisationId === null || row.organisationId === purchase.organisationId;
      // Another kind of provider may have got the name.
      const sells = seller === undefined || provider.products !== undefined;
      return isAllowed && sells && (provider.serves?.(purchase.network) ?? true) ? [provider] : [];
    });
  }

  private isSimulated(mode: OrganisationMode): boolean {
    return mode === 'test' || this.runtime.SIMULATE_LIVE;
  }
}
