import { type AppName, appNames } from '@gangan/protocol';

export interface Processes {
  /** Processes of each app. */
  readonly workers: number;
  /** Whether clients reach the gateways through HAProxy, and no proxy is between the apps and Postgres. */
  readonly behindLoadBalancer: boolean;
}

function countOf(app: AppName, { workers, behindLoadBalancer }: Processes): number {
  if (behindLoadBalancer) return app === 'gateway' ? Math.max(workers, 2) : workers;
  // Clients hardly use it.
  return app === 'lookup' ? 1 : workers;
}

/** Such as `gateway-1` and `messaging-2`. */
export const processNames = (processes: Processes): string[] =>
  appNames.flatMap((app) =>
    Array.from({ length: countOf(app, processes) }, (_, index) => `${app}-${index + 1}`),
  );

/** The app of a process. */
export const appOf = (process: string): string => process.replace(/-\d+$/, '');
