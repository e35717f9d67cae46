/** How a pool of database connections is used at the moment. */
export interface PoolUse {
  /** Connections that it may open. */
  readonly max: number;
  /** Open connections, in use or idle. */
  readonly size: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

interface Pool {
  readonly options: { readonly max: number };
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** @param pool of the driver `pg` */
export const poolUse = ({ options, totalCount, idleCount, waitingCount }: Pool): PoolUse => ({
  max: options.max,
  size: totalCount,
  idle: idleCount,
  waiting: waitingCount,
});
