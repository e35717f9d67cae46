import type { QueueLogger } from '../observer.js';
import type { QueueRole, QueueSettings } from '../settings.js';
import type { Backend } from './backend.js';

const defaultNamespace = 'gangan';

/** Loads only the backend in use, because the driver of the other costs memory. */
export async function openBackend(
  settings: Pick<QueueSettings, 'connection' | 'namespace'>,
  role: QueueRole,
  logger: QueueLogger,
): Promise<Backend> {
  const { connection, namespace = defaultNamespace } = settings;
  if (connection.kind === 'redis') {
    const { RedisBackend } = await import('./redis/redis-backend.js');
    return new RedisBackend(connection.url, namespace, logger);
  }
  const { PostgresBackend } = await import('./postgres/postgres-backend.js');
  return new PostgresBackend(connection.url, connection.poolSize, role, namespace, logger);
}
