import type { Channel } from '@gangan/contracts';
import type { ProviderDomain } from '@gangan/database';
import {
  findAfricasTalkingFaults,
  findReloadlyFaults,
  findVtpassFaults,
} from './airtime/adapter-settings.js';
import { findHttpFaults } from './http/http-settings.js';
import { findLookupFaults } from './http/lookup/lookup-settings.js';
import { findWhatsAppFaults } from './whatsapp/whatsapp-settings.js';

/** What an adapter can do in one domain, and how its settings are validated. */
export interface DomainKind {
  readonly channels: readonly Channel[];
  /** All faults at once. @param secrets the names of the given secrets */
  findFaults(settings: unknown, secrets: readonly string[]): string[];
}

/** An adapter. */
export type ProviderKind = Readonly<Partial<Record<ProviderDomain, DomainKind>>>;

export const providerKinds: Readonly<Record<string, ProviderKind>> = {
  http: {
    message: { channels: ['sms'], findFaults: findHttpFaults },
    lookup: { channels: [], findFaults: findLookupFaults },
  },
  whatsapp: { message: { channels: ['whatsapp'], findFaults: findWhatsAppFaults } },
  africastalking: { airtime: { channels: [], findFaults: findAfricasTalkingFaults } },
  vtpass: { airtime: { channels: [], findFaults: findVtpassFaults } },
  reloadly: { airtime: { channels: [], findFaults: findReloadlyFaults } },
};

/** Undefined if this version has no such kind, or if it does not serve the domain. */
export const findKind = (kind: string, domain: ProviderDomain): DomainKind | undefined =>
  Object.hasOwn(providerKinds, kind) ? providerKinds[kind]?.[domain] : undefined;
