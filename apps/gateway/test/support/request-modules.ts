import { AuthModule } from '../../src/auth/auth.module.js';
import { HttpModule } from '../../src/http/http.module.js';
import { IdempotencyModule } from '../../src/idempotency/idempotency.module.js';
import { InboundModule } from '../../src/inbound/inbound.module.js';
import { LimitsModule } from '../../src/limits/limits.module.js';

/** The modules that surround every controller. */
export const requestModules = [HttpModule, AuthModule, IdempotencyModule, LimitsModule, InboundModule];
