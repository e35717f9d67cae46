import { Module } from '@nestjs/common';
import { CallbacksController } from './callbacks.controller.js';

@Module({ controllers: [CallbacksController] })
export class CallbacksModule {}
