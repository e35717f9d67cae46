export { freePort, isAlive } from '@gangan/embedded-postgres';
export { describeStatements } from './describe-statements.js';
export {
  aCallback,
  aDelivery,
  aMessage,
  anApiKey,
  anOrganisation,
  anOtp,
  aPurchase,
  aTemplate,
  type Columns,
  type FactoryDatabase,
  type OrganisationOptions,
  type TestApiKey,
  type TestOrganisation,
} from './factories.js';
export { startPostgres, type TestPostgres } from './postgres.js';
export { type RedisOptions, startRedis, type TestRedis } from './redis.js';
export { describeWithRedis, redisAvailable } from './redis-available.js';
export { startRedisCluster, type TestRedisCluster } from './redis-cluster.js';
export { seededRandom } from './seeded-random.js';
export { sendRequest, type TestRequest, type TestResponse } from './send-request.js';
export type { StartCommand } from './start-command.js';
export { until, type UntilOptions } from './until.js';
export { WorkerProcess } from './worker-process.js';
export { TestSystem, untilGone } from './test-system.js';
