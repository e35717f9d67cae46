import type { KeyScope } from '@gangan/protocol';
import { RouteFacts } from './route-facts.js';

/** Who may use a route, and how much they may send to it. */
export interface Access {
  readonly scope: KeyScope | 'public';
  /** In bytes; 64 KiB unless a route needs more. */
  readonly bodyLimit?: number;
  /** A file, which the controller reads as it arrives; a JSON object unless a route says so. */
  readonly takes?: 'csv';
}

/** Only a key with this scope may use the route. */
export const Scope = (scope: KeyScope, options: Omit<Access, 'scope'> = {}): MethodDecorator =>
  RouteFacts({ access: { ...options, scope } satisfies Access });

/** Anybody may use the route. */
export const Public = (): MethodDecorator => RouteFacts({ access: { scope: 'public' } satisfies Access });

export const declaredAccess = (routeConfig: unknown): Access | undefined =>
  (routeConfig as { readonly access?: Access } | undefined)?.access;
