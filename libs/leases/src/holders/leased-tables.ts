import type { Statements } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';

/** Makes the rows due whose leases the holder has. @returns how many */
export type TakeOver = (transaction: Statements, holder: bigint) => Promise<number>;

const takesOver = Reflector.createDecorator<string>();

/**
 * Marks the method of a repository that takes over the leases of a dead process in one table. It runs in the transaction
 * that removes the process from `lease_holder`.
 * ```ts
 * @TakesOver('contact_import')
 * takeOver(transaction: Statements, holder: bigint): Promise<number> { … }
 * ```
 */
export function TakesOver(table: string) {
  return (target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<TakeOver>): void =>
    void (takesOver(table) as MethodDecorator)(target, key, descriptor);
}

/** The methods of the app that are marked with `@TakesOver`. */
@Injectable()
export class LeasedTables {
  private found: ReadonlyMap<string, TakeOver> | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /** By table. */
  all(): ReadonlyMap<string, TakeOver> {
    return (this.found ??= new Map(
      this.discovery.getProviders().flatMap(({ instance }) => this.of(instance)),
    ));
  }

  private of(instance: unknown): (readonly [string, TakeOver])[] {
    if (typeof instance !== 'object' || instance === null) return [];
    const prototype = Object.getPrototypeOf(instance) as Record<string, TakeOver>;
    return this.scanner.getAllMethodNames(prototype).flatMap((method) => {
      const take = prototype[method];
      const table = take && this.reflector.get(takesOver, take);
      return take && table !== undefined ? [[table, take.bind(instance)] as const] : [];
    });
  }
}
