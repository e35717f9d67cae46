import { Module } from '@nestjs/common';
import { AuthModule } from './auth/auth.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { LookupModule } from './lookup/lookup.module.js';

@Module({ imports: [HttpModule, AuthModule, HealthModule, LookupModule] })
export class GatewayModule {}
