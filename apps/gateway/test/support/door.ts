import { AuthModule } from '../../src/auth/auth.module.js';
import { HttpModule } from '../../src/http/http.module.js';
import { IdempotencyModule } from '../../src/idempotency/idempotency.module.js';
import { LimitsModule } from '../../src/limits/limits.module.js';

/** What every request comes through, whatever lies behind it. */
export const door = [HttpModule, AuthModule, IdempotencyModule, LimitsModule];
