import { Module } from '@nestjs/common';
import { callbackRetention } from '../callback.retention.js';
import { FailingHosts } from './failing-hosts.js';
import { OffEndpoints } from './off-endpoints.js';
import { UndeliveredCallbacks } from './undelivered-callbacks.js';

@Module({ providers: [callbackRetention, UndeliveredCallbacks, FailingHosts, OffEndpoints] })
export class RetentionModule {}
